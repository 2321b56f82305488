package removal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/holdings"
	"warcorder/store/readback"
	"warcorder/store/removal/journal"
	"warcorder/store/warc"
)

// Plan is what a removal will do. It is for the collection as it was when the Plan was made.
type Plan struct {
	Summary

	// Progress, if it is not nil, is called while files are written anew, with how many bytes of the
	// old ones that are to be read were read.
	Progress func(done, of int64)

	dir     collection.Dir
	index   *store.Bolt
	readers *readback.Files
	order   Order

	files  map[uint32]store.File // that are to be looked at
	gone   gone
	gaps   map[hashed]bool // that go: the SURTs of their URLs, and the hosts
	kept   kept
	needs  []need
	astray []astray          // while needs are looked for
	turned map[hashed]bool   // the revisits that become responses, by URL and time, meanwhile
	before map[uint32]int64  // captures of each file, by the index
	spans  map[uint32]uint64 // sums of their spans
	work   []*work           // in the order of the files' names

	missing    map[uint32]bool    // files that are missing, which the index does not say yet
	own        map[uint32]bool    // files that are ours, or not, as far as that was asked
	origins    map[hashed]origins // by URL, of continuations
	alone      map[hashed]bool    // by URL and time, as far as that was asked: there is one response
	leftOut    map[uint32]bool    // files that cannot be written anew, and stay as they are
	unfinished bool               // a revisit that needs what goes is in a file that is not finished
	decided    *journal.Journal   // nil as long as nothing was
	deciding   bool               // the journal is being written

	passed, total int64 // bytes of the old files, while these are written anew
}

// work is what is done to one file.
type work struct {
	store.File
	layout   warc.Layout
	version  string
	warcinfo string
	skips    bool
	size     int64
	away     bool   // it is in object storage alone, and is brought back before it is written anew
	edits    []edit // in their order

	captures, records, bytes int64 // that go
	written                  int64 // size of the new file
}

// edit is a stretch of a file that is not copied.
type edit struct {
	from, to int64
	turn     *turn // what stands there from then on; nil for nothing
	retold   bool  // an earlier tombstone, which forgets something
	behind   int64 // where the new file goes on behind it, once it is written
}

// turn is what a revisit becomes.
type turn struct {
	at, from place
	length   int64
	source   int64 // length of the record at from
	how      how
	to       store.Location // what a redirected revisit refers to; zero for nothing
}

// how is what becomes of a revisit.
type how byte

const (
	moved      how = iota // a response with the body of the one that goes
	redirected            // a revisit of the one that was moved, or of one that stays
	bodiless              // a response 304
)

// Make plans a removal. Nothing may be removed meanwhile; captures may be recorded, into files that
// are not finished.
func Make(ctx context.Context, dir collection.Dir, index *store.Bolt, readers *readback.Files,
	order Order) (*Plan, error) {
	p := &Plan{dir: dir, index: index, readers: readers, order: order,
		kept: kept{map[hashed]bool{}, map[hashed]bool{}, map[place]bool{}, map[string]bool{}},
		gaps: map[hashed]bool{}, own: map[uint32]bool{}, alone: map[hashed]bool{}, leftOut: map[uint32]bool{}}
	if err := p.findMissing(); err != nil {
		return nil, err
	}
	var reasons []string
	for {
		left := len(p.leftOut)
		why, err := p.make(ctx)
		reasons = append(reasons, why...)
		if err != nil {
			return nil, err
		}
		if len(p.leftOut) == left {
			break
		}
	}
	p.LeftOut = reasons
	err := p.addRest(ctx)
	p.Fingerprint = p.fingerprint()
	return p, err
}

// make decides what is done to each file, and returns why files are left out, if it does not do so: then
// all is decided anew, since what these need stays.
func (p *Plan) make(ctx context.Context) (reasons []string, err error) {
	p.work, p.unfinished, p.origins = nil, false, map[hashed]origins{}
	if err := p.choose(ctx); err != nil {
		return nil, err
	}
	if err := p.addFiles(); err != nil {
		return nil, err
	}
	turns := p.turns()
	for _, file := range slices.SortedFunc(maps.Values(p.files),
		func(a, b store.File) int { return cmp.Compare(a.Name, b.Name) }) {
		err := p.plan(ctx, file, turns[file.ID])
		if err != nil && p.order.Aged && ctx.Err() == nil {
			p.leftOut[file.ID] = true
			reasons = append(reasons, err.Error())
		} else if err != nil {
			return nil, fmt.Errorf("plan the removal: %w", err)
		}
	}
	return reasons, nil
}

// choose finds what goes, and who needs it. If some of it stays since it is needed, it is looked anew.
func (p *Plan) choose(ctx context.Context) error {
	for {
		size := p.kept.size()
		if err := p.collect(ctx); err != nil {
			return err
		}
		if err := p.findNeeds(ctx); err != nil || p.kept.size() == size {
			return err
		}
	}
}

// IsEmpty reports whether there is nothing to do.
func (p *Plan) IsEmpty() bool { return p.Summary.IsEmpty() }

// ID is the ID of the removal.
func (p *Plan) ID() string { return p.order.ID }

// addFiles adds files that are to be searched for what is no capture.
func (p *Plan) addFiles() error {
	files, err := p.index.Files()
	for _, file := range files {
		scrubbed := file.Reduced && p.order.forgets() != nil
		empty := p.order.Has != nil && p.before[file.ID] == 0
		away := file.Missing || p.missing[file.ID]
		if file.Sealed && !away && !p.leftOut[file.ID] && file.Committed > 0 && p.isIn(file) &&
			(p.order.Everywhere && p.order.Has != nil || scrubbed || empty) {
			p.files[file.ID] = file
		}
	}
	return err
}

// isIn reports whether Has is for a file.
func (p *Plan) isIn(file store.File) bool { return p.order.In == nil || p.order.In(file.Name) }

// turns decides what becomes of the revisits that need what goes, by file. Those without an HTTP head
// get a response of their own, with the head that they showed.
func (p *Plan) turns() map[uint32][]*turn {
	slices.SortFunc(p.needs, func(a, b need) int {
		return cmp.Or(cmp.Compare(a.from.file, b.from.file), cmp.Compare(a.from.offset, b.from.offset),
			compareBool(a.headless, b.headless), a.time.Compare(b.time),
			cmp.Compare(a.at.file, b.at.file), cmp.Compare(a.at.offset, b.at.offset))
	})
	all := map[uint32][]*turn{}
	first := (*need)(nil)
	for i := range p.needs {
		n := &p.needs[i]
		t := &turn{at: n.at, from: n.from.place, length: n.length, source: n.from.length}
		switch {
		case n.bare:
			t.how = bodiless
			p.Bodiless++
		case n.named:
			t.how, t.to = redirected, n.other
			p.Redirected++
		case first == nil || first.from.place != n.from.place || first.headless != n.headless:
			first, t.how = n, moved
			p.Moved++
		default:
			t.how, t.to = redirected, p.location(first.at, first.length)
			p.Redirected++
		}
		all[n.at.file] = append(all[n.at.file], t)
	}
	p.needs = nil
	return all
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// plan decides what is done to a file.
func (p *Plan) plan(ctx context.Context, file store.File, turns []*turn) error {
	opened, err := p.open(ctx, file)
	if err != nil {
		return err
	}
	defer opened.Close()
	s, err := p.survey(ctx, file, opened)
	if err != nil {
		return err
	}
	w := &work{File: file, size: file.Committed, away: opened.Remote != nil}
	w.layout, w.version, w.warcinfo, w.skips = s.layout, s.version, s.warcinfo, s.skips
	numbers, err := s.going(file.Name, p.gone.places[file.ID])
	if err != nil {
		return err
	}
	w.addGoing(s, numbers)
	for _, t := range turns {
		to, found := s.endOf(t.at.offset)
		if !found {
			return fmt.Errorf("%s at %d: %w", file.Name, t.at.offset, errNoRecord)
		}
		w.edits = append(w.edits, edit{from: t.at.offset, to: to, turn: t})
	}
	if err := p.addForgotten(ctx, w, s, opened); err != nil {
		return err
	}
	if len(w.edits) == 0 {
		return nil
	}
	if has := p.before[file.ID]; p.order.Aged && s.captures != has { // what reads the new file would end all
		return fmt.Errorf("%s: %d captures can be read in it, and by the index there are %d: warcorder verify "+
			"says what is damaged, and warcorder rebuild makes the index agree", file.Name, s.captures, has)
	}
	if err := p.replaceable(w); err != nil {
		return err
	}
	slices.SortFunc(w.edits, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	p.add(w, s)
	return nil
}

// survey reads the headers of a file. What a gzip member says of its length is believed of captures
// alone, since the index knows their lengths, which were read and not believed: where these differ, one
// member would hide what follows it, and each is read to its end.
func (p *Plan) survey(ctx context.Context, file store.File, opened io.ReaderAt) (s *survey, err error) {
	for _, leaps := range []bool{true, false} {
		s = &survey{size: file.Committed, leaps: leaps}
		if p.isIn(file) {
			s.has, s.continued = p.order.Has, p.goesContinued
		}
		if err = s.take(ctx, opened, file.Name); err != nil || s.spans == p.spans[file.ID] ||
			s.layout != warc.GzipMembers {
			break
		}
	}
	return s, err
}

// open opens a file wherever it is, of which nothing may have been cut.
func (p *Plan) open(ctx context.Context, file store.File) (*holdings.File, error) {
	opened, err := p.readers.Holdings().Open(file)
	if err != nil {
		return nil, err
	}
	if opened.Size != file.Committed {
		err = fmt.Errorf("%s has %d bytes, and %d by the index: let warcorder recover run, and remove then",
			file.Name, opened.Size, file.Committed)
		return nil, errors.Join(err, opened.Close())
	}
	return opened.WithContext(ctx), nil
}

// addGoing adds the records that go. Those that follow one another are one edit.
func (w *work) addGoing(s *survey, numbers []int) {
	for _, i := range numbers {
		r := &s.records[i]
		w.records++
		w.bytes += r.to - r.from
		if r.kind == capture {
			w.captures++
		}
		if n := len(w.edits); n > 0 && w.edits[n-1].to == r.from {
			w.edits[n-1].to = r.to
		} else {
			w.edits = append(w.edits, edit{from: r.from, to: r.to})
		}
	}
}

// recordAt returns the record of a file that begins at from and ends before to.
func recordAt(opened io.ReaderAt, name string, from, to int64) (*warc.Record, error) {
	reader, err := warc.NewForeignReader(io.NewSectionReader(opened, 0, to), name, from)
	if err != nil {
		return nil, err
	}
	return reader.Next()
}

// endOf returns the end of the record that begins at an offset.
func (s *survey) endOf(offset int64) (to int64, found bool) {
	i, found := slices.BinarySearchFunc(s.records, offset,
		func(p part, offset int64) int { return cmp.Compare(p.from, offset) })
	if !found {
		return 0, false
	}
	return s.records[i].to, true
}

// addForgotten adds the earlier tombstones that name what is to be forgotten.
func (p *Plan) addForgotten(ctx context.Context, w *work, s *survey, opened io.ReaderAt) error {
	if p.order.forgets() == nil {
		return nil
	}
	for i := range s.records {
		r := &s.records[i]
		if err := ctx.Err(); err != nil {
			return err
		}
		if r.kind != buried {
			continue
		}
		record, err := recordAt(opened, w.Name, r.from, r.to)
		if err != nil {
			return err
		}
		block, err := p.retoldBlock(record)
		if err != nil {
			return fmt.Errorf("%s: %w", w.Name, err)
		}
		if block != nil {
			w.edits = append(w.edits, edit{from: r.from, to: r.to, retold: true})
		}
	}
	return nil
}

// add adds the work on a file to the summary.
func (p *Plan) add(w *work, s *survey) {
	p.work = append(p.work, w)
	p.Files++
	p.Records += w.records
	p.Bytes += w.bytes
	p.Damaged += s.damaged
	if w.captures > 0 && w.captures == p.before[w.ID] {
		p.Emptied++
	}
	if w.Remote != nil {
		p.Copies++
	}
	if w.away {
		p.Fetched++
		p.FetchedBytes += w.size
		return
	}
	place, err := warc.Look(p.dir.WARC(w.Name))
	if err == nil && (place.IsLink() || place.Names() > 1) {
		p.Linked = append(p.Linked, w.Name)
	}
}
