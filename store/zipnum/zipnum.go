// Package zipnum writes sorted CDXJ lines in gzip members of some thousand lines, with a list of
// them: who looks for a line finds its member in the list, and reads no other. Start with [New].
//
// There are two dialects of the list. That of pywb and Common Crawl has parts cdx-00000.gz,
// cdx-00001.gz and so on, a line for each member (cluster.idx), and one for each part that says where
// that is, from the folder of the list on (cluster.loc). Tabs stand between the fields:
//
//	key timestamp  part  offset  length  number of the member, from 1
//	part  path
//
// That of WACZ has one part, index.cdx.gz, and a list index.idx that begins with its format:
//
//	!meta 0 {"format": "cdxj-gzip-1.0", "filename": "index.cdx.gz"}
//	key timestamp {"offset":…,"length":…,"digest":"sha256:…","filename":"index.cdx.gz"}
//
// Key and timestamp are those of the first line of the member. If the member before has the same, in
// the dialect of WACZ " ~" and a number of nine digits stand behind them: replayweb.page would take
// one for the other otherwise. The lines of a list are sorted.
//
// Members are compressed at the same time, and written in their order.
//
// Invariant: all lines of one key are in one part, and memory is that of as many members as package
// inorder has jobs, however many lines a key has: a member has at most Settings.Lines lines and,
// unless it is one line, Settings.Bytes bytes.
package zipnum

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strconv"

	"github.com/klauspost/compress/gzip"

	"warcorder/store/cdxline"
	"warcorder/store/inorder"
)

// Dialect is that of the list.
type Dialect string

const (
	Pywb Dialect = "pywb"
	WACZ Dialect = "wacz"
)

// The names of the files in the dialect of WACZ.
const (
	WACZPart = "index.cdx.gz"
	WACZList = "index.idx"
)

// Settings say how lines are written.
type Settings struct {
	Dialect Dialect
	Lines   int   // of a member; 0 is 3000, as pywb has it
	Bytes   int   // of a member, unless it is one line; 0 is 4 MiB
	Part    int64 // lines after which a part ends, with the next key; 0 is never

	// Begin begins a part; the one before is whole then. WACZ has one, WACZPart.
	Begin func(name string) (io.Writer, error)
	List  io.Writer // takes the list
}

// Writer writes lines. It is for one goroutine.
type Writer struct {
	settings Settings
	jobs     inorder.Jobs[*member]
	free     []*member

	filling *member // nil if there is none
	key     []byte  // of the last line
	part    int     // in which the last line is
	lines   int64   // of that part

	list list
	out  io.Writer // of the part that is being written
}

// New returns a Writer.
func New(settings Settings) *Writer {
	settings.Lines = cmp.Or(settings.Lines, 3000)
	settings.Bytes = cmp.Or(settings.Bytes, 4<<20)
	w := &Writer{settings: settings, list: list{dialect: settings.Dialect, out: settings.List, part: -1}}
	w.jobs.Take = w.take
	return w
}

// member is a member of a part.
type member struct {
	part  int
	lines int
	text  bytes.Buffer
	data  bytes.Buffer // text, compressed
	sum   [sha256.Size]byte
	gzip  *gzip.Writer
}

// Put adds a line, with its newline. Nothing of it is kept.
func (w *Writer) Put(line []byte) error {
	if err := w.turn(cdxline.Key(line)); err != nil {
		return err
	}
	if m := w.filling; m != nil && (m.lines == w.settings.Lines || m.text.Len()+len(line) > w.settings.Bytes) {
		if err := w.flush(); err != nil {
			return err
		}
	}
	if w.filling == nil {
		w.filling = w.empty()
	}
	w.lines++
	w.filling.lines++
	w.filling.text.Write(line)
	return nil
}

// turn goes on to the next part, if one is due and a line with that key may begin it.
func (w *Writer) turn(key []byte) error {
	if w.settings.Part == 0 {
		return nil
	}
	if w.lines >= w.settings.Part && !bytes.Equal(key, w.key) {
		if err := w.flush(); err != nil {
			return err
		}
		w.part, w.lines = w.part+1, 0
	}
	w.key = append(w.key[:0], key...)
	return nil
}

// empty returns a member without lines, of the part of the next line.
func (w *Writer) empty() *member {
	m := &member{}
	if last := len(w.free) - 1; last >= 0 {
		m, w.free = w.free[last], w.free[:last]
	} else {
		m.gzip = gzip.NewWriter(io.Discard)
	}
	m.part, m.lines = w.part, 0
	m.text.Reset()
	return m
}

// flush has the member that is being filled written.
func (w *Writer) flush() error {
	m := w.filling
	if m == nil {
		return nil
	}
	w.filling = nil
	return w.jobs.Do(func() (*member, error) { return m, m.compress(w.settings.Dialect == WACZ) })
}

// compress makes the bytes of the member, and their digest if that is wanted.
func (m *member) compress(digest bool) error {
	m.data.Reset()
	m.gzip.Reset(&m.data)
	if _, err := m.gzip.Write(m.text.Bytes()); err != nil {
		return err
	}
	if err := m.gzip.Close(); err != nil {
		return err
	}
	if digest {
		m.sum = sha256.Sum256(m.data.Bytes())
	}
	return nil
}

// take writes a member, and its line of the list.
func (w *Writer) take(m *member) error {
	if m.part != w.list.part {
		if err := w.begin(m.part); err != nil {
			return err
		}
	}
	if err := w.list.add(m); err != nil {
		return err
	}
	_, err := w.out.Write(m.data.Bytes())
	w.free = append(w.free, m)
	return err
}

// begin begins a part.
func (w *Writer) begin(part int) (err error) {
	if err := w.list.begin(part); err != nil {
		return err
	}
	w.out, err = w.settings.Begin(w.list.name)
	return err
}

// Close writes what is left. In the dialect of pywb there is no part where there is no line.
func (w *Writer) Close() error {
	err := w.flush()
	if ended := w.jobs.End(); err == nil {
		err = ended
	}
	if err == nil && w.list.part < 0 && w.settings.Dialect == WACZ {
		err = w.begin(0)
	}
	return err
}

// Abandon returns when nothing is done any more.
func (w *Writer) Abandon() { _ = w.jobs.End() }

// list writes a line for each member.
type list struct {
	dialect Dialect
	out     io.Writer
	part    int
	name    string // of the part
	offset  int64  // in it
	number  int64  // of the member

	last  []byte // key and time of the member before
	again int    // how many before it had the same
	row   []byte // used again and again
}

// begin goes on to a part.
func (l *list) begin(part int) error {
	l.part, l.offset = part, 0
	if l.dialect != WACZ {
		l.name = fmt.Sprintf("cdx-%05d.gz", part)
		return nil
	}
	l.name = WACZPart
	_, err := fmt.Fprintf(l.out, "!meta 0 {\"format\": \"cdxj-gzip-1.0\", \"filename\": \"%s\"}\n", l.name)
	return err
}

// add writes the line of a member.
func (l *list) add(m *member) error {
	l.number++
	l.row = append(l.row[:0], cdxline.KeyAndTime(m.text.Bytes())...)
	if l.dialect == WACZ {
		l.addJSON(m)
	} else {
		l.row = append(append(l.row, '\t'), l.name...)
		for _, n := range []int64{l.offset, int64(m.data.Len()), l.number} {
			l.row = strconv.AppendInt(append(l.row, '\t'), n, 10)
		}
	}
	l.offset += int64(m.data.Len())
	_, err := l.out.Write(append(l.row, '\n'))
	return err
}

// addJSON appends what the dialect of WACZ says of a member.
func (l *list) addJSON(m *member) {
	if l.again++; !bytes.Equal(l.row, l.last) {
		l.last, l.again = append(l.last[:0], l.row...), 0
	}
	if l.again > 0 {
		l.row = fmt.Appendf(l.row, " ~%09d", l.again)
	}
	l.row = strconv.AppendInt(append(l.row, ` {"offset":`...), l.offset, 10)
	l.row = strconv.AppendInt(append(l.row, `,"length":`...), int64(m.data.Len()), 10)
	l.row = hex.AppendEncode(append(l.row, `,"digest":"sha256:`...), m.sum[:])
	l.row = append(append(l.row, `","filename":"`...), l.name...)
	l.row = append(l.row, `"}`...)
}
