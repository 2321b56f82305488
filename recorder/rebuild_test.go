package recorder

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"warcorder/recorder/recovery"
	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/warc"
)

// TestRebuildSameExport makes the index of a varied collection anew in every way there is, and
// finds the same lines in every dialect by every key.
func TestRebuildSameExport(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	responses := recordVariety(t, dir, 1)
	index := filepath.Join(dir, collection.IndexName)
	want := exports(t, dir)
	if n := strings.Count(want[0], "\n"); n != responses {
		t.Fatalf("%d lines, want %d", n, responses)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "archive", "*"))
	if len(files) < 5 {
		t.Fatalf("%d files", len(files))
	}
	half := func(t *testing.T) {
		content, err := os.ReadFile(index)
		if err != nil {
			t.Fatal(err)
		}
		write(t, index, content[:min(len(content)/2, 3<<12)]) // all behind half of it may be free pages
	}
	rebuild := func(cfg Config) (recovery.Found, error) {
		return rebuilt(cfg, dir, zerolog.Nop(), nil)
	}
	again := func(cfg Config) (recovery.Found, error) {
		found, err := Recover(cfg, collection.Dir(dir), zerolog.Nop())
		return found.Found, err
	}
	start := func(cfg Config) (recovery.Found, error) {
		c := open(t, dir, cfg)
		c.close()
		return recovery.Found{Rebuilt: true, Files: len(files), Captures: responses}, nil
	}
	remove := func(t *testing.T) {
		if err := os.Remove(index); err != nil {
			t.Fatal(err)
		}
	}
	empty := func(t *testing.T) { write(t, index, nil) }
	nonsense := func(t *testing.T) { write(t, index, bytes.Repeat([]byte("no index "), 10_000)) }
	for _, c := range []struct {
		name     string
		harm     func(*testing.T)
		mend     func(Config) (recovery.Found, error)
		replaced bool
	}{
		{"a sound one, rebuilt", func(*testing.T) {}, rebuild, false},
		{"missing, recovered", remove, again, false},
		{"missing, recorder started", remove, start, false},
		{"half, rebuilt", half, rebuild, true},
		{"half, recovered", half, again, true},
		{"empty, recovered", empty, again, true},
		{"nonsense, recovered", nonsense, again, true},
		{"half, recorder started", half, start, true},
		{"a rebuild interrupted", func(t *testing.T) {
			remove(t)
			write(t, index+collection.NewSuffix, []byte("begun"))
		}, again, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			before, _ := filepath.Glob(index + collection.DamagedSuffix + "*")
			c.harm(t)
			found, err := c.mend(allKeys)
			if err != nil || !found.Rebuilt || found.Files != len(files) || found.Captures != responses ||
				found.Cut != 0 || len(found.Torn)+len(found.Damaged)+len(found.Missing) > 0 {
				t.Errorf("%+v, %v", found, err)
			}
			for i, got := range exports(t, dir) {
				if got != want[i] {
					t.Errorf("%+v: the export differs: %d and %d bytes", allQueries()[i], len(got), len(want[i]))
				}
			}
			checkIndex(t, dir, readBack(t, dir))
			after, _ := filepath.Glob(index + collection.DamagedSuffix + "*")
			if c.replaced != (len(after) == len(before)+1) {
				t.Errorf("damaged indexes: %v, before %v", after, before)
			}
			if left, _ := filepath.Glob(index + collection.NewSuffix); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
		})
	}
}

// TestRecoverOlderIndex puts back the index as it was at several earlier times.
func TestRecoverOlderIndex(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	index := filepath.Join(dir, collection.IndexName)
	var older [][]byte
	for round := range 3 {
		c := open(t, dir, Config{WARCMaxSize: 5000})
		for i := range 20 {
			c.get(fmt.Sprintf("http://example.com/%d/%d", round, i))
		}
		time.Sleep(10 * time.Millisecond) // so that some of it is in the index; how much does not matter
		content, err := os.ReadFile(index)
		if err != nil {
			t.Fatal(err)
		}
		older = append(older, content)
		c.close()
	}
	want := export(t, dir)
	for i, content := range older {
		write(t, index, content)
		found, err := recovered(Config{}, dir, zerolog.Nop(), nil)
		if err != nil {
			t.Error(err)
		}
		if got := export(t, dir); got != want {
			t.Errorf("index %d: the export differs: %d and %d bytes, %+v", i, len(got), len(want), found)
		}
		checkIndex(t, dir, readBack(t, dir))
	}
}

// TestRebuildGaps: the gaps of a sound index are taken over, and so are their counts.
func TestRebuildGaps(t *testing.T) {
	dir := t.TempDir()
	c := open(t, dir, Config{})
	c.get("http://example.com/")
	for i := range 5 {
		c.Gap(GapUpstream, fmt.Sprintf("http://example.com/%d", i), "refused")
	}
	c.GapsMore(GapRefused, 7)
	c.close()
	read := func() string {
		index, err := store.OpenReadOnly(filepath.Join(dir, collection.IndexName))
		if err != nil {
			t.Fatal(err)
		}
		defer index.Close()
		gaps, err := index.Gaps(0)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%v %v", gaps.Counts, gaps.Latest)
	}
	want := read()
	if _, err := rebuilt(Config{}, dir, zerolog.Nop(), nil); err != nil {
		t.Fatal(err)
	}
	if got := read(); got != want || !strings.Contains(got, "refused:7 upstream:5") {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// TestRecoverRefused: what is in use, and what is not there, is left alone.
func TestRecoverRefused(t *testing.T) {
	dir := t.TempDir()
	c := open(t, dir, Config{})
	c.get("http://example.com/")
	commands := map[string]func(dir string, progress recovery.Progress) error{
		"recover": func(dir string, progress recovery.Progress) error {
			_, err := recovered(Config{}, dir, zerolog.Nop(), progress)
			return err
		},
		"rebuild": func(dir string, progress recovery.Progress) error {
			_, err := rebuilt(Config{}, dir, zerolog.Nop(), progress)
			return err
		},
	}
	for name, command := range commands {
		if err := command(dir, nil); !errors.Is(err, collection.ErrLocked) {
			t.Errorf("%s, recording: %v", name, err)
		}
		other := filepath.Join(dir, "other")
		if err := command(other, nil); !errors.Is(err, recovery.ErrNoCollection) ||
			!strings.Contains(err.Error(), other) {
			t.Errorf("%s, no collection: %v", name, err)
		}
		if _, err := os.Stat(other); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: made: %v", name, err)
		}
	}
	c.close()
	// while it goes on, also of an index that is not there yet
	progress := func(string, int64, int64) {
		for name, command := range commands {
			if err := command(dir, nil); !errors.Is(err, collection.ErrLocked) {
				t.Errorf("%s at the same time: %v", name, err)
			}
		}
		r, err := Open(Config{}, collection.Dir(dir), zerolog.Nop())
		if !errors.Is(err, collection.ErrLocked) {
			t.Errorf("recorder at the same time: %v", err)
			r.Close()
		}
	}
	for name, command := range commands {
		calls := 0
		if err := os.Remove(filepath.Join(dir, collection.IndexName)); err != nil {
			t.Fatal(err)
		}
		err := command(dir, func(file string, done, total int64) {
			calls++
			progress(file, done, total)
		})
		if err != nil || calls == 0 {
			t.Errorf("%s: %v, %d reports", name, err, calls)
		}
		if err := command(dir, progress); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	checkIndex(t, dir, readBack(t, dir))
}

// TestRecoverProgress: done never goes back, and ends at the total.
func TestRecoverProgress(t *testing.T) {
	dir := t.TempDir()
	c := open(t, dir, Config{WARCMaxSize: 20_000})
	for i := range 50 {
		c.commit(fmt.Sprintf("http://example.com/%d", i), exampleRequest,
			page(200, "image/png", "", randomBytes(2000)))
	}
	c.close()
	var last, all int64
	cfg := Config{Progress: func(file string, done, total int64) {
		if done < last || done > total || all != 0 && total != all ||
			!strings.HasSuffix(file, warc.Suffix) {
			t.Errorf("%s: %d of %d after %d", file, done, total, last)
		}
		last, all = done, total
	}}
	if err := os.Remove(filepath.Join(dir, collection.IndexName)); err != nil {
		t.Fatal(err)
	}
	open(t, dir, cfg).close()
	if last != all || all < 100_000 {
		t.Errorf("%d of %d", last, all)
	}
}

// TestRecoverTwice: a file that is there under both its names.
func TestRecoverTwice(t *testing.T) {
	c := crash(t)
	size := int64(len(c.bytes))
	middle := c.starts[3]
	other := crash(t)
	for _, test := range []struct {
		name        string
		open, final []byte
		committed   int64
		names       int // files afterwards
		captures    int
	}{
		{"the same", c.bytes, c.bytes, middle, 1, len(c.all)},
		{"the same, not known", c.bytes, c.bytes, -1, 1, len(c.all)},
		{"open is shorter", c.bytes[:middle+7], c.bytes, middle, 1, len(c.all)},
		{"final is shorter", c.bytes, c.bytes[:middle], middle, 1, len(c.all)},
		{"final is empty", c.bytes, nil, size, 1, len(c.all)},
		{"open is empty", nil, c.bytes, size, 1, len(c.all)},
		{"different", c.bytes, other.bytes, middle, 2, len(c.all) + len(other.all)},
		{"different, not known", other.bytes, c.bytes, -1, 2, len(c.all) + len(other.all)},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			c.restore(t, dir, 0, test.committed)
			path := filepath.Join(dir, "archive", c.name)
			write(t, path, test.final)
			write(t, path+warc.OpenSuffix, test.open)
			for range 2 {
				if _, err := recovered(Config{}, dir, zerolog.Nop(), nil); err != nil {
					t.Fatal(err)
				}
				names, _ := filepath.Glob(filepath.Join(dir, "archive", "*"))
				if got := len(captures(t, dir)); len(names) != test.names || got != test.captures {
					t.Errorf("%d captures in %v", got, names)
				}
				if content, err := os.ReadFile(path); err != nil || !bytes.Equal(content, c.bytes) {
					t.Errorf("the file is another one: %v", err)
				}
			}
		})
	}
}

// BenchmarkRebuild makes an index anew from 20,000 small exchanges.
func BenchmarkRebuild(b *testing.B) {
	dir := b.TempDir()
	r, err := Open(Config{CommitInterval: time.Second}, collection.Dir(dir), zerolog.Nop())
	if err != nil {
		b.Fatal(err)
	}
	response := bodies(b)["text-10K"]
	const exchanges = 20_000
	for i := range exchanges {
		x := r.Begin()
		x.Started, x.URL, x.Method = time.Now(), fmt.Sprintf(
			"https://www.example.com/static/%d/app.js?v=12345",
			i*7919%exchanges,
		), "GET"
		x.Request.Write([]byte(browserRequest))
		x.Response.Write([]byte(response))
		x.Commit()
	}
	if err := r.Close(); err != nil {
		b.Fatal(err)
	}
	sizes, err := collection.Dir(dir).Sizes()
	if err != nil {
		b.Fatal(err)
	}
	var size int64
	for _, n := range sizes {
		size += n
	}
	b.SetBytes(size)
	for b.Loop() {
		if found, err := rebuilt(Config{}, dir, zerolog.Nop(), nil); err != nil ||
			found.Captures != exchanges {
			b.Fatal(found, err)
		}
	}
	b.ReportMetric(float64(exchanges)*float64(b.N)/b.Elapsed().Seconds(), "captures/s")
}
