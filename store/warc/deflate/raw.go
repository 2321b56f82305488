package deflate

import (
	"encoding/binary"
	"unsafe"
)

// load and store do what encoding/binary does, without a check of bounds each time: that took a
// fifth of the time of a header and a seventh of that of a page. Callers prove that there are 8
// bytes from at on.

func load(p *byte, at int) uint64 {
	return binary.LittleEndian.Uint64((*[8]byte)(unsafe.Add(unsafe.Pointer(p), at))[:])
}

func store(p *byte, at int, v uint64) {
	binary.LittleEndian.PutUint64((*[8]byte)(unsafe.Add(unsafe.Pointer(p), at))[:], v)
}
