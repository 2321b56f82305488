package store

import (
	"cmp"
	"fmt"
	"iter"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"warcorder/canon"
	"warcorder/proxy/raced"
)

// keysOfAllLengths are captures of some URLs, with keys of every form that the index has, at times
// some of which are equal.
func keysOfAllLengths(t testing.TB, b *Bolt) []Capture {
	t.Helper()
	file := addFile(t, b, "w.warc.gz")
	random := rand.New(rand.NewPCG(1, 2))
	at := func() time.Time {
		return testTime.Add(time.Duration(random.IntN(50)-25) * time.Millisecond)
	}
	var all []Capture
	add := func(c Capture) {
		c.Location = Location{File: file.Name, Offset: int64(len(all)), Length: 1}
		all = append(all, c)
	}
	for _, length := range []int{0, 1, maxCutKey, maxURLKey - 30, maxURLKey + 10, maxURLKey + 11} {
		url := "http://example.com/?q=" + strings.Repeat("a", length)
		for range 20 {
			c := captureOf(url, at(), "", 0)
			c.FormKey = "q=" + strings.Repeat("a", length)
			add(c)
			keyer := Keyer{}
			for _, body := range []string{"b", strings.Repeat("c", maxPlainQuery+5),
				strings.Repeat("c", maxPlainQuery+6)} {
				c := Capture{URL: url, Method: "POST", Time: at(), Status: 200}
				keyer.Fill(&c, canon.Request{ContentType: "application/x-www-form-urlencoded",
					Body: []byte("a=" + body), BodyLen: int64(2 + len(body))})
				add(c)
			}
		}
	}
	commit(t, b, all, File{ID: file.ID, Committed: int64(len(all))})
	return all
}

// openBoth calls test with an index that is open for writing, and with the same one at rest.
func openBoth(t *testing.T, fill func(testing.TB, *Bolt) []Capture,
	test func(t *testing.T, b *Bolt, all []Capture)) {
	path := filepath.Join(t.TempDir(), "index.bolt")
	b, err := openToWrite(path)
	if err != nil {
		t.Fatal(err)
	}
	all := fill(t, b)
	t.Run("open", func(t *testing.T) { test(t, b, all) })
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if b, err = OpenReadOnly(path); err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	t.Run("at rest", func(t *testing.T) { test(t, b, all) })
}

func TestNearest(t *testing.T) {
	openBoth(t, keysOfAllLengths, func(t *testing.T, b *Bolt, all []Capture) {
		for _, name := range []Key{URLKey, FormKey, QueryKey, ""} {
			texts := map[string]bool{"no,such)/": true}
			for i := range all {
				texts[*all[i].key(name)] = true
			}
			delete(texts, "")
			for text := range most(texts, raced.Of(len(texts))) {
				for _, at := range []time.Time{{}, testTime, testTime.Add(-time.Hour),
					testTime.Add(time.Hour), testTime.AddDate(-2000, 0, 0)} {
					checkNearest(t, b, all, name, text, at)
				}
			}
		}
	})
}

// most gives no more than n of texts.
func most(texts map[string]bool, n int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for text := range texts {
			if n--; n < 0 || !yield(text) {
				return
			}
		}
	}
}

// checkNearest compares what Nearest gives with all captures, sorted.
func checkNearest(t *testing.T, b *Bolt, all []Capture, name Key, text string, at time.Time) {
	t.Helper()
	moment := at
	if at.IsZero() {
		moment = testTime.AddDate(100, 0, 0)
	}
	var want []string
	all = slices.Clone(all)
	slices.SortFunc(all, func(x, y Capture) int {
		dx, dy := x.Time.UnixMicro()-moment.UnixMicro(), y.Time.UnixMicro()-moment.UnixMicro()
		return cmp.Or(cmp.Compare(max(dx, -dx), max(dy, -dy)), cmp.Compare(dy, dx))
	})
	for _, c := range all {
		if *c.key(name) == text {
			want = append(want, c.Time.Format(time.RFC3339Nano))
		}
	}
	got, seen := []string(nil), map[int64]bool{}
	err := b.Nearest(name, text, at, len(all), func(c *Capture) bool {
		if *c.key(name) != text || seen[c.Offset] || c.File != "w.warc.gz" || c.URL == "" {
			t.Errorf("%s of %d bytes gives %+v", name, len(text), c.Location)
		}
		seen[c.Offset] = true
		got = append(got, c.Time.Format(time.RFC3339Nano))
		return true
	})
	if err != nil || !slices.Equal(got, want) {
		t.Fatalf("%s of %d bytes at %s: %v\n got %d %v\nwant %d %v", name, len(text), at, err, len(got),
			got, len(want), want)
	}
}

// TestNearestEnds: Nearest ends where it is told to, and looks no further than it may.
func TestNearestEnds(t *testing.T) {
	b := newIndex(t)
	file := addFile(t, b, "w.warc.gz")
	var all []Capture
	for i := range 100 {
		all = append(all, captureOf("http://a.example/", testTime.Add(time.Duration(i)*time.Second),
			file.Name, int64(i)))
	}
	commit(t, b, all)
	count := func(most, stop int) (n int) {
		err := b.Nearest(URLKey, all[0].URLKey, testTime, most, func(*Capture) bool {
			n++
			return n != stop
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for _, c := range []struct{ most, stop, want int }{
		{0, 0, 0}, {7, 0, 7}, {100, 0, 100}, {1000, 0, 100}, {1000, 5, 5}, {1000, 1, 1},
	} {
		if got := count(c.most, c.stop); got != c.want {
			t.Errorf("at most %d, told to end at %d: %d captures, want %d", c.most, c.stop, got, c.want)
		}
	}
	if err := b.Nearest("other", "x", testTime, 1, nil); err == nil {
		t.Error("an unknown key is taken")
	}
	// yield is called in no transaction: it may wait for a commit
	err := b.Nearest(URLKey, all[0].URLKey, testTime, 1000, func(c *Capture) bool {
		commit(t, b, []Capture{captureOf("http://b.example/", testTime, file.Name, 1000+c.Offset)})
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestUnder(t *testing.T) {
	openBoth(t, keysOfAllLengths, func(t *testing.T, b *Bolt, all []Capture) {
		prefixes := []string{"", "com", "com,example)/?", "com,example)/?q=b", "org"}
		for i := range all {
			for _, n := range []int{20, maxCutKey - 1, maxCutKey, maxCutKey + 1, maxURLKey, maxURLKey + 1} {
				if key := all[i].URLKey; len(key) >= n {
					prefixes = append(prefixes, key[:n])
				}
			}
			prefixes = append(prefixes, all[i].URLKey)
		}
		slices.Sort(prefixes)
		byOffset := map[int64]string{}
		for i := range all {
			byOffset[all[i].Offset] = all[i].SpecBody
		}
		for _, prefix := range slices.Compact(prefixes) {
			want := 0
			for i := range all {
				if strings.HasPrefix(all[i].URLKey, prefix) {
					want++
				}
			}
			seen := map[int64]bool{}
			more, err := b.UnderWithBodies(prefix, len(all), func(c *Capture) bool {
				if !strings.HasPrefix(c.URLKey, prefix) || seen[c.Offset] {
					t.Errorf("prefix of %d bytes gives %s", len(prefix), c.URLKey[:min(len(c.URLKey), 80)])
				}
				if of := byOffset[c.Offset]; of != c.SpecBody {
					t.Errorf("%q has the body %.80q, want %.80q", c.URL, c.SpecBody, of)
				}
				seen[c.Offset] = true
				return true
			})
			if err != nil || more || len(seen) != want {
				t.Errorf("prefix of %d bytes: %d captures, want %d; %v, %v", len(prefix), len(seen), want,
					more, err)
			}
		}
	})
}

// TestUnderEnds: Under looks no further than it may, and says whether there is more.
func TestUnderEnds(t *testing.T) {
	b := newIndex(t)
	file := addFile(t, b, "w.warc.gz")
	var all []Capture
	for i := range 100 {
		all = append(all, captureOf(fmt.Sprintf("http://a.example/%02d", i), testTime, file.Name, int64(i)))
	}
	commit(t, b, all)
	for _, c := range []struct {
		most, stop, want int
		more             bool
	}{
		{0, 0, 0, true}, {7, 0, 7, true}, {99, 0, 99, true}, {100, 0, 100, false}, {1000, 0, 100, false},
		{1000, 5, 5, true}, {1000, 100, 100, false},
	} {
		var got []string
		more, err := b.Under("example,a)/", c.most, func(capture *Capture) bool {
			got = append(got, capture.URLKey)
			return len(got) != c.stop
		})
		if err != nil || len(got) != c.want || more != c.more || !slices.IsSorted(got) {
			t.Errorf("at most %d, told to end at %d: %d captures, %v, %v; want %d, %v", c.most, c.stop,
				len(got), more, err, c.want, c.more)
		}
	}
}
