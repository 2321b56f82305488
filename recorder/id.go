package recorder

import (
	"crypto/rand"
	"encoding/hex"
)

// recordID is the UUID of a record.
type recordID [16]byte

// append appends the ID as WARC spells it: <urn:uuid:…>.
func (id *recordID) append(dst []byte) []byte {
	dst = append(dst, "<urn:uuid:"...)
	dst = hex.AppendEncode(dst, id[:4])
	for _, part := range [][]byte{id[4:6], id[6:8], id[8:10], id[10:]} {
		dst = hex.AppendEncode(append(dst, '-'), part)
	}
	return append(dst, '>')
}

func (id *recordID) String() string { return string(id.append(nil)) }

// idSource makes random UUIDs (RFC 9562 version 4). It asks the system for randomness in blocks,
// since every exchange needs two or three. It is not safe for concurrent use; package uuid is not
// used because gowarc switches its pool on again and again, without a lock.
type idSource struct {
	block [1024]byte
	left  int
}

func (s *idSource) next() (id recordID) {
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
