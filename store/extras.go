package store

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// The extras of a capture are what no line in the dialect pywb with the URL key needs. They have a
// bucket of their own, so that they make nothing slower that does not ask for them; most captures
// have none. The key says where the capture lies, as no two captures lie at one place:
//
//	file(4) offset(6) big endian
//
// The value:
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
const (
	extrasVersion = 1

	flagDeflated = 1 << 0

	minDeflate = 1 << 10  // fewer bytes are not worth it
	maxDeflate = 1032     // how many times as long as its deflated form a text can be
	maxInflate = 64 << 20 // longer extras are not deflated, so that none grows beyond that
)

var errExtras = fmt.Errorf("%w: a capture's extras", ErrDamaged)

// extrasWriter makes the values of extras. Its memory is used again.
//
// It deflates with the standard library, whose level 1 makes the Base64 of a body 25 % shorter;
// that of klauspost/compress does not.
type extrasWriter struct {
	plain    []byte
	deflated bytes.Buffer
	deflate  *flate.Writer
}

// append appends the value of the extras of c.
func (w *extrasWriter) append(dst []byte, c *Capture) ([]byte, error) {
	w.plain = w.plain[:0]
	for _, body := range [...]string{c.SpecBody, c.WarcioJSBody} {
		common := commonStart(body, c.RequestBody)
		w.plain = appendText(binary.AppendUvarint(w.plain, uint64(common)), body[common:])
	}
	for _, name := range secondaryKeys {
		key := *c.key(name)
		common := commonEnd(key, c.URL)
		w.plain = appendText(binary.AppendUvarint(w.plain, uint64(common)), key[:len(key)-common])
	}
	if len(w.plain) >= minDeflate && len(w.plain) <= maxInflate {
		if err := w.compress(); err != nil {
			return dst, err
		}
		if w.deflated.Len() < len(w.plain) {
			dst = binary.AppendUvarint(append(dst, extrasVersion, flagDeflated), uint64(len(w.plain)))
			return append(dst, w.deflated.Bytes()...), nil
		}
	}
	return append(append(dst, extrasVersion, 0), w.plain...), nil
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

// compress deflates plain.
func (w *extrasWriter) compress() (err error) {
	w.deflated.Reset()
	if w.deflate == nil {
		if w.deflate, err = flate.NewWriter(nil, flate.BestSpeed); err != nil {
			return err
		}
	}
	w.deflate.Reset(&w.deflated)
	_, err = w.deflate.Write(w.plain)
	return errors.Join(err, w.deflate.Close())
}

// decodeExtras fills the extras of c, whose URL and RequestBody are known, from their value.
// Without a value c is one that has none.
func decodeExtras(c *Capture, value []byte) error {
	if value == nil {
		c.SpecBody, c.WarcioJSBody = c.RequestBody, c.RequestBody
		return nil
	}
	v := reader{rest: value}
	version, flags := v.byte(), v.byte()
	if version != extrasVersion {
		return errExtras
	}
	if flags&flagDeflated != 0 {
		v.inflate()
	}
	for _, body := range [...]*string{&c.SpecBody, &c.WarcioJSBody} {
		common, rest := v.uvarint(), v.text()
		if common > uint64(len(c.RequestBody)) {
			return errExtras
		}
		*body = c.RequestBody[:common] + string(rest)
	}
	for _, name := range secondaryKeys {
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

// inflate replaces the rest by what it inflates to.
func (r *reader) inflate() {
	length := r.uvarint()
	if length > min(maxDeflate*uint64(len(r.rest)), maxInflate) {
		r.failed, r.rest = true, nil
		return
	}
	plain, deflated := make([]byte, length), bytes.NewReader(r.rest)
	inflate := flate.NewReader(deflated)
	_, err := io.ReadFull(inflate, plain)
	if n, end := inflate.Read(make([]byte, 1)); err != nil || n > 0 || end != io.EOF ||
		deflated.Len() > 0 {
		r.failed, r.rest = true, nil
		return
	}
	r.rest = plain
}
