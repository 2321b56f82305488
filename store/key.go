package store

import (
	"encoding/binary"
	"fmt"
	"time"
)

// The key of a capture in the index:
//
//	urlkey ' '        the SURT, as in the CDXJ line; or, if it is longer than 8192 bytes:
//	urlkey[:8192] 7f  its beginning; all of it is in the value
//	urlkey[:512] 7f   the same of a capture whose body has a long query: a cut key. The SURT is made
//	                  again of what the extras keep: queries.go
//	ts17              YYYYMMDDhhmmss and milliseconds, of the years 0000 to 9999
//	00
//	file(4) offset(6) big endian
//
// Every byte of a SURT is above the space and below 7f, so the keys sort as the CDXJ lines do, but
// for three cases: captures of one SURT in one second, where the rest of the line decides; SURTs
// that have their first 8192 bytes in common; and those that have 512 in common, if the key of one
// is cut. The captures of such a case are called a run.
const (
	maxURLKey = 8192 // bbolt takes keys of 32 KiB, but a page that leads to a key may hold it again
	maxCutKey = 512
	longMark  = 0x7f
	tsSize    = 17
	tailSize  = tsSize + 1 + locationSize
	maxOffset = 1<<48 - 1

	locationSize = 4 + 6
)

// appendKey appends the key of a capture at offset in the file with that id. urlKey is as
// appendURLKey gives it.
func appendKey(dst, urlKey []byte, t time.Time, id uint32, offset int64) []byte {
	return appendKeyTail(appendKeyHead(dst, urlKey), t, id, offset)
}

// appendKeyTail appends what follows the SURT and the byte that ends it.
func appendKeyTail(dst []byte, t time.Time, id uint32, offset int64) []byte {
	t = FourDigitYear(t)
	dst = appendSeconds(dst, t)
	milli := t.Nanosecond() / 1e6
	dst = append(dst, '0'+byte(milli/100))
	dst = appendTwo(dst, milli%100)
	dst = append(dst, 0)
	return appendLocation(dst, id, offset)
}

// appendLocation appends a file and an offset in it: the end of a key, and the key of the extras.
func appendLocation(dst []byte, id uint32, offset int64) []byte {
	dst = binary.BigEndian.AppendUint32(dst, id)
	return append(dst, byte(offset>>40), byte(offset>>32), byte(offset>>24), byte(offset>>16),
		byte(offset>>8), byte(offset))
}

// appendKeyHead appends what the keys of one SURT begin with.
func appendKeyHead(dst, urlKey []byte) []byte {
	if len(urlKey) <= maxURLKey {
		return append(append(dst, urlKey...), ' ')
	}
	return append(append(dst, urlKey[:maxURLKey]...), longMark)
}

// appendCutHead appends what the cut keys of a run begin with; urlKey is longer.
func appendCutHead(dst, urlKey []byte) []byte {
	return append(append(dst, urlKey[:maxCutKey]...), longMark)
}

// indexKey is a key of the index.
type indexKey []byte

// check returns an error if k cannot be taken apart.
func (k indexKey) check() error {
	head := len(k) - tailSize // the SURT and what ends it
	if head >= 2 && k[head+tsSize] == 0 &&
		(k[head-1] == ' ' || k.long() && (head == maxURLKey+1 || k.cut())) {
		return nil
	}
	return fmt.Errorf("%w: a key %q", ErrDamaged, []byte(k[:min(len(k), 100)]))
}

// long reports whether only the beginning of the SURT is in the key.
func (k indexKey) long() bool { return k[len(k)-tailSize-1] == longMark }

// cut reports whether k is long and a cut key.
func (k indexKey) cut() bool { return k.long() && len(k) == maxCutKey+1+tailSize }

// head returns the beginning that k has in common with cut keys of its run; nil if it is too short
// to have any.
func (k indexKey) head() []byte {
	if len(k) > maxCutKey+1+tailSize || k.cut() {
		return k[:maxCutKey]
	}
	return nil
}

// urlKey returns the SURT, or as much of it as is in the key.
func (k indexKey) urlKey() []byte { return k[:len(k)-tailSize-1] }

// seconds returns YYYYMMDDhhmmss.
func (k indexKey) seconds() []byte { return k[len(k)-tailSize:][:14] }

// tail returns what follows the SURT and the byte that ends it: the same in all the keys of a
// capture.
func (k indexKey) tail() []byte { return k[len(k)-tailSize:] }

// location returns the file and the offset, as they stand in the key.
func (k indexKey) location() []byte { return k[len(k)-locationSize:] }

// run returns the beginning that the keys of k's run have in common, and no others; unless there
// are cut keys in the run.
func (k indexKey) run() []byte {
	if k.long() {
		return k[:len(k)-tailSize]
	}
	return k[:len(k)-tailSize+14]
}

// file returns the ID of the file.
func (k indexKey) file() uint32 { return binary.BigEndian.Uint32(k[len(k)-10:]) }

// offset returns the offset in the file.
func (k indexKey) offset() int64 {
	return int64(binary.BigEndian.Uint64(k[len(k)-8:]) & maxOffset)
}

// time returns the moment, to the millisecond.
func (k indexKey) time() (time.Time, error) {
	ts := k[len(k)-tailSize:][:tsSize]
	var n [tsSize]int
	for i, c := range ts {
		if c < '0' || c > '9' {
			return time.Time{}, fmt.Errorf("%w: a time %q", ErrDamaged, []byte(ts))
		}
		n[i] = int(c - '0')
	}
	two := func(i int) int { return 10*n[i] + n[i+1] }
	return time.Date(100*two(0)+two(2), time.Month(two(4)), two(6), two(8), two(10), two(12),
		(100*n[14]+two(15))*1e6, time.UTC), nil
}
