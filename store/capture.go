package store

import (
	"fmt"
	"slices"
	"time"
)

// Location is where a capture lies.
type Location struct {
	File   string // base name of the WARC file, the final one: never with ".open"
	Offset int64  // of the gzip member's first byte
	Length int64  // of the whole gzip member, in bytes
}

// Capture is one response or revisit in the archive: what a CDXJ line tells of it.
type Capture struct {
	// the SURT of the URL, as canon.SURT gives it; bytes outside '!' to '~' are stored as %XX
	URLKey string
	// WARC-Date; kept in UTC with microseconds, from the year 0 to 9999: a time outside becomes the
	// nearest inside
	Time   time.Time
	URL    string // WARC-Target-URI
	MIME   string // media type without parameters, "warc/revisit" for a revisit; "" if unknown
	Status int    // HTTP status; 0 if unknown
	Digest string // payload digest with its algorithm: "sha1:BASE32"; "" if unknown
	Method string // as sent; "" means GET
	// the query that the dialect pywb makes of the request's body, as it stands in the URLKey before
	// canonicalization
	RequestBody string

	// What the other dialects make of the request's body, of any length. Export uses it; Captures
	// leaves it empty.
	SpecBody, WarcioJSBody string

	// Original, if it is not nil, is what revisits may refer to from now on: this capture as an
	// original. Captures leaves it nil.
	Original *Original

	// The secondary keys, "" where there is none; stored as URLKey is. Captures fills the one that its
	// Query names, and leaves the others empty.
	PathKey, WWWOFFLEKey, FormKey string

	Location
}

// OriginalKey is a hash of all in which the responses must agree that one record can stand for.
// What that is is the recorder's matter.
type OriginalKey [32]byte

// Original is a response that is stored in full: what a revisit says of it. The index has one for
// each key, the latest.
type Original struct {
	Key      OriginalKey
	RecordID [16]byte  // its UUID
	Time     time.Time // WARC-Date; kept as that of a Capture is
	Seconds  bool      // the WARC-Date has no fraction
	Digest   string    // payload digest, as in the record
	URL      string    // WARC-Target-URI
	// base name of the file that it lies in: that of its Capture, which Commit looks at
	File string
}

// Key names one of the keys of a capture: the field of Capture that holds it.
type Key string

const (
	URLKey      Key = "url"
	PathKey     Key = "path"
	WWWOFFLEKey Key = "wwwoffle"
	FormKey     Key = "form"
)

// secondaryKeys are the keys that a capture need not have.
var secondaryKeys = [...]Key{PathKey, WWWOFFLEKey, FormKey}

// primary reports whether k is the key that every capture has.
func (k Key) primary() bool { return k == URLKey || k == "" }

// check returns an error unless k is one of the keys.
func (k Key) check() error {
	if k.primary() || slices.Contains(secondaryKeys[:], k) {
		return nil
	}
	return fmt.Errorf("unknown key %q: it is one of url, path, wwwoffle and form", string(k))
}

// key returns where c has the key of that name.
func (c *Capture) key(name Key) *string {
	switch name {
	case PathKey:
		return &c.PathKey
	case WWWOFFLEKey:
		return &c.WWWOFFLEKey
	case FormKey:
		return &c.FormKey
	}
	return &c.URLKey
}

// isGET reports whether c is what every dialect takes for a GET.
func (c *Capture) isGET() bool { return c.Method == "" || c.Method == "GET" }

// hasExtras reports whether there is anything to keep as extras: the dialects often agree on a
// body, and a GET has none.
func (c *Capture) hasExtras() bool {
	return c.SpecBody != c.RequestBody || c.WarcioJSBody != c.RequestBody || c.PathKey != "" ||
		c.WWWOFFLEKey != "" || c.FormKey != ""
}
