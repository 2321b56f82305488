//go:build !purego

package deflate

import (
	"encoding/binary"
	"unsafe"
)

// raw is bytes that are loaded and stored 8 at a time without a check of bounds, which would take a
// fifth of the time of a header and a seventh of that of a page. Callers prove that 8 bytes lie
// behind each position; under the build tag purego the same calls are checked.
type raw struct{ start *byte }

func rawOf(b []byte) raw { return raw{unsafe.SliceData(b)} }

func (r raw) load(at int) uint64 {
	return binary.LittleEndian.Uint64((*[8]byte)(unsafe.Add(unsafe.Pointer(r.start), at))[:])
}

func (r raw) store(at int, v uint64) {
	binary.LittleEndian.PutUint64((*[8]byte)(unsafe.Add(unsafe.Pointer(r.start), at))[:], v)
}
