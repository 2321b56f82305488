// Package tombstone is what a removal leaves in a file in the place of what went.
//
// Invariant: a tombstone is a record as the standard has it, of which no index knows; of one that is
// to forget nobody learns what was removed.
package tombstone

import (
	"bytes"
	"crypto/sha1"
	"encoding/base32"
	"strconv"
	"strings"
	"time"

	"warcorder/store/warc"
)

// A tombstone says that records were removed from the file in which it stands. It is a metadata
// record of the type application/warc-fields (WARC 1.1 section 6.6), without WARC-Target-URI, so
// that no index has it. Its fields:
//
//	removal     the ID of the removal, <urn:uuid:…>: the same in all files
//	removed     when that was
//	reason      the operator's, if one was given
//	page        the ID or URL of the pages by which it was chosen, if it was; a tombstone that is to
//	            forget has none
//	captures    how many captures went from this file, and as
//	records     how many records they were, with
//	bytes       so many bytes
//	capture     TIME DIGEST URL of one that went; as many as there were. A tombstone that is to
//	            forget has none
//	unlisted    how many captures went that have no such field
const (
	// FieldsType is the media type of a tombstone's block.
	FieldsType = "application/warc-fields"

	fieldRemoval  = "removal"
	fieldPage     = "page"
	fieldCapture  = "capture"
	fieldUnlisted = "unlisted"

	// MaxList is how many bytes of captures a tombstone has.
	MaxList = 16 << 20

	dateFormat   = "2006-01-02T15:04:05.000000Z"
	dateFormat10 = "2006-01-02T15:04:05Z"
)

// Facts are what a tombstone says beside what went.
type Facts struct {
	ID                       string    // of the removal, <urn:uuid:…>
	Time                     time.Time // of the removal
	Reason                   string    // "" if none was given
	Page                     string    // "" if it was not chosen by page, or is to be forgotten
	Captures, Records, Bytes int64     // that went from the file
}

// List are the captures that went. The zero List is of one that forgets.
type List struct {
	text     []byte
	unlisted int64
}

// Add adds a capture. One for which no room is left is counted.
func (l *List) Add(date, digest, uri string) {
	if len(l.text)+len(uri) >= MaxList {
		l.unlisted++
		return
	}
	if digest == "" {
		digest = "-"
	}
	l.text = warc.AppendField(l.text, fieldCapture, date+" "+digest+" "+uri)
}

// Block is the block of a tombstone.
func Block(f *Facts, l *List) []byte {
	b := warc.AppendField(nil, fieldRemoval, f.ID)
	b = warc.AppendField(b, "removed", f.Time.UTC().Format(dateFormat10))
	if f.Reason != "" {
		b = warc.AppendField(b, "reason", f.Reason)
	}
	if f.Page != "" {
		b = warc.AppendField(b, fieldPage, f.Page)
	}
	b = warc.AppendInt(b, "captures", f.Captures)
	b = warc.AppendInt(b, "records", f.Records)
	b = warc.AppendInt(b, "bytes", f.Bytes)
	b = append(b, l.text...)
	if l.unlisted > 0 {
		b = warc.AppendInt(b, fieldUnlisted, l.unlisted)
	}
	return b
}

// Header is the WARC header of a tombstone with that block, in a file whose records have that version
// and name that warcinfo record; "" for none.
func Header(version, id, warcinfo string, at time.Time, block []byte) []byte {
	format := dateFormat
	if version == warc.Version10 {
		format = dateFormat10
	}
	b := append([]byte(version), "\r\n"...)
	b = warc.AppendField(b, "WARC-Type", "metadata")
	b = warc.AppendField(b, "WARC-Record-ID", id)
	b = warc.AppendField(b, "WARC-Date", at.UTC().Format(format))
	if warcinfo != "" {
		b = warc.AppendField(b, "WARC-Warcinfo-ID", warcinfo)
	}
	sum := sha1.Sum(block)
	b = warc.AppendField(b, "WARC-Block-Digest", "sha1:"+base32.StdEncoding.EncodeToString(sum[:]))
	b = warc.AppendField(b, "Content-Type", FieldsType)
	b = warc.AppendInt(b, "Content-Length", int64(len(block)))
	return append(b, "\r\n"...)
}

// Is reports whether a record with that header, whose block begins so, is a tombstone.
func Is(h warc.Header, start []byte) bool {
	return h.Get("WARC-Type") == "metadata" && h.Get("Content-Type") == FieldsType &&
		h.Get("WARC-Target-URI") == "" && h.Get("WARC-Concurrent-To") == "" &&
		bytes.HasPrefix(start, []byte(fieldRemoval+": <urn:uuid:"))
}

// MayBe reports whether it is worth reading the first StartSize bytes of the block.
func MayBe(h warc.Header) bool {
	return Is(h, []byte(fieldRemoval+": <urn:uuid:"))
}

// StartSize is how many bytes of a block Is needs.
const StartSize = int64(len(fieldRemoval + ": <urn:uuid:"))

// Forget returns the block of an earlier tombstone without the captures that has says; nil if it has
// none of them. If page is not "", it is for tombstones alone that say that page.
func Forget(block []byte, page string, has func(uri string, at time.Time) bool) []byte {
	f := forgetting{has: has}
	for line := range bytes.Lines(block) {
		f.take(line)
	}
	if f.forgotten == 0 || page != "" && f.page != page {
		return nil
	}
	kept := f.kept
	if f.page != "" && f.listed > 0 && !f.isPage {
		kept = warc.AppendField(kept, fieldPage, f.page)
	}
	return warc.AppendInt(kept, fieldUnlisted, f.forgotten+f.unlisted)
}

// forgetting is what is known of a block while captures are taken out of it.
type forgetting struct {
	has func(uri string, at time.Time) bool

	kept              []byte // lines
	page              string
	isPage            bool  // a capture of the page's URL is forgotten
	forgotten, listed int64 // captures
	unlisted          int64 // by then
}

// take takes one line.
func (f *forgetting) take(line []byte) {
	name, value, _ := strings.Cut(string(bytes.TrimRight(line, "\r\n")), ": ")
	switch name {
	case fieldPage:
		f.page = value
		return
	case fieldUnlisted:
		n, _ := strconv.ParseInt(value, 10, 64)
		f.unlisted += n
		return
	case fieldCapture:
		date, rest, _ := strings.Cut(value, " ")
		_, uri, _ := strings.Cut(rest, " ")
		if at, known := warc.ParseDate(date); known && f.has(uri, at) {
			f.forgotten++
			f.isPage = f.isPage || uri == f.page
			return
		}
		f.listed++
	}
	f.kept = append(f.kept, line...)
}
