//go:build purego

package deflate

import "encoding/binary"

// raw is the twin of the unsafe one: a position that has no 8 bytes behind it panics.
type raw []byte

func rawOf(b []byte) raw { return b }

func (r raw) load(at int) uint64 { return binary.LittleEndian.Uint64(r[at:]) }

func (r raw) store(at int, v uint64) { binary.LittleEndian.PutUint64(r[at:], v) }
