package har

import (
	"context"
	"hash/maphash"
	"slices"

	"warcorder/store/selection"
)

// ids are the IDs of pages, as hashes of 8 bytes: two have the same one once in a long life, and an
// exchange is then said to belong to a page that is not there.
type ids struct {
	seed   maphash.Seed
	hashes []uint64
	sorted int // so many of them, the first ones, are sorted and different
}

func newIDs() *ids { return &ids{seed: maphash.MakeSeed()} }

// add adds an ID. Adding takes the time of sorting, and memory for twice as many as are different.
func (s *ids) add(id string) {
	hash := maphash.String(s.seed, id)
	if n := len(s.hashes); n > 0 && s.hashes[n-1] == hash {
		return
	}
	s.hashes = append(s.hashes, hash)
	if len(s.hashes) > 2*s.sorted+1024 {
		s.sort()
	}
}

func (s *ids) sort() {
	slices.Sort(s.hashes)
	s.hashes = slices.Compact(s.hashes)
	s.sorted = len(s.hashes)
}

// has reports whether an ID was added. The last one that was added must be followed by sort.
func (s *ids) has(id string) bool {
	_, found := slices.BinarySearch(s.hashes, maphash.String(s.seed, id))
	return found
}

// writePages writes the pages of a selection to which exchanges belong, and returns which they are.
// One whose title cannot be read has none: its exchange is left out, and named then.
func (w *Writer) writePages(ctx context.Context, source *selection.Source,
	sel selection.Selection, wanted *ids) (written *ids, err error) {
	written = newIDs()
	for page, err := range source.Pages(ctx, sel) {
		if err != nil {
			return nil, err
		}
		if !wanted.has(page.ID) {
			continue
		}
		title, err := source.Title(ctx, page)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil && isOfAll(err) {
			return nil, err
		}
		err = w.Page(Page{ID: page.ID, URL: page.URL, Title: title, Time: page.Time})
		if err != nil {
			return nil, err
		}
		written.add(page.ID)
	}
	written.sort()
	return written, nil
}
