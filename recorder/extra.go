package recorder

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"warcorder/recorder/record"
	"warcorder/store"
)

// The types of records that are no exchange (WARC 1.1 sections 6.4, 6.6 and 6.8).
const (
	// something that was had without HTTP, or made: an answer of a name server, a screenshot
	Resource   = "resource"
	Metadata   = "metadata"   // what is to be said about another record, or about a URI
	Conversion = "conversion" // another record's payload in another form
)

// Extra is a record that is no exchange. It comes from [Recorder.BeginExtra] and ends with exactly
// one of Commit, Write and Discard, after which it must not be touched. On its way to disk it is
// treated like an exchange; in the index it is found by its URI, if it is one that cdxj-indexer
// writes a line for.
type Extra struct {
	Type string // Resource, Metadata or Conversion
	// WARC-Target-URI, of any scheme; http and https are brought into the form that exchanges have
	URI         string
	ContentType string     // of the block
	Date        time.Time  // WARC-Date; the zero Time is that of Commit
	RemoteIP    netip.Addr // who it was had from; the zero Addr if nobody

	// ConcurrentTo and RefersTo are IDs of other records, <urn:uuid:…>: of the same event, and of what
	// this one is about. A resource refers to nothing, a conversion is of no event. Whether those
	// records are in the collection is not looked at.
	ConcurrentTo, RefersTo string

	// Block is the content. When it cannot be written to, the record cannot be kept: Discard it.
	Block *Buffer `json:"-"`

	id   record.ID
	x    *Exchange    // that takes it through the queue
	wait chan outcome // of Write; nil after Commit
}

// Written is where a record is.
type Written struct {
	RecordID string // <urn:uuid:…>
	Date     time.Time
	store.Location
}

// outcome is what became of a record.
type outcome struct {
	store.Location
	err error
}

var errClosed = errors.New("the recorder is closed")

// BeginExtra returns an empty record.
func (r *Recorder) BeginExtra() *Extra {
	x := r.Begin()
	var random record.IDSource
	x.extra = &Extra{Block: &x.Response, id: random.Next(), x: x}
	return x.extra
}

// Commit hands the record to the recorder, as [Exchange.Commit] does. The error is that of Check,
// or of its Block; the record is then discarded.
func (e *Extra) Commit() error {
	err := e.Check()
	if err == nil {
		err = e.Block.lacks()
	}
	if err != nil {
		e.Discard()
		return err
	}
	if record.IsHTTP(e.URI) {
		e.URI = record.TargetURI(e.URI)
	}
	if e.Date.IsZero() {
		e.Date = time.Now()
	}
	e.Date = e.x.recorder.archive.style.Date(e.Date)
	e.x.URL, e.x.Started = e.URI, time.Now()
	e.x.Commit()
	return nil
}

// Write is Commit, and waits until the record is on disk and, unless that cannot be written at
// present, in the index. When ctx ends before, the record may still be written.
func (e *Extra) Write(ctx context.Context) (Written, error) {
	r, wait := e.x.recorder, make(chan outcome, 1)
	e.wait = wait
	if err := e.Commit(); err != nil {
		return Written{}, err
	}
	select {
	case o := <-wait:
		if o.err == nil {
			r.committer.settle()
		}
		return Written{e.id.String(), e.Date, o.Location}, o.err
	case <-ctx.Done():
		return Written{}, ctx.Err()
	}
}

// Discard forgets the record.
func (e *Extra) Discard() { e.x.Discard() }

// Check says what keeps the record from being written, in words for whoever asked for it.
func (e *Extra) Check() error {
	switch {
	case e.Type != Resource && e.Type != Metadata && e.Type != Conversion:
		return fmt.Errorf("the type %q is none of resource, metadata, conversion", e.Type)
	case e.ContentType == "":
		return errors.New("the record has no content type")
	case !record.IsText(e.ContentType):
		return errors.New("the content type is no line of text")
	case e.Type == Resource && e.RefersTo != "":
		return errors.New(
			"a resource record refers to no other (WARC 1.1 section 5.11): leave refers-to out")
	case e.Type == Conversion && e.ConcurrentTo != "":
		return errors.New(
			"a conversion record is concurrent to no other (WARC 1.1 section 5.7): say refers-to")
	case e.Date.UTC().Year() < 1 || e.Date.UTC().Year() > 9999: // the zero Time has year 1
		return errors.New("the date's year is not from 0001 to 9999, in UTC")
	}
	if err := record.CheckURI(e.URI); err != nil {
		return fmt.Errorf("the URI %w", err)
	}
	for name, id := range map[string]string{"concurrent-to": e.ConcurrentTo, "refers-to": e.RefersTo} {
		if id == "" {
			continue
		}
		bare, open := strings.CutPrefix(id, "<")
		bare, closed := strings.CutSuffix(bare, ">")
		if !open || !closed {
			return fmt.Errorf("%s is no record ID of the form <urn:uuid:…>", name)
		}
		if err := record.CheckURI(bare); err != nil {
			return fmt.Errorf("%s %w", name, err)
		}
	}
	return nil
}

// appendHeader appends the WARC header, with its empty line.
func (e *Extra) appendHeader(dst []byte, s *record.Style, block *record.Message, warcinfo *record.ID) []byte {
	dst = append(append(append(dst, s.Version()...), "\r\nWARC-Type: "...), e.Type...)
	dst = e.id.Append(append(dst, "\r\nWARC-Record-ID: "...))
	if e.ConcurrentTo != "" {
		dst = append(append(dst, "\r\nWARC-Concurrent-To: "...), e.ConcurrentTo...)
	}
	if e.RefersTo != "" {
		dst = append(append(dst, "\r\nWARC-Refers-To: "...), e.RefersTo...)
	}
	dst = s.AppendDate(append(dst, "\r\nWARC-Date: "...), e.Date)
	dst = append(append(dst, "\r\nWARC-Target-URI: "...), e.URI...)
	if e.RemoteIP.IsValid() {
		dst = record.AppendIP(append(dst, "\r\nWARC-IP-Address: "...), e.RemoteIP)
	}
	dst = warcinfo.Append(append(dst, "\r\nWARC-Warcinfo-ID: "...))
	if e.Type != Metadata { // which has no payload
		dst = block.Payload.Append(append(dst, "\r\nWARC-Payload-Digest: "...))
	}
	dst = block.Block.Append(append(dst, "\r\nWARC-Block-Digest: "...))
	dst = append(append(dst, "\r\nContent-Type: "...), e.ContentType...)
	dst = strconv.AppendInt(append(dst, "\r\nContent-Length: "...), block.Length, 10)
	return append(dst, "\r\n\r\n"...)
}

// bound is more than the record takes in a file, with a block of that size.
func (e *Extra) bound(size int64) int64 {
	return size + size/1024 + sizeOfHeaders + int64(
		len(e.URI)+len(e.ContentType)+len(e.ConcurrentTo)+len(e.RefersTo))
}

// done is what the committer must know of the record.
func (e *Extra) done(keyer *store.Keyer, block *record.Message) done {
	d := done{url: e.URI, extra: true, size: block.Length, wait: e.wait}
	if d.captured = record.IsIndexed(e.Type, e.ContentType); d.captured {
		d.capture = record.ExtraCapture(keyer, e.URI, e.ContentType, e.Date, block.Block.String())
	}
	if e.x != nil {
		d.queued, d.took = e.x.queued, e.x.Took()
	}
	return d
}

// blockOf reads a block that is in memory, and is no HTTP message.
func blockOf(b []byte, contentType string, d record.Digester) record.Message {
	m := record.Message{Head: record.Head{ContentType: []byte(contentType)}, Body: b, Length: int64(len(b))}
	m.Block = d.Of(b)
	m.Payload = m.Block
	m.Deflate = len(b) == 0 || record.Deflates(&m.Head, record.SampleOf(b))
	return m
}

// addExtra hands a record whose block is in memory to the committer.
func (m *maker) addExtra(e *Extra, block []byte) {
	body := blockOf(block, e.ContentType, m.style.Digester)
	bound := e.bound(body.Length)
	out := m.plan(small, bound)
	member := m.append(nil, e.appendHeader(nil, m.style, &body, &out.warcinfo), &body)
	d := e.done(m.records.Keyer, &body)
	d.capture.Length = int64(len(member))
	if e.x != nil {
		e.x.about(out.name, 0)
		d.spill = e.x.spill.leave()
	}
	m.batches.add(out, bound, member, d)
	m.underway = underway{handed: true}
}
