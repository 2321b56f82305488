// Package parquet writes the lines of an export as a table that DuckDB, Spark, Trino and Athena
// query where it lies. Start with [New].
//
//	subset=warc/part-00000-TIMESTAMP.zstd.parquet
//	subset=warc/part-00001-TIMESTAMP.zstd.parquet
//
// The columns are those of Common Crawl's cc-index-table, in its flat schema (columns.go), so that
// what was written for that works here. What no line says is null: fetch_redirect,
// content_mime_detected, content_charset, content_languages, content_truncated and warc_segment.
// warc_record_offset and warc_record_length have 64 bits, 32 there: our files may be longer than
// 2 GiB. A time is one in UTC, in microseconds. A URL without a host, or with an address, has null
// in the columns of hosts; a dns: URL has the name that was asked for.
//
// Rows are in the order of url_surtkey, in groups that are encoded at the same time, with the least
// and greatest values of each column in each group and page: engines pass over those that cannot have
// what is asked for.
//
// The library is parquet-go, and not Apache's arrow-go: for 5 million rows of this table it took 20 s
// of CPU and 95 MB of memory, arrow-go 37 s and 274 MB; it makes a program of 11 MB, arrow-go one of
// 25 MB, in half the time; and it encodes groups of one file at the same time. Both have the Apache
// licence and a release every few months, parquet-go four in the last half year. What arrow-go has
// beyond it, a limit on the lengths of least and greatest values, is made up for here: limits.
//
// Invariant: memory is that of as many groups as package inorder has jobs, whatever the lines are, and
// of the least and greatest values of a part. All lines of one key are in one part, unless their URLs
// are so long that these values would be more than 64 MiB.
package parquet

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"time"

	"github.com/parquet-go/parquet-go"

	"warcorder/store/cdxline"
	"warcorder/store/inorder"
)

const (
	batchLines = 64
	batchBytes = 1 << 20 // of the lines of a batch, unless it is one line
	perLine    = 8       // times the longest line of a group: its least and greatest values, at most
)

// limits are those of groups and parts.
type limits struct {
	lines int // of a group
	bytes int // of the lines of a group, unless it is one line

	// Each group keeps its least and greatest values until its part is whole: of four columns they may
	// be as long as a line. A part whose groups have more than maxBounds bytes of them ends with its
	// key, and one with more than mostBounds at once.
	maxBounds, mostBounds int64
}

// defaultLimits let a part have some hundred captures of one URL of a megabyte.
var defaultLimits = limits{1 << 16, 16 << 20, 16 << 20, 64 << 20}

// Settings say how a table is written.
type Settings struct {
	Part    int64  // lines after which a part ends, with the next key; 0 is never
	Version string // of warcorder
	Owner   string // who writes it, as [Owner] tells; "" is nobody

	// Create begins a file. Its name has a folder before it, with a slash.
	Create func(name string) (io.WriteCloser, error)
}

// Writer writes a table. It is for one goroutine.
type Writer struct {
	settings Settings
	limits   limits
	stamp    string
	jobs     inorder.Jobs[*group]
	free     []*group

	filling *group // nil if there is none
	key     []byte // of the last line
	part    *part  // of the last line; nil if there is none
	parts   int    // how many have begun
	lines   int64  // of the part
	bounds  int64  // bytes of it, at most

	writing *part // the part of the group that was written last
}

// part is a file that is being written.
type part struct {
	file  io.WriteCloser
	table *parquet.GenericWriter[row]
}

// group is a group of rows.
type group struct {
	part    *part
	rows    *parquet.ConcurrentRowGroupWriter
	text    bytes.Buffer
	lines   int
	longest int // of the lines

	maker maker
	batch []parquet.Row
}

// New returns a Writer.
func New(settings Settings) *Writer {
	w := &Writer{settings: settings, limits: defaultLimits, stamp: time.Now().UTC().Format("20060102150405")}
	w.jobs.Take = w.take
	return w
}

// Write takes whole lines of an export.
func (w *Writer) Write(lines []byte) (int, error) {
	for line := range bytes.Lines(lines) {
		if err := w.put(line); err != nil {
			return 0, err
		}
	}
	return len(lines), nil
}

// put takes a line.
func (w *Writer) put(line []byte) error {
	key := cdxline.Key(line)
	full := w.isPartFull()
	if w.part == nil || full && !bytes.Equal(key, w.key) || w.bounds > w.limits.mostBounds {
		if err := w.begin(); err != nil {
			return err
		}
	}
	w.key = append(w.key[:0], key...)
	if g := w.filling; g != nil && (g.lines == w.limits.lines || g.text.Len()+len(line) > w.limits.bytes) {
		if err := w.flush(); err != nil {
			return err
		}
	}
	if w.filling == nil {
		w.filling = w.empty()
	}
	w.lines++
	w.filling.add(line)
	return nil
}

// isPartFull reports whether the next key belongs to another part.
func (w *Writer) isPartFull() bool {
	return w.settings.Part > 0 && w.lines >= w.settings.Part || w.bounds > w.limits.maxBounds
}

// begin begins a part.
func (w *Writer) begin() error {
	if err := w.flush(); err != nil {
		return err
	}
	name := fmt.Sprintf("subset=warc/part-%05d-%s.zstd.parquet", w.parts, w.stamp)
	file, err := w.settings.Create(name)
	if err != nil {
		return err
	}
	w.parts++
	w.lines, w.bounds = 0, 0
	w.part = &part{file, parquet.NewGenericWriter[row](file,
		schema,
		parquet.KeyValueMetadata(ownerKey, w.settings.Owner),
		parquet.Compression(&parquet.Zstd),
		parquet.CreatedBy("warcorder", cmp.Or(w.settings.Version, "0"), "none"),
		parquet.SortingWriterConfig(parquet.SortingColumns(parquet.Ascending("url_surtkey"))),
		parquet.ColumnIndexSizeLimit(func([]string) int { return 128 }),
		parquet.DictionaryMaxBytes(1<<20),
		parquet.DataPageStatistics(false), // the index of columns has them
	)}
	return nil
}

// empty returns a group without rows, of the part of the next line.
func (w *Writer) empty() *group {
	g := &group{}
	if last := len(w.free) - 1; last >= 0 {
		g, w.free = w.free[last], w.free[:last]
	}
	g.part, g.lines, g.longest = w.part, 0, 0
	g.rows = w.part.table.BeginRowGroup()
	g.text.Reset()
	return g
}

// add adds a line.
func (g *group) add(line []byte) {
	g.lines++
	g.longest = max(g.longest, len(line))
	g.text.Write(line)
}

// flush has the group that is being filled encoded, and written.
func (w *Writer) flush() error {
	g := w.filling
	if g == nil {
		return nil
	}
	w.filling = nil
	w.bounds += perLine * int64(g.longest)
	return w.jobs.Do(func() (*group, error) { return g, g.encode() })
}

// encode makes the rows of the lines.
func (g *group) encode() error {
	n, size := 0, 0
	for line := range bytes.Lines(g.text.Bytes()) {
		if n == batchLines || n > 0 && size+len(line) > batchBytes {
			if _, err := g.rows.WriteRows(g.batch[:n]); err != nil {
				return err
			}
			n, size = 0, 0
		}
		if n == len(g.batch) {
			g.batch = append(g.batch, nil)
		}
		var err error
		if g.batch[n], err = g.maker.make(g.batch[n][:0], line); err != nil {
			return err
		}
		n++
		size += len(line)
	}
	if _, err := g.rows.WriteRows(g.batch[:n]); err != nil {
		return err
	}
	return g.rows.Flush()
}

// take writes a group.
func (w *Writer) take(g *group) error {
	if g.part != w.writing {
		if err := w.end(); err != nil {
			return err
		}
		w.writing = g.part
	}
	if _, err := g.rows.Commit(); err != nil {
		return err
	}
	g.rows, g.part = nil, nil
	w.free = append(w.free, g)
	return nil
}

// end ends the part that is being written, if there is one.
func (w *Writer) end() error {
	if w.writing == nil {
		return nil
	}
	if err := w.writing.table.Close(); err != nil {
		return err
	}
	return w.writing.file.Close()
}

// Close writes what is left. Where there is no line there is a part without rows, which has the
// columns.
func (w *Writer) Close() error {
	if w.part == nil {
		if err := w.begin(); err != nil {
			return err
		}
		w.writing = w.part
	}
	err := w.flush()
	if ended := w.jobs.End(); err == nil {
		err = ended
	}
	if err != nil {
		return err
	}
	return w.end()
}

// Abandon returns when nothing is done any more. The files are whoever's who has created them.
func (w *Writer) Abandon() { _ = w.jobs.End() }
