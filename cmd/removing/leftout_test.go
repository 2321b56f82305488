package removing

import (
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"warcorder/store"
	"warcorder/store/selection"
)

// TestLeftOut: by age a damaged file stays, with what it needs of others, and is told; what is too old in
// the others goes all the same. Who has named what goes gets an error.
func TestLeftOut(t *testing.T) {
	const year = 365 * 24 * time.Hour
	for name, test := range map[string]struct {
		damaged string
		stay    []string
	}{
		"a response that a revisit needs": {"/needed", []string{"/needed", "/new", "/old"}},
		"beside a revisit":                {"/spoilt", []string{"/needed", "/new", "/revisit", "/spoilt"}},
		"alone":                           {"/other", []string{"/new", "/other"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t, nil)
			r.get("https://example.com/needed", page(text("whisper")))
			r.get("https://example.com/old", page(text("old")))
			r.rotate()
			r.get("https://example.com/spoilt", page(text("spoilt")))
			r.get("https://example.com/revisit", page(text("whisper")))
			r.rotate()
			r.get("https://example.com/other", page(text("other")))
			r.rotate()
			limit := r.now.Add(time.Hour)
			r.now = r.now.Add(year)
			r.get("https://example.com/new", page(text("whisper")))
			r.rotate()
			r.damage(test.damaged)
			done, err := Remove(t.Context(), r.Recorder, r.dir, r.cfg.Mode,
				Wish{Choose: Older(t.Context(), r.dir, year, limit.Add(year)), Look: true})
			if err != nil || len(done.LeftOut) != 1 || !done.Done {
				t.Errorf("%+v, %v", done, err)
			}
			if urls := r.paths(); !slices.Equal(urls, test.stay) {
				t.Errorf("%q stay", urls)
			}
			again, err := Remove(t.Context(), r.Recorder, r.dir, r.cfg.Mode,
				Wish{Choose: Older(t.Context(), r.dir, year, limit.Add(year)), Look: true})
			if err != nil || again.Done || !slices.Equal(again.LeftOut, done.LeftOut) {
				t.Errorf("again: %+v, %v", again, err)
			}
			_, err = Remove(t.Context(), r.Recorder, r.dir, r.cfg.Mode, Wish{Choose: Chosen(t.Context(),
				selection.Selection{URL: "https://example.com" + test.damaged})})
			if err == nil {
				t.Error("no error where somebody has named it")
			}
		})
	}
}

// TestLeftOutKept: by age a file in which something damaged stays is left out too, and the others are not
// kept waiting.
func TestLeftOutKept(t *testing.T) {
	const day, year = 24 * time.Hour, 365 * 24 * time.Hour
	r := start(t, nil)
	begin := r.now
	r.get("https://example.com/old", page(text("old")))
	r.now = begin.Add(100 * day)
	r.get("https://example.com/spoilt", page(text("spoilt")))
	r.rotate()
	r.now = begin.Add(time.Hour)
	r.get("https://example.com/gone", page(text("gone")))
	r.rotate()
	r.damage("/spoilt")
	done, err := Remove(t.Context(), r.Recorder, r.dir, r.cfg.Mode,
		Wish{Choose: Older(t.Context(), r.dir, year, begin.Add(year+10*day)), Look: true})
	if err != nil || !done.Done || len(done.LeftOut) != 1 || !strings.Contains(done.LeftOut[0], "verify") {
		t.Errorf("%+v, %v", done, err)
	}
	if urls := r.paths(); !slices.Equal(urls, []string{"/old", "/spoilt"}) {
		t.Errorf("%q stay", urls)
	}
}

// damage damages the response of a path in its file.
func (r *recording) damage(name string) {
	r.t.Helper()
	var at store.Location
	err := r.Index().Captures(store.Query{URL: "https://example.com" + name}, func(c *store.Capture) bool {
		at = c.Location
		return false
	})
	if err != nil {
		r.t.Fatal(err)
	}
	b, err := os.ReadFile(r.dir.WARC(at.File))
	if err != nil {
		r.t.Fatal(err)
	}
	b[at.Offset+at.Length-12] ^= 0xff
	put(r.t, r.dir.WARC(at.File), string(b))
}

// paths are the paths of the captures.
func (r *recording) paths() (paths []string) {
	r.t.Helper()
	err := r.Index().Captures(store.Query{}, func(c *store.Capture) bool {
		paths = append(paths, "/"+path.Base(c.URL))
		return true
	})
	if err != nil {
		r.t.Fatal(err)
	}
	slices.Sort(paths)
	return paths
}

// TestUnknownFiles: WARC files that somebody has put there since the collection was opened are told.
func TestUnknownFiles(t *testing.T) {
	r := start(t, nil)
	r.get("https://example.com/secret", page(text("hush")))
	r.get("https://example.com/kept", page(text("plain")))
	r.rotate()
	put(t, r.dir.WARC("foreign.warc"), stranger("response", 1, "/secret", page("hush")))
	put(t, r.dir.WARC("notes.txt"), strings.Repeat("mine ", 9))
	done := r.remove(selection.Selection{URL: "https://example.com/secret"}, nil)
	if !slices.Equal(done.Unread, []string{"archive/foreign.warc"}) {
		t.Errorf("%+v", done)
	}
}
