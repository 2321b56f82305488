package feed

import (
	"slices"

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
func (s segment) unpacked() segment { return s.unpackedIn(nil) }

// unpackedIn is the segment with its data, which it may have in room.
func (s segment) unpackedIn(room []byte) segment {
	if s.data == nil && s.packed != nil {
		data, err := s2.Decode(room, s.packed)
		if err != nil {
			panic("feed: what was packed cannot be had back: " + err.Error())
		}
		s.data = data
	}
	return s
}

// rooms are where segments are unpacked of which no more is wanted than a few numbers: four are kept.
type rooms chan []byte

func newRooms() rooms { return make(rooms, 4) }

func (r rooms) take() []byte {
	select {
	case room := <-r:
		return room
	default:
		return make([]byte, segmentSize)
	}
}

func (r rooms) put(room []byte) {
	select {
	case r <- room:
	default:
	}
}
