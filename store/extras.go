package store

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
)

// The extras of a capture are what no line in the dialect pywb with the URL key needs; and, of a
// capture whose RequestBody is long, all that dialects make of its body. They have a bucket of
// their own, so that they make nothing slower that does not ask for them; most captures have none.
// The key says where the capture lies, as no two captures lie at one place:
//
//	file(4) offset(6) big endian
//
// The value of a capture that has neither a long RequestBody nor a QueryKey:
//
//	version(1)  1
//	flags(1)    1 deflated: a uvarint of their length, and the deflated bytes, are in the place of
//	            those that follow
//	uvarint     how many bytes SpecBody and RequestBody have in common at their beginnings
//	text        the bytes of SpecBody after them
//	            the same for WarcioJSBody
//	uvarint     how many bytes PathKey and the URL have in common at their ends
//	text        the bytes of PathKey before them
//	            the same for WWWOFFLEKey and FormKey
//
// Version 2, that of all others, is drawn in queries.go.
const (
	extrasVersion = 1

	flagDeflated = 1 << 0

	minDeflate = 1 << 10  // fewer bytes are not worth it
	maxBest    = 64 << 10 // more bytes are deflated in haste
	maxDeflate = 1032     // how many times as long as its deflated form a text can be
	maxInflate = 64 << 20 // longer extras are not deflated, so that none grows beyond that
)

var errExtras = fmt.Errorf("%w: a capture's extras", ErrDamaged)

// extrasWriter makes the values of extras. Its memory is used again.
//
// It deflates with the standard library: what klauspost/compress has, zstd too, finds nothing to
// shorten in Base64 that comes once, and is no better elsewhere.
type extrasWriter struct {
	plain []byte

	deflated   bytes.Buffer
	best, fast *flate.Writer
}

// append appends the value of the extras of c, whose SURT is urlKey.
func (w *extrasWriter) append(dst []byte, c *Capture, urlKey []byte) ([]byte, error) {
	if c.hasLongQuery() || c.QueryKey != "" {
		return w.appendQueries(dst, c, urlKey)
	}
	w.plain = w.plain[:0]
	for _, body := range [...]string{c.SpecBody, c.WarcioJSBody} {
		common := commonStart(body, c.RequestBody)
		w.plain = appendText(binary.AppendUvarint(w.plain, uint64(common)), body[common:])
	}
	w.appendKeys(c)
	isShorter, err := w.shorten()
	if err != nil || !isShorter {
		return append(append(dst, extrasVersion, 0), w.plain...), err
	}
	dst = binary.AppendUvarint(append(dst, extrasVersion, flagDeflated), uint64(len(w.plain)))
	return append(dst, w.deflated.Bytes()...), nil
}

// appendKeys appends the keys that the configuration asks for to plain.
func (w *extrasWriter) appendKeys(c *Capture) {
	for _, name := range extraKeys {
		key := *c.key(name)
		common := commonEnd(key, c.URL)
		w.plain = appendText(binary.AppendUvarint(w.plain, uint64(common)), key[:len(key)-common])
	}
}

// release gives back memory beyond keep, which only very long bodies need.
func (w *extrasWriter) release(keep int) {
	if cap(w.plain) > keep {
		w.plain = nil
	}
	if w.deflated.Cap() > keep {
		w.deflated = bytes.Buffer{}
	}
}

// shorten deflates plain if that makes it shorter, and says so.
func (w *extrasWriter) shorten() (isShorter bool, err error) {
	if len(w.plain) < minDeflate || len(w.plain) > maxInflate {
		return false, nil
	}
	err = w.compress()
	return w.deflated.Len() < len(w.plain), err
}

// compress deflates plain.
func (w *extrasWriter) compress() (err error) {
	deflate, level := &w.best, flate.DefaultCompression
	if len(w.plain) > maxBest {
		deflate, level = &w.fast, flate.BestSpeed
	}
	w.deflated.Reset()
	if *deflate == nil {
		if *deflate, err = flate.NewWriter(nil, level); err != nil {
			return err
		}
	}
	(*deflate).Reset(&w.deflated)
	_, err = (*deflate).Write(w.plain)
	return errors.Join(err, (*deflate).Close())
}

// extrasReader fills captures from the values of extras. Its memory is used again.
type extrasReader struct {
	source  bytes.Reader
	inflate io.Reader
	plain   []byte
}

// read fills the extras of c, which decoder.decode has made of its key and value, from theirs.
// Without a value c is one that has none.
func (x *extrasReader) read(c *Capture, key indexKey, value []byte) error {
	if value == nil {
		c.SpecBody, c.WarcioJSBody = c.RequestBody, c.RequestBody
		return nil
	}
	v := reader{rest: value}
	version, flags := v.byte(), v.byte()
	if version == queriesVersion {
		return x.readQueries(c, key, value)
	}
	if version != extrasVersion {
		return errExtras
	}
	if flags&flagDeflated != 0 {
		length := v.uvarint()
		x.inflated(&v, length, length)
	}
	for _, body := range [...]*string{&c.SpecBody, &c.WarcioJSBody} {
		common, rest := v.uvarint(), v.text()
		if common > uint64(len(c.RequestBody)) {
			return errExtras
		}
		*body = c.RequestBody[:common] + string(rest)
	}
	return readKeys(c, &v)
}

// readKeys reads what appendKeys has written, behind which is the end.
func readKeys(c *Capture, v *reader) error {
	for _, name := range extraKeys {
		common, start := v.uvarint(), v.text()
		if common > uint64(len(c.URL)) {
			return errExtras
		}
		*c.key(name) = string(start) + c.URL[uint64(len(c.URL))-common:]
	}
	if v.failed || len(v.rest) > 0 {
		return errExtras
	}
	return nil
}

// inflated replaces what is left in v by the first n of the length bytes that it inflates to. They
// are good until the next call.
func (x *extrasReader) inflated(v *reader, n, length uint64) {
	if n > length || length > min(maxDeflate*uint64(len(v.rest)), maxInflate) {
		v.failed, v.rest = true, nil
		return
	}
	x.source.Reset(v.rest)
	if x.inflate == nil {
		x.inflate = flate.NewReader(&x.source)
	} else if err := x.inflate.(flate.Resetter).Reset(&x.source, nil); err != nil {
		v.failed, v.rest = true, nil
		return
	}
	x.plain = slices.Grow(x.plain[:0], int(n))[:n]
	_, err := io.ReadFull(x.inflate, x.plain)
	v.rest = x.plain
	if err != nil || n == length && !x.ended() {
		v.failed, v.rest = true, nil
	}
}

// ended reports whether nothing follows what has been inflated.
func (x *extrasReader) ended() bool {
	n, err := x.inflate.Read(make([]byte, 1))
	return n == 0 && err == io.EOF && x.source.Len() == 0
}
