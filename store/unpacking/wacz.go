package unpacking

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"warcorder/store/collection"
	"warcorder/store/pagelist"
	"warcorder/store/warc"
)

// Names in a WACZ file.
const (
	packageName = "datapackage.json"
	digestName  = "datapackage-digest.json"
	rulesName   = "fuzzy.json"
	archive     = "archive/"
	pages       = "pages/"
)

// Bounds of what WACZ files may have: the largest crawls have some thousands of WARC files.
const (
	maxWARCs = 20_000 // of all files of an import
	maxLists = 1000   // of pages, in one file
)

// wacz is a WACZ file that is taken apart.
type wacz struct {
	*Unpacking
	*opened
	archived []*zip.File          // its WARC files
	lists    []*zip.File          // its lists of pages
	listed   map[string]*resource // what datapackage.json lists, by path; nil if it has none
	signed   bool
}

// WACZ takes the WARC files out of a WACZ file, and the pages that it names.
func (u *Unpacking) WACZ(path string) error {
	z, err := openZip(path)
	if err != nil {
		return err
	}
	defer z.Close()
	w := &wacz{Unpacking: u, opened: z, archived: z.in(archive, warc.Suffixes()...), lists: z.in(pages, ".jsonl")}
	if err := z.check(slices.Concat(z.in("", packageName, digestName), w.archived, w.lists)); err != nil {
		return err
	}
	if err := w.readPackage(); err != nil {
		return err
	}
	if err := w.checkCounts(); err != nil {
		return err
	}
	if err := w.checkListed(); err != nil {
		return err
	}
	if err := u.needs(path, sizeOf(slices.Concat(w.archived, w.lists))); err != nil {
		return err
	}
	if err := w.takeAll(); err != nil {
		return err
	}
	w.sayRest()
	return nil
}

// checkCounts refuses a file with no WARC files, or with too many.
func (w *wacz) checkCounts() error {
	switch {
	case len(w.archived) == 0:
		return fmt.Errorf("%s: there is no WARC file in its folder archive/", w.path)
	case len(w.archived) > maxWARCs || len(w.lists) > maxLists:
		return tooMany(w.path)
	case len(w.warcs)+len(w.archived) > maxWARCs:
		return fmt.Errorf("%s: with it there are more than %d WARC files: import fewer at a time", w.path,
			maxWARCs)
	}
	return nil
}

// takeAll takes the WARC files and the pages.
func (w *wacz) takeAll() error {
	before := len(w.warcs)
	for _, f := range w.archived {
		if err := w.takeWARC(f); err != nil {
			return err
		}
	}
	if len(w.warcs) == before {
		return fmt.Errorf("%s: its WARC files are empty", w.path)
	}
	for _, f := range w.lists {
		if err := w.takePages(f); err != nil {
			return err
		}
	}
	return nil
}

// sizeOf is how many bytes members declare, at most 2^60.
func sizeOf(members []*zip.File) (size uint64) {
	const most = 1 << 60
	for _, f := range members {
		size = min(size+min(f.UncompressedSize64, most), most)
	}
	return size
}

// readPackage reads what the file says of its members, and checks the digest of that.
func (w *wacz) readPackage() error {
	f := w.named(packageName)
	if f == nil {
		w.note(w.path, "it has no datapackage.json: the digests of its files cannot be checked")
		return nil
	}
	text, err := w.read(f, maxPackage)
	if err != nil {
		return err
	}
	if err := w.checkPackage(text); err != nil {
		return err
	}
	var said dataPackage
	if err := json.Unmarshal(text, &said); err != nil {
		return fmt.Errorf("%s: its datapackage.json cannot be read: %w", w.path, err)
	}
	if said.Profile == multiProfile {
		return fmt.Errorf("%s holds other WACZ files: unpack it, and import its datapackage.json", w.path)
	}
	w.listed = make(map[string]*resource, len(said.Resources))
	for i := range said.Resources {
		r := &said.Resources[i]
		r.twice = bytes.HasPrefix(said.Software, []byte(jsWACZ))
		if w.listed[r.Path] != nil {
			return fmt.Errorf("%s: its datapackage.json lists %q twice", w.path, r.Path)
		}
		w.listed[r.Path] = r
	}
	return nil
}

// checkPackage holds datapackage.json to its digest, if the file has one.
func (w *wacz) checkPackage(text []byte) error {
	f := w.named(digestName)
	if f == nil {
		return nil // WACZ 1.1.1 says that it should be there
	}
	said, err := w.read(f, maxPackage)
	if err != nil {
		return err
	}
	var d struct {
		Hash   string          `json:"hash"`
		Signed json.RawMessage `json:"signedData"`
	}
	if err := json.Unmarshal(said, &d); err != nil {
		return fmt.Errorf("%s: its datapackage-digest.json cannot be read: %w", w.path, err)
	}
	w.signed = len(d.Signed) > 0 && !bytes.Equal(d.Signed, []byte("null"))
	claimed := digestOf(d.Hash)
	if claimed == nil {
		sum := sha256.Sum256(text)
		w.note(w.path, "datapackage-digest.json has a digest that cannot be checked, %.80q; it is sha256:%s",
			d.Hash, hex.EncodeToString(sum[:]))
		return nil
	}
	if claimed.hash.Write(text); !claimed.holds() {
		return fmt.Errorf("%s: datapackage.json has not the digest that datapackage-digest.json says: %w",
			w.path, errDigest)
	}
	return nil
}

// checkListed compares what is listed with what is there, and will be taken.
func (w *wacz) checkListed() error {
	taken := slices.Concat(w.archived, w.lists)
	unchecked := 0
	say := func(f *zip.File, why string) {
		if unchecked++; unchecked <= mostNamed {
			w.note(w.path, "%q %s", f.Name, why)
		}
	}
	there := make(map[string]bool, len(taken))
	for _, f := range taken {
		there[f.Name] = true
		switch listed := w.listed[f.Name]; {
		case w.listed == nil: // which readPackage has said
		case listed == nil:
			say(f, "is not listed in datapackage.json: its digest cannot be checked")
		case digestOf(listed.Hash) == nil:
			say(f, fmt.Sprintf("has a digest that cannot be checked: %.80q", listed.Hash))
		}
	}
	if unchecked > mostNamed {
		w.note(w.path, "%s more files cannot be checked", humanize.Comma(int64(unchecked-mostNamed)))
	}
	for name := range w.listed {
		isWARC := strings.HasPrefix(name, archive) && collection.IsWARC(path.Base(name))
		isList := strings.HasPrefix(name, pages) && strings.HasSuffix(name, ".jsonl")
		if (isWARC || isList) && !there[name] {
			return fmt.Errorf("%s is not whole: datapackage.json lists %q, which is not in it", w.path, name)
		}
	}
	return nil
}

// takeWARC copies a WARC file.
func (w *wacz) takeWARC(f *zip.File) error {
	in, err := f.Open()
	if err != nil {
		return w.refuse(f, fmt.Sprintf("cannot be read: %v", err))
	}
	defer in.Close()
	begun := bufio.NewReaderSize(newChecked(in, w.listed[f.Name]), 256<<10)
	start, err := begun.Peek(len(warcStart))
	if len(start) == 0 {
		if err != nil && !errors.Is(err, io.EOF) {
			return w.failed(f, err)
		}
		w.note(w.path, "%q is empty: it is left out", f.Name)
		return nil
	}
	if !beginsAsWARC(start) {
		return w.refuse(f, "is no WARC file: unpack the others, and let warcorder index add them")
	}
	one := WARC{
		Said: filepath.Base(w.path) + ": " + f.Name,
		Name: FileName(base(f)),
		From: Stem(w.path),
	}
	if err := w.put(one, begun); err != nil {
		return w.failed(f, err)
	}
	return nil
}

// takePages reads a list of pages.
func (w *wacz) takePages(f *zip.File) error {
	in, err := f.Open()
	if err != nil {
		return w.refuse(f, fmt.Sprintf("cannot be read: %v", err))
	}
	defer in.Close()
	counted := io.TeeReader(in, &counting{io.Discard, w.Unpacking, filepath.Base(w.path) + ": " + f.Name})
	passed, err := pagelist.Read(newChecked(counted, w.listed[f.Name]), func(p pagelist.Page) error {
		p.From = filepath.Base(w.path)
		_, err := w.Pages.Add(p)
		return err
	})
	if err != nil {
		return w.failed(f, err)
	}
	if passed > 0 {
		w.note(w.path, "%q has lines that are no pages: %s left out", f.Name, humanize.Comma(int64(passed)))
	}
	return nil
}

// failed is the error of a member that was not read to its end.
func (w *wacz) failed(f *zip.File, err error) error {
	if errors.Is(err, zip.ErrChecksum) || errors.Is(err, zip.ErrFormat) ||
		errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, new(flate.CorruptInputError)) {
		err = fmt.Errorf("it is damaged (%w): have the file sent again", err)
	}
	return fmt.Errorf("%s: %q: %w", w.path, f.Name, err)
}

// mostNamed is how many members are named that are left out.
const mostNamed = 20

// sayRest names what was left out, and says what was not judged.
func (w *wacz) sayRest() {
	known := map[string]bool{packageName: true, digestName: true}
	for _, f := range slices.Concat(w.archived, w.lists) {
		known[f.Name] = true
	}
	left := 0
	leave := func(name, why string) {
		if left++; left <= mostNamed {
			w.note(w.path, "%q is left out%s", name, why)
		}
	}
	for _, name := range w.bad {
		leave(name, ": its name leads elsewhere, or is not in UTF-8")
	}
	for _, f := range w.members {
		if !known[f.Name] && !strings.HasPrefix(f.Name, "indexes/") && f.Name != rulesName {
			leave(f.Name, "")
		}
	}
	if left > mostNamed {
		w.note(w.path, "%s more members are left out", humanize.Comma(int64(left-mostNamed)))
	}
	if w.named(rulesName) != nil {
		w.note(w.path, "it has rules for requests that differ by chance, which count for nothing here: if they "+
			"are of warcorder and you trust who made them, put what %s has into replay-rules", rulesName)
	}
	if w.signed {
		w.note(w.path, "it is signed: whose signature it is was not looked at")
	}
}

const warcStart = "WARC/"

// beginsAsWARC reports whether a file that begins so may be a WARC file: compressed with gzip or zstd,
// or not.
func beginsAsWARC(start []byte) bool {
	for _, magic := range []string{warcStart, "warc/", "\x1f\x8b", "\x28\xb5\x2f\xfd", "\x5d\x2a\x4d\x18"} {
		if bytes.HasPrefix(start, []byte(magic)) {
			return true
		}
	}
	return false
}
