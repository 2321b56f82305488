package store

import "io"

// Captures calls yield with the captures that q selects, in the order of their CDXJ lines, until yield returns false. It reads them in slices, each in
// a transaction of its own that ends before yield is called: yield may be slow, and may use the index. Captures that are committed meanwhile may be missing.
// A Capture is good until yield returns: copy it to keep it.
func (b *Bolt) Captures(q Query, yield func(*Capture) bool) error {
	return b.slices(q, func(s *slice) (bool, error) {
		for i := range s.captures {
			if !yield(&s.captures[i]) {
				return false, nil
			}
		}
		return true, nil
	})
}

// Export writes the CDXJ lines of the captures that q selects to w, in the order of `LC_ALL=C sort`. It reads as Captures does, so that a slow w never
// holds up Commit. progress, if not nil, is told now and then how many lines have been written.
func (b *Bolt) Export(w io.Writer, q Query, progress func(lines int64)) (Exported, error) {
	var done Exported
	var lines []byte
	err := b.slices(q, func(s *slice) (bool, error) {
		if len(s.captures) == 0 {
			return true, nil
		}
		lines = lines[:0]
		for i := range s.captures {
			lines = append(s.captures[i].AppendCDXJ(lines), '\n')
		}
		if _, err := w.Write(lines); err != nil {
			return false, err
		}
		done.Lines += int64(len(s.captures))
		done.InOpenFiles += s.open
		if progress != nil {
			progress(done.Lines)
		}
		return true, nil
	})
	return done, err
}
