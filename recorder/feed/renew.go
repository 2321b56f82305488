package feed

import (
	"sort"
	"strconv"
)

// Renewal is what a removal has changed: files were written anew, and gaps went.
type Renewal struct {
	Files []Anew
	Gap   func(*Event) bool // reports a gap that went; nil if none did
}

// Anew is a file that was written anew.
type Anew struct {
	File string // base name

	// Now says where the record lies now that began there in the old file, if it is still there.
	Now func(offset int64) (now int64, stays bool)

	// Stays is which stretches of the old file are still there, in their order, and where; nil if
	// these are more than MostStretches. Nothing else of the old file is there.
	Stays []Stretch
}

// Stretch is the bytes [From, To) of an old file, which begin at At in the new one.
type Stretch struct{ From, To, At int64 }

// The bounds of what is told of a removal, whatever it was: a reader who is told less has to take all
// that he knows for untrue.
const (
	MostStretches = 1000 // of a file
	mostFiles     = 1000
	mostTold      = 1 << 20 // bytes of all stretches
	mostRanges    = 1000    // of gaps, in one event
)

// Renew makes the feed tell the truth after a removal. Events of what went become Forgotten, in which
// nothing is left; events of what lies elsewhere have the place where it lies; and events of the kind
// Removed tell those who have heard of it, without naming it. For each file
//
//	File    its name; "" if there are so many that none is named
//	Detail  Stays as JSON, [[From,To,At],…]; "" if these are too many
//
// and of gaps
//
//	State   "events"
//	Detail  the numbers of their events as JSON, [[first,last],…]
//
// Publishers are not held up: of the lock no more is taken at once than one segment needs to take its
// place. The work is to read what is held twice at most.
func (f *Feed) Renew(what Renewal, now int64) {
	f.renewing.Lock()
	defer f.renewing.Unlock()
	r := renewing{Renewal: what, files: make(map[string]*Anew, len(what.Files))}
	for i := range what.Files {
		r.files[what.Files[i].File] = &what.Files[i]
	}
	all := f.seal()
	var packer packer
	for i := range all {
		s := all[i].unpacked()
		// The last one has room, which would be lost: segments of a quiet recorder would be few events.
		if r.changes(&s) || i == len(all)-1 {
			anew, moved := r.copy(&s)
			packer.pack(anew)
			f.replace(anew, moved)
		}
	}
	for _, e := range r.told() {
		e.Time = now
		f.Publish(&e)
	}
}

// seal returns the segments as they are now. Nothing more comes into them.
func (f *Feed) seal() (all []segment) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.segments {
		s.sealed = true
		all = append(all, *s)
	}
	return all
}

// replace puts a segment into the place of the one that it was made from, unless that has gone.
func (f *Feed) replace(s *segment, moved []moved) {
	f.mu.Lock()
	defer f.mu.Unlock()
	i := sort.Search(len(f.segments), func(i int) bool { return f.segments[i].first >= s.first })
	if i == len(f.segments) || f.segments[i].first != s.first {
		return
	}
	f.bytes += s.bytes() - f.segments[i].bytes()
	f.segments[i] = s
	for _, m := range moved {
		f.places.add(m.file, m.offset, m.number)
	}
	for f.bytes > maxBytes && len(f.segments) > 1 {
		f.drop()
	}
}

// renewing is a Renew while it goes on.
type renewing struct {
	Renewal
	files map[string]*Anew
	gaps  [][2]uint64 // numbers of those that went, from the first to the last
}

// moved is an event of something that lies elsewhere now.
type moved struct {
	file   string
	offset int64
	number uint64
}

// fate says what becomes of an event: whether it is still so, and with which offset.
func (r *renewing) fate(b []byte) (stays bool, file *Anew, offset int64) {
	h, _ := headOf(b)
	switch h.Kind {
	case Gap:
		if r.Gap != nil {
			e := eventOf(b)
			return !r.Gap(&e), nil, h.Offset
		}
	case Capture, Note:
		if file := r.files[string(h.file())]; file != nil {
			offset, stays := file.Now(h.Offset)
			return stays, file, offset
		}
	}
	return true, nil, h.Offset
}

// changes reports whether any event of a segment is not so any more.
func (r *renewing) changes(s *segment) bool {
	for i := range s.starts {
		b := s.event(i)
		h, _ := headOf(b)
		if stays, _, offset := r.fate(b); !stays || offset != h.Offset {
			return true
		}
	}
	return false
}

// copy is a segment with the events as they are now.
func (r *renewing) copy(s *segment) (*segment, []moved) {
	to := &segment{first: s.first, sealed: true, starts: make([]uint32, 0, len(s.starts)),
		data: make([]byte, 0, len(s.data))}
	var all []moved
	for i := range s.starts {
		b, number := s.event(i), s.first+uint64(i)
		h, _ := headOf(b)
		to.starts = append(to.starts, uint32(len(to.data)))
		switch stays, file, offset := r.fate(b); {
		case !stays:
			to.data = (&Event{}).append(to.data)
			if h.Kind == Gap {
				r.wentGap(number)
			}
		case offset != h.Offset:
			e := eventOf(b)
			e.Offset = offset
			to.data = e.append(to.data)
			if e.Kind == Capture {
				all = append(all, moved{file.File, offset, number})
			}
		default:
			to.data = append(to.data, b...)
		}
	}
	return to, all
}

// wentGap notes the number of a gap that went.
func (r *renewing) wentGap(number uint64) {
	if n := len(r.gaps); n > 0 && r.gaps[n-1][1]+1 == number {
		r.gaps[n-1][1] = number
		return
	}
	r.gaps = append(r.gaps, [2]uint64{number, number})
}

// told are the events that tell readers of the removal.
func (r *renewing) told() (all []Event) {
	if len(r.Files) > mostFiles {
		all = append(all, Event{Kind: Removed})
		r.Files = nil
	}
	size := 0
	for _, file := range r.Files {
		e := Event{Kind: Removed, File: file.File, Detail: listOf(file.Stays)}
		if size += len(e.Detail); size > mostTold {
			e.Detail = ""
		}
		all = append(all, e)
	}
	for len(r.gaps) > 0 {
		n := min(len(r.gaps), mostRanges)
		list := []byte{'['}
		for i, g := range r.gaps[:n] {
			list = appendList(list, i, int64(g[0]), int64(g[1]))
		}
		all = append(all, Event{Kind: Removed, State: "events", Detail: string(append(list, ']'))})
		r.gaps = r.gaps[n:]
	}
	return all
}

// listOf is stretches as JSON; "" for nil.
func listOf(stays []Stretch) string {
	if stays == nil {
		return ""
	}
	list := []byte{'['}
	for i, s := range stays {
		list = appendList(list, i, s.From, s.To, s.At)
	}
	return string(append(list, ']'))
}

// appendList appends the numbers of element i of a list.
func appendList(to []byte, i int, numbers ...int64) []byte {
	if i > 0 {
		to = append(to, ',')
	}
	for j, n := range numbers {
		to = append(to, "[,"[min(j, 1)])
		to = strconv.AppendInt(to, n, 10)
	}
	return append(to, ']')
}
