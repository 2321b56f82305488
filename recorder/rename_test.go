package recorder

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"warcorder/recorder/spill"
)

// TestRenamedWhileLeft: the committer gives a WARC file another name, since somebody has put a file
// where it was to be, while workers write down into which file their records go. Each of them
// writes down one of the names.
func TestRenamedWhileLeft(t *testing.T) {
	c := open(t, t.TempDir(), Config{})
	c.memory.Limit.Store(0) // every exchange has files
	m := newMaker(c.makers())
	out := c.lanes.plan(small, 0)
	defer c.lanes.drop(out, 0)
	var exchanges []*Exchange
	for i := range 8 {
		exchanges = append(exchanges, c.begin(fmt.Sprint("http://example.com/", i), exampleRequest,
			page(200, "text/plain", "", randomText(8<<10))))
	}
	names := map[string]bool{out.name: true}
	var renaming sync.WaitGroup
	renaming.Go(func() {
		for range 100 {
			c.lanes.rename(out)
			names[out.name] = true
		}
	})
	var paths []string
	for _, x := range exchanges {
		paths = append(paths, m.leave(&x.spill, out))
		x.Discard()
	}
	renaming.Wait()
	for _, path := range paths {
		line, err := spill.ReadSidecar(path + spill.SidecarSuffix)
		if err != nil || !names[line.Into] {
			t.Errorf("%s goes into %v: %v", filepath.Base(path), line, err)
		}
		c.queue.unspill(path)
	}
}
