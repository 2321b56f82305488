package record

import (
	"crypto/rand"
	"encoding/hex"
	"strings"
)

// ID is the UUID of a record.
type ID [16]byte

// Append appends the ID as WARC spells it: <urn:uuid:…>.
func (id *ID) Append(dst []byte) []byte {
	dst = append(dst, "<urn:uuid:"...)
	dst = hex.AppendEncode(dst, id[:4])
	for _, part := range [][]byte{id[4:6], id[6:8], id[8:10], id[10:]} {
		dst = hex.AppendEncode(append(dst, '-'), part)
	}
	return append(dst, '>')
}

// String is the ID as WARC spells it.
func (id *ID) String() string { return string(id.Append(nil)) }

// ParseID reads an ID as ID.String writes it; others may write its letters in upper case, or leave
// hyphens out.
func ParseID(text string) (id ID, ok bool) {
	text, ok = strings.CutPrefix(text, "<urn:uuid:")
	text = strings.ReplaceAll(strings.TrimSuffix(text, ">"), "-", "")
	if !ok || hex.DecodedLen(len(text)) != len(id) {
		return id, false
	}
	_, err := hex.Decode(id[:], []byte(text))
	return id, err == nil
}

// IDs are the IDs of the records of one exchange, and of the warcinfo record of its file.
type IDs struct{ Warcinfo, Response, Request, Metadata ID }

// IDSource makes random UUIDs (RFC 9562 version 4). It asks the system for randomness in blocks,
// since every exchange needs two or three. It is not safe for concurrent use; package uuid is not
// used because gowarc switches its pool on again and again, without a lock.
type IDSource struct {
	block [1024]byte
	left  int
}

// Next returns a new ID.
func (s *IDSource) Next() (id ID) {
	if s.left == 0 {
		rand.Read(s.block[:]) // never fails
		s.left = len(s.block)
	}
	copy(id[:], s.block[len(s.block)-s.left:])
	s.left -= len(id)
	id[6] = id[6]&0x0f | 0x40
	id[8] = id[8]&0x3f | 0x80
	return id
}
