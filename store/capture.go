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
	// URLKey is the SURT of the URL, as canon.SURT gives it. Bytes outside '!' to '~' are stored as
	// %XX.
	URLKey string

	// Time is the WARC-Date. It is kept in UTC with microseconds, from the year 0 to 9999: a time
	// outside becomes the nearest inside.
	Time time.Time

	URL    string // WARC-Target-URI
	MIME   string // media type without parameters, "warc/revisit" for a revisit; "" if unknown
	Status int    // HTTP status; 0 if unknown
	Digest string // payload digest with its algorithm: "sha1:BASE32"; "" if unknown
	Method string // as sent; "" means GET

	// Truncated says that the response is not there to its end: its record has WARC-Truncated.
	Truncated bool

	// Whole says that the response of status 206 is not truncated and has all bytes of its entity.
	Whole bool

	// Entity tells the versions of what a URL stands for apart: a hash of the validator of a response
	// of status 200 or 206. Parts and the whole of one version have the same. 0 is unknown.
	Entity uint32

	// RequestBody is the query that the dialect pywb makes of the request's body, as it stands in
	// the URLKey before canonicalization.
	RequestBody string

	// SpecBody and WarcioJSBody are what the other dialects make of the request's body, of any
	// length. Export uses them, and UnderWithBodies gives them; Captures leaves them empty.
	SpecBody, WarcioJSBody string

	// Original, if it is not nil, is this capture as an original: revisits may refer to it from now
	// on. Captures leaves it nil.
	Original *Original

	// Visit is what is known of the page for which the capture was made. Captures leaves it empty:
	// Timeline gives it.
	Visit Visit

	// The secondary keys are stored as URLKey is; "" means that there is none. Captures fills the one
	// that its Query names, and leaves the others empty.
	PathKey, WWWOFFLEKey, FormKey, QueryKey string

	// void says, in an Export, that the capture has a line only to say that the one which it had before
	// is void: since.go.
	void bool

	// again says, in an Export, that it may have had a line before.
	again bool

	// loose is the ID of the file, if a Walk gives the capture in the order of the index since its
	// second has too many to be sorted; otherwise 0: run.go.
	loose uint32

	Location
}

// OriginalKey is a hash of all in which responses must agree if one record is to stand for all of
// them. The recorder decides what that is.
type OriginalKey [32]byte

// Original is a response that is stored in full: what a revisit says of it. The index has one for
// each key, the latest.
type Original struct {
	Key      OriginalKey
	RecordID [16]byte  // its UUID
	Time     time.Time // WARC-Date; kept as that of a Capture is
	Seconds  bool      // whether the WARC-Date has no fraction
	Digest   string    // payload digest, as in the record
	URL      string    // WARC-Target-URI
	File     string    // base name of the WARC file; Commit takes that of the Capture
}

// Key names one of the keys of a capture: the field of Capture that holds it.
type Key string

const (
	URLKey      Key = "url"
	PathKey     Key = "path"
	WWWOFFLEKey Key = "wwwoffle"
	FormKey     Key = "form"
	QueryKey    Key = "query" // of what is no GET and has a body: canon.QueryKey
)

// secondaryKeys are the keys that a capture need not have.
var secondaryKeys = [...]Key{PathKey, WWWOFFLEKey, FormKey, QueryKey}

// extraKeys are those that a capture has if the configuration asks for them.
var extraKeys = secondaryKeys[:3]

// primary reports whether k is the key that every capture has.
func (k Key) primary() bool { return k == URLKey || k == "" }

// check returns an error unless k is one of the keys.
func (k Key) check() error {
	if k.primary() || slices.Contains(secondaryKeys[:], k) {
		return nil
	}
	return fmt.Errorf("unknown key %q: it is one of url, path, wwwoffle, form and query", string(k))
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
	case QueryKey:
		return &c.QueryKey
	}
	return &c.URLKey
}

// isGET reports whether every dialect takes c for a GET.
func (c *Capture) isGET() bool { return c.Method == "" || c.Method == "GET" }

// maxPlainQuery is how many bytes of RequestBody stand in the value of a capture. A longer one is
// with those of the other dialects, in the bucket "extras".
const maxPlainQuery = 1 << 10

// hasLongQuery reports whether RequestBody is in the extras.
func (c *Capture) hasLongQuery() bool { return !c.isGET() && len(c.RequestBody) > maxPlainQuery }

// isCut reports whether the key of c is cut; urlKey is as appendURLKey gives it.
func (c *Capture) isCut(urlKey []byte) bool { return c.hasLongQuery() && len(urlKey) > maxCutKey }

// hasExtras reports whether c has anything to keep in the bucket "extras". A GET without secondary
// keys has nothing. What is no GET has a QueryKey, as a rule.
func (c *Capture) hasExtras() bool {
	return c.hasLongQuery() || c.SpecBody != c.RequestBody || c.WarcioJSBody != c.RequestBody ||
		c.PathKey != "" || c.WWWOFFLEKey != "" || c.FormKey != "" || c.QueryKey != ""
}
