package store

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"strings"

	"warcorder/canon"
)

// What the dialects make of one body has most of its bytes in common. So a long query is kept once:
// the extras hold RequestBody, and what the others have beside it, compressed. The capture's key
// holds the beginning of the SURT, which is made again of the URL and the query.
//
// The value of the extras of a capture with a long RequestBody, or with a QueryKey:
//
//	version(1)  2
//	flags(1)    1 deflated: two uvarint, their length and that of the first two or three of them,
//	            and the deflated bytes are in the place of those that follow
//	            2 query: RequestBody is here
//	            4 surt: the SURT is here, as it is not the one that would be made again
//	query       RequestBody, with query
//	crc32(4)    of the SURT, of a capture whose key is cut
//	text        the SURT without what is in the key, with surt
//	uvarint     how many bytes QueryKey and the SURT have in common at their beginnings
//	text        the bytes of QueryKey after them
//	query       WarcioJSBody, and then SpecBody
//	            PathKey, WWWOFFLEKey and FormKey, as in version 1
//
// A query, so that Base64 is compressed with the text that it stands for:
//
//	uvarint     how many bytes it has in common with RequestBody at their beginnings
//	text        bytes that follow as __wb_post_data= and their Base64; as a rule there are none
//	text        the bytes after them
const (
	queriesVersion = 2

	flagQueryHere = 1 << 1
	flagSURTHere  = 1 << 2
)

// appendQueries appends version 2 of the extras of c, whose SURT is urlKey.
func (w *extrasWriter) appendQueries(dst []byte, c *Capture, urlKey []byte) ([]byte, error) {
	flags := byte(0)
	w.plain = w.plain[:0]
	if c.hasLongQuery() {
		flags |= flagQueryHere
		w.plain = appendQuery(w.plain, c.RequestBody, "")
	}
	if c.isCut(urlKey) {
		w.plain = binary.BigEndian.AppendUint32(w.plain, crc32.ChecksumIEEE(urlKey))
		if string(c.madeURLKey()) != string(urlKey) {
			flags |= flagSURTHere
			w.plain = appendText(w.plain, urlKey[maxCutKey:])
		}
	}
	start := len(w.plain)
	common := commonStart(c.QueryKey, urlKey)
	w.plain = appendText(binary.AppendUvarint(w.plain, uint64(common)), c.QueryKey[common:])
	w.plain = appendQuery(w.plain, c.WarcioJSBody, c.RequestBody)
	w.plain = appendQuery(w.plain, c.SpecBody, c.RequestBody)
	w.appendKeys(c)
	isShorter, err := w.shorten()
	if err != nil || !isShorter {
		return append(append(dst, queriesVersion, flags), w.plain...), err
	}
	dst = append(dst, queriesVersion, flags|flagDeflated)
	dst = binary.AppendUvarint(dst, uint64(len(w.plain)))
	dst = binary.AppendUvarint(dst, uint64(start))
	return append(dst, w.deflated.Bytes()...), nil
}

// madeURLKey returns the URL key of c as it follows from the rest, and as it stands in the index.
func (c *Capture) madeURLKey() []byte {
	key, _ := canon.SURT(canon.Pywb.Append(c.URL, c.Method, c.RequestBody))
	return appendURLKey(nil, key)
}

// readQuery fills what the decoder leaves out of a capture with a long query, from the value of its
// extras. It inflates no more of them.
func (x *extrasReader) readQuery(c *Capture, key indexKey, value []byte) error {
	v, flags := x.queries(value, false)
	return readQuery(c, key, &v, flags)
}

// readQueries fills all extras of c from version 2 of their value.
func (x *extrasReader) readQueries(c *Capture, key indexKey, value []byte) error {
	v, flags := x.queries(value, true)
	if flags&flagQueryHere != 0 {
		if err := readQuery(c, key, &v, flags); err != nil {
			return err
		}
	}
	common, rest := v.uvarint(), v.text()
	if common > uint64(len(c.URLKey)) {
		return errExtras
	}
	c.QueryKey = c.URLKey[:common] + string(rest)
	c.WarcioJSBody = v.query(c.RequestBody)
	c.SpecBody = v.query(c.RequestBody)
	return readKeys(c, &v)
}

// queries returns what follows the flags, inflated: all, or the start of it.
func (x *extrasReader) queries(value []byte, all bool) (v reader, flags byte) {
	v = reader{rest: value}
	version, flags := v.byte(), v.byte()
	if version != queriesVersion {
		v.failed = true
	}
	if flags&flagDeflated != 0 {
		length, start := v.uvarint(), v.uvarint()
		if all {
			start = length
		}
		x.inflated(&v, start, length)
	}
	return v, flags
}

// readQuery reads the start: RequestBody, and the SURT if the key is cut.
func readQuery(c *Capture, key indexKey, v *reader, flags byte) error {
	if flags&flagQueryHere == 0 {
		return errExtras
	}
	c.RequestBody = v.query("")
	if v.failed {
		return errExtras
	}
	if !key.cut() {
		return nil
	}
	sum := v.uint32()
	var urlKey []byte
	if flags&flagSURTHere != 0 {
		urlKey = append(append(urlKey, key.urlKey()...), v.text()...)
	} else {
		urlKey = c.madeURLKey()
	}
	if v.failed || crc32.ChecksumIEEE(urlKey) != sum ||
		!strings.HasPrefix(string(urlKey), string(key.urlKey())) {
		return fmt.Errorf("%w: the SURT of %s", errExtras, c.URL)
	}
	c.URLKey = string(urlKey)
	return nil
}

const postData = "__wb_post_data="

// appendQuery appends a query; like is RequestBody.
func appendQuery(dst []byte, query, like string) []byte {
	common := commonStart(query, like)
	if common >= len(postData) || !strings.HasPrefix(query, postData) {
		dst = append(binary.AppendUvarint(dst, uint64(common)), 0)
		return appendText(dst, query[common:])
	}
	text := query[len(postData):]
	text = text[:countBase64(text)&^3]
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(raw) == 0 { // of these characters it can only be empty
		return appendText(append(dst, 0, 0), query)
	}
	return appendText(appendText(append(dst, 0), raw), query[len(postData)+len(text):])
}

// query reads a query; like is RequestBody.
func (r *reader) query(like string) string {
	common, raw, rest := r.uvarint(), r.text(), r.text()
	if common > uint64(len(like)) {
		r.failed = true
		return ""
	}
	if len(raw) == 0 {
		return like[:common] + string(rest)
	}
	size := int(common) + len(postData) + base64.StdEncoding.EncodedLen(len(raw)) + len(rest)
	q := append(append(make([]byte, 0, size), like[:common]...), postData...)
	return string(append(base64.StdEncoding.AppendEncode(q, raw), rest...))
}

// countBase64 returns how many characters of Base64, without padding, s begins with.
func countBase64(s string) int {
	for i := range len(s) {
		if c := s[i]; (c|0x20 < 'a' || c|0x20 > 'z') && (c < '0' || c > '9') && c != '+' && c != '/' {
			return i
		}
	}
	return len(s)
}
