// Package copying copies what is selected of a collection into WARC files that stand alone. Make
// decides what is copied, and Plan.Copy does it, into whatever its caller opens.
//
//	a file all of which is selected  is copied as it is, under its name
//	parts of files                   are copied one behind another, into files of names of their own:
//	                                 before the first record of a file its warcinfo record, once,
//	                                 since no two records may have one ID, then each capture with
//	                                 its request and metadata records
//	records that are not in gzip     (.warc and .warc.zst of other tools) are compressed, each into a
//	members of their own             member of its own
//
// Invariant: a gzip member that is copied is copied byte for byte, each record once, in the order of
// the collection's files and of the offsets in them. What cannot be read or is not what the index says
// is an error with the name of the file and the offset, and never left out; what is not in the
// collection any more is counted, and so is damage behind a capture and its request. If something is
// removed from the collection between Make and the end of Copy, all of it is store.ErrReplaced. No more is in
// memory than some buffers and one record of 1 MiB, however much is copied; what must be sorted
// lies in temporary files.
package copying

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"io"

	"warcorder/store"
	"warcorder/store/extsort"
	"warcorder/store/readback"
	"warcorder/store/selection"
)

// Options say how records are copied.
type Options struct {
	// Size is how many bytes a file is not to exceed, unless one exchange does; 0 is any.
	Size int64

	// Name names the files that hold parts of others, from 0 on.
	Name func(n int) string

	// NoRevisits makes each revisit a response again, with the body of its original.
	NoRevisits bool
}

// Plan is what is to be copied.
type Plan struct {
	Captures int64 // that are selected, or needed
	Needed   int64 // how many of them are only needed
	Parts    int64 // how many of them may be parts of something

	// Files are those of the collection when the plan was made, in their order.
	Files []store.File

	options Options
	source  *selection.Source
	files   *readback.Files
	sel     selection.Selection
	sorter  extsort.Sorter // of captures by their places
	orphans selection.Orphans
	numbers map[string]int // of Files, by their names
	bytes   []int64        // to be copied of each file, about
}

// Into is where a Plan is copied to.
type Into struct {
	// Open begins a file. size is how many bytes it will have at most, as far as that is known. A file
	// is closed before the next one is opened, unless there is an error. One that is an io.ReaderFrom
	// reads what is copied.
	Open func(name string, size int64) (io.WriteCloser, error)

	// Placed is told of each capture when it has been given its place, in the order of the places.
	Placed func(c *selection.Chosen, at store.Location) error

	// Progress, if it is not nil, is told how many bytes have been read, of about Plan.Bytes.
	Progress func(done int64)
}

// Report is what became of a Plan.
type Report struct {
	Captures int64 // that were copied
	Files    int   // that were written
	Bytes    int64 // that were written

	Compressed int64 // records that were not in gzip members of their own
	Renewed    int64 // revisits that are responses again

	Orphans selection.Orphans // revisits whose original is not in the collection

	// Away are captures that are not in the collection any more: their files are not there, or end
	// before them or before what belongs to them.
	Away Faults

	// Damaged are captures that were copied with their requests, before damage: what lies there is
	// another capture's, as a rule.
	Damaged Faults
}

// Faults are captures that have a fault in common.
type Faults struct {
	Number int64
	First  error // names the first one
}

// Add adds others.
func (f *Faults) Add(others Faults) {
	if f.Number += others.Number; f.First == nil {
		f.First = others.First
	}
}

func (f *Faults) note(err error) { f.Add(Faults{1, err}) }

// sorterMemory is how much of the captures is sorted in memory, in bytes.
const sorterMemory = 8 << 20

// Make plans to copy a selection, as it is at this moment.
func Make(ctx context.Context, source *selection.Source, sel selection.Selection, options Options) (
	p *Plan, err error) {
	defer func() {
		if err != nil {
			err = cmp.Or(source.Check(), err)
		}
	}()
	choice, err := source.Choose(ctx, sel, selection.Detail{Originals: options.NoRevisits})
	if err != nil {
		return nil, err
	}
	p = &Plan{options: options, source: source, files: source.Files(), sel: sel, Files: choice.Files}
	p.sorter = extsort.Sorter{Dir: source.TempDir, Memory: sorterMemory}
	p.bytes = make([]int64, len(p.Files))
	err = errors.Join(p.add(ctx, choice), choice.Close())
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	p.orphans = choice.Orphans
	for i, f := range p.Files {
		if p.isWhole(f) {
			p.bytes[i] = f.Committed
		}
	}
	return p, nil
}

// Close gives back what the plan holds.
func (p *Plan) Close() error { return p.sorter.Close() }

// Bytes is about how many bytes Copy reads.
func (p *Plan) Bytes() (n int64) {
	for _, bytes := range p.bytes {
		n += bytes
	}
	return n
}

// Knew reports whether a capture was committed when the plan was made: else it is not in the plan.
func (p *Plan) Knew(c *store.Capture) bool {
	number, known := p.numbers[c.File]
	return known && c.Offset+c.Length <= p.Files[number].Committed
}

// add adds the captures of a choice.
func (p *Plan) add(ctx context.Context, choice *selection.Choice) error {
	p.numbers = make(map[string]int, len(p.Files))
	for i, f := range p.Files {
		p.numbers[f.Name] = i
	}
	var line []byte
	for c, err := range choice.Captures(ctx) {
		if err != nil {
			return err
		}
		p.Captures++
		if c.Needed {
			p.Needed++
		}
		if c.IsPart() {
			p.Parts++
		}
		number := p.numbers[c.File]
		p.bytes[number] += c.Length
		line = binary.BigEndian.AppendUint32(line[:0], uint32(number))
		line = binary.BigEndian.AppendUint64(line, uint64(c.Offset))
		if err := p.sorter.Add(c.Append(line)); err != nil {
			return err
		}
	}
	return nil
}

// isWhole reports whether all of a file is selected.
func (p *Plan) isWhole(f store.File) bool {
	only := p.sel
	only.Files = nil
	if !only.IsAll() || f.Committed == 0 {
		return false
	}
	for _, name := range p.sel.Files {
		if name == f.Name {
			return true
		}
	}
	return len(p.sel.Files) == 0
}
