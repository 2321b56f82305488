package uploading

import (
	"fmt"
	"sync"
	"testing"

	"warcorder/store"
	"warcorder/store/readback"
	"warcorder/store/verify"
)

// former are files as they were when a recorder was asked last.
type former struct {
	index *store.Bolt
	mu    sync.Mutex
	files map[string]store.File
}

func (f *former) File(name string) (store.File, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	one, known := f.files[name]
	return one, known
}

func (f *former) FileNow(name string) (one store.File, known bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	one, known = f.index.File(name)
	f.files[name] = one
	return one, known, nil
}

func (*former) Original(*store.Capture) (store.Location, error) {
	return store.Location{}, readback.ErrNoOriginal
}

// TestGoneMeanwhile: who reads beside a recorder reads a file too that went away after it was asked, each of
// several at once.
func TestGoneMeanwhile(t *testing.T) {
	r := start(t)
	r.file("https://example.com/", 3000)
	states := &former{index: r.Index(), files: map[string]store.File{}}
	for _, f := range r.files() {
		states.files[f.Name] = f
	}
	files := readback.Beside(r.dir, states)
	defer files.Close()
	if done := r.round("0"); done.Released != 1 {
		t.Errorf("%+v", done)
	}
	var all []*store.Capture
	if err := r.Index().Captures(store.Query{}, func(c *store.Capture) bool {
		one := *c
		all = append(all, &one)
		return true
	}); err != nil || len(all) != 1 {
		t.Fatalf("%d captures, %v", len(all), err)
	}
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			response, err := files.Response(all[0])
			if err != nil {
				t.Error(err)
				return
			}
			if err := response.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	readers.Wait()
}

// TestVerifyMeanwhile: files that go away while they are verified are no damage; with --remote they are read
// where they are.
func TestVerifyMeanwhile(t *testing.T) {
	for _, remote := range []bool{false, true} {
		r := start(t)
		const n = 20
		for i := range n {
			r.file(fmt.Sprint("https://example.com/", i), 300)
		}
		r.round("")
		var once sync.Once
		checker := verify.Checker{TempDir: t.TempDir(), Remote: remote,
			Report: func(f verify.Finding) {
				if !f.Note {
					t.Errorf("remote %v: %+v", remote, f)
				}
			},
			Progress: func(string, int64, int64) { once.Do(func() { r.round("0") }) }}
		found, err := checker.Collection(r.dir)
		if err != nil || found.Away == 0 || found.Away > n {
			t.Errorf("remote %v: %+v, %v", remote, found, err)
		}
	}
}
