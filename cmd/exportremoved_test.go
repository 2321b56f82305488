package cmd

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"warcorder/recorder"
	"warcorder/store/collection"
	"warcorder/store/removal/journal"
)

// TestExportRemoved: where something is removed while the lines are written, no file with the old ones
// stays.
func TestExportRemoved(t *testing.T) {
	for _, removed := range []bool{false, true} {
		dir := collection.Dir(t.TempDir())
		if err := os.MkdirAll(string(dir)+"/indexes", 0o700); err != nil {
			t.Fatal(err)
		}
		err := writeOut(dir.CDXJ(), collection.DefaultMode, unlessRemoved(dir, func(w io.Writer) error {
			if removed {
				if err := os.WriteFile(dir.Removed(), []byte(`{"id":"1"}`), 0o600); err != nil {
					return err
				}
			}
			_, err := io.WriteString(w, "a line\n")
			return err
		}))
		_, missing := os.Stat(dir.CDXJ())
		if errors.Is(err, errRemoved) != removed || os.IsNotExist(missing) != removed {
			t.Errorf("removed: %v: %v, %v", removed, err, missing)
		}
	}
}

// TestInterruptedRemoval: where a removal was interrupted, who reads the collection is told which command
// finishes that, for that collection, also if it was interrupted while lines were written; behind that
// everybody reads it.
func TestInterruptedRemoval(t *testing.T) {
	p := &program{t: t, dir: t.TempDir()}
	dir := collection.Dir(filepath.Join(p.dir, "collections", "news"))
	cfg := recorder.Default()
	cfg.MinFreeSpace = 0
	rec, err := recorder.Open(cfg, dir, zerolog.Nop())
	if err == nil {
		err = rec.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	index, err := os.ReadFile(dir.Index())
	if err == nil {
		err = os.WriteFile(dir.NewIndex(), index, 0o600)
	}
	reading := dir.Reading()
	text, _ := json.Marshal(journal.Journal{ID: "<urn:uuid:1>", Index: int64(len(index))})
	if err = errors.Join(err, os.WriteFile(dir.Removal(), text, 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := unchanged(dir, reading); err == nil || errors.Is(err, errRemoved) ||
		!strings.Contains(err.Error(), " recover --collection news") {
		t.Error(err)
	}
	all := [][]string{{"export"}, {"export", "-o", "-"}, {"export", "-o", p.dir + "/lines"},
		{"export", "--format", "warc-0.9", "-o", p.dir + "/old"}, {"lookup", "https://example.com/"}, {"pages"},
		{"report"}, {"gaps"}, {"status"}, {"extract", "-o", p.dir + "/part"},
		{"wacz", "-o", p.dir + "/a.wacz"}, {"har", "-o", p.dir + "/a.har"}, {"replay", "--listen", "127.0.0.1:0"},
		{"remove", "--to", "2999", "--dry-run"}, {"rotate"}}
	for _, args := range append(all, []string{"verify"}) {
		out, errs, code := p.run(append(args, "--collection", "news")...)
		says := " recover --collection news"
		if args[0] == "verify" {
			says = "warcorder recover finishes it"
		}
		if code == 0 || !strings.Contains(out+errs, says) {
			t.Errorf("%q: %d %q %q", args, code, out, errs)
		}
	}
	if out, errs, code := p.run("recover", "--collection", "news"); code != 0 {
		t.Fatalf("%d %q %q", code, out, errs)
	}
	for _, args := range all[:3] {
		if out, errs, code := p.run(append(args, "--collection", "news")...); code != 0 {
			t.Errorf("%q: %d %q %q", args, code, out, errs)
		}
	}
}
