package removing

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"warcorder/recorder"
	"warcorder/store"
	"warcorder/store/readback"
	"warcorder/store/removal"
	"warcorder/store/selection"
)

// breaking is a context that panics when it is asked and a file is there: in the middle of a removal.
type breaking struct {
	context.Context
	path string // may have *
}

func (c breaking) Err() error {
	if found, _ := filepath.Glob(c.path); len(found) > 0 {
		panic("a table is broken")
	}
	return c.Context.Err()
}

var secret = selection.Selection{URL: "https://example.com/secret"}

// logged begins the recording anew, with a log.
func (r *recording) logged() *bytes.Buffer {
	r.t.Helper()
	r.close()
	log := new(bytes.Buffer)
	var err error
	r.Recorder, err = recorder.Open(r.cfg, r.dir, zerolog.New(zerolog.SyncWriter(log)))
	if err != nil {
		r.t.Fatal(err)
	}
	return log
}

// TestRemovePanics: a removal that panics has failed, and has changed nothing; the log has the stack, it
// is recorded on, and the next removal is carried out.
func TestRemovePanics(t *testing.T) {
	for name, c := range map[string]struct {
		broken func(r *recording) (context.Context, Wish)
		stack  string
	}{
		"while it is planned": {func(r *recording) (context.Context, Wish) {
			return t.Context(), Wish{Choose: func(*store.Bolt, *readback.Files) (removal.Order, error) {
				panic("a table is broken")
			}}
		}, "planOf"},
		"while files are written": {func(r *recording) (context.Context, Wish) {
			return breaking{t.Context(), r.dir.Rewritten("*")}, Wish{Choose: Chosen(t.Context(), secret)}
		}, "Plan).Write"},
		"while the index is made": {func(r *recording) (context.Context, Wish) {
			return breaking{t.Context(), r.dir.NewIndex()}, Wish{Choose: Chosen(t.Context(), secret)}
		}, "makeIndex"},
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t, nil)
			r.fill()
			log := r.logged()
			before := r.all()
			var q Queue
			remove := func(ctx context.Context, wish Wish) Job {
				q.Add("", false, func(context.Context, func(Progress)) (Removed, error) {
					return Remove(ctx, r.Recorder, r.dir, r.cfg.Mode, wish)
				})
				q.runs.Wait()
				return q.All()[0]
			}
			j := remove(c.broken(r))
			if j.State != Failed || !strings.Contains(j.Err.Error(), "a table is broken") || j.Result.Done {
				t.Fatalf("%+v", j)
			}
			r.same(before)
			for _, path := range []string{r.dir.NewIndex(), r.dir.Rewritten("*")} {
				if left, _ := filepath.Glob(path); len(left) > 0 {
					t.Errorf("left over: %q", left)
				}
			}
			r.get("https://example.com/later", page(text("later")))
			if err := r.Ready(); err != nil {
				t.Error(err)
			}
			if j := remove(t.Context(), Wish{Choose: Chosen(t.Context(), secret)}); !j.Result.Done {
				t.Errorf("the next removal: %+v", j)
			}
			later := false
			for _, s := range r.all() {
				if later = later || strings.HasSuffix(s.url, "/later"); s.url == secret.URL {
					t.Errorf("%+v is left", s)
				}
			}
			if !later {
				t.Error("what came between is not there")
			}
			r.verified()
			if told := log.String(); strings.Count(told, "was caught") != 1 || !strings.Contains(told, c.stack) {
				t.Errorf("the log: %s", told)
			}
		})
	}
}

// TestRenewPanics: a panic while the new index is made leaves none, nor anything in the way of the next.
func TestRenewPanics(t *testing.T) {
	r := start(t, nil)
	r.fill()
	before := r.all()
	func() {
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		r.Alone(t.Context(), func() error {
			return r.Renew(breaking{t.Context(), r.dir.NewIndex()}, recorder.Renewal{
				Decide: func() error { t.Error("it is decided"); return nil },
			})
		})
	}()
	if _, err := os.Lstat(r.dir.NewIndex()); err == nil {
		t.Error("the new index is there")
	}
	r.same(before)
	if done := r.remove(secret, nil); !done.Done {
		t.Errorf("the next removal: %+v", done)
	}
	r.verified()
}
