package selection

import (
	"encoding/binary"
	"errors"
	"time"

	"warcorder/store"
)

// Chosen is one capture that is selected, or needed by one that is. Its bodies are those of all
// dialects.
type Chosen struct {
	store.Capture

	Page     string          // the ID of the page that it belongs to; "" if there is none
	Needed   bool            // it is the original of a capture that is selected, and not selected itself
	Original *store.Location // of a revisit: where its body lies; nil if that is nowhere
}

// What a Chosen becomes while it is sorted:
//
//	flags(1)  1 truncated; 2 whole; 4 needed; 8 there is an original
//	uvarint   offset, length, status, entity
//	varint    time: seconds since 1970; uvarint nanoseconds
//	text      file, URL key, URL, MIME, digest, method, page, requestBody and its two likes
//	text      the original's file; uvarint its offset and its length
const (
	flagTruncated byte = 1 << iota
	flagWhole
	flagNeeded
	flagOriginal
)

// Append appends c as Decode reads it.
func (c *Chosen) Append(dst []byte) []byte {
	flags := flagIf(flagTruncated, c.Truncated) | flagIf(flagWhole, c.Whole) |
		flagIf(flagNeeded, c.Needed) | flagIf(flagOriginal, c.Original != nil)
	dst = append(dst, flags)
	for _, n := range [...]uint64{uint64(c.Offset), uint64(c.Length), uint64(max(c.Status, 0)),
		uint64(c.Entity)} {
		dst = binary.AppendUvarint(dst, n)
	}
	dst = binary.AppendVarint(dst, c.Time.Unix())
	dst = binary.AppendUvarint(dst, uint64(c.Time.Nanosecond()))
	for _, text := range c.texts() {
		dst = appendText(dst, *text)
	}
	if c.Original == nil {
		return dst
	}
	dst = appendText(dst, c.Original.File)
	dst = binary.AppendUvarint(dst, uint64(c.Original.Offset))
	return binary.AppendUvarint(dst, uint64(c.Original.Length))
}

func flagIf(flag byte, is bool) byte {
	if is {
		return flag
	}
	return 0
}

// texts are the texts of c, in the order in which they are sorted with it.
func (c *Chosen) texts() [10]*string {
	return [...]*string{&c.File, &c.URLKey, &c.URL, &c.MIME, &c.Digest, &c.Method, &c.Page,
		&c.RequestBody, &c.SpecBody, &c.WarcioJSBody}
}

var errChosen = errors.New("a capture that was sorted has changed meanwhile")

// Decode returns what Append has appended.
func Decode(b []byte) (c Chosen, err error) {
	if len(b) == 0 {
		return c, errChosen
	}
	flags := b[0]
	d := decoder{rest: b[1:]}
	c.Truncated, c.Whole = flags&flagTruncated != 0, flags&flagWhole != 0
	c.Needed = flags&flagNeeded != 0
	c.Offset, c.Length = int64(d.uvarint()), int64(d.uvarint())
	c.Status, c.Entity = int(d.uvarint()), uint32(d.uvarint())
	c.Time = time.Unix(d.varint(), int64(d.uvarint())).UTC()
	for _, text := range c.texts() {
		*text = d.text()
	}
	if flags&flagOriginal != 0 {
		c.Original = &store.Location{File: d.text(), Offset: int64(d.uvarint()), Length: int64(d.uvarint())}
	}
	if d.failed || len(d.rest) > 0 {
		return c, errChosen
	}
	return c, nil
}

func appendText(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// decoder takes bytes apart. After an error all that it returns is empty.
type decoder struct {
	rest   []byte
	failed bool
}

func (d *decoder) uvarint() uint64 {
	n, size := binary.Uvarint(d.rest)
	d.skip(size)
	return n
}

func (d *decoder) varint() int64 {
	n, size := binary.Varint(d.rest)
	d.skip(size)
	return n
}

func (d *decoder) skip(size int) {
	if size <= 0 {
		d.failed, d.rest = true, nil
		return
	}
	d.rest = d.rest[size:]
}

func (d *decoder) text() string {
	size := d.uvarint()
	if size > uint64(len(d.rest)) {
		d.failed, d.rest = true, nil
		return ""
	}
	s := string(d.rest[:size])
	d.rest = d.rest[size:]
	return s
}
