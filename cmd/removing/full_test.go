//go:build faults

package removing

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/fault"
	"warcorder/store/selection"
)

// failing lets a point fail, until the function that it returns is called.
func failing(point fault.Point, err error) (end func()) {
	fault.Set(func(p fault.Point) error {
		if p == point {
			return err
		}
		return nil
	})
	return func() { fault.Set(nil) }
}

// TestFullDisk: where the disk is full, or a step fails, before the first file has taken its place,
// everything is as it was, and recording goes on; behind that nothing needs room, and what fails all the
// same is finished by the next start.
func TestFullDisk(t *testing.T) {
	placed := slices.Index(fault.Removals, fault.RemoveSwap)
	for i, point := range fault.Removals {
		t.Run(string(point), func(t *testing.T) {
			r := start(t, nil)
			r.fill()
			before := r.all()
			after := maps.Clone(before)
			maps.DeleteFunc(after, func(_ string, s shown) bool { return s.isOf([]string{"/secret"}) })
			write(t, r.dir.CDXJ(), "com,example)/secret 20260501120001 {}\n")
			end := failing(point, syscall.ENOSPC)
			done, err := Remove(t.Context(), r.Recorder, r.dir, r.cfg.Mode, Wish{Choose: Chosen(t.Context(), secrets)})
			end()
			switch {
			case point == fault.RemoveRest:
				if err != nil || !done.Done || !slices.Equal(done.Left, []string{"indexes/index.cdxj"}) {
					t.Errorf("%+v, %v", done, err)
				}
				r.same(after)
				return
			case !errors.Is(err, syscall.ENOSPC):
				t.Fatalf("%+v, %v", done, err)
			case i < placed:
				r.unchanged(before)
			default:
				r.Recorder.Close()
				r.open()
				r.same(after)
			}
			r.get("https://example.com/later", page(text("later")))
			if n, err := r.Index().Count(); err != nil || n == 0 {
				t.Error(n, err)
			}
			r.remove(selection.Selection{URL: "https://example.com/later"}, nil)
			r.remove(secrets, nil)
			r.same(after)
			r.verified()
		})
	}
}

// TestUndone: where a removal fails when it takes its places, it is undone as long as none is taken, also
// if no file but the index takes any; else the next start finishes it.
func TestUndone(t *testing.T) {
	gap := selection.Selection{URL: "https://example.com/unanswered"}
	for name, test := range map[string]struct {
		sel    selection.Selection
		point  fault.Point
		passes int // before it fails
		undone bool
	}{
		"the first file":            {secrets, fault.RemoveRename, 0, true},
		"the second file":           {secrets, fault.RemoveRename, 1, false},
		"the index behind files":    {secrets, fault.RemoveSwap, 0, false},
		"the index alone":           {gap, fault.RemoveSwap, 0, true},
		"the index alone, in place": {gap, fault.RemoveSwapped, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t, nil)
			r.fill()
			r.Gap("upstream", gap.URL, "no answer")
			write(t, r.dir.CDXJ(), "com,example)/secret 20260501120001 {}\n")
			r.rotate()
			before := r.all()
			gaps, err := r.Gaps(0)
			if err != nil {
				t.Fatal(err)
			}
			passed := 0
			fault.Set(func(p fault.Point) error {
				if p == test.point {
					passed++
				}
				if passed > test.passes {
					return syscall.EPERM
				}
				return nil
			})
			done, err := Remove(t.Context(), r.Recorder, r.dir, r.cfg.Mode,
				Wish{Choose: Chosen(t.Context(), test.sel)})
			fault.Set(nil)
			if !errors.Is(err, syscall.EPERM) || done.Done ||
				strings.Contains(err.Error(), "warcorder recover") == test.undone {
				t.Fatalf("%+v, %v", done, err)
			}
			if test.undone {
				r.unchanged(before)
				write(t, r.dir.Rewritten(r.files()[0]), "what could not be removed")
				r.get("https://example.com/later", page(text("plain"))) // a revisit of /kept
				if now, err := r.Gaps(0); err != nil || now.Counts["upstream"] != gaps.Counts["upstream"] {
					t.Errorf("gaps %+v, %v", now, err)
				}
				if again := r.remove(test.sel, nil); !again.Done {
					t.Errorf("again: %+v", again)
				}
			} else if _, err := r.Index().Count(); !errors.Is(err, store.ErrBroken) {
				t.Errorf("the index is used: %v", err)
			}
			r.Recorder.Close()
			r.open()
			if again := r.remove(test.sel, func(w *Wish) { w.DryRun = true }); !again.IsEmpty() {
				t.Errorf("there is still %+v", again)
			}
			r.verified()
		})
	}
}

// unchanged holds a collection against what it was before a removal that came to nothing.
func (r *recording) unchanged(before map[string]shown) {
	r.t.Helper()
	if err := r.Ready(); err != nil {
		r.t.Error(err)
	}
	r.same(before)
	left, _ := filepath.Glob(string(r.dir) + "/*/*.rewritten")
	if _, err := os.Lstat(r.dir.CDXJ()); err != nil || len(left) > 0 {
		r.t.Error(err, left)
	}
	for _, path := range []string{r.dir.Removal(), r.dir.NewIndex(), r.dir.RemovalRest()} {
		if _, err := os.Lstat(path); err == nil {
			r.t.Errorf("%s is there", path)
		}
	}
}

// TestLeftBehind: a removal of which only the rest is left is ended by the next one, and harms no index
// that is made meanwhile.
func TestLeftBehind(t *testing.T) {
	r := start(t, nil)
	for i := range 50 {
		r.get(fmt.Sprintf("https://example.com/%d", i), page(text("one")))
	}
	end := failing(fault.RemoveDone, errors.New("no"))
	_, err := Remove(t.Context(), r.Recorder, r.dir, r.cfg.Mode, Wish{Choose: Chosen(t.Context(),
		selection.Selection{URL: "https://example.com/1"})})
	end()
	if err == nil {
		t.Fatal("no error")
	}
	renewal, err := r.Index().Renew(r.dir.NewIndex(), nil) // as a second removal does
	if err == nil {
		err = renewal.Synced()
	}
	dir := collection.Dir(filepath.Join(t.TempDir(), "c"))
	if err = errors.Join(err, os.CopyFS(string(dir), os.DirFS(string(r.dir)))); err != nil {
		t.Fatal(err)
	}
	killed := &recording{t: t, cfg: r.cfg, dir: dir}
	killed.open()
	defer func() { killed.Recorder.Close() }()
	if n, err := killed.Index().Count(); err != nil || n != 49 {
		t.Error(n, err)
	}
	if err := renewal.Abandon(); err != nil {
		t.Fatal(err)
	}
	r.remove(selection.Selection{URL: "https://example.com/2"}, nil)
	if _, err := os.Lstat(r.dir.RemovalRest()); err == nil || len(r.all()) != 48 {
		t.Error(err)
	}
}
