// Package taking makes of what others have made the WARC files and the list of pages that an import
// adds to a collection: WACZ files, lists of them and HARs. Start with [New].
//
// The package stands beside the command: it joins what tells such files apart (unpacking), what makes
// records of a HAR (fromhar) and the directory of an import, and knows nothing of an index.
//
// Invariant: nothing is written but in the directory of the import. The files stay as they are.
package taking

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"warcorder/recorder/recovery"
	"warcorder/store/collection"
	"warcorder/store/pagelist"
	"warcorder/store/unpacking"
)

// Taking takes files, one after another. Its Close must be called.
type Taking struct {
	to        collection.Dir
	dir       collection.Import
	release   func() error
	note      func(string)
	unpacking unpacking.Unpacking
	pages     pagelist.List
	taken     []string           // base names of what was taken
	made      []recovery.Brought // of HARs
	sizes     map[string]int64   // of those that the collection has already; nil before the first HAR
}

// New begins to take files for a collection. note is called with what a person should know, progress
// with how far it has come.
func New(dir collection.Dir, note func(string), progress unpacking.Progress) (*Taking, error) {
	i, release, err := dir.NewImport()
	if err != nil {
		return nil, err
	}
	t := &Taking{to: dir, dir: i, release: release, note: note, pages: pagelist.List{Dir: string(i)}}
	t.unpacking = unpacking.Unpacking{Dir: t.dir, Pages: &t.pages, Note: note, Progress: progress}
	return t, nil
}

// Dir returns the directory of the import.
func (t *Taking) Dir() collection.Import { return t.dir }

// Close removes the directory of the import, unless that is ready to be added.
func (t *Taking) Close() error {
	return errors.Join(t.pages.Close(), t.dir.Remove(), t.release())
}

// Take takes a file, whatever it is.
func (t *Taking) Take(path string) error {
	form, err := unpacking.FormOf(path)
	if err != nil {
		return err
	}
	switch form {
	case unpacking.WACZ:
		err = t.unpacking.WACZ(path)
	case unpacking.Multi:
		err = t.unpacking.Multi(path)
	case unpacking.HAR, unpacking.HARZip:
		err = t.unpacking.HARs(path, form, t.takeHAR)
	case unpacking.WARC09:
		err = fmt.Errorf("%s is a WARC 0.9 file: say --from-format 0.9", path)
	case unpacking.WARC1:
		err = fmt.Errorf("%s is a WARC file already: warcorder index adds it as it is", path)
	}
	t.taken = append(t.taken, filepath.Base(path))
	return err
}

// End ends the taking. It returns the WARC files that the import brings.
func (t *Taking) End() ([]recovery.Brought, error) {
	brought := t.made
	for _, w := range t.unpacking.WARCs() {
		brought = append(brought, recovery.Brought{Path: w.Path, Said: w.Said, Name: w.Name, From: w.From})
	}
	if t.pages.Len() == 0 {
		return brought, nil
	}
	file, err := os.OpenFile(t.dir.Pages(), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	out := bufio.NewWriter(file)
	_, err = t.pages.WriteTo(out)
	who := t.taken[0] + ": names"
	if n := len(t.taken); n > 1 {
		who = count(n, "file") + " name"
	}
	t.note(who + " " + count(t.pages.Len(), "page"))
	return brought, errors.Join(err, out.Flush(), file.Close())
}

// count is a number with what it counts.
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	if stem, ok := strings.CutSuffix(what, "y"); ok {
		what = stem + "ie"
	}
	return fmt.Sprintf("%d %ss", n, what)
}
