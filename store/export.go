package store

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"strings"

	"warcorder/canon"
	"warcorder/store/extsort"
)

// Exported is what Export wrote.
type Exported struct {
	Lines       int64
	InOpenFiles int64 // lines whose WARC file is still being written, under its name with ".open"
	LeftOut     int64 // captures that were selected and have no line: see Query.All
	Void        int64 // lines that say of an earlier one that it is void: see Since
}

// Captures calls yield with the captures that q selects, in the order of their CDXJ lines in the
// dialect pywb, until yield returns false; the Dialect of q is not looked at. It reads them in
// slices, each in a transaction of its own that ends before yield is called: yield may be slow, and
// may use the index. Captures that are committed meanwhile may be missing. A Capture is good until
// yield returns: copy it to keep it.
func (b *Bolt) Captures(q Query, yield func(*Capture) bool) error {
	q.All = true
	return b.Replayable(q, yield)
}

// Replayable is Captures but for those that Export leaves out of the dialect pywb, for whatever
// serves captures to who replays them, or packs them.
func (b *Bolt) Replayable(q Query, yield func(*Capture) bool) error {
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
// does; captures without such a key have no line, nor in the dialect pywb those that pywb would
// show as an empty or partial page, unless q says All. It reads as Captures does, so that a slow w
// never holds up Commit. progress, if not nil, is told now and then how many lines have been
// written.
//
// A dialect other than pywb, and NoBodies, change the order of lines: the lines that they change
// are sorted first, in TempDir if there are many. That takes some 50 MB of memory, and a few times
// the longest line.
func (b *Bolt) Export(w io.Writer, q Query, progress func(lines int64)) (Exported, error) {
	span, err := q.span()
	if err != nil {
		return Exported{}, err
	}
	if q.Since != nil && q.Since.IsEmpty() {
		return Exported{}, nil
	}
	span.since = q.Since
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
		done.LeftOut += s.leftOut
		if len(s.captures) == 0 {
			return true, nil
		}
		lines = lines[:0]
		for i := range s.captures {
			lines = append(done.appendLine(lines, &s.captures[i], span.key), '\n')
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

// appendLine appends the line of a capture, and counts it if it is void.
func (e *Exported) appendLine(dst []byte, c *Capture, name Key) []byte {
	if !c.void {
		return c.appendPywb(dst, name)
	}
	e.Void++
	return c.appendVoid(dst, name)
}

// dialectExport is an Export in a dialect other than pywb, or without bodies. It changes the lines
// of captures that are not GET, which are few, and WarcioJS changes some others. These lines are
// sorted first, and then merged with the lines that stay as they are, which come from the index in
// order.
type dialectExport struct {
	index    *Bolt
	dialect  canon.Dialect
	noBodies bool
	span     span // of the dialect's keys
	sorter   extsort.Sorter
	done     Exported

	progress func(lines int64)

	line []byte // used again and again
}

// export writes the lines to w.
func (e *dialectExport) export(w io.Writer) (done Exported, err error) {
	e.sorter = extsort.Sorter{Dir: e.index.TempDir, Memory: e.index.sortMemory}
	defer func() { err = errors.Join(err, e.sorter.Close()) }()
	if err := e.sort(); err != nil {
		return e.done, err
	}
	sorted, err := e.sorter.Sorted()
	if err != nil {
		return e.done, err
	}
	out := bufio.NewWriterSize(w, 1<<20)
	if err := e.write(out, sorted); err != nil {
		return e.done, err
	}
	return e.done, out.Flush()
}

// movesGET reports whether the dialect may give a GET another key than pywb does.
func (e *dialectExport) movesGET() bool {
	return e.dialect == canon.WarcioJS && e.span.key.primary()
}

// sort gives the lines that the dialect changes to the sorter. It reads the whole index, since the
// place of a capture there says nothing of the place of its line.
func (e *dialectExport) sort() error {
	from := e.span
	if from.key.primary() {
		from.low, from.high, from.start, from.end, from.long = nil, nil, nil, nil, false
		from.gap, from.cut = nil, nil
	}
	from.extras = !e.noBodies
	from.leaveOut = false // sortLine counts what it leaves out, where the query selects it
	if !e.movesGET() {
		from.methods = onlyOthers
	}
	return e.index.slices(from, func(s *slice) (bool, error) {
		for i := range s.captures {
			if err := e.sortLine(&s.captures[i]); err != nil {
				return false, err
			}
		}
		return true, nil
	})
}

// sortLine gives the line of c to the sorter, if the dialect changes it and the query selects it.
func (e *dialectExport) sortLine(c *Capture) error {
	body := e.body(c)
	key := *c.key(e.span.key)
	if e.span.key.primary() {
		key = c.keyIn(e.dialect, body)
		if c.isGET() && key == c.URLKey || !e.span.hasKey(key) {
			return nil
		}
	}
	if e.span.leaveOut && c.isNotModified() {
		e.done.LeftOut++
		return nil
	}
	e.countOpen(c)
	method := c.Method
	if e.dialect == canon.Pywb && !c.isGET() {
		method = strings.ToUpper(method)
	}
	e.line = c.appendLine(e.line[:0], key, method, body)
	return e.sorter.Add(e.line)
}

// body returns the dialect's query of the body of c, which has its extras.
func (e *dialectExport) body(c *Capture) string {
	if e.noBodies {
		return ""
	}
	return c.bodyIn(e.dialect)
}

// countOpen counts c if its file is still being written.
func (e *dialectExport) countOpen(c *Capture) {
	if file, _ := e.index.files.named(c.File); !file.Sealed {
		e.done.InOpenFiles++
	}
}

// write writes the lines that stay as they are, and the sorted ones between them.
func (e *dialectExport) write(w *bufio.Writer, sorted *extsort.Lines) error {
	rest := e.span
	rest.methods = onlyGET
	err := e.index.slices(rest, func(s *slice) (bool, error) {
		e.done.LeftOut += s.leftOut
		for i := range s.captures {
			if err := e.writeGET(w, sorted, &s.captures[i]); err != nil {
				return false, err
			}
		}
		e.progress(e.done.Lines)
		return true, nil
	})
	for err == nil && sorted.More() {
		err = e.writeSorted(w, sorted)
	}
	e.progress(e.done.Lines)
	return err
}

// writeGET writes the sorted lines that belong before the line of c, and that line, unless it is
// itself among the sorted ones.
func (e *dialectExport) writeGET(w *bufio.Writer, sorted *extsort.Lines, c *Capture) error {
	if e.movesGET() && c.keyIn(e.dialect, "") != c.URLKey {
		return nil
	}
	e.line = e.done.appendLine(e.line[:0], c, e.span.key)
	for sorted.More() {
		order, err := sorted.Compare(e.line)
		if err != nil {
			return err
		}
		if order >= 0 {
			break
		}
		if err := e.writeSorted(w, sorted); err != nil {
			return err
		}
	}
	if !c.void {
		e.countOpen(c)
	}
	e.done.Lines++
	e.line = append(e.line, '\n')
	_, err := w.Write(e.line)
	return err
}

// writeSorted writes the next of the sorted lines.
func (e *dialectExport) writeSorted(w *bufio.Writer, sorted *extsort.Lines) error {
	if err := sorted.Write(w); err != nil {
		return err
	}
	if e.done.Lines++; e.done.Lines%sliceKeys == 0 {
		e.progress(e.done.Lines)
	}
	return sorted.Next()
}
