package removal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sort"

	"warcorder/recorder/record"
	"warcorder/store/collection"
	"warcorder/store/fault"
	"warcorder/store/pagelist"
	"warcorder/store/removal/journal"
	"warcorder/store/removal/tombstone"
	"warcorder/store/warc"
)

// Written is a file that was written anew, and lies beside the one whose place it is to take.
type Written struct {
	ID   uint32 // in the index
	Name string // base name of the file
	Path string // of the new one
	Size int64  // of the new one

	Captures int64 // that it must have

	edits []edit // of the old file
	from  int64  // size of the old file
}

// Stretch is the bytes [From, To) of the old file, which begin at At in the new one: what was copied,
// or a revisit that has become something else there.
type Stretch struct{ From, To, At int64 }

// Stays returns the stretches of the old file that are in the new one, in their order, if they are not
// more than most; else nil.
func (w *Written) Stays(most int) []Stretch {
	all, from, at := []Stretch{}, int64(0), int64(0)
	add := func(to int64) {
		if to > from {
			all = append(all, Stretch{from, to, at})
		}
	}
	for i := range w.edits {
		e := &w.edits[i]
		add(e.from)
		if e.turn != nil {
			from, at = e.from, at+e.from-from
			add(e.to)
		}
		if from, at = e.to, e.behind; len(all) > most {
			return nil
		}
	}
	if add(w.from); len(all) > most {
		return nil
	}
	return all
}

// Now returns where the record lies in the new file that began there in the old one, if it stays.
func (w *Written) Now(offset int64) (now int64, stays bool) {
	i := sort.Search(len(w.edits), func(i int) bool { return w.edits[i].from > offset }) - 1
	if i < 0 {
		return offset, true
	}
	e := &w.edits[i]
	if offset >= e.to {
		return e.behind + offset - e.to, true
	}
	if e.turn == nil || offset != e.from {
		return 0, false
	}
	if i == 0 {
		return offset, true
	}
	return w.edits[i-1].behind + offset - w.edits[i-1].to, true
}

// Write writes the files anew, durably, beside the old ones. After an error there are none. Where
// minFree bytes are free when it begins, as many are to be free when it ends.
func (p *Plan) Write(ctx context.Context, mode collection.Mode, minFree int64) (all []Written, err error) {
	if p.unfinished {
		return nil, ErrAgain
	}
	if err := journal.Begin(p.dir); err != nil {
		return nil, err
	}
	if err := cmp.Or(replaceable(p.dir.Index()), p.enough(minFree)); err != nil {
		return nil, err
	}
	written := false
	defer func() {
		if !written { // after a panic too
			err = errors.Join(err, p.Discard())
		}
	}()
	if err := p.bringBack(ctx, mode); err != nil {
		return nil, err
	}
	for _, w := range p.work {
		p.total += w.size
	}
	for _, w := range p.work {
		if err := p.write(ctx, w); err != nil {
			return nil, fmt.Errorf("write %s anew: %w", w.Name, err)
		}
		p.passed += w.size
		all = append(all, Written{ID: w.ID, Name: w.Name, Path: p.dir.Rewritten(w.Name), Size: w.written,
			Captures: p.before[w.ID] - w.captures, edits: w.edits, from: w.size})
	}
	err = p.dropPages(ctx, mode)
	if err == nil && p.Pages > 0 {
		err = replaceable(p.dir.Pages())
	}
	if err = errors.Join(err, p.dir.SyncArchive()); err != nil {
		return nil, err
	}
	written = true
	return all, nil
}

// enough returns an error if there is not enough room for the new files and the new index.
func (p *Plan) enough(minFree int64) error {
	need := p.room()
	free, err := collection.FreeSpace(p.dir.Archive())
	if err != nil || fits(need, free, minFree) {
		return nil // where the system does not tell, the disk does
	}
	return fmt.Errorf("the files that are written anew and the new index take %d bytes beside the old "+
		"ones, and %d are free, of which %d are for the recording (min-free-space): make room, or remove "+
		"from some files at a time (--file)", need, free, min(free, minFree))
}

// fits reports whether so many bytes have room, with as many left as are to be free. Where these are
// not free now, nothing is recorded anyway, and a removal may be what makes room.
func fits(need, free, minFree int64) bool {
	return need < free && (need < free-minFree || free < minFree)
}

// room is how many bytes the new files and the new index take, at most.
func (p *Plan) room() (need int64) {
	for _, w := range p.work {
		need += w.size - w.bytes
		if w.away {
			need += w.size
		}
		for _, e := range w.edits {
			if e.turn != nil && e.turn.how == moved {
				need += e.turn.source
			}
		}
	}
	if index, err := os.Stat(p.dir.Index()); err == nil {
		need += index.Size()
	}
	return need
}

// Discard removes the files that Write has written, or begun, unless it is decided that they take their
// places, or nobody knows, since Decide has panicked.
func (p *Plan) Discard() (err error) {
	if p.deciding || p.IsDecided() {
		return nil
	}
	if p.Pages > 0 {
		err = pagelist.Sweep(p.dir)
	}
	for _, w := range p.work {
		if err2 := os.Remove(p.dir.Rewritten(w.Name)); err2 != nil && !errors.Is(err2, os.ErrNotExist) {
			err = errors.Join(err, err2)
		}
	}
	return err
}

// Decide writes the journal, which says that the removal goes forward. After an error it does not.
func (p *Plan) Decide(mode collection.Mode) error {
	j := p.journal()
	p.deciding = true
	err := j.Write(p.dir, mode)
	if p.deciding = false; err == nil {
		p.decided = j
	}
	return err
}

// Place puts files and index into their places. Nobody reads or writes the index meanwhile.
func (p *Plan) Place() error { return p.decided.Place(p.dir) }

// Undo takes the decision back when Place has failed, unless something has taken its place, and reports
// whether it has.
func (p *Plan) Undo() (undone bool, err error) {
	if undone, err = p.decided.Undo(p.dir); undone {
		p.decided = nil
	}
	return undone, err
}

// IsDecided reports whether the journal is written, and not taken back: the removal goes forward.
func (p *Plan) IsDecided() bool { return p.decided != nil }

// End removes what lies beside the archive and is to go, and with that ends the removal. It returns
// the paths of what it could not remove.
func (p *Plan) End() (left []string, err error) { return p.decided.End(p.dir) }

func (p *Plan) journal() *journal.Journal {
	j := &journal.Journal{ID: p.order.ID, Pages: p.Pages > 0, Rest: p.Rest}
	for _, w := range p.work {
		j.Files = append(j.Files, journal.File{Name: w.Name, Size: w.written})
	}
	return j
}

// writer writes a file anew.
type writer struct {
	*Plan
	*work
	in, out *os.File
	at      int64 // in out
	ids     record.IDSource
	warc.Compressor
}

// write writes a file anew, and syncs it.
func (p *Plan) write(ctx context.Context, w *work) (err error) {
	if err := fault.At(fault.RemoveFile); err != nil {
		return err
	}
	in, err := p.openHere(w)
	if err != nil {
		return err
	}
	defer in.Close()
	path := p.dir.Rewritten(w.Name)
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err // what an earlier removal could not remove; no journal names it
	}
	out, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	o := writer{Plan: p, work: w, in: in, out: out}
	o.NoSkipLengths = !w.skips
	if err := o.all(ctx); err != nil {
		return err
	}
	if err := collection.DefaultMode.Of(p.dir.WARC(w.Name)).Set(path); err != nil {
		return err
	}
	w.written = o.at
	return errors.Join(fault.At(fault.RemoveSync), out.Sync())
}

// all writes the new file: what is kept, what takes the places of what is not, and the tombstone.
func (o *writer) all(ctx context.Context) error {
	at := int64(0)
	for i := range o.edits {
		e := &o.edits[i]
		if err := o.copy(ctx, at, e.from); err != nil {
			return err
		}
		var err error
		switch {
		case e.turn != nil:
			err = o.turn(ctx, e)
		case e.retold:
			err = o.retell(e)
		}
		if err != nil {
			return err
		}
		at, e.behind = e.to, o.at
	}
	if err := o.copy(ctx, at, o.size); err != nil {
		return err
	}
	o.tell(o.size)
	if o.layout == warc.Plain {
		if err := o.endRecord(); err != nil {
			return err
		}
	}
	return o.bury(ctx)
}

// copiedAtOnce is how much is copied before it is asked whether anybody wants it still.
const copiedAtOnce = 8 << 20

// copy copies a stretch of the old file, byte for byte.
func (o *writer) copy(ctx context.Context, from, to int64) error {
	if from >= to {
		return ctx.Err()
	}
	if err := fault.At(fault.RemoveCopy); err != nil {
		return err
	}
	if _, err := o.in.Seek(from, io.SeekStart); err != nil {
		return err
	}
	for left := to - from; left > 0; {
		if err := ctx.Err(); err != nil {
			return err
		}
		o.tell(to - left)
		// which the kernel does, or the file system shares the blocks
		n, err := io.CopyN(o.out, o.in, min(left, copiedAtOnce))
		o.at, left = o.at+n, left-n
		if err != nil {
			return err
		}
	}
	return nil
}

// tell tells how far it is, at a place of the old file.
func (o *writer) tell(at int64) {
	if o.Progress != nil {
		o.Progress(o.passed+at, o.total)
	}
}

// endRecord ends the last record of a file that is not compressed, if its tool has not done so.
func (o *writer) endRecord() error {
	var end [len(warc.RecordEnd)]byte
	n := min(o.at, int64(len(end)))
	if _, err := o.out.ReadAt(end[:n], o.at-n); err != nil {
		return err
	}
	if n == 0 || string(end[n-min(n, 2):n]) == "\n\n" || string(end[:]) == warc.RecordEnd {
		return nil
	}
	m, err := o.out.Write([]byte(warc.RecordEnd))
	o.at += int64(m)
	return err
}

// bury writes the tombstone: also where nothing went and revisits have become what they refer to, so
// that a file which was written anew can be told from the one that it was.
func (o *writer) bury(ctx context.Context) error {
	facts := tombstone.Facts{
		ID: o.order.ID, Time: o.order.Time, Reason: o.order.Reason, Page: o.order.Page,
		Captures: o.captures, Records: o.records, Bytes: o.bytes,
	}
	if o.order.Forget {
		facts.Page = ""
	}
	list, err := o.list(ctx)
	if err != nil {
		return err
	}
	block := tombstone.Block(&facts, &list)
	id := o.ids.Next()
	return o.put(tombstone.Header(o.version, id.String(), o.warcinfo, o.order.Time, block), block)
}

// retell writes an earlier tombstone with another block.
func (o *writer) retell(e *edit) error {
	old, err := recordAt(o.in, o.Name, e.from, e.to)
	if err != nil {
		return err
	}
	block, err := o.retoldBlock(old)
	if err != nil {
		return err
	}
	sum := record.SHA1.SumBytes(block)
	return o.put(changedHeader(old.Version, old.Header, int64(len(block)), map[string]string{
		"WARC-Block-Digest": sum.String(),
	}), block)
}

// put writes a record that is in memory.
func (o *writer) put(head, block []byte) error {
	switch o.layout {
	case warc.GzipMembers:
		return o.wrote(o.out.Write(o.Append(nil, [][]byte{head, block, []byte(warc.RecordEnd)}, -1)))
	case warc.Frames:
		return o.frame(head, nil, nil, block)
	}
	return o.plain(head, block, nil)
}

func (o *writer) wrote(n int, err error) error {
	o.at += int64(n)
	return err
}
