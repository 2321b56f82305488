package feed

import (
	"slices"
	"sync"

	"github.com/klauspost/compress/s2"
)

// packer makes segments smaller into which nothing more comes: S2 costs 0.15 µs for an event of the
// usual size and leaves a third of it, from which a reader has it back in 0.05 µs. (Zstandard leaves a
// quarter, for 0.5 µs. BenchmarkPublish has the sum.) What a recorder holds for viewers who may never
// come is then a few megabytes, and the heap has room for as much garbage less.
type packer struct{ room []byte }

// pack packs a segment, unless it is one of a single long event, or would hardly be smaller. Whoever
// has its data keeps it.
func (p *packer) pack(s *segment) {
	if s.data == nil || cap(s.data) > segmentSize {
		return
	}
	if p.room == nil {
		p.room = make([]byte, s2.MaxEncodedLen(segmentSize))
	}
	packed := s2.Encode(p.room, s.data)
	if len(packed) > len(s.data)*7/8 {
		return
	}
	s.packed, s.size, s.data = slices.Clone(packed), len(s.data), nil
	s.starts = slices.Clone(s.starts)
}

// unpacked is the segment with its data.
func (s segment) unpacked() segment {
	if s.data == nil && s.packed != nil {
		s.data = unpackedIn(nil, s.packed)
	}
	return s
}

// unpackedIn is what was packed, in room if that is large enough.
func unpackedIn(room, packed []byte) []byte {
	data, err := s2.Decode(room, packed)
	if err != nil {
		panic("feed: what was packed cannot be had back: " + err.Error())
	}
	return data
}

// room is where a segment is unpacked of which no more is wanted than a few numbers. It has the data of
// what was unpacked there last. A segment's packed bytes are never changed, and here they are held on to,
// so that no others come to lie where they do: those that lie there are those that were unpacked.
type room struct{ packed, data []byte }

// has reports whether what is packed there was unpacked here last.
func (r *room) has(packed []byte) bool {
	return len(r.packed) > 0 && len(packed) > 0 && &r.packed[0] == &packed[0]
}

// unpack returns what is packed there, until the room is used again.
func (r *room) unpack(packed []byte) []byte {
	if !r.has(packed) {
		r.packed = nil
		r.data = unpackedIn(r.data, packed)
		r.packed = packed
	}
	return r.data
}

// mostRooms is how many rooms are kept: one for each of a few who ask at the same time.
const mostRooms = 4

// rooms are the rooms that are not in use. The zero value has none, and makes them.
type rooms struct {
	mu   sync.Mutex
	idle []*room // the one that was used last is at the end
}

// take returns the room that has what is packed there, or another one.
func (r *rooms) take(packed []byte) *room {
	r.mu.Lock()
	defer r.mu.Unlock()
	at := slices.IndexFunc(r.idle, func(one *room) bool { return one.has(packed) })
	if at < 0 {
		if len(r.idle) < mostRooms {
			return &room{data: make([]byte, segmentSize)}
		}
		at = 0
	}
	taken := r.idle[at]
	r.idle = slices.Delete(r.idle, at, at+1)
	return taken
}

// put keeps a room that is not in use any more.
func (r *rooms) put(one *room) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.idle) == mostRooms {
		r.idle = slices.Delete(r.idle, 0, 1)
	}
	r.idle = append(r.idle, one)
}
