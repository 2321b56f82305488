package verify

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"warcorder/store/collection"
	"warcorder/store/summing"
	"warcorder/store/warc"
)

// worker checks one file after another; its buffers are used again.
type worker struct {
	*Checker
	buf     []byte
	message message
}

func newWorker(c *Checker) *worker {
	return &worker{Checker: c, buf: make([]byte, 64<<10)}
}

// fileCheck is the check of one file.
type fileCheck struct {
	*worker
	target
	file   io.ReaderAt
	close  func() error
	sums   *summing.File // of an object; else nil
	gone   bool          // the object is not what it must be, which is told
	reader *warc.Reader

	strict   bool            // the file is ours, and read to the letter
	ours     bool            // by the last warcinfo record, we have written what follows it
	first    bool            // no record has been read yet
	apart    bool            // there was damage since the last record
	warcinfo map[string]bool // IDs that a WARC-Warcinfo-ID has named
	pairs    pairs
	skips    skipLengths
	last     int64 // end of the last record that is not compressed; -1 if there is none

	read    int64            // bytes
	records map[string]int64 // by WARC-Type
	digests Digests
	found   findings
	failed  error // an error that is not the file's: of a temporary file
}

// check checks one file.
func (w *worker) check(t target) *fileCheck {
	f := &fileCheck{
		worker:   w,
		target:   t,
		first:    true,
		last:     -1,
		warcinfo: make(map[string]bool),
		records:  make(map[string]int64),
	}
	f.pairs.f = f
	if err := f.openAny(); err != nil {
		f.readFailed(0, err)
	} else if !f.copied {
		f.walk()
		f.pairs.end()
		f.skips.end(f)
	}
	f.sumUp()
	if f.close != nil {
		f.close()
	}
	w.progress(t.name, t.size-f.read) // bytes that could not be read count, too
	return f
}

// openAny opens the file, or the object. Of a copy no record is read.
func (f *fileCheck) openAny() error {
	if f.remote == nil {
		file, err := os.Open(f.path)
		if errors.Is(err, fs.ErrNotExist) {
			return f.openGone(err)
		}
		if err != nil {
			return err
		}
		f.file, f.close = file, file.Close
	} else if err := f.openObject(); err != nil || f.copied {
		return err
	}
	return f.open()
}

// open begins to read records. A file of ours is read to the letter; in the files of others any number
// of line breaks may end a record.
func (f *fileCheck) open() (err error) {
	in := io.NewSectionReader(f.file, 0, f.size)
	name := strings.TrimSuffix(f.path, warc.OpenSuffix)
	f.reader, err = warc.NewForeignReader(in, name, 0)
	if errors.Is(err, warc.ErrOld) || errors.Is(err, warc.ErrARC) {
		f.add(0, OtherFormat, "%v", errors.Unwrap(err))
		f.reader, err = warc.NewReader(io.NewSectionReader(f.file, 0, 0), name, 0) // nothing
		return err
	}
	if err != nil {
		return err
	}
	if f.strict, err = collection.SaysOwn(in, f.path); err != nil {
		return err
	}
	if f.strict {
		f.reader, err = warc.NewReader(in, name, 0)
	} else {
		f.reader, err = warc.NewForeignReader(in, name, 0)
	}
	return err
}

// compressed reports whether a gzip member begins at offset.
func (f *fileCheck) compressed(offset int64) bool {
	var magic [2]byte
	n, _ := f.file.ReadAt(magic[:], offset) // no member begins where the file ends
	return n == len(magic) && magic == [2]byte{0x1f, 0x8b}
}

// walk checks the records up to the end of the file, and passes over what is damaged.
func (f *fileCheck) walk() {
	for {
		err := f.next()
		f.advance(f.reader.Offset())
		if damage := (*warc.Damage)(nil); errors.As(err, &damage) {
			err = f.pass(damage)
		}
		switch {
		case errors.Is(err, io.EOF):
			f.lineBreaks(f.size)
			return
		case err != nil && f.failed == nil:
			f.readFailed(f.reader.Offset(), err)
			return
		case err != nil:
			return
		}
	}
}

// advance notes that the file has been read up to offset.
func (f *fileCheck) advance(offset int64) {
	if offset > f.read {
		f.progress(f.name, offset-f.read)
		f.read = offset
	}
}

// pass reports damage and moves behind it.
func (f *fileCheck) pass(damage *warc.Damage) error {
	from, to, err := f.reader.Resync()
	if err == nil || errors.Is(err, io.EOF) {
		f.add(from, codeOf(damage.Reason), "%v; %d bytes are passed over", damage.Reason, to-from)
	}
	f.pairs.cut()
	f.apart, f.first, f.last = true, false, -1
	f.advance(to)
	return err
}

// codeOf returns the code of a Damage's reason.
func codeOf(reason error) Code {
	for _, one := range damageCodes {
		if errors.Is(reason, one.err) {
			return one.code
		}
	}
	return Corrupt
}

var damageCodes = []struct {
	err  error
	code Code
}{
	{warc.ErrTorn, Torn},
	{warc.ErrCut, Torn},
	{warc.ErrZeros, Zeros},
	{warc.ErrNotMember, NotMember},
	{warc.ErrNotRecord, NotMember},
	{warc.ErrChecksum, Checksum},
	{warc.ErrEmptyMember, EmptyMember},
	{warc.ErrHeader, Head},
	{warc.ErrContentLength, ContentLength},
	{warc.ErrLength, ContentLength},
	{warc.ErrSecondRecord, SecondRecord},
	{warc.ErrShared, SecondRecord},
	{warc.ErrOld, OtherFormat},
	{warc.ErrARC, OtherFormat},
	{warc.ErrCorrupt, Corrupt},
	{warc.ErrFrame, Corrupt},
}

// next checks one record. Of a record that is not whole nothing is reported; the error is then the
// *warc.Damage.
func (f *fileCheck) next() error {
	record, err := f.reader.Next()
	if err != nil {
		return err
	}
	r := &recordCheck{fileCheck: f, Record: record, id: record.Header.Get("WARC-Record-ID")}
	r.remarks = checkHeader(record.Version, record.Header, record.RawHeader(), time.Now())
	if err := r.readBlock(); err != nil {
		return err
	}
	if err := record.Close(); err != nil {
		return err
	}
	if record.Unended {
		r.remarks.add(Torn, "the file ends before its last record does; the block is whole")
	} else {
		r.wrapping()
	}
	r.place()
	r.judge()
	r.report()
	f.records[r.kind()]++
	f.first, f.apart = false, false
	f.failed = r.tabulate()
	return f.failed
}

// kind returns the record's type as the summary counts it. Of the types that WARC 1.1 does not
// know, only the first ones are counted each by itself.
func (r *recordCheck) kind() string {
	kind := r.Type()
	_, counted := r.records[kind]
	_, known := kinds[strings.ToLower(kind)]
	if kind != "" && len(kind) <= 32 && (counted || known || len(r.records) < maxKinds) {
		return strings.Clone(kind) // does not keep the whole header in memory
	}
	return "?"
}

// maxKinds is how many types of records are counted, each by itself.
const maxKinds = 64

// report adds the remarks on the record to the findings on the file.
func (r *recordCheck) report() {
	for _, one := range r.remarks {
		one.File, one.Offset, one.RecordID = r.name, r.Offset, shortID(r.id)
		r.found.add(one)
	}
}

// shortID returns an ID as findings have it: cut, and without keeping the whole header in memory.
func shortID(id string) string { return strings.Clone(id[:min(len(id), maxID)]) }

// maxID bounds the bytes of a record's ID in a finding.
const maxID = 200

// place checks the record's place in its file: as the first record, as the warcinfo record of those
// that follow, as a part of an exchange.
func (r *recordCheck) place() {
	f := r.fileCheck
	kind := r.Type()
	if f.first && kind != "warcinfo" {
		r.remarks.note(Form, "the file does not begin with a warcinfo record")
	}
	if kind == "warcinfo" {
		f.ours = collection.IsOwnWarcinfo(r.start)
		name := r.Header.Get("WARC-Filename")
		base := strings.TrimSuffix(filepath.Base(f.path), warc.OpenSuffix)
		if f.first && name != "" && name != base {
			r.remarks.note(Form, "the file was made as %s", quote(name))
		}
	}
	f.pairs.add(r)
}

// lineBreaks checks the line breaks between two records that are not compressed; the second one
// begins at offset.
func (f *fileCheck) lineBreaks(offset int64) {
	if f.last >= 0 && offset-f.last != int64(len(warc.RecordEnd)) {
		f.note(f.last, Form, "%d bytes of line breaks end a record, where there must be 4", offset-f.last)
	}
}

func (f *fileCheck) add(offset int64, code Code, format string, args ...any) {
	f.found.add(Finding{File: f.name, Offset: offset, Code: code, Text: fmt.Sprintf(format, args...)})
}

func (f *fileCheck) note(offset int64, code Code, format string, args ...any) {
	f.found.add(
		Finding{File: f.name, Offset: offset, Code: code, Note: true, Text: fmt.Sprintf(format, args...)})
}
