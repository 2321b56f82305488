package recovery

import (
	"cmp"
	"errors"

	"warcorder/recorder/record"
	"warcorder/store"
)

// scan is the state of reading the exchanges of a WARC file of ours back from its records.
//
// The recorder writes the records of an exchange one behind the other, and each names the first
// (WARC-Concurrent-To). So what comes next tells whether the exchange before it is whole:
//
//	begun with              is whole when there follows
//	response or revisit     its request, which names it
//	                        without a request: its metadata record, or any record of another exchange
//	request, no response    its metadata record, or any record of another exchange
//	(whole already)         a metadata record that names its last record is added to it
//
// At the end of a finished file an exchange is whole as well; at the end of a file that was being
// written its request may not have been written, and it is cut off.
//
// A request that names a record which is not there is stray: the rest of an exchange that was lost.
// Stray records are damage themselves. Behind damage a metadata record that the recorder has
// written is stray likewise, and a response from before the damage is whole only if its request
// comes, a request only if its metadata record comes.
//
// A record behind damage may also come from inside of a body, since people download WARC files. It
// counts only if it names the same warcinfo record as the records before the damage do.
type scan struct {
	findings // of whole exchanges
	dedup    *record.DedupConfig
	content  record.Content // of the response that is read
	buf      []byte         // that a response is read through

	end    int64     // offset behind the last whole exchange
	kept   []stretch // whole exchanges, and records of no exchange, behind the scan's beginning
	damage error     // the first damage found behind end; nil if there is none

	response *foundResponse // whose request has not come yet
	request  *foundRequest  // that names no response, and whose metadata record has not come yet
	// ID of the record that a metadata record of the last whole exchange would name
	last     string
	apart    bool  // there was damage since the last record that counted
	warcinfo idSet // that the file's records name
	tail     *tail // takes down what refers to what; nil if nobody asks
}

// errStray is the damage where a record belongs to an exchange of which the response, or all, is
// missing.
var errStray = errors.New("a record of an exchange that is not whole")

// settle ends the exchange that has been begun, since another one follows, or a record of none. The
// exchange is whole if there is no damage in between; else what was read of it is dropped.
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

// whole makes the capture of the response that was begun, and whose request is this one.
func (s *scan) whole(request *record.Asked) {
	r := s.response
	c, _ := record.CaptureOf(s.keyer, r.uri, r.date, request, &r.head, r.truncated,
		r.digest)
	if r.revisit {
		c.MIME = record.RevisitMIME
	}
	if string(request.Method) == "GET" {
		c.Original = r.original
	}
	s.addAt(c, r.at)
	s.captured = r.id
	s.keep(r.at)
	s.tail.note(r)
	s.response, s.last = nil, r.id
}

// keepRequest ends the exchange that has no response: it is whole, and no capture.
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

// addAt adds a capture that lies at that stretch of the file.
func (s *scan) addAt(c store.Capture, at stretch) {
	c.Location = store.Location{File: s.file, Offset: at.from, Length: at.to - at.from}
	s.add(c)
}

// finish ends the scan of a finished file of that size: what has been begun is whole, if there is
// no damage behind it.
func (s *scan) finish(size int64) {
	s.settle()
	if s.end < size {
		s.skipTo(size)
	}
}
