package record

import (
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"warcorder/canon"
	"warcorder/store"
)

// The types of records that are no exchange (WARC 1.1 sections 6.4, 6.6 and 6.8).
const (
	// something fetched without HTTP, or made: an answer of a name server, a screenshot
	Resource   = "resource"
	Metadata   = "metadata"   // what is to be said about another record, or about a URI
	Conversion = "conversion" // another record's payload in another form
)

// ChainURN is what the URI of a record begins with that has the certificates of an origin. It is about
// all captures of that origin which have these, and not only about the one that it is concurrent to.
const ChainURN = "urn:x-warcorder:tls-chain:"

// Extra is what is known of a record that is no exchange, beside its block.
type Extra struct {
	Type string // Resource, Metadata or Conversion
	// WARC-Target-URI, of any scheme; http and https are brought into the form that exchanges have
	URI         string
	ContentType string     // of the block
	Date        time.Time  // WARC-Date; the zero Time is the time of Commit
	RemoteIP    netip.Addr // address that it was fetched from; the zero Addr if none

	// ConcurrentTo and RefersTo are IDs of other records, <urn:uuid:…>: of the same event, and of what
	// this one is about. A resource refers to nothing, a conversion is of no event. Whether those
	// records are in the collection is not looked at.
	ConcurrentTo, RefersTo string

	ID ID `json:"-"` // of the record; whoever makes the record gives it one
}

// Check returns an error that says why the record cannot be written, in words for the client that
// asked for it.
func (e *Extra) Check() error {
	switch {
	case e.Type != Resource && e.Type != Metadata && e.Type != Conversion:
		return fmt.Errorf("the type %q is none of resource, metadata, conversion", e.Type)
	case e.ContentType == "":
		return errors.New("the record has no content type")
	case !isText(e.ContentType):
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
	if err := checkURI(e.URI); err != nil {
		return fmt.Errorf("the URI %w", err)
	}
	if err := checkID("concurrent-to", e.ConcurrentTo); err != nil {
		return err
	}
	return checkID("refers-to", e.RefersTo)
}

// checkID looks whether the ID of another record can stand in a header; "" is none.
func checkID(name, id string) error {
	if id == "" {
		return nil
	}
	bare, open := strings.CutPrefix(id, "<")
	bare, closed := strings.CutSuffix(bare, ">")
	if !open || !closed {
		return fmt.Errorf("%s is no record ID of the form <urn:uuid:…>", name)
	}
	if err := checkURI(bare); err != nil {
		return fmt.Errorf("%s %w", name, err)
	}
	return nil
}

// AppendHeader appends the WARC header of the record with that block, with its empty line.
func (e *Extra) AppendHeader(dst []byte, s *Style, block *Message, warcinfo *ID) []byte {
	dst = append(append(append(dst, s.version()...), "\r\nWARC-Type: "...), e.Type...)
	dst = e.ID.Append(append(dst, "\r\nWARC-Record-ID: "...))
	if e.ConcurrentTo != "" {
		dst = append(append(dst, "\r\nWARC-Concurrent-To: "...), e.ConcurrentTo...)
	}
	if e.RefersTo != "" {
		dst = append(append(dst, "\r\nWARC-Refers-To: "...), e.RefersTo...)
	}
	dst = s.appendDate(append(dst, "\r\nWARC-Date: "...), e.Date)
	dst = append(append(dst, "\r\nWARC-Target-URI: "...), e.URI...)
	if e.RemoteIP.IsValid() {
		dst = appendIP(append(dst, "\r\nWARC-IP-Address: "...), e.RemoteIP)
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

// TextSize is how many bytes the fields take whose length the client has chosen.
func (e *Extra) TextSize() int {
	return len(e.URI) + len(e.ContentType) + len(e.ConcurrentTo) + len(e.RefersTo)
}

// IsIndexed reports whether a record of that type that is no exchange becomes a capture. Those do
// for which cdxj-indexer writes a line by default.
func IsIndexed(kind, contentType string) bool {
	return (kind == Resource || kind == Metadata) && contentType != FieldsType
}

// ExtraCapture is CaptureOf for a record that is no exchange. digest is that of its block, all of
// which is payload.
func ExtraCapture(keyer *store.Keyer, uri, contentType string, date time.Time,
	digest string) store.Capture {
	h := Head{ContentType: []byte(contentType)}
	c := store.Capture{
		Time:   date.UTC().Truncate(time.Microsecond),
		URL:    uri,
		MIME:   Text(h.MIME()),
		Digest: digest,
		Visit:  VisitAbout(uri),
	}
	keyer.Fill(&c, canon.Request{})
	return c
}

// BlockOf is MessageOf for a block that is no HTTP message.
func BlockOf(b []byte, contentType string, d Digester) Message {
	m := Message{Head: Head{ContentType: []byte(contentType)}, Body: b, Length: int64(len(b))}
	m.Block = d.SumBytes(b)
	m.Payload = m.Block
	m.Deflate = len(b) == 0 || Deflates(&m.Head, sampleOf(b))
	return m
}
