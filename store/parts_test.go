package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"warcorder/canon"
	"warcorder/proxy/raced"
)

// partsOf returns nasty captures of which some are not modified, parts, cut, and not of a GET.
func partsOf(n int, files []File) []Capture {
	random := rand.New(rand.NewPCG(5, 6))
	captures := nastyCaptures(n, files)
	for i := range captures {
		c := &captures[i]
		c.Offset = int64(i)
		c.Status = []int{206, 206, 206, 206, 304, 404, 200, 206}[random.IntN(8)]
		c.Entity = uint32(max(0, random.IntN(60)-1))
		c.Truncated = random.IntN(3) == 0
		c.Whole = c.Status == 206 && !c.Truncated && random.IntN(10) == 0
		if random.IntN(10) == 0 {
			c.Method = "POST"
		}
		c.PathKey, c.WWWOFFLEKey = strings.TrimPrefix(c.URL, "http"), fmt.Sprint(random.IntN(9))
	}
	return captures
}

// isLeftOut says in other words what parts.go says.
func isLeftOut(c *Capture, all []Capture) bool {
	if part := c.Status == 206 || c.Status == 200 && c.Truncated; !part || !c.isGET() {
		return c.Status == 304
	}
	return slices.ContainsFunc(all, func(o Capture) bool {
		whole := o.Status == 200 || o.Status == 206 && o.Whole && !c.Whole
		same := o.Entity == c.Entity || o.Entity == 0 || c.Entity == 0
		return whole && same && o.URLKey == c.URLKey && o.isGET() && !o.Truncated
	})
}

// TestLeftOut: in the dialect pywb there are lines of all captures but those that pywb would show
// as an empty or partial page, whatever the key, the selection and the bodies; with All, and in
// other dialects, of all.
func TestLeftOut(t *testing.T) {
	b := newIndex(t)
	files := []File{addFile(t, b, "a.warc.gz"), addFile(t, b, "b.warc.gz")}
	files[1].Sealed = true
	all := partsOf(2*sliceKeys, files)
	commit(t, b, all, files[1])
	var kept []Capture
	left := map[int64]bool{}
	for i := range all {
		if left[all[i].Offset] = isLeftOut(&all[i], all); !left[all[i].Offset] {
			kept = append(kept, all[i])
		}
	}
	if parts := len(all) - len(kept); parts < len(all)/3 || len(kept) < len(all)/3 {
		t.Fatalf("%d of %d are left out", parts, len(all))
	}
	got, _ := exportOf(t, b, Query{})
	sameLines(t, got, linesOf(kept))
	got, _ = exportOf(t, b, Query{All: true})
	sameLines(t, got, linesOf(all))
	for _, q := range []Query{
		{}, {NoBodies: true}, {Key: PathKey}, {Key: WWWOFFLEKey}, {Key: PathKey, NoBodies: true},
		{URL: "http://example.com/", Match: Prefix}, {URL: "http://example.com/a"},
		{URL: "http://example.com/a", NoBodies: true},
		{From: "20261121054513", To: "20261121054514"}, {Dialect: canon.Spec},
		{Dialect: canon.WarcioJS}, {Dialect: canon.Spec, Key: PathKey},
	} {
		t.Run(fmt.Sprintf("%+v", q), func(t *testing.T) {
			every := q
			every.All = true
			all, of := exportOf(t, b, every)
			got, done := exportOf(t, b, q)
			want, open := new(bytes.Buffer), int64(0)
			for line := range strings.Lines(all) {
				c := captureOfLine(t, line)
				if !q.LeavesOut() || !left[c.Offset] {
					want.WriteString(line)
					open += int64(strings.Count(c.File, "a.warc.gz"))
				}
			}
			sameLines(t, got, want.String())
			lines := int64(strings.Count(got, "\n"))
			if (done != Exported{lines, open, of.Lines - lines, 0}) || of.LeftOut != 0 {
				t.Errorf("%+v of %+v, %d lines, %d in open files", done, of, lines, open)
			}
		})
	}
	var replayable []Capture
	err := b.Replayable(Query{}, func(c *Capture) bool { replayable = append(replayable, *c); return true })
	if err != nil || linesOf(replayable) != linesOf(kept) {
		t.Errorf("%d captures can be replayed, want %d, %v", len(replayable), len(kept), err)
	}
}

// captureOfLine returns where the capture of a line lies.
func captureOfLine(t *testing.T, line string) (c Capture) {
	t.Helper()
	_, fields, _ := strings.Cut(line, " {")
	var where struct{ Offset, Filename string }
	err := json.Unmarshal([]byte("{"+fields), &where)
	if err == nil {
		c.File = where.Filename
		c.Offset, err = strconv.ParseInt(where.Offset, 10, 64)
	}
	if err != nil {
		t.Fatal(line, err)
	}
	return c
}

// TestLeftOutOfAll exports what a hostile site has made, and says how much of it was looked at for
// each capture, and how much was remembered: in the order of the URL key nothing twice.
func TestLeftOutOfAll(t *testing.T) {
	const many = maxVersions + lookKeys
	sites := map[string]struct {
		n    int
		each func(i int, c *Capture)
		left int64
	}{
		"one URL, no whole": {many, func(i int, c *Capture) {
			c.Status, c.Entity = 206, uint32(i+1)
		}, 0},
		"one URL, each its own whole": {many, func(i int, c *Capture) {
			c.Status, c.Entity = 200+6*(i%2), uint32(i/2+1)
		}, maxVersions},
		"parts first": {many, func(i int, c *Capture) {
			if c.Status = 206; i == many-1 {
				c.Status = 200
			}
		}, many - 1},
		"in turn": {40_000, func(i int, c *Capture) {
			c.URLKey = fmt.Sprintf("com,example)/%d", i%1000)
			c.Status, c.Entity = 200+6*min(i/1000, 1), 1
		}, 39_000},
		"each its own": {20_000, func(i int, c *Capture) {
			c.URLKey, c.Status = fmt.Sprintf("com,example)/%d", i), 206
		}, 0},
		"each cut, then whole": {20_000, func(i int, c *Capture) {
			c.URLKey = fmt.Sprintf("com,example)/%d", i%10_000)
			c.Status, c.Truncated = 200, i < 10_000
		}, 10_000},
		"one URL, all cut": {many, func(_ int, c *Capture) {
			c.Status, c.Truncated = 200, true
		}, 0},
		"long ones": {300, func(i int, c *Capture) {
			c.URLKey = "com,example)/" + strings.Repeat("l", maxURLKey) + fmt.Sprint(i%100)
			c.Status = 200 + 6*min(i/100, 1)
		}, 200},
	}
	for name, site := range sites {
		if raced.Enabled && site.n > 20_000 { // they are slow
			continue
		}
		b := newIndex(t)
		file := addFile(t, b, "a.warc.gz")
		like := captureOf("http://example.com/", testTime, file.Name, 0)
		captures := make([]Capture, site.n)
		for i := range captures {
			c := &captures[i]
			*c = like
			c.Time, c.Offset = testTime.Add(time.Duration(i)*time.Millisecond), int64(i)
			site.each(i, c)
			c.PathKey = fmt.Sprintf("%06d", i) // beside one another what is not of one URL
		}
		for batch := range slices.Chunk(captures, 20_000) {
			commit(t, b, batch)
		}
		for _, key := range []Key{URLKey, PathKey} {
			t.Run(fmt.Sprintf("%s/%s", name, key), func(t *testing.T) {
				span, err := Query{Key: key}.span()
				if err != nil {
					t.Fatal(err)
				}
				var left, looked int64
				remembered := 0
				err = b.slices(span, func(s *slice) (bool, error) {
					left, looked = left+s.leftOut, s.wholes.looked
					remembered = max(remembered, len(s.wholes.read)+len(s.wholes.of))
					return true, nil
				})
				if err != nil || left != site.left || looked > int64(site.n) || remembered > maxWholes {
					t.Errorf("%d left out, %d looked at, %d remembered, %v", left, looked, remembered, err)
				}
			})
		}
	}
}
