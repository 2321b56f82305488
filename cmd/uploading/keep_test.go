package uploading

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestKeepText: what keep-local says is read, and written as it is read again; what says neither a time nor
// a size is refused.
func TestKeepText(t *testing.T) {
	for text, want := range map[string]struct {
		keep Keep
		as   string
	}{
		"":      {Keep{}, ""},
		"0":     {Keep{true, 0, -1}, "0"},
		"24h":   {Keep{true, 24 * time.Hour, -1}, "1d"},
		"7d":    {Keep{true, 7 * 24 * time.Hour, -1}, "7d"},
		"90m":   {Keep{true, 90 * time.Minute, -1}, "1h30m"},
		"36h":   {Keep{true, 36 * time.Hour, -1}, "36h"},
		"200GB": {Keep{true, 0, 200e9}, "200000000000B"},
		"0B":    {Keep{true, 0, 0}, "0B"},
	} {
		var k, again Keep
		if err := k.UnmarshalText([]byte(text)); err != nil || k != want.keep || k.String() != want.as {
			t.Errorf("%q is %+v, %q, %v", text, k, k, err)
		}
		if err := again.UnmarshalText([]byte(k.String())); err != nil || again != k {
			t.Errorf("%q is %+v, and read again %+v, %v", text, k, again, err)
		}
	}
	for _, text := range []string{"200", "-1h", "-3d", "h", "1e400GB", "99999999999GB", "all", "1d2h"} {
		if err := new(Keep).UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

// three makes three files of which copies are there, verified 3 hours, 1 hour and no time ago, and takes
// down which go.
func (r *recording) three() (names []string, gone *[]string) {
	r.t.Helper()
	for i := range 3 {
		names = append(names, r.file(fmt.Sprintf("https://example.com/%d", i), 3000))
	}
	r.round("")
	for i, hours := range []time.Duration{3, 1, 0} {
		remote := *r.files()[i].Remote
		remote.Uploaded = time.Now().Add(-hours * time.Hour)
		if err := r.Index().SetRemote(names[i], &remote); err != nil {
			r.t.Fatal(err)
		}
	}
	gone = new([]string)
	r.up.Tell = func(name, state string, _ int64) {
		if state == "away" {
			*gone = append(*gone, name)
		}
	}
	return names, gone
}

// TestKeep: local copies go by time, or by size, or while the disk is filling, the oldest first; none goes
// that is not verified there, and none where nothing says so.
func TestKeep(t *testing.T) {
	const all = 1 << 61 // bytes that no disk has
	for _, c := range []struct {
		name    string
		keep    string // %d is the size of a file, and a half
		minFree int64
		want    int // how many go
	}{
		{"none", "", 0, 0},
		{"none, and the disk is filling", "", all, 0},
		{"a time", "2h", 0, 1},
		{"a longer time", "4h", 0, 0},
		{"a size", "%dB", 0, 2},
		{"nothing", "0", 0, 3},
		{"a time, and the disk is filling", "4h", all, 3},
		{"a size, and the disk is filling", "1TB", all, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := start(t)
			names, gone := r.three()
			if strings.Contains(c.keep, "%d") {
				c.keep = fmt.Sprintf(c.keep, r.files()[2].Committed*3/2)
			}
			storage := stand(t, r.storage.Endpoint)
			tell := r.up.Tell
			r.up = New(r.dir, r.Index, r.up.log)
			r.up.Tell = tell
			unsent := r.file("https://example.com/unsent", 3000)
			storage.breaks(func(w http.ResponseWriter, req *http.Request) bool {
				return req.Method == http.MethodPut && refuse(w, http.StatusForbidden, "AccessDenied")
			})
			cfg := r.wants(c.keep)
			cfg.MinFree = c.minFree
			done, err := r.up.Round(t.Context(), cfg, true, nil)
			if err == nil || done.Released != c.want || !slices.Equal(*gone, names[:c.want]) {
				t.Errorf("%+v, %v, gone: %v", done, err, *gone)
			}
			for i, name := range names {
				f, _ := r.Index().File(name)
				if away := i < c.want; f.IsAway() != away || r.isHere(name) == away {
					t.Errorf("%d is away: %v, and here: %v", i, f.IsAway(), r.isHere(name))
				}
			}
			if !r.isHere(unsent) {
				t.Error("what is not there has gone")
			}
			r.readable()
			r.verified()
		})
	}
}

// TestKeepLink: the file to which a link leads stays, which is no failure, and it counts for no size; a file
// that was changed here stays, and is one.
func TestKeepLink(t *testing.T) {
	r := start(t)
	names, _ := r.three()
	elsewhere := filepath.Join(t.TempDir(), names[0])
	if err := os.Rename(r.dir.WARC(names[0]), elsewhere); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, r.dir.WARC(names[0])); err != nil {
		t.Fatal(err)
	}
	keep := fmt.Sprintf("%dB", r.files()[1].Committed+r.files()[2].Committed)
	if done := r.round(keep); done.Released != 0 || len(done.Kept) != 1 || !strings.Contains(done.Kept[0], "link") {
		t.Errorf("%+v", done)
	}
	if done := r.round("0"); done.Released != 2 || len(done.Kept) != 1 || !exists(elsewhere) || !r.isHere(names[0]) {
		t.Errorf("%+v", done)
	}
	r.readable()
	changed := r.file("https://example.com/changed", 3000)
	r.round("")
	was, err := os.ReadFile(r.dir.WARC(changed))
	if err == nil {
		err = os.WriteFile(r.dir.WARC(changed), append(was, was...), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	done, err := r.up.Round(t.Context(), r.wants("0"), true, nil)
	if err != nil || len(done.Failed) != 1 || !strings.Contains(done.Failed[0].Why, "bytes") || !r.isHere(changed) {
		t.Errorf("%+v, %v", done, err)
	}
}

// TestKeepAlone: while somebody has the finished files for himself none goes; then it does.
func TestKeepAlone(t *testing.T) {
	r := start(t)
	name := r.file("https://example.com/", 3000)
	err := r.Alone(t.Context(), func() error {
		if done := r.round("0"); done.Files != 1 || done.Released != 0 || !r.isHere(name) {
			t.Errorf("%+v", done)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if done := r.round("0"); done.Released != 1 || r.isHere(name) {
		t.Errorf("%+v", done)
	}
	r.readable()
	r.settled(true)
}

// TestNoteDamaged: where the note of a copy is lost, or is none, while a file is here, it is written again
// before the file goes.
func TestNoteDamaged(t *testing.T) {
	r := start(t)
	names, _ := r.three()
	if err := r.dir.DropNote(r.dir.AwayNote(names[0])); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(r.dir.AwayNote(names[1]), []byte(`{"bucket":`), 0o600); err != nil {
		t.Fatal(err)
	}
	r.up = New(r.dir, r.Index, r.up.log) // as after a restart
	if done := r.round("0"); done.Released != 3 {
		t.Errorf("%+v", done)
	}
	r.settled(true)
	r.verified()
}
