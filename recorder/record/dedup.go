package record

import (
	"bytes"
	"cmp"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"net/http"
	"time"

	"github.com/zeebo/blake3"

	"warcorder/canon"
	"warcorder/store"
	"warcorder/store/chunks"
)

// DedupConfig says which content is not stored again, but as a revisit (WARC 1.1 section 6.7).
type DedupConfig struct {
	// Dedup is where content is looked for that need not be stored again: collection (under any URL),
	// url (under the same one), off (all is stored).
	Dedup string
	// MinSize is the size of a body, in bytes, below which it is always stored; 0 is for no such size.
	MinSize int64
	// DedupFor is the time after which content is stored again, so that not all of an archive depends
	// on one old record; 0 is for good.
	DedupFor time.Duration
}

// The values of Dedup.
const (
	DedupURL        = "url"
	DedupCollection = "collection"
	DedupOff        = "off"
)

// DefaultDedup has a MinSize of 1 KiB: the fields that name the original take some 130 bytes,
// compressed, and whoever replays the revisit must look up and read a second record, so of smaller
// bodies little would be won, and often nothing.
func DefaultDedup() DedupConfig { return DedupConfig{Dedup: DedupCollection, MinSize: 1 << 10} }

// WithDefaults fills in Dedup if it is "". The error names the setting that cannot be meant.
func (c DedupConfig) WithDefaults() (DedupConfig, error) {
	c.Dedup = cmp.Or(c.Dedup, DefaultDedup().Dedup)
	if c.MinSize < 0 || c.DedupFor < 0 {
		return c, errors.New("dedup-min-size or dedup-for is negative")
	}
	switch c.Dedup {
	case DedupURL, DedupCollection, DedupOff:
		return c, nil
	}
	return c, fmt.Errorf("dedup: %q is none of url, collection, off", c.Dedup)
}

// MayBeOriginal reports whether a response with a body of that size may be referred to by later
// ones, or be stored as a reference to an earlier one. Only what a GET brings may: cdxj-indexer
// joins no revisit with the body of a POST. A redirect or an error means something only where it
// was sent. A part may if it says which bytes it has, of which version: zeros are in many videos.
func (c *DedupConfig) MayBeOriginal(method []byte, response *Head, body int64) bool {
	if c.Dedup == DedupOff || string(method) != "GET" || body < c.MinSize {
		return false
	}
	status := response.Status()
	if status == http.StatusPartialContent {
		_, ok := response.partRange()
		return ok && response.validator() != nil
	}
	return status >= 200 && status <= 203
}

// IsFresh reports whether an original of that time may be referred to by a record of another. One
// from the future was recorded with a wrong clock.
func (c *DedupConfig) IsFresh(original, now time.Time) bool {
	age := now.Sub(original)
	return age >= -store.MaxAhead && (c.DedupFor == 0 || age < c.DedupFor)
}

// Content makes the key under which the index finds the original of a response: one that is the
// same but for its URL, its framing and fields that do not matter. The key is the BLAKE3 hash (with
// SHA-1 one body could be made to stand for another) of
//
//	the payload without its transfer coding
//	00
//	status(3) '\n' Transfer-Encoding '\n' Content-Encoding '\n'
//	of status 206: first '-' last '/' length '\n' validator '\n', as part.go reads them
//	of status 206, and with dedup: url: the SURT
//	length of the payload(8)
//
// The encodings are in lower case, in their order, without what changes nothing. They must agree
// since who replays a revisit gives its own header to the payload of the original.
type Content struct {
	hash    *blake3.Hasher
	chunks  chunks.Decoder
	chunked bool
	size    int64  // bytes that the body should have, as it crosses the wire
	came    int64  // bytes of the body that have come
	length  int64  // bytes of the payload that have come
	facts   []byte // what is hashed behind the payload; kept for its memory

	keeps   bool           // more keys than one are wanted
	payload *blake3.Hasher // with the payload alone; nil unless more keys are wanted
	sha1    hash.Hash      // of the payload; nil if nobody wants it
}

// Reset begins the key of a response with that head, and a body of that many bytes on the wire. The
// zero Content must be reset before use.
func (c *Content) Reset(response *Head, body int64) {
	if c.hash == nil {
		c.hash = blake3.New()
	}
	c.hash.Reset()
	*c = Content{hash: c.hash, chunked: response.Chunked, size: body, facts: c.facts[:0]}
}

// Outside lets c make what other archives know a response by: Under, for collections, and SHA1, for
// servers. It comes right behind Reset.
func (c *Content) Outside(collections, servers bool) {
	c.keeps = collections
	if servers {
		c.sha1 = sha1.New()
	}
}

// Write takes the next part of the body, as it crossed the wire.
func (c *Content) Write(body []byte) {
	c.came += int64(len(body))
	if !c.chunked {
		c.take(body)
		return
	}
	for len(body) > 0 {
		var data []byte
		data, body = c.chunks.Next(body)
		c.take(data)
	}
}

// take takes the next part of the payload.
func (c *Content) take(payload []byte) {
	c.hash.Write(payload)
	if c.sha1 != nil {
		c.sha1.Write(payload)
	}
	c.length += int64(len(payload))
}

// whole reports whether the body is what its framing says it is. A body with trailers, for which a
// revisit has no room, does not count as whole.
func (c *Content) whole(head []byte) bool {
	if c.chunked {
		return c.chunks.Whole() && !c.chunks.HasTrailers()
	}
	length := contentLength(head)
	return c.came == c.size && (length < 0 || length == c.came)
}

// Key ends the body and returns the key. start is the response's head in bytes, and scope comes
// from ScopeOf. ok is false if the body is not whole, is empty, has another length than its
// Content-Range says, or is framed in a way that is not understood.
func (c *Content) Key(response *Head, start []byte, scope string) (key store.OriginalKey, ok bool) {
	if !c.whole(start) || c.length == 0 {
		return key, false
	}
	facts := append(append(c.facts[:0], 0), byte('0'+response.Status()/100),
		byte('0'+response.Status()/10%10), byte('0'+response.Status()%10), '\n')
	transfer := len(facts)
	facts = appendCodings(facts, start, "Transfer-Encoding")
	if len(facts) > transfer && !c.chunked {
		return key, false
	}
	facts = append(appendCodings(append(facts, '\n'), start, "Content-Encoding"), '\n')
	if response.Status() == http.StatusPartialContent {
		part, ok := response.partRange()
		if !ok || part.Length() != c.length {
			return key, false
		}
		facts = append(append(part.append(facts), '\n'), response.validator()...)
		facts = append(facts, '\n')
	}
	if c.facts = facts; c.keeps {
		c.payload = c.hash.Clone()
	}
	return c.end(c.hash, scope), true
}

// end is the key with that scope of the payload that was hashed.
func (c *Content) end(hash *blake3.Hasher, scope string) (key store.OriginalKey) {
	hash.Write(c.facts)
	hash.Write(binary.LittleEndian.AppendUint64([]byte(scope), uint64(c.length)))
	hash.Sum(key[:0])
	return key
}

// Under is the key with another scope, once Key has returned one.
func (c *Content) Under(scope string) store.OriginalKey { return c.end(c.payload.Clone(), scope) }

// SHA1 is that of the payload.
func (c *Content) SHA1() (sum [sha1.Size]byte) {
	c.sha1.Sum(sum[:0])
	return sum
}

// appendCodings appends the codings that the fields of that name in a head list, in lower case.
func appendCodings(dst, head []byte, name string) []byte {
	from, within := len(dst), false
	for at := 0; at < len(head); {
		var l []byte
		l, at = line(head, at)
		if len(l) == 0 {
			break
		}
		value := l
		if l[0] != ' ' && l[0] != '\t' {
			var field []byte
			field, value, _ = bytes.Cut(l, []byte(":"))
			within = len(field) >= len(name) && bytes.EqualFold(bytes.TrimRight(field, " \t"), []byte(name))
		}
		if within {
			dst = appendCodingsOf(dst, value, from)
		}
	}
	return dst
}

// appendCodingsOf appends the codings of one field. The first coding of all fields is at from.
func appendCodingsOf(dst, value []byte, from int) []byte {
	for len(value) > 0 {
		var coding []byte
		coding, value, _ = bytes.Cut(value, []byte(","))
		coding = bytes.TrimSpace(coding)
		if len(coding) == 0 || bytes.EqualFold(coding, []byte("identity")) {
			continue
		}
		if len(dst) > from {
			dst = append(dst, ',')
		}
		for _, c := range coding {
			if 'A' <= c && c <= 'Z' {
				c |= 0x20
			}
			dst = append(dst, c)
		}
	}
	return dst
}

// ScopeOf is what the original of a response must agree in beside its content: the SURT of the URI
// with dedup: url, or of a part; else nothing. Lines of parts are left out of an index where the
// whole is there (store.Query): a part of another URL would then lose its original.
func (c *DedupConfig) ScopeOf(uri string, response *Head) string {
	if c.Dedup != DedupURL && response.Status() != http.StatusPartialContent {
		return ""
	}
	surt, _ := canon.SURT(uri)
	return surt
}
