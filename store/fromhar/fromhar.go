// Package fromhar makes WARC records of a HAR (HTTP Archive 1.2): what the developer tools of browsers
// and Playwright save of the exchanges that they saw. Start with [Maker].
//
// A HAR is not what crossed the wire. It has each message in pieces, the body without its codings and,
// where it is text, in UTF-8. So the records are derived, and the warcinfo record says so:
//
//	head               as HTTP/1.1, of method, address, status and fields, in their order; those of
//	                   HTTP/2 that begin with ':' are left out, and a Host that is not there comes first
//	Content-Encoding,  left out, since the body has no codings; Content-Length is that of the body,
//	Transfer-Encoding  and stands last
//	charset            UTF-8, where the body is text with other characters than ASCII, or came in
//	                   UTF-16 (not in a HAR of ours, which has the bytes); a Content-Type that is
//	                   another than it was stands behind the other fields
//	304 with a body    200: the browser took the body from its cache
//	_completion        a metadata record, as the recorder wrote it that has asked for the whole
//	WARC-Date          startedDateTime
//
// An entry of which there is no answer, or not the body of it, or that never left the browser, becomes
// no record, and is counted.
//
// Invariant: the same HAR makes the same records, IDs and all. No more than one entry of a HAR is in
// memory, of at most MaxEntry bytes: measured, four times as much, and 14 times where they are not UTF-8,
// each of which becomes three. Of its pages there are no more than maxPages, of the fields of a head or
// a form no more than maxFields.
package fromhar

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"warcorder/recorder/record"
	"warcorder/store/pagelist"
)

// MaxEntry is how long an entry of a HAR may be, in bytes.
const MaxEntry = 64 << 20

// Maker makes records of HARs.
type Maker struct {
	// Out takes a record: its header and the beginning of its block in parts, the rest of its block of
	// so many bytes, and whether that is compressed already.
	Out func(head [][]byte, body io.Reader, size int64, stored bool) error
	// Attached opens a file that a HAR names as the body of an answer. nil if there can be none.
	Attached func(name string) (io.ReadCloser, error)
	// Page takes the pages that a HAR names.
	Page func(pagelist.Page) error
	// Room is how many bytes of HARs and of bodies may still be read: a small file can stand for any
	// number.
	Room int64
}

// Report is what became of the entries of a HAR.
type Report struct {
	Entries  int
	Captures int
	Skipped  []Skipped      // the first ones that became no record
	Reasons  map[string]int // all of them, by reason
	Messages int            // messages of WebSockets, which have no place in a WARC file
	Cut      int            // answers whose body is not all there
	Fresh    int            // answers 304 that became 200
	Pages    int
}

// Skipped is an entry that became no record.
type Skipped struct {
	Index  int // from 0, as in the HAR
	What   string
	Reason string
}

// mostSkipped is how many of those are listed.
const mostSkipped = 20

// ErrRoom says that there is no room for what a HAR stands for.
var ErrRoom = errors.New("there is no room on the disk for all that it stands for")

// Make makes the records of a HAR, which open opens, each time from its beginning. name is what the
// HAR is called.
func (m *Maker) Make(name string, open func() (io.ReadCloser, error)) (Report, error) {
	h := &har{Maker: m, name: name, report: Report{Reasons: map[string]int{}}}
	sum, err := m.sumOf(open)
	if err != nil {
		return h.report, err
	}
	h.sum = sum
	in, err := open()
	if err != nil {
		return h.report, err
	}
	defer in.Close()
	if err := h.read(in); err != nil {
		return h.report, err
	}
	return h.report, h.tellPages()
}

// sumOf returns the digest of a HAR, of which the IDs of its records are made.
func (m *Maker) sumOf(open func() (io.ReadCloser, error)) (sum [sha256.Size]byte, err error) {
	in, err := open()
	if err != nil {
		return sum, err
	}
	defer in.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, &roomy{in, m}); err != nil {
		return sum, err
	}
	return [sha256.Size]byte(hash.Sum(nil)), nil
}

// roomy reads as long as there is room.
type roomy struct {
	in io.Reader
	m  *Maker
}

func (r *roomy) Read(p []byte) (int, error) {
	n, err := r.in.Read(p)
	if r.m.Room -= int64(n); r.m.Room < 0 {
		return n, ErrRoom
	}
	return n, err
}

// har is a HAR while it is read.
type har struct {
	*Maker
	name   string
	sum    [sha256.Size]byte
	report Report

	version          string
	creator, browser agent
	warcinfo         *record.ID // nil before the first record
	pages            pages
}

// agent is who has made a HAR, or the browser in which it was made.
type agent struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

func (a agent) String() string {
	text := a.Name
	if a.Version != "" {
		text += " " + a.Version
	}
	return text[:min(len(text), 200)]
}

// idOf is the ID of a record: a UUID of version 8 (RFC 9562).
func (h *har) idOf(index int, kind byte) (id record.ID) {
	hash := sha256.New()
	hash.Write(h.sum[:])
	var number [9]byte
	binary.BigEndian.PutUint64(number[:], uint64(index))
	number[8] = kind
	hash.Write(number[:])
	copy(id[:], hash.Sum(nil))
	id[6] = id[6]&0x0f | 0x80
	id[8] = id[8]&0x3f | 0x80
	return id
}

// skip notes an entry that becomes no record.
func (h *har) skip(index int, what, reason string) {
	h.report.Reasons[reason]++
	if len(h.report.Skipped) < mostSkipped {
		h.report.Skipped = append(h.report.Skipped, Skipped{index, fmt.Sprintf("%.200q", what), reason})
	}
}

// when reads a startedDateTime.
func when(text string) (time.Time, bool) {
	at, err := time.Parse(time.RFC3339, text)
	at = at.UTC().Truncate(time.Microsecond)
	return at, err == nil && at.Year() > 0 && at.Year() <= 9999
}
