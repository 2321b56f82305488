// Package wacz writes WACZ files (1.1.1): a zip archive of WARC files with their index, the list of
// their pages, and the hash of each of these. Start with [New]; [WriteList] lists the parts of what
// was split into several.
//
//	archive/NAME.warc.gz     as they are given
//	indexes/index.cdxj       the captures, by URL keys; or, if that is longer than 512 KiB,
//	indexes/index.cdx.gz     the same in gzip members of at most 1,024 lines, and
//	indexes/index.idx        the first key and the place of each member: package zipnum
//	pages/pages.jsonl        the pages of status 200, in the order in which they are given
//	pages/extraPages.jsonl   all pages, if some have another status: pages.go
//	fuzzy.json               rules for requests that differ by chance, if there are: Settings.Rules
//	datapackage.json         name, size and SHA-256 of each of those: package.go
//	datapackage-digest.json  the SHA-256 of that, and a signature of it
//
// All is stored, nothing deflated, and written in one pass: sizes and checksums stand behind an
// entry and in the directory at the end. Entries and files may be larger than 4 GiB, and there may be
// more than 65,535 (zip64).
//
// The keys of the index are those of warcio.js, by which replayweb.page looks, and so are the
// queries that stand for request bodies. What replayweb.page would show as an empty page, or as a
// part for the whole, has no line, as long as the whole is there: index.go.
//
// Invariant: memory does not grow with what is written, but for some 400 bytes for each WARC file.
// What waits for its place (lines of the index, pages) is in temporary files that have no name.
// What Finish has returned without an error is a whole WACZ; after an error nothing more is written.
package wacz

import (
	"archive/zip"
	"crypto/ecdsa"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"warcorder/store"
)

// Settings say what stands in a WACZ beside captures and pages.
type Settings struct {
	Title    string // "" is none
	Software string // what makes it, with its version
	Created  time.Time

	Key *ecdsa.PrivateKey // signs it; nil is no signature

	HasText bool // pages come with their texts

	// Rules, if there are any, are the content of fuzzy.json, of which no standard says more than the
	// name: a JSON, kept as it is.
	Rules []byte

	// TempDir is where temporary files go; "" is os.TempDir.
	TempDir string

	// Hashed says that the hash of the whole WACZ is wanted too. It costs as much as those of all that
	// is in it together.
	Hashed bool
}

// Part is a WACZ that was written.
type Part struct {
	Bytes int64
	Hash  string // "sha256:" and hexadecimal digits, if Settings.Hashed

	Archives int   // WARC files
	Captures int64 // lines of the index
	LeftOut  int64 // captures without a line
	Pages    int64
	Others   int64 // pages of another status than 200
}

// Writer writes one WACZ. It is for one goroutine, beside which another may call Page until Finish or
// Close is called.
type Writer struct {
	settings Settings
	out      *counted
	zip      *zip.Writer
	file     *hashed // what is being written; nil between two
	name     string  // its path
	buffers  chan []byte

	resources resources
	archives  int
	index     index
	pages     pages
	err       error // of an earlier step
}

// New returns a Writer of a WACZ that goes to out, which may be a pipe. The caller closes it in the
// end, whatever has become of it.
func New(out io.Writer, s Settings) *Writer {
	s.Created = s.Created.UTC().Truncate(time.Second)
	w := &Writer{settings: s, out: newCounted(out, s.Hashed), buffers: newBuffers()}
	w.zip = zip.NewWriter(w.out)
	w.index.sorter.Dir, w.index.sorter.Memory = s.TempDir, sortMemory
	w.pages.dir = s.TempDir
	return w
}

// errClosed is the error of a Writer that has finished, or was closed.
var errClosed = errors.New("the WACZ is closed")

// Archive begins archive/NAME, a WARC file, and ends what was begun before. What is written to the
// result is its content, up to the next call of any method but Capture, Page and Size. It is an
// io.ReaderFrom too.
func (w *Writer) Archive(name string) (io.Writer, error) {
	if w.err == nil && (name == "" || strings.ContainsAny(name, `/\`) || !utf8.ValidString(name)) {
		w.err = fmt.Errorf("a WACZ cannot have a file of the name %q", name)
	}
	w.archives++
	return w.begin("archive/" + name)
}

// Capture adds a capture to the index: Location is its place in the WACZ. It must have what every
// dialect makes of the request's body. cookie is the Cookie field of its request, if that is to
// stand in the index, where replayweb.page shows it to the scripts of pages.
func (w *Writer) Capture(c *store.Capture, cookie string) error {
	if w.err == nil {
		w.err = step("index", w.index.add(c, cookie))
	}
	return w.err
}

// Page adds a page.
func (w *Writer) Page(p *Page) error {
	if w.pages.err == nil {
		w.pages.err = step("pages", w.pages.add(p))
	}
	return w.pages.err
}

// Size returns how long the WACZ will be if nothing is added: at most so many bytes. Nobody may add a
// page meanwhile.
func (w *Writer) Size() int64 {
	size := w.out.n + w.index.size() + w.pages.size() + w.resources.size() + perPackage +
		int64(len(w.settings.Rules))
	if w.file != nil {
		size += int64(w.file.n)
	}
	return size
}

// perPackage is more than what a WACZ has beside its resources: datapackage.json without them, its
// digest, and the directory's end.
const perPackage = 8 << 10

// Finish writes the rest: index, pages and package.
func (w *Writer) Finish() (Part, error) {
	if w.err == nil {
		w.err = w.pages.err
	}
	for _, write := range []func() error{w.end, w.writeIndex, w.writePages, w.writeRules, w.writePackage,
		w.zip.Close, w.out.end} {
		if w.err == nil {
			w.err = write()
		}
	}
	if w.err != nil {
		return Part{}, w.err
	}
	w.err, w.pages.err = errClosed, errClosed
	return Part{
		Bytes:    w.out.n,
		Hash:     w.out.hash(),
		Archives: w.archives,
		Captures: w.index.lines,
		LeftOut:  w.index.leftOut,
		Pages:    w.pages.all,
		Others:   w.pages.others,
	}, nil
}

// Close gives back what the Writer holds. It writes nothing.
func (w *Writer) Close() error {
	w.err, w.pages.err = errClosed, errClosed
	if w.file != nil {
		w.file.stop()
		w.file = nil
	}
	w.out.stop()
	return errors.Join(w.index.sorter.Close(), w.pages.close())
}

// begin begins a resource, and ends the one before.
func (w *Writer) begin(name string) (*hashed, error) {
	if w.err = errors.Join(w.err, w.end()); w.err != nil {
		return nil, w.err
	}
	out, err := w.create(name)
	if w.err = err; err != nil {
		return nil, err
	}
	w.file, w.name = newHashed(out, w.buffers), name
	return w.file, nil
}

// create begins an entry of the archive. Its time is that of the WACZ, in the zip format's own form:
// the other one would have every entry carry more, which readers must look for.
func (w *Writer) create(name string) (io.Writer, error) {
	header := &zip.FileHeader{Name: name, Method: zip.Store}
	t := w.settings.Created
	if t.Year() >= 1980 && t.Year() < 2108 {
		//lint:ignore SA1019 Modified would add the other form
		header.ModifiedDate = uint16(t.Day() | int(t.Month())<<5 | (t.Year()-1980)<<9)
		//lint:ignore SA1019 as above
		header.ModifiedTime = uint16(t.Second()/2 | t.Minute()<<5 | t.Hour()<<11)
	}
	out, err := w.zip.CreateHeader(header)
	return out, step(name, err)
}

// end ends the resource that is being written.
func (w *Writer) end() error {
	if w.file == nil {
		return w.err
	}
	err := w.file.end()
	w.resources.add(w.name, w.file.total, hex.EncodeToString(w.file.sum()))
	w.file = nil
	return step(w.name, err)
}

// step puts what was done before an error.
func step(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", name, err)
}
