package recorder

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"warcorder/store/warc"
)

// TestRecoverOrphans: a hole in the middle of what was written last takes the revisits of what was
// there along, and no other ones.
func TestRecoverOrphans(t *testing.T) {
	dir := t.TempDir()
	page := func(text string) string { return answerOf(200, "", strings.Repeat(text, 2000)) }
	rec := func(prefix string, bodies ...string) {
		synctest.Test(t, func(t *testing.T) {
			c := open(t, dir, Config{WARCPrefix: prefix})
			for _, b := range bodies {
				name, body, _ := strings.Cut(b, " ")
				c.commit("http://example.com/"+name, exampleRequest, page(body))
				synctest.Wait()
				time.Sleep(time.Second)
			}
			c.close()
		})
	}
	rec("z", "first other-file")
	others, _ := filepath.Glob(filepath.Join(dir, "archive", "*"))
	later := others[0]
	rec("a", "a a", "x xxxx", "x2 xxxx", "a2 a", "first2 other-file", "y yyyy", "y2 yyyy",
		"x3 xxxx")
	saved, err := os.ReadFile(later)
	if err != nil {
		t.Fatal(err)
	}
	all := captures(t, dir)
	if err := os.Remove(later); err != nil {
		t.Fatal(err)
	}
	c := readCrashed(t, dir)
	c.all = all[:0]
	from, length := 0, 0
	for _, capture := range all {
		if capture.File == c.name {
			c.all = append(c.all, capture)
		}
		if capture.URL == "http://example.com/x" {
			from, length = int(capture.Offset), int(capture.Length)
		}
	}
	hole := c.splice("a hole", from+length/4, from+length/2, string(make([]byte, length/2-length/4)))
	for _, test := range []struct {
		name      string
		committed int64 // in the index; -1 if there is none
		later     bool  // the other file is there, and read later
		want      string
	}{
		{"the index knows the first", int64(from), true, "a a2 first first2 y y2"},
		{"no index", -1, true, "a a2 first first2 y y2"},
		{"no index, and the other file is gone", -1, false, "a a2 y y2"},
	} {
		dir := hole.restore(t, warc.OpenSuffix, test.committed)
		if test.later {
			write(t, filepath.Join(dir, "archive", filepath.Base(later)), saved)
		}
		found, err := recovered(Config{}, dir, zerolog.Nop(), nil)
		if err != nil || len(found.Torn) != 1 {
			t.Fatalf("%s: %+v, %v", test.name, found, err)
		}
		var names []string
		for _, capture := range captures(t, dir) {
			names = append(names, strings.TrimPrefix(capture.URL, "http://example.com/"))
		}
		slices.Sort(names)
		if got := strings.Join(names, " "); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
		removeTorn(t, dir)
		records := readBack(t, dir)
		checkIndex(t, dir, records)
		if n := checkRevisits(t, records); n != strings.Count(test.want, "2") {
			t.Errorf("%s: %d revisits", test.name, n)
		}
	}
}
