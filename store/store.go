// Package store is the archive at rest: the captures of a collection, where each one lies, and the
// index that finds them.
//
// A capture is one response (or revisit) in a WARC file. Open gives the index of a collection that
// is being recorded, OpenReadOnly that of one that is not; Commit puts captures into it, Captures
// and Export read them in the order of their CDXJ lines. AddGaps notes what could not be recorded.
//
// Invariant: the index never points at bytes that are not there. A file is known to the index
// (AddFile) before its first capture, and Commit stores captures and the length up to which their
// files are on disk in one transaction; whoever calls Commit has synced the files before.
package store

import (
	"errors"
	"time"

	"warcorder/canon"
)

// ErrDamaged says that the file is no sound index: it is empty or cut, a page or a key is not where
// it must be, a bucket is missing, or a value cannot be read. The captures are in the WARC files
// still: a new index can be made from them.
var ErrDamaged = errors.New("the index is damaged")

// ErrBroken says that bbolt has panicked within a transaction, so that only what opens the index
// anew can use it. All that was committed before is there.
var ErrBroken = errors.New("nothing can be put into the index any more")

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

// File is one WARC file as the index knows it.
type File struct {
	ID        uint32 // given by AddFile, never used again for another file
	Name      string // base name, the final one
	Committed int64  // bytes, from the start of the file, whose captures are in the index
	Sealed    bool   // complete, and renamed to its final name
	Away      bool   // not there any more, or not all of it: a gap says so
}

// Query selects captures. The zero Query selects all.
type Query struct {
	// "" selects every URL; with a Key other than URLKey it is the text of such a key
	URL   string
	Match Match  // how URL selects; "" is Exact; keys other than URLKey know Exact and Prefix
	From  string // the first moment, 1 to 14 digits of YYYYMMDDhhmmss; "" is the beginning
	To    string // the last moment, inclusive: "2026" takes the whole year; "" is the end
	Key   Key    // by which captures are found and sorted; "" is URLKey
	// of the lines that Export writes, and of the URL keys that it finds and sorts by; "" is
	// canon.Pywb
	Dialect canon.Dialect

	// NoBodies leaves request bodies out of the lines that Export writes: they have no requestBody,
	// and their URL keys say the method alone. Captures does not look at it.
	NoBodies bool
}

// Match is how the URL of a Query selects captures; the values are pywb's matchType.
type Match string

const (
	Exact  Match = "exact"  // the same URL key
	Prefix Match = "prefix" // keys that begin like the URL's
	Host   Match = "host"   // every page of the URL's host
	Domain Match = "domain" // every page of the URL's host and of the hosts below it
)

// Exported is what Export wrote.
type Exported struct {
	Lines       int64
	InOpenFiles int64 // lines whose WARC file is still being written, under its name with ".open"
}
