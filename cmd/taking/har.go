package taking

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"warcorder/recorder/recovery"
	"warcorder/store/collection"
	"warcorder/store/fromhar"
	"warcorder/store/pagelist"
	"warcorder/store/unpacking"
	"warcorder/store/warc"
)

// suffix ends the names of files that are made of HARs.
const suffix = "-from-har" + warc.Suffix

// takeHAR makes a WARC file of a HAR.
func (t *Taking) takeHAR(h unpacking.HARFile) error {
	w := &warcFile{dir: string(t.dir), name: fmt.Sprintf("made-%d%s", len(t.made)+1, warc.Suffix)}
	report, err := t.maker(h, w).Make(h.Name, h.Open)
	if err := errors.Join(err, w.close()); err != nil {
		return fmt.Errorf("%s: %w", h.Name, err)
	}
	here := false
	made := recovery.Brought{Path: filepath.Join(w.dir, w.name), Said: h.Name}
	if report.Captures > 0 {
		if made.Name, here, err = t.nameOf(made.Path, h.Stem+suffix); err != nil {
			return err
		}
	}
	what := "became captures, derived from what the HAR has of them"
	if here {
		what = "are captures already, in " + made.Name
	}
	t.sayHAR(h.Name, &report, what)
	if report.Captures > 0 {
		t.made = append(t.made, made)
	}
	return nil
}

// maker makes the records of a HAR into a file.
func (t *Taking) maker(h unpacking.HARFile, w *warcFile) *fromhar.Maker {
	return &fromhar.Maker{
		Out:      w.write,
		Attached: h.Attached,
		Page: func(p pagelist.Page) error {
			_, err := t.pages.Add(p)
			return err
		},
		Room: room(string(t.dir)),
	}
}

// nameOf returns the name that a file which is made of a HAR is to have: that of the file of the same
// content, if there is one, which is here then, however the HAR was called.
func (t *Taking) nameOf(path, name string) (as string, here bool, err error) {
	for _, made := range t.made {
		if same, err := sameContent(path, made.Path); err != nil || same {
			return made.Name, same, err
		}
	}
	sizes, err := t.earlier()
	if err != nil {
		return "", false, err
	}
	made, err := os.Stat(path)
	if err != nil {
		return "", false, err
	}
	for _, other := range slices.Sorted(maps.Keys(sizes)) {
		if sizes[other] != made.Size() {
			continue
		}
		if same, err := sameContent(path, t.to.WARC(other)); err != nil || same {
			return other, same, err
		}
	}
	return name, false, nil
}

// earlier returns the sizes of the files of the collection that were made of HARs, by their names.
func (t *Taking) earlier() (map[string]int64, error) {
	if t.sizes != nil {
		return t.sizes, nil
	}
	sizes, err := t.to.Sizes()
	maps.DeleteFunc(sizes, func(name string, _ int64) bool {
		return !collection.IsWARC(name) || !strings.Contains(name, strings.TrimSuffix(suffix, warc.Suffix))
	})
	t.sizes = sizes
	return sizes, err
}

// sameContent reports whether two files have the same bytes.
func sameContent(path, other string) (bool, error) {
	a, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer a.Close()
	b, err := collection.OpenRegular(other)
	if err != nil {
		return false, nil // gone, or a link: what is made is added under its own name
	}
	defer b.Close()
	return warc.SameBytes(a, b)
}

// room is how many bytes may be written to the disk of a directory.
func room(dir string) int64 {
	free, err := collection.FreeSpace(dir)
	if err != nil {
		return math.MaxInt64 // the system does not tell
	}
	return free
}

// sayHAR says what became of the entries of a HAR.
func (t *Taking) sayHAR(name string, r *fromhar.Report, what string) {
	say := func(format string, args ...any) { t.note(name + ": " + fmt.Sprintf(format, args...)) }
	say("%d of its %s %s", r.Captures, count(r.Entries, "entry"), what)
	for _, s := range r.Skipped {
		say("entry %d is left out: %s %s", s.Index, s.What, s.Reason)
	}
	if total := r.Entries - r.Captures; total > len(r.Skipped) {
		for _, reason := range slices.Sorted(maps.Keys(r.Reasons)) {
			say("%s left out: each %s", count(r.Reasons[reason], "entry"), reason)
		}
	}
	if r.Messages > 0 {
		say("%s of WebSockets left out: a WARC file has no place for them", count(r.Messages, "message"))
	}
	if r.Cut > 0 {
		say("%s marked as truncated: not all of it is in the HAR", count(r.Cut, "body"))
	}
	if r.Fresh > 0 {
		say("%s with status 304 and a body from the browser's cache: 200 in the archive",
			count(r.Fresh, "answer"))
	}
}

// warcFile is a WARC file that is made when its first record comes.
type warcFile struct {
	dir, name  string
	file       *warc.Writer
	compressor *warc.Compressor
}

func (w *warcFile) write(head [][]byte, body io.Reader, size int64, stored bool) (err error) {
	if w.file == nil {
		if w.file, err = warc.Create(w.dir, w.name); err != nil {
			return err
		}
		w.compressor = warc.NewCompressor()
	}
	_, err = w.file.AppendStream(func(t *warc.Tail) error {
		_, err := w.compressor.Stream(t, t.Offset(), head, body, size, stored)
		return err
	})
	return err
}

func (w *warcFile) close() error {
	if w.file == nil {
		return nil
	}
	return w.file.Close()
}
