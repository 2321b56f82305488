package feed

import (
	"hash/maphash"
	"sort"
)

// places find captures by where they lie: the number of one stands where the hash of its place says,
// and one whose hash says the same takes its slot. The event tells whether it is the one.
//
//	hash     check(15) slot(17)
//	a slot   check(15) number(17)    low bits of the event's number: those held differ in fewer
//
// By the check nearly nothing that is not held is looked for among the events.
type places struct {
	seed  maphash.Seed
	slots []uint32
}

// mostPlaces is twice as many as events: of the newest 1,000 captures fewer than one in 100 is lost.
const mostPlaces = 2 * maxEvents

func newPlaces() places { return places{maphash.MakeSeed(), make([]uint32, mostPlaces)} }

func (p *places) add(file string, offset int64, number uint64) {
	hash := p.hash(file, offset)
	p.slots[hash%mostPlaces] = hash&^(mostPlaces-1) | uint32(number%mostPlaces)
}

// number returns the number of the capture that may lie there, given that of the newest event; ok is
// false if none that is held does.
func (p *places) number(file string, offset int64, last uint64) (number uint64, ok bool) {
	hash := p.hash(file, offset)
	slot := p.slots[hash%mostPlaces]
	since := (last - uint64(slot)) % mostPlaces
	return last - since, (slot^hash)&^(mostPlaces-1) == 0 && since < last
}

func (p *places) hash(file string, offset int64) uint32 {
	// An odd factor, so that offsets alone spread over all bits.
	hash := maphash.String(p.seed, file) ^ uint64(offset)*0x9e3779b97f4a7c15
	return uint32(hash>>32 ^ hash)
}

// Took says how many milliseconds the exchange took whose record lies there, as long as its event is
// held; now and then one is not found that is held. The segment that may have the event is unpacked for
// that, unless one of the last questions was about it too: exchanges are asked for in the order of time.
func (f *Feed) Took(file string, offset int64) (ms int64, known bool) {
	s, i := f.segmentAt(file, offset)
	if i >= uint64(len(s.starts)) {
		return 0, false
	}
	if s.packed != nil {
		room := f.rooms.take(s.packed)
		defer f.rooms.put(room)
		s.data = room.unpack(s.packed)
	}
	h, ok := headOf(s.event(int(i)))
	if !ok || h.Kind != Capture || h.Offset != offset || string(h.file()) != file {
		return 0, false
	}
	return h.MS, true
}

// segmentAt returns the segment, as it is now, of the event that may be of that place, and which of its
// events that is; one that it has not if there is none.
func (f *Feed) segmentAt(file string, offset int64) (s segment, i uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	number, ok := f.places.number(file, offset, f.last)
	if !ok {
		return s, 0
	}
	after := sort.Search(len(f.segments), func(i int) bool { return f.segments[i].first > number })
	if after == 0 {
		return s, 0
	}
	s = *f.segments[after-1]
	return s, number - s.first
}
