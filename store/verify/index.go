package verify

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/warc"
)

// Collection checks all files of a collection, and its index against them. The index is open only
// while it is read, so that a recorder can start meanwhile. While a recorder has the index open,
// only the finished files are checked. The error is that of a temporary file or of the directory; it
// wraps fs.ErrNotExist if there is no collection.
func (c *Checker) Collection(dir collection.Dir) (Summary, error) {
	defer c.close()
	c.dir, c.whole, c.summary.Remote = dir, true, c.Remote
	if _, err := os.Stat(dir.Archive()); err != nil {
		return c.summary, fmt.Errorf("no collection in %s: %w", dir, err)
	}
	targets, err := c.openCollection(dir)
	if err == nil {
		err = c.files(targets)
	}
	if err == nil {
		err = c.together()
	}
	if err == nil && c.summary.Indexed {
		err = c.compare()
	}
	return c.summary, err
}

// openCollection reads the index, and returns the files that are to be checked.
func (c *Checker) openCollection(dir collection.Dir) (targets []target, err error) {
	index, err := store.OpenReadOnly(dir.Index())
	if err == nil {
		err = index.Check(c.indexProgress)
	}
	if _, newer := errors.AsType[*collection.Newer](err); newer {
		return nil, err
	}
	switch {
	case errors.Is(err, collection.ErrLocked):
		c.inUse()
		return c.withoutIndex(dir, true)
	case errors.Is(err, store.ErrInterrupted):
		c.report(Finding{File: collection.IndexName, Code: Index, Text: err.Error() +
			": warcorder recover finishes it"})
		return c.withoutIndex(dir, false)
	case err != nil:
		c.report(Finding{File: collection.IndexName, Code: Index, Text: err.Error()})
		return c.withoutIndex(dir, false)
	}
	defer func() { err = errors.Join(err, index.Close()) }()
	known, err := index.Files()
	if err != nil {
		return nil, err
	}
	names, err := archiveFiles(dir)
	if err != nil {
		return nil, err
	}
	x := indexed{Checker: c, dir: dir, numbers: make(map[string]int)}
	if x.copies, err = c.copiesOf(dir, known); err != nil {
		return nil, err
	}
	x.compareFiles(names, known)
	return x.targets, x.readCaptures(index)
}

// inUse notes that a recorder has the index open.
func (c *Checker) inUse() {
	c.report(Finding{File: collection.IndexName, Code: Index, Note: true, Text: "the collection is " +
		"in use by another process: its finished files are checked, and not the index"})
}

// indexProgress tells how many bytes of the index have been read.
func (c *Checker) indexProgress(done, total int64) {
	if c.Progress != nil {
		c.Progress(collection.IndexName, done, total)
	}
}

// withoutIndex returns the files of a collection whose index cannot be read.
func (c *Checker) withoutIndex(dir collection.Dir, locked bool) ([]target, error) {
	names, err := archiveFiles(dir)
	if err != nil {
		return nil, err
	}
	var targets []target
	for _, name := range names {
		if locked && strings.HasSuffix(name, warc.OpenSuffix) {
			c.passed = true
			c.report(
				Finding{File: name, Code: Unfinished, Note: true, Text: "it is being written, and not checked"})
			continue
		}
		if t, ok := c.target(name, dir.WARC(name)); ok {
			targets = append(targets, t)
		}
	}
	return c.withCopies(dir, names, targets)
}

// withCopies adds what notes say is in object storage to the files of a collection whose index cannot
// be read.
func (c *Checker) withCopies(dir collection.Dir, names []string, targets []target) ([]target, error) {
	all, err := c.copiesOf(dir, nil)
	if err != nil {
		return nil, err
	}
	for _, name := range all.names() {
		if isAmong(names, name) {
			c.addCopy(&targets, all.of(name))
		} else if !isAmong(names, name+warc.OpenSuffix) {
			c.addAway(&targets, all.of(name))
		}
	}
	return targets, nil
}

// indexed are the files of a collection with an index.
type indexed struct {
	*Checker
	dir     collection.Dir
	copies  copies
	targets []target
	numbers map[string]int // of the files that the index knows, by their final names
}

// compareFiles compares the files of the archive with those that the index knows.
func (x *indexed) compareFiles(names []string, known []store.File) {
	files := make(map[string]store.File, len(known))
	for _, f := range known {
		files[f.Name] = f
	}
	for _, name := range names {
		t, ok := x.target(name, x.dir.WARC(name))
		if !ok {
			continue
		}
		final := strings.TrimSuffix(name, warc.OpenSuffix)
		if f, known := files[final]; !known {
			x.add(name, FileUnknown, "the index does not know it: warcorder recover reads it")
		} else if _, twice := x.numbers[final]; twice {
			x.add(name, Unfinished, "it is there under its final name, too: warcorder recover compares them")
			if !f.Sealed {
				x.numbers[final] = t.number
			}
		} else {
			x.numbers[final] = t.number
			t.size = x.compareFile(f, t, name != final)
		}
		x.targets = append(x.targets, t)
		if name == final {
			x.addCopy(&x.targets, x.copies.index[name])
		}
	}
	slices.SortFunc(known, func(a, b store.File) int { return strings.Compare(a.Name, b.Name) })
	x.compareAway(names, files)
	for _, f := range known {
		if _, there := x.numbers[f.Name]; !there && f.Committed > 0 && x.copies.of(f.Name) == nil {
			x.add(f.Name, FileMissing,
				"it is missing, and the index has captures of it: put it back into archive/, or rebuild the "+
					"index without it")
		}
	}
}

// compareAway compares what is away with what the index says.
func (x *indexed) compareAway(names []string, files map[string]store.File) {
	for _, name := range x.copies.names() {
		if isAmong(names, name) || isAmong(names, name+warc.OpenSuffix) {
			continue
		}
		remote := x.copies.of(name)
		f, known := files[name]
		if f.Remote == nil && (!known || f.Committed != remote.Size) {
			x.add(name, FileUnknown, "it is away, in %s, and not all of its captures are in the index: "+
				"warcorder recover reads it", remote.URL())
			known = known && f.Committed > 0
		}
		number := x.addAway(&x.targets, remote)
		if number >= 0 && known {
			x.numbers[name] = number
		}
	}
}

// compareFile compares a file with what the index says of it. It returns up to where the file is to
// be checked.
func (x *indexed) compareFile(f store.File, t target, open bool) int64 {
	switch {
	case t.size < f.Committed:
		x.add(t.name, FileSize, "it has %d bytes, and the index says %d", t.size, f.Committed)
	case open && t.size > f.Committed:
		x.add(t.name, Unfinished,
			"the last %d bytes are not in the index: warcorder recover looks at them", t.size-f.Committed)
		return f.Committed
	case t.size > f.Committed:
		x.add(t.name, FileSize,
			"it has %d bytes, and the index says %d: warcorder recover reads the rest", t.size, f.Committed)
	case open || !f.Sealed:
		x.report(Finding{
			File: t.name,
			Code: Unfinished,
			Note: true,
			Text: "all of it is in the index, and it is not marked as finished: " +
				"warcorder recover does that",
		})
	}
	return t.size
}

func (x *indexed) add(name string, code Code, format string, args ...any) {
	x.report(Finding{File: name, Code: code, Text: fmt.Sprintf(format, args...)})
}

// readCaptures adds the captures to the table lines. A damaged index is a finding.
func (x *indexed) readCaptures(index *store.Bolt) error {
	var failed error
	err := index.Captures(store.Query{}, func(capture *store.Capture) bool {
		x.summary.Captures++
		if number, there := x.numbers[capture.File]; there {
			failed = x.lines.add(x.TempDir, x.memory, captureLine(number, capture).row())
		}
		return failed == nil
	})
	switch {
	case errors.Is(err, store.ErrDamaged):
		x.add(collection.IndexName, Index, "%v", err)
		return nil
	// a recorder has begun, or the index was replaced, since it was checked
	case errors.Is(err, collection.ErrLocked), errors.Is(err, store.ErrReplaced):
		x.inUse()
		return nil
	}
	x.summary.Indexed = err == nil
	return errors.Join(failed, err)
}

// A row of the table lines: a record that can be in the index, or a capture. Rows with the same key
// are about the same place.
//
//	file(4) offset(8)  the key
//	kind(1)            see below
//	length(8)          of the member
//	url(8) digest(8)   hashed; 0 if not known
//	time(8)            in microseconds
//	status(2)          0 if not known
const (
	lineRecord  = iota // a record that must have a capture
	lineMay            // a record that may have a capture
	lineCapture        // a capture
)

// lineKey is the length of a row's key.
const lineKey = 4 + 8

// line is a row of the table lines, taken apart.
type line struct {
	file        int
	offset      int64
	kind        byte
	length      int64
	url, digest uint64
	time        int64
	status      int
}

func (l line) row() (r row) {
	b := binary.BigEndian.AppendUint32(r[:0], uint32(l.file))
	b = binary.BigEndian.AppendUint64(b, uint64(l.offset))
	b = append(b, l.kind)
	b = binary.BigEndian.AppendUint64(b, uint64(l.length))
	b = binary.BigEndian.AppendUint64(b, l.url)
	b = binary.BigEndian.AppendUint64(b, l.digest)
	b = binary.BigEndian.AppendUint64(b, uint64(l.time))
	binary.BigEndian.AppendUint16(b, uint16(l.status))
	return r
}

func lineOf(r row) line {
	return line{
		file:   int(binary.BigEndian.Uint32(r[:])),
		offset: int64(binary.BigEndian.Uint64(r[4:])),
		kind:   r[12],
		length: int64(binary.BigEndian.Uint64(r[13:])),
		url:    binary.BigEndian.Uint64(r[21:]),
		digest: binary.BigEndian.Uint64(r[29:]),
		time:   int64(binary.BigEndian.Uint64(r[37:])),
		status: int(binary.BigEndian.Uint16(r[45:])),
	}
}

func captureLine(file int, c *store.Capture) line {
	return line{
		file:   file,
		offset: c.Offset,
		kind:   lineCapture,
		length: c.Length,
		url:    hashOf(c.URL),
		digest: hashOf(c.Digest),
		time:   c.Time.UnixMicro(),
		status: c.Status,
	}
}

// tabulateLine adds the record to the table lines, if it can be in the index.
func (r *recordCheck) tabulateLine(kind string) error {
	if !r.summary.Indexed {
		return nil
	}
	h := r.Header
	l := line{
		file:   r.number,
		offset: r.Offset,
		kind:   lineRecord,
		length: r.Length,
		url:    hashOf(r.TargetURI()),
		digest: hashOf(h.Get("WARC-Payload-Digest")),
	}
	switch kind {
	case "response", "revisit":
		if r.http {
			l.status = r.message.status
		}
	case "resource", "metadata": // the index has those that cdxj-indexer writes a line for
		if h.Get("Content-Type") == "application/warc-fields" {
			l.kind = lineMay
		}
	default:
		return nil
	}
	t, err := parseDate(h.Get("WARC-Date"))
	if err != nil || l.url == 0 {
		return nil // no query can find it; the missing URL or date is a finding already
	}
	l.time = t.Truncate(time.Microsecond).UnixMicro()
	return r.lines.add(r.TempDir, r.memory, l.row())
}

// compare compares the captures with the records, and reports the findings by file.
func (c *Checker) compare() error {
	found := c.byFile()
	err := c.lines.groups(lineKey, func(group []row) {
		record, captures := group, group
		for len(captures) > 0 && captures[0][lineKey] != lineCapture {
			captures = captures[1:]
		}
		record = record[:len(group)-len(captures)]
		l := lineOf(group[0])
		if c.blind[l.file] {
			return
		}
		add := func(code Code, format string, args ...any) {
			found[l.file].add(Finding{
				File:   c.names[l.file],
				Offset: l.offset,
				Code:   code,
				Text:   fmt.Sprintf(format, args...),
			})
		}
		switch {
		case len(record) == 0:
			add(IndexNowhere, "the index has a capture here, and no whole record of a capture begins here")
		case len(captures) == 0 && l.kind == lineRecord:
			add(IndexMissing, "the record is not in the index")
		case len(captures) > 1:
			add(IndexWrong, "the index has %d captures of the record", len(captures))
		case len(captures) == 1:
			if wrong := l.differences(lineOf(captures[0])); len(wrong) > 0 {
				add(IndexWrong, "the index has another %s than the record", strings.Join(wrong, ", "))
			}
		}
	})
	c.reportFiles(found)
	return err
}
