package removing

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"

	"warcorder/store/readback"
	"warcorder/store/removal"
	"warcorder/store/selection"
	"warcorder/store/warc"
)

// TestPlanMemory: a plan does not hold the lists of its tombstones, which each may be as large as what
// memory has for one; they list what goes all the same.
func TestPlanMemory(t *testing.T) {
	const files, captures, size = 3, 40, 50 << 10
	r := start(t, nil)
	for i := range files * captures {
		r.get(fmt.Sprintf("https://example.com/%03d%s", i, strings.Repeat("a", size)), page("text"))
		if (i+1)%captures == 0 {
			r.rotate()
		}
	}
	wish := Wish{Choose: Chosen(t.Context(), selection.Selection{URL: "https://example.com/", Match: "host"})}
	before := inUse()
	var plan *removal.Plan
	var read *readback.Files
	err := r.Alone(t.Context(), func() (err error) {
		plan, read, err = wish.plan(t.Context(), r.Recorder, r.dir)
		return err
	})
	if err != nil || plan.Captures != files*captures {
		t.Fatal(plan, err)
	}
	if held := inUse() - before; held > files*captures*size/2 {
		t.Errorf("a plan of %d captures holds %d bytes", plan.Captures, held)
	}
	runtime.KeepAlive(plan)
	if err := read.Close(); err != nil {
		t.Fatal(err)
	}
	r.remove(selection.Selection{URL: "https://example.com/", Match: "host"}, nil)
	if n := r.listed(); n != files*captures {
		t.Errorf("the tombstones list %d captures of %d", n, files*captures)
	}
}

// inUse is how many bytes the heap has that are in use.
func inUse() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// listed counts the captures that the tombstones of a recording list.
func (r *recording) listed() (n int) {
	r.t.Helper()
	paths, err := r.Index().Files()
	if err != nil {
		r.t.Fatal(err)
	}
	for _, file := range paths {
		b, err := os.ReadFile(r.dir.WARC(file.Name))
		if err != nil {
			r.t.Fatal(err)
		}
		reader, err := warc.NewForeignReader(bytes.NewReader(b), file.Name, 0)
		if err != nil {
			r.t.Fatal(err)
		}
		for record, err := reader.Next(); err == nil; record, err = reader.Next() {
			block, _ := io.ReadAll(record.Block)
			n += bytes.Count(block, []byte("\ncapture: "))
		}
	}
	return n
}
