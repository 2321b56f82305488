package feed

import (
	"hash/maphash"
	"sort"
)

// places find captures by where they lie: the number of one stands where the hash of its place says,
// and one whose hash is the same takes its room. The event tells whether it is the one.
type places struct {
	seed    maphash.Seed
	numbers []uint32 // the low bits of events' numbers
}

// mostPlaces is twice as many as events: of the newest 1,000 captures fewer than one in 100 is lost.
const mostPlaces = 2 * maxEvents

func newPlaces() places { return places{maphash.MakeSeed(), make([]uint32, mostPlaces)} }

func (p *places) add(file string, offset int64, number uint64) {
	*p.at(file, offset) = uint32(number)
}

func (p *places) at(file string, offset int64) *uint32 {
	// An odd factor, so that offsets alone spread over all bits.
	hash := maphash.String(p.seed, file) ^ uint64(offset)*0x9e3779b97f4a7c15
	return &p.numbers[(hash>>32^hash)%mostPlaces]
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
	number := f.last&^(1<<32-1) | uint64(*f.places.at(file, offset))
	if number > f.last {
		number -= 1 << 32
	}
	after := sort.Search(len(f.segments), func(i int) bool { return f.segments[i].first > number })
	if after == 0 {
		return s, 0
	}
	s = *f.segments[after-1]
	return s, number - s.first
}
