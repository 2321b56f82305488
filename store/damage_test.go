package store

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warcorder/canon"
	"warcorder/proxy/raced"
	"warcorder/store/collection"
)

// soundIndex returns the bytes of an index of some 2000 captures that has everything an index can
// have.
func soundIndex(t testing.TB) []byte {
	t.Helper()
	b := newIndex(t)
	random := rand.New(rand.NewPCG(5, 6))
	for n := range 20 {
		file := addFile(t, b, fmt.Sprintf("w-%d.warc.gz", n))
		batch := make([]Capture, 100)
		for i := range batch {
			batch[i] = benchCapture(random, i)
			batch[i].File = file.Name
			if i%4 == 0 {
				batch[i].Method, batch[i].PathKey, batch[i].FormKey = "POST", "path"+batch[i].URLKey,
					"form"+batch[i].URLKey
			}
			if i == 1 {
				batch[i].URLKey += strings.Repeat("x", 10_000)
			}
		}
		file.Committed = 1 << 20
		commit(t, b, batch, file)
	}
	if err := b.AddGaps(manyGaps(500), nil); err != nil {
		t.Fatal(err)
	}
	path := b.writing.db.Path()
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	index, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return index[:metaOf(t, index).InUse*testPage] // what follows has never been used
}

// useDamaged opens an index whose file holds these bytes, and does with it all that can be done if
// that succeeds. Open must say that it is damaged, or nothing at all may be wrong with its pages,
// before and after a commit. What it must not do is to panic or to die.
func useDamaged(t *testing.T, index []byte) (opened bool) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "index.bolt")
	if err := os.WriteFile(path, index, 0o600); err != nil {
		t.Fatal(err)
	}
	defer os.Remove(path) // a test has hundreds of them
	reader, errRead := OpenReadOnly(path)
	if errRead == nil {
		errRead = readAll(reader)
	}
	b, err := Open(path, Options{NoSync: true})
	for _, err := range []error{err, errRead} {
		if err != nil && !errors.Is(err, ErrDamaged) {
			t.Fatal(err)
		}
	}
	if err != nil {
		return false
	}
	if errAgain := readAll(b); (errAgain == nil) != (errRead == nil) {
		t.Fatalf("read only %v, for writing %v", errRead, errAgain)
	}
	writeMuch(t, b)
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if b, err = Open(path, Options{}); err != nil {
		t.Fatalf("it was opened, and after a commit: %v", err)
	}
	b.Close()
	return true
}

// readAll reads what there is.
func readAll(b *Bolt) error {
	_, err1 := b.Count()
	_, err2 := b.Files()
	_, err3 := b.Gaps(0)
	_, err4 := b.Export(io.Discard, Query{Dialect: canon.Spec}, nil)
	all := []error{err1, err2, err3, err4}
	for _, key := range []Key{URLKey, PathKey, WWWOFFLEKey, FormKey} {
		all = append(all, b.Captures(Query{Key: key}, func(*Capture) bool { return true }))
	}
	return errors.Join(all...)
}

// writeMuch changes pages in all places.
func writeMuch(t *testing.T, b *Bolt) {
	t.Helper()
	random := rand.New(rand.NewPCG(7, 8))
	file, err := b.AddFile("new.warc.gz")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		batch := make([]Capture, 60)
		for i := range batch {
			batch[i] = benchCapture(random, i)
			batch[i].File, batch[i].PathKey = file.Name, "path"+batch[i].URLKey
		}
		file.Committed++
		commit(t, b, batch, file)
	}
	if err := b.AddGaps(manyGaps(10), nil); err != nil && !errors.Is(err, ErrDamaged) {
		t.Fatal(err)
	}
}

func TestSoundIndex(t *testing.T) {
	if !useDamaged(t, soundIndex(t)) {
		t.Error("a sound index does not open")
	}
}

// TestCutIndex: an index that ends too early is damaged, unless only free pages are missing.
func TestCutIndex(t *testing.T) {
	index := soundIndex(t)
	var cuts []int
	for cut := 0; cut < len(index); cut += testPage * (1 + cut/testPage/20) {
		cuts = append(cuts, cut, cut+1, cut+2000)
	}
	opened := 0
	for _, cut := range cuts {
		if useDamaged(t, index[:min(cut, len(index))]) {
			opened++
		}
	}
	if useDamaged(t, index[:0]) || useDamaged(t, index[:len(index)/2]) || opened > len(cuts)/3 {
		t.Errorf("%d of %d cuts go unseen", opened, len(cuts))
	}
}

func TestZeroedPages(t *testing.T) {
	index := soundIndex(t)
	damaged := 0
	for page := 0; page < len(index); page += testPage * (1 + page/testPage/10) {
		for _, fill := range []byte{0, 0xff} {
			changed := bytes.Clone(index)
			copy(changed[page:], bytes.Repeat([]byte{fill}, testPage))
			if !useDamaged(t, changed) {
				damaged++
			}
		}
	}
	if damaged < 20 {
		t.Errorf("only %d are seen", damaged)
	}
}

// TestMetaPages: an index whose last transaction has not come down is as it was before; without any
// meta page it is damaged.
func TestMetaPages(t *testing.T) {
	index := soundIndex(t)
	for name, test := range map[string]struct {
		pages  []int
		opened bool
	}{"first": {[]int{0}, true}, "second": {[]int{1}, true}, "both": {[]int{0, 1}, false}} {
		changed := bytes.Clone(index)
		for _, page := range test.pages {
			changed[page*testPage+pageHeader+20] ^= 1
		}
		if got := useDamaged(t, changed); got != test.opened {
			t.Errorf("%s: opened is %t", name, got)
		}
	}
}

// TestPagesInOtherPlaces copies pages over others: each of them is sound, together they are not.
func TestPagesInOtherPlaces(t *testing.T) {
	index := soundIndex(t)
	random := rand.New(rand.NewPCG(9, 10))
	for range 60 {
		changed := bytes.Clone(index)
		from, to := 2+random.IntN(len(index)/testPage-2), 2+random.IntN(len(index)/testPage-2)
		copy(changed[to*testPage:], index[from*testPage:(from+1)*testPage])
		pageOrder.PutUint64(changed[to*testPage:], uint64(to))
		useDamaged(t, changed)
	}
}

// TestFlippedBits flips bits everywhere, and more of them where pages say what is in them.
func TestFlippedBits(t *testing.T) {
	index := soundIndex(t)
	random := rand.New(rand.NewPCG(11, 12))
	damaged := 0
	rounds := raced.Of(300)
	for n := range rounds {
		changed := bytes.Clone(index)
		at := random.IntN(len(index))
		if n%3 > 0 {
			at = at/testPage*testPage + random.IntN([]int{0, 16, 200}[n%3])
		}
		changed[at] ^= 1 << random.IntN(8)
		if !useDamaged(t, changed) {
			damaged++
		}
	}
	if damaged < rounds/10 {
		t.Errorf("only %d are seen", damaged)
	}
}

// TestNotDamaged: what the system refuses says nothing of the index.
func TestNotDamaged(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "index.bolt")
	b, err := openToWrite(path)
	if err != nil {
		t.Fatal(err)
	}
	b.Close()
	loop := filepath.Join(dir, "loop.bolt")
	if err := os.Symlink(loop, loop); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, path string
		mode       fs.FileMode
	}{
		{"a link to itself", loop, 0}, // which the system refuses to root as well
		{"a directory", dir, 0o700},
		{"no directory", filepath.Join(dir, "none", "index.bolt"), 0},
		{"a file in place of the directory", filepath.Join(path, "index.bolt"), 0},
		{"no permission", path, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.path == path {
				if os.Geteuid() == 0 {
					t.Skip("root may read all")
				}
				if err := os.Chmod(path, test.mode); err != nil {
					t.Fatal(err)
				}
			}
			for _, open := range []func(string) (*Bolt, error){OpenReadOnly, openToWrite} {
				if _, err := open(test.path); err == nil || errors.Is(err, ErrDamaged) {
					t.Errorf("got %v", err)
				}
			}
		})
	}
}

// TestLockedIsNotDamaged: a file that another process has just made is in use, not damaged.
func TestLockedIsNotDamaged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.bolt")
	b, err := openToWrite(path)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	for _, open := range []func(string) (*Bolt, error){OpenReadOnly, openToWrite} {
		if _, err := open(path); !errors.Is(err, collection.ErrLocked) || errors.Is(err, ErrDamaged) {
			t.Errorf("got %v", err)
		}
	}
}

// TestNoSync: what has been committed is there after Close.
func TestNoSync(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.bolt")
	b, err := Open(path, Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	file := addFile(t, b, "a.warc.gz")
	c := captureOf("http://example.com/", testTime, file.Name, 0)
	commit(t, b, []Capture{c}, file)
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if b, err = OpenReadOnly(path); err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if all := allOf(t, b, Query{}); len(all) != 1 || all[0] != c {
		t.Errorf("got %+v", all)
	}
}

func manyGaps(n int) []Gap {
	gaps := make([]Gap, n)
	for i := range gaps {
		gaps[i] = Gap{
			Time:   testTime.Add(time.Duration(i) * time.Second).UTC(),
			Reason: "upstream",
			URL:    fmt.Sprintf("http://example.com/%d", i),
			Detail: "no answer",
		}
	}
	return gaps
}

// checkFile reads every page of an index.
func checkFile(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	_, err = checkPages(file, info.Size(), nil)
	return err
}

func BenchmarkOpen(b *testing.B) {
	index := benchIndex(b, 300_000)
	path := index.writing.db.Path()
	index.Close()
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("check", func(b *testing.B) {
		b.SetBytes(info.Size())
		for b.Loop() {
			if err := checkFile(path); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("all", func(b *testing.B) {
		b.SetBytes(info.Size())
		for b.Loop() {
			index, err := openToWrite(path)
			if err != nil {
				b.Fatal(err)
			}
			index.Close()
		}
	})
}
