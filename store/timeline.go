package store

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"go.etcd.io/bbolt"
)

// The timeline has all captures in the order of time, but for those of one stretch: they are in
// that of the files, so that most keys come in their order. Its key:
//
//	stretch(5)        when the capture was made, in microseconds since the beginning of the year 0,
//	                  without the last 3 bytes: a stretch has 16.8 seconds
//	file(4) offset(6)
//
// and its value:
//
//	facts(3)          big endian. From its end: 14 bits Traits, 3 Dest, 3 Site; then the flags
//	                  1 referer, 2 near, 4 next, 8 key
//	microseconds(3)   the last 3 bytes of the time
//	uvarint           length of the gzip member
//	hash(8)           of the URL; 0 if that is not http
//	hash(8)           Referer, with referer; only its last 4 bytes with near: the others are those of
//	                  the URL
//	hash(8)           Next, with next
//	                  with key, what the capture's key begins with, up to the time: of what may be a
//	                  page, if that is not long. That of others is made again of their records
const (
	stretchSize   = 5
	momentKeySize = stretchSize + locationSize
	stretch       = 1 << 24 * time.Microsecond

	traitBits, destBits, siteBits = 14, 3, 3

	momentReferer = 1 << (traitBits + destBits + siteBits)
	momentNear    = momentReferer << 1
	momentNext    = momentReferer << 2
	momentHasKey  = momentReferer << 3
)

var errMoment = fmt.Errorf("%w: a row of the timeline", ErrDamaged)

// maxMomentKey is how long a key may be that the timeline keeps, in bytes.
const maxMomentKey = 512

// appendMomentKey appends the key of a capture in the timeline.
func appendMomentKey(dst []byte, t time.Time, id uint32, offset int64) []byte {
	return appendLocation(appendStretch(dst, t), id, offset)
}

// appendStretch appends the stretch of a time, with which its keys begin.
func appendStretch(dst []byte, t time.Time) []byte {
	since := sinceFirst(t)
	return append(binary.BigEndian.AppendUint32(dst, uint32(since>>32)), byte(since>>24))
}

// sinceFirst is a time in microseconds since the beginning of the year 0.
func sinceFirst(t time.Time) uint64 {
	return uint64(FourDigitYear(t).UnixMicro() - firstTime.UnixMicro())
}

// timeAfterFirst is the inverse of sinceFirst.
func timeAfterFirst(since uint64) time.Time {
	return FourDigitYear(time.UnixMicro(int64(since) + firstTime.UnixMicro()))
}

// startOfStretch is when the stretch of a time begins.
func startOfStretch(t time.Time) time.Time { return timeOfStretch(appendStretch(nil, t)) }

// timeOfStretch is when the stretch begins that a key begins with.
func timeOfStretch(key []byte) time.Time {
	var since [8]byte
	copy(since[:], key[:stretchSize])
	return timeAfterFirst(binary.BigEndian.Uint64(since[:]))
}

// appendMomentValue appends the value of c, whose key in the index is key.
func (c *Capture) appendMomentValue(dst []byte, key indexKey) []byte {
	v, url := c.Visit, HashURL(c.URL)
	if !c.isGET() {
		v.Traits |= NotGET
	}
	facts := uint32(v.Traits) | uint32(v.Dest)<<traitBits | uint32(v.Site)<<(traitBits+destBits)
	near := v.Referer.Origin() == url.Origin()
	switch {
	case v.Referer == 0:
	case near:
		facts |= momentReferer | momentNear
	default:
		facts |= momentReferer
	}
	if v.Next != 0 {
		facts |= momentNext
	}
	hasKey := (v.mayBePage() || v.mayBeShown()) && len(key) < maxMomentKey+tailSize
	if hasKey {
		facts |= momentHasKey
	}
	since := sinceFirst(c.Time)
	dst = append(dst, byte(facts>>16), byte(facts>>8), byte(facts),
		byte(since>>16), byte(since>>8), byte(since))
	dst = binary.AppendUvarint(dst, uint64(c.Length))
	dst = binary.BigEndian.AppendUint64(dst, uint64(url))
	switch {
	case v.Referer == 0:
	case near:
		dst = binary.BigEndian.AppendUint32(dst, uint32(v.Referer))
	default:
		dst = binary.BigEndian.AppendUint64(dst, uint64(v.Referer))
	}
	if v.Next != 0 {
		dst = binary.BigEndian.AppendUint64(dst, uint64(v.Next))
	}
	if hasKey {
		dst = append(dst, key[:len(key)-tailSize]...)
	}
	return dst
}

// mayBePage reports whether the capture may be a page, whatever lies around it. What a service worker
// fetches in the place of a document has the destination empty.
func (v *Visit) mayBePage() bool {
	switch {
	case v.Next != 0 || v.Traits&(Ahead|Aside|About) != 0:
		return false
	case v.Traits&Told == 0:
		return v.Traits&(HTML|OK|NotGET|Scripted) == HTML|OK
	case v.Traits&Navigates == 0:
		return false
	}
	return v.Dest == DestDocument || v.Dest == DestEmpty && v.Traits&Upgrades != 0
}

// mayBeShown reports whether the capture is a document that was fetched ahead, and may be a page once
// somebody sees it.
func (v *Visit) mayBeShown() bool {
	const is, isNot = Ahead | HTML | OK, Aside | About | NotGET | Scripted
	return v.Traits&(is|isNot) == is && v.Next == 0 &&
		(v.Dest == DestDocument || v.Dest == DestEmpty || v.Dest == DestUnknown)
}

// Moment is a capture in the timeline.
type Moment struct {
	Visit

	Location
	Time time.Time // of the capture, in UTC with microseconds
	URL  URLHash   // 0 if it is not http

	file uint32
	key  string // what the capture's key begins with; "" if that is not kept
}

// MayBePage reports whether the capture may be a page, by what its own records say.
func (m *Moment) MayBePage() bool { return m.mayBePage() }

// MayBeShown reports whether the capture is a document that was fetched ahead, and may be a page once
// somebody sees it.
func (m *Moment) MayBeShown() bool { return m.mayBeShown() }

// HasKey reports whether Bolt.CaptureOf needs no URL key to find the capture.
func (m *Moment) HasKey() bool { return m.key != "" }

// decodeMoment returns the moment of that key and value, without the name of its file.
func decodeMoment(key, value []byte) (m Moment, err error) {
	if len(key) != momentKeySize || len(value) < 6 {
		return m, errMoment
	}
	m.Time = timeAfterFirst(binary.BigEndian.Uint64(
		[]byte{key[0], key[1], key[2], key[3], key[4], value[3], value[4], value[5]}))
	m.file = binary.BigEndian.Uint32(key[stretchSize:])
	m.Offset = int64(binary.BigEndian.Uint64(key[momentKeySize-8:]) & maxOffset)

	facts := uint32(value[0])<<16 | uint32(value[1])<<8 | uint32(value[2])
	m.Traits = Traits(facts & (1<<traitBits - 1))
	m.Dest = Dest(facts >> traitBits & (1<<destBits - 1))
	m.Site = Site(facts >> (traitBits + destBits) & (1<<siteBits - 1))
	v := reader{rest: value[6:]}
	m.Length, m.URL = int64(v.uvarint()), v.hash()
	switch {
	case facts&momentReferer == 0:
	case facts&momentNear != 0:
		m.Referer = m.URL>>32<<32 | URLHash(v.uint32())
	default:
		m.Referer = v.hash()
	}
	if facts&momentNext != 0 {
		m.Next = v.hash()
	}
	if v.failed || (len(v.rest) > 0) != (facts&momentHasKey != 0) {
		return m, errMoment
	}
	m.key = string(v.rest)
	return m, nil
}

func (r *reader) hash() URLHash {
	if len(r.rest) < 8 {
		r.failed, r.rest = true, nil
		return 0
	}
	h := URLHash(binary.BigEndian.Uint64(r.rest))
	r.rest = r.rest[8:]
	return h
}

// momentRow is where the row of a capture in the timeline lies in the buffer of a batch.
type momentRow struct {
	number          int // of the capture in the batch
	key, value, end int
	atEdge          bool // the millisecond of its time lies in two stretches
}

// addMoment adds the row of c, which lies in the file with that id and whose key is key.
func (b *batch) addMoment(c *Capture, id uint32, key indexKey) {
	m := momentRow{number: len(b.moments), key: len(b.buf), atEdge: isAtEdge(c.Time)}
	b.buf = appendMomentKey(b.buf, c.Time, id, c.Offset)
	m.value = len(b.buf)
	b.buf = c.appendMomentValue(b.buf, key)
	m.end = len(b.buf)
	b.moments = append(b.moments, m)
}

// isAtEdge reports whether the millisecond of a time, which is in the key of a capture, lies in two
// stretches: one that is committed again, with other microseconds, may have its row in the other.
func isAtEdge(t time.Time) bool {
	since := sinceFirst(t)
	start := since - since%1000
	return start>>24 != (start+999)>>24
}

// sortMoments brings the rows of the timeline into its order. The last one counts if a capture is
// there twice.
func (b *batch) sortMoments() {
	slices.SortFunc(b.moments, func(x, y momentRow) int {
		if order := bytes.Compare(b.buf[x.key:x.value], b.buf[y.key:y.value]); order != 0 {
			return order
		}
		return cmp.Compare(x.key, y.key)
	})
}

// look finds out which captures the index may have already, so that nothing is sought for the
// others. If all of the index are in its timeline, a capture is there only with a row for its place:
// as a rule the rows of a batch lie behind all others of their file, and one look serves them all.
func (b *batch) look(timeline *bbolt.Bucket, now *tally) {
	b.present = slices.Grow(b.present[:0], len(b.rows))[:len(b.rows)]
	c := timeline.Cursor()
	var last, next []byte // the key before, and the first one of the timeline that is not before it
	for i, m := range b.moments {
		key := b.part(m.key, m.value)
		if i == 0 || next != nil && bytes.Compare(next, key) < 0 {
			next, _ = c.Seek(key)
		}
		b.present[m.number] = now.timed != now.captures || m.atEdge || bytes.Equal(next, key)
		if bytes.Equal(last, key) { // twice in the batch
			b.present[m.number], b.present[b.moments[i-1].number] = true, true
		}
		last = key
	}
}

// putMoments stores the rows of the timeline, and counts them. Two captures that are said to lie at
// one place, in files that were replaced, have one row.
func (b *batch) putMoments(timeline *bbolt.Bucket, now *tally) error {
	for _, m := range b.moments {
		key := b.part(m.key, m.value)
		if !b.present[m.number] || timeline.Get(key) == nil {
			now.timed++
		}
		if err := timeline.Put(key, b.part(m.value, m.end)); err != nil {
			return err
		}
	}
	return nil
}

// forgetMoment removes the row of the capture with that key and value.
func (t tables) forgetMoment(key indexKey, value []byte, now *tally) error {
	at, err := key.time()
	if err != nil {
		return err
	}
	v := reader{rest: value}
	v.byte()
	v.byte()
	v.uvarint()
	v.uvarint()
	at = at.Add(time.Duration(v.uvarint()%perEntity) * time.Microsecond)
	moment := appendMomentKey(nil, at, key.file(), key.offset())
	if t.timeline.Get(moment) == nil {
		return nil // an older version has put the capture there
	}
	now.timed--
	return t.timeline.Delete(moment)
}
