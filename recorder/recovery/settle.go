package recovery

import (
	"cmp"

	"warcorder/recorder/record"
	"warcorder/store"
)

// settle ends the exchange that has been begun: it is whole, as another follows, if there is no
// damage in between.
func (s *scan) settle() {
	switch {
	case s.apart:
		s.response, s.request, s.apart = nil, nil, false
	case s.response != nil:
		s.whole(&record.Asked{})
	case s.request != nil:
		s.keepRequest()
	}
}

// whole makes the capture of the response that has come.
func (s *scan) whole(request *record.Asked) {
	r := s.response
	c, _ := record.CaptureOf(s.keyer, r.uri, r.date, request, &r.head, r.digest)
	if r.revisit {
		c.MIME = record.RevisitMIME
	}
	if string(request.Method) == "GET" {
		c.Original = r.original
	}
	s.addAt(c, r.at)
	s.keep(r.at)
	s.tail.note(r)
	s.response, s.last = nil, r.id
}

func (s *scan) keepRequest() {
	s.keep(s.request.at)
	s.request, s.last = nil, s.request.id
}

// keep notes that a part of the file is good. What lies between it and the last one is not.
func (s *scan) keep(at stretch) {
	if at.from > s.end {
		s.skipTo(at.from)
	}
	if n := len(s.kept); n > 0 && s.kept[n-1].to == at.from {
		s.kept[n-1].to = at.to
	} else {
		s.kept = append(s.kept, at)
	}
	s.end, s.apart = at.to, false
}

// skipTo notes that nothing from the last whole exchange up to an offset is any good.
func (s *scan) skipTo(offset int64) {
	s.damages(Damaged{s.file, s.end, offset - s.end, cmp.Or(s.damage, errStray), false})
	s.damage = nil
}

// addAt adds a capture that lies there.
func (s *scan) addAt(c store.Capture, at stretch) {
	c.Location = store.Location{File: s.file, Offset: at.from, Length: at.to - at.from}
	s.add(c)
}
