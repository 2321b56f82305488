package selection

import (
	"context"
	"errors"
	"iter"

	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/pages"
	"warcorder/store/readback"
	"warcorder/store/warc"
)

// Source gives the captures of a collection, and reads them.
type Source struct {
	// TempDir is where what does not fit into memory is sorted; "" is os.TempDir.
	TempDir string

	// Behind says that the index lacks captures that are on disk, as was said to the user.
	Behind bool

	index *store.Bolt // nil beside a recorder
	files *readback.Files
	pages *pages.Pages
	asked *asked // the recorder; nil if there is none

	reading collection.Reading
}

// New returns a Source of an index that can be read, of its files and of its pages.
func New(index *store.Bolt, files *readback.Files, pages *pages.Pages) *Source {
	return &Source{index: index, files: files, pages: pages, reading: files.Dir().Reading()}
}

// Check returns store.ErrReplaced if something was removed from the collection since the Source was
// made: what was read of it, and errors too, are of no account then. Who reads captures by what came
// from the Source before asks it in the end.
func (s *Source) Check() error {
	if s.reading.IsSame() {
		return nil
	}
	return store.ErrReplaced
}

// IsBeside reports whether a recorder is asked, which may end at any time.
func (s *Source) IsBeside() bool { return s.asked != nil }

// Files reads what was recorded.
func (s *Source) Files() *readback.Files { return s.files }

// Captures gives the captures of a selection, and those that they need: each once, in the order of
// their CDXJ lines. After an error nothing comes.
func (s *Source) Captures(ctx context.Context, sel Selection) iter.Seq2[Chosen, error] {
	return func(yield func(Chosen, error) bool) {
		choice, err := s.Choose(ctx, sel, Detail{Originals: true, Pages: true})
		if err != nil {
			yield(Chosen{}, err)
			return
		}
		ended := true
		for chosen, err := range choice.Captures(ctx) {
			if ended = yield(chosen, err); !ended {
				break
			}
		}
		if err := choice.Close(); err != nil && ended {
			yield(Chosen{}, err)
		}
	}
}

// Detail is what is to be told of captures that costs something to know.
type Detail struct {
	// Originals tells the Original of every revisit. Without it, it is told where the original need
	// not be selected too.
	Originals bool

	Pages bool // tells the Page of every capture
}

// Choice is what is selected of a collection as it is at one moment.
type Choice struct {
	Files []store.File // of the collection, with what was committed at that moment

	// Orphans are captures that are selected, and lack something. They are known when Captures has
	// come to its end.
	Orphans Orphans

	captures func(ctx context.Context, yield func(Chosen, error) bool)
	close    func() error
}

// Orphans are revisits whose original is not in the collection, or not any more, or is damaged.
type Orphans struct {
	Number int64
	First  error // names the first one
}

// note notes what came of looking for an original, and returns the error unless it is that there is
// none that can be read.
func (o *Orphans) note(err error) error {
	var damage *warc.Damage
	if !errors.Is(err, readback.ErrNoOriginal) && !errors.Is(err, readback.ErrMissing) &&
		!errors.As(err, &damage) {
		return err
	}
	if o.Number++; o.First == nil {
		o.First = err
	}
	return nil
}

// Choose selects captures. What is committed from now on is not among them.
func (s *Source) Choose(ctx context.Context, sel Selection, detail Detail) (*Choice, error) {
	if err := sel.Check(); err != nil {
		return nil, err
	}
	if s.asked != nil {
		return s.asked.choose(ctx, sel, detail)
	}
	return s.chooseHere(ctx, sel, detail)
}

// Captures gives the captures, once.
func (c *Choice) Captures(ctx context.Context) iter.Seq2[Chosen, error] {
	return func(yield func(Chosen, error) bool) { c.captures(ctx, yield) }
}

// Close gives back what the choice holds.
func (c *Choice) Close() error { return c.close() }
