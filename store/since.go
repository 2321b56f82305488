package store

import (
	"encoding/binary"
	"net/http"
)

// Since narrows an Export to what has come since another one, to be put beside what that one has
// written. Lines that are void by then come too, with a member "removed": package delta says which.
//
// It is a filter on the keys of the index, which end in file and offset: a key that it leaves out costs
// no decoding, and what it lets through comes in every dialect and order as it does without.
//
// Where nothing has come nothing is read. Else all keys are gone through: two seconds for five
// million captures (BenchmarkSince), so some 20 s for 50 million, in slices that hold nobody up. That is
// little for what is fed from cron, so that no other way is taken: the timeline has the captures of a file
// together only within stretches of time, and of most no URL key; and what is new in the WARC files would
// have to be inflated and keyed again.
type Since struct {
	// Files are the stretches of files, by base name, of which captures are selected. Of files that are
	// not in it nothing is.
	Files map[string]Stretch

	Removed *Removed // nil: nothing was
}

// Stretch is a part of a file: the captures that begin at From or behind it, and before To. Again says
// that lines of some of them may have been written before: the file was written anew.
type Stretch struct {
	From, To int64
	Again    bool
}

// IsEmpty reports whether nothing can be selected.
func (s *Since) IsEmpty() bool {
	if s.Removed != nil {
		return false
	}
	for _, stretch := range s.Files {
		if stretch.From < stretch.To {
			return false
		}
	}
	return true
}

// sinceFilter is a Since for one index. A nil one selects all.
type sinceFilter struct {
	stretches []Stretch // by ID - 1
	removed   *Removed
	primary   bool // the keys are those of the captures
	parts     bool // parts are left out whose whole is there
}

// filter returns the Since for an index with these files.
func (s *span) filter(files *fileTable) *sinceFilter {
	if s.since == nil {
		return nil
	}
	s.since.Removed.sort()
	f := &sinceFilter{removed: s.since.Removed, primary: s.key.primary(), parts: s.leaveOut}
	for _, file := range files.all() {
		f.stretches = append(f.stretches, s.since.Files[file.Name])
	}
	return f
}

// has reports whether a key lies in one of the stretches.
func (f *sinceFilter) has(k indexKey) bool {
	if f == nil {
		return true
	}
	s, offset := f.stretch(k), k.offset()
	return s.From <= offset && offset < s.To
}

// stretch returns that of the file of a key; an empty one if there is none.
func (f *sinceFilter) stretch(k indexKey) (s Stretch) {
	if id := k.file(); id > 0 && id <= uint32(len(f.stretches)) {
		s = f.stretches[id-1]
	}
	return s
}

// told says of a capture what an earlier export may have had of it.
type told int

const (
	untold    told = iota
	toldAgain      // a line, perhaps, which comes again; or is void, of a part whose whole has come
	toldPart       // the line of a part, perhaps, which is looked at only since its whole may have come
)

// selects reports whether a capture is to be looked at, by its key and value.
func (f *sinceFilter) selects(k indexKey, value []byte) (is bool, before told) {
	if f.has(k) {
		if f != nil && f.primary && f.stretch(k).Again {
			return true, toldAgain
		}
		return true, untold
	}
	if !f.primary || !f.known(k) {
		return false, untold
	}
	part := f.parts && mayBePart(value)
	if ofKey, ofSecond := f.removed.has(k); ofSecond || ofKey && part {
		return true, toldAgain
	}
	return part, toldPart
}

// known reports whether a key lies before the end of a stretch: others have come since the Export began.
func (f *sinceFilter) known(k indexKey) bool {
	return k.offset() < f.stretch(k).To
}

// mayBePart is isPart of the capture with that value. It decodes nothing else.
func mayBePart(value []byte) bool {
	if len(value) < 4 || value[1]&flagOther != 0 {
		return false
	}
	_, n := binary.Uvarint(value[2:])
	if n <= 0 {
		return false
	}
	status, _ := binary.Uvarint(value[2+n:])
	return status == http.StatusPartialContent ||
		status == http.StatusOK && value[1]&flagTruncated != 0
}
