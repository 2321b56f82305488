package removing

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"warcorder/recorder"
	"warcorder/recorder/recovery"
	"warcorder/store/collection"
	"warcorder/store/removal"
	"warcorder/store/selection"
)

// watching is a context that ends when it is asked for the last time, and calls each time.
type watching struct {
	context.Context
	last, times int // 0 never ends
	each        func()
}

func (w *watching) Err() error {
	if w.times++; w.times == w.last {
		return context.Canceled
	}
	w.each()
	return nil
}

// random is a body that nothing makes shorter.
func random(size int) string {
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(rand.Uint32())
	}
	return string(b)
}

// TestLongFile: whoever gives up a removal is heard within a long file, when that is copied, when a long
// body is moved, and when what was written is read; then nothing is left of it.
func TestLongFile(t *testing.T) {
	const size, most = 20 << 20, 10 << 20
	r := start(t, nil)
	film := page(random(size))
	r.get("https://example.com/hush", film)
	r.get("https://example.com/other", film)
	r.get("https://example.com/kept", page(random(size)))
	for range 20 {
		r.get("https://example.com/small", page(random(100)))
	}
	r.rotate()
	plan := r.planned(selection.Selection{URL: "https://example.com/hush"})
	path := r.dir.Rewritten(r.files()[0])
	var written, longest int64
	ctx := &watching{Context: t.Context(), each: func() {
		if info, err := os.Stat(path); err == nil {
			longest, written = max(longest, info.Size()-written), info.Size()
		}
	}}
	anew, err := plan.Write(ctx, r.cfg.Mode, 0)
	if err != nil || plan.Moved != 1 || written < 2*size || longest > most {
		t.Errorf("%d bytes, and %d without a question: %+v, %v", written, longest, plan.Summary, err)
	}
	r.rereads(anew)
	if err := plan.Discard(); err != nil {
		t.Error(err)
	}
	for n := range 10 {
		ended := &watching{Context: t.Context(), last: max(1, ctx.times*n/10), each: func() {}}
		if _, err := plan.Write(ended, r.cfg.Mode, 0); !errors.Is(err, context.Canceled) {
			t.Errorf("at the question %d: %v", ended.last, err)
		}
		if left, _ := filepath.Glob(r.dir.WARC("*" + collection.RewrittenSuffix)); len(left) > 0 {
			t.Errorf("left over: %q", left)
		}
	}
}

// rereads holds the reading of a file that was written anew against that it asks at each record.
func (r *recording) rereads(written []removal.Written) {
	r.t.Helper()
	anew := []recovery.Anew{{Name: written[0].Name, Path: written[0].Path, Size: written[0].Size,
		Captures: written[0].Captures}}
	for _, last := range []int{0, 4} {
		renewal, err := r.Index().Renew(r.dir.NewIndex(), []uint32{written[0].ID})
		if err != nil {
			r.t.Fatal(err)
		}
		ctx := &watching{Context: r.t.Context(), last: last, each: func() {}}
		err = renewal.Fill(func() error {
			return recovery.Reread(ctx, recovery.Config{Dedup: recorder.Default().Dedup}, r.dir, renewal.Index(), anew)
		})
		if errors.Is(err, context.Canceled) != (last > 0) || ctx.times < 4 {
			r.t.Errorf("asked %d times: %v", ctx.times, err)
		}
		if err := renewal.Abandon(); err != nil {
			r.t.Error(err)
		}
	}
}
