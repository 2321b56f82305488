package removing

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"warcorder/recorder"
	"warcorder/store"
	"warcorder/store/collection"
)

// TestOlder: what is too old goes with its whole file, or when one of its file is so by a quarter of
// the age; what younger revisits need of it stays with them.
func TestOlder(t *testing.T) {
	begin := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	at := func(s float64) time.Time { return begin.Add(time.Duration(s * float64(time.Second))) }
	for name, test := range map[string]struct {
		limit   float64 // second before which captures are too old
		age     time.Duration
		gone    []string // by path and second
		moved   int64
		emptied int
	}{
		"nothing is":               {limit: 0.5, age: time.Hour},
		"a part of the first file": {limit: 2.5, age: time.Hour},
		"a part, and long ago": {limit: 2.5, age: 5 * time.Second,
			gone: []string{"/secret 1", "/other"}, moved: 1},
		"a part, at once": {limit: 2.5, age: 2 * time.Second, gone: []string{"/secret 1", "/other"}, moved: 1},
		"the first file": {limit: 8.5, age: time.Hour, emptied: 1, moved: 1, gone: []string{"/secret 1",
			"/other", "/third", "/tagged", "/kept", "/secret 7"}},
		"everything": {limit: 1000, age: time.Hour, emptied: 2, gone: []string{"*"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t, nil)
			r.fill()
			r.rotate()
			before := r.all()
			now := at(test.limit).Add(test.age)
			old, err := new(Looks).HasOlder(t.Context(), r.dir, r.Index(), test.age, now)
			if err != nil || old != (len(test.gone) > 0) {
				t.Errorf("there is something: %v, %v", old, err)
			}
			done, err := Remove(t.Context(), r.Recorder, r.dir, r.cfg.Mode,
				Wish{Choose: Older(t.Context(), r.dir, test.age, now), Forget: true})
			if err != nil || done.Moved != test.moved || done.Emptied != test.emptied {
				t.Errorf("%+v, %v", done, err)
			}
			for key, s := range before {
				if s.isOf(test.gone) {
					delete(before, key)
				}
			}
			r.same(before)
			r.verified()
		})
	}
}

// TestKeepRemoving: to remove by age again and again comes to an end: what is left is removed when it
// is too old, and nothing is written anew for nothing.
func TestKeepRemoving(t *testing.T) {
	r := start(t, func(c *recorder.Config) { c.WARCMaxSize = 8000 })
	for i := range 40 {
		r.get(fmt.Sprintf("https://example.com/%d", i%10), page(text(fmt.Sprint("version ", i%10))))
	}
	r.rotate()
	files := 0
	for hour := range 50 {
		now := r.now.Add(time.Duration(hour) * time.Second)
		done, err := Remove(t.Context(), r.Recorder, r.dir, r.cfg.Mode,
			Wish{Choose: Older(t.Context(), r.dir, 8*time.Second, now), Forget: true})
		if err != nil {
			t.Fatal(err)
		}
		files += done.Files
		limit := now.Add(-10 * time.Second)
		var times []time.Time
		err = r.Index().Captures(store.Query{}, func(c *store.Capture) bool {
			times = append(times, c.Time)
			return true
		})
		if err != nil || slices.ContainsFunc(times, limit.After) {
			t.Fatalf("after %d seconds there are %v, %v", hour, times, err)
		}
	}
	if len(r.all()) > 0 || files > 100 {
		t.Errorf("%d captures are left; files were written anew %d times", len(r.all()), files)
	}
	r.verified()
}

// TestOlderImports: what an import has brought stays, however old it is, with its pages; what was
// recorded beside it goes, and a copy of damage in which nothing is younger.
func TestOlderImports(t *testing.T) {
	const list = `{"format":"json-pages-1.0","id":"pages","title":"Pages"}` + "\n" +
		`{"ts":"2026-01-01T00:00:01Z","url":"https://example.com/import","id":"1","title":"Old"}` + "\n"
	r := strange(t, stranger("response", 1, "/import", page(text("old"))))
	r.now = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	put(t, r.dir.Pages(), list)
	r.get("https://example.com/mine", page(text("mine")))
	r.rotate()
	for i, second := range []int{1, 2} {
		put(t, r.dir.WARC(r.files()[0]+collection.TornSuffix+[]string{"", ".2"}[i]),
			stranger("response", 1, "/torn", page("torn"))+
				strings.Replace(stranger("response", second, "/torn", page("torn")), "2026-01-01T00:00:02",
					"2026-09-01T00:00:00", 1))
	}
	now := r.now.Add(100 * 24 * time.Hour)
	done, err := Remove(t.Context(), r.Recorder, r.dir, r.cfg.Mode,
		Wish{Choose: Older(t.Context(), r.dir, 90*24*time.Hour, now), Forget: true})
	if err != nil || done.Captures != 1 || len(done.Rest) != 1 || strings.HasSuffix(done.Rest[0], ".2") {
		t.Errorf("%+v, %v", done, err)
	}
	if all := r.all(); len(all) != 1 {
		t.Errorf("%d captures are left", len(all))
	}
	if b, err := os.ReadFile(r.dir.Pages()); err != nil || !strings.Contains(string(b), "Old") {
		t.Errorf("pages: %s, %v", b, err)
	}
	old, err := new(Looks).HasOlder(t.Context(), r.dir, r.Index(), 90*24*time.Hour, now)
	if old || err != nil {
		t.Errorf("there is more: %v, %v", old, err)
	}
}

// TestLooks: where an import is old, the index is not gone through at each look, but again when
// something may be too old, or another file has come.
func TestLooks(t *testing.T) {
	const day = 24 * time.Hour
	r := strange(t, stranger("response", 1, "/import", page(text("old"))))
	r.now = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	r.get("https://example.com/mine", page(text("mine")))
	r.rotate()
	var looks Looks
	for _, look := range []struct {
		after time.Duration // behind the capture
		file  bool          // another one comes before
		older bool
		goes  bool // through the index
	}{
		{80 * day, false, false, true}, {80*day + time.Hour, false, false, false},
		{81*day - time.Hour, false, false, false}, {81 * day, false, false, true},
		{81*day + time.Hour, true, false, true}, {81*day + 2*time.Hour, false, false, false},
		{90 * day, false, false, true}, {90*day + time.Second, false, true, true},
		{90*day + time.Hour, false, true, true},
	} {
		if look.file {
			r.now = r.now.Add(80 * day)
			r.get("https://example.com/later", page(text("later")))
			r.now = r.now.Add(-80*day - time.Second)
			r.rotate()
		}
		ctx := asked{Context: t.Context()}
		older, err := looks.HasOlder(&ctx, r.dir, r.Index(), 90*day, r.now.Add(look.after))
		if goes := ctx.times.Load() > 0; err != nil || older != look.older || goes != look.goes {
			t.Errorf("after %s: older %v, goes through the index %v, %v", look.after, older, goes, err)
		}
	}
}

// files are the names of the files that were recorded.
func (r *recording) files() (names []string) {
	paths, _ := filepath.Glob(r.dir.WARC("*.warc.gz"))
	for _, path := range paths {
		names = append(names, filepath.Base(path))
	}
	return names
}

// TestLeaps: a clock that may be wrong is told from a recorder that did not run for a while.
func TestLeaps(t *testing.T) {
	const day = 24 * time.Hour
	began := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		age       time.Duration
		off       time.Duration // from the end of the last session on
		wall, ran time.Duration
		want      bool
	}{
		"at once":                {90 * day, time.Second, time.Hour, time.Hour, false},
		"a holiday":              {90 * day, 89 * day, 0, 0, false},
		"another year":           {90 * day, 91 * day, 0, 0, true},
		"a weekend":              {36 * time.Hour, 3 * day, 0, 0, false},
		"a quarter":              {36 * time.Hour, 90 * day, 0, 0, true},
		"a long recording":       {90 * day, 0, 1000 * day, 1000 * day, false},
		"a leap of the clock":    {90 * day, 0, 91 * day, time.Hour, true},
		"a step of the clock":    {90 * day, 0, day, time.Hour, false},
		"a clock that went back": {90 * day, -1000 * day, -1000 * day, time.Hour, false},
	} {
		if got := Leaps(c.age, began.Add(-c.off), began, began.Add(c.wall), c.ran); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if Leaps(day, time.Time{}, began, began, 0) {
		t.Error("a new collection")
	}
}
