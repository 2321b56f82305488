package store

import (
	"cmp"
	"io"

	"warcorder/canon"
)

// Captures calls yield with the captures that q selects, in the order of their CDXJ lines in the
// dialect pywb, until yield returns false; the Dialect of q is not looked at. It reads them in
// slices, each in a transaction of its own that ends before yield is called: yield may be slow, and
// may use the index. Captures that are committed meanwhile may be missing. A Capture is good until
// yield returns: copy it to keep it.
func (b *Bolt) Captures(q Query, yield func(*Capture) bool) error {
	q.Dialect, q.NoBodies = canon.Pywb, false
	span, err := q.span()
	if err != nil {
		return err
	}
	return b.slices(span, func(s *slice) (bool, error) {
		for i := range s.captures {
			if !yield(&s.captures[i]) {
				return false, nil
			}
		}
		return true, nil
	})
}

// Export writes the CDXJ lines of the captures that q selects to w, in the order of `LC_ALL=C
// sort`. Each begins with the key that q names, and says key, method and body as the Dialect of q
// does; captures without such a key have no line. It reads as Captures does, so that a slow w never
// holds up Commit. progress, if not nil, is told now and then how many lines have been written.
//
// A dialect other than pywb, and NoBodies, change the order: the lines that it changes are sorted
// first, in TempDir if they are many. That takes some 50 MB of memory, and a few times the longest
// line.
func (b *Bolt) Export(w io.Writer, q Query, progress func(lines int64)) (Exported, error) {
	span, err := q.span()
	if err != nil {
		return Exported{}, err
	}
	if progress == nil {
		progress = func(int64) {}
	}
	dialect := cmp.Or(q.Dialect, canon.Pywb)
	if dialect == canon.Pywb && !q.NoBodies {
		return b.exportPywb(w, span, progress)
	}
	d := dialectExport{
		index:    b,
		dialect:  dialect,
		noBodies: q.NoBodies,
		span:     span,
		progress: progress,
	}
	return d.export(w)
}

// exportPywb writes the lines as they follow from the index.
func (b *Bolt) exportPywb(w io.Writer, span span, progress func(lines int64)) (Exported, error) {
	var done Exported
	var lines []byte
	err := b.slices(span, func(s *slice) (bool, error) {
		if len(s.captures) == 0 {
			return true, nil
		}
		lines = lines[:0]
		for i := range s.captures {
			lines = append(s.captures[i].appendPywb(lines, span.key), '\n')
		}
		if _, err := w.Write(lines); err != nil {
			return false, err
		}
		done.Lines += int64(len(s.captures))
		done.InOpenFiles += s.open
		progress(done.Lines)
		return true, nil
	})
	return done, err
}
