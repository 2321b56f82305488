//go:build faults

package recorder

import (
	"context"
	"strings"
	"testing"
	"time"

	"warcorder/store/fault"
)

// TestRotateMidBody: while a large body is written straight into its file that file stays open, and
// who does not wait for it is told what it is; who waits gets it whole. The small ones' file is
// finished meanwhile.
func TestRotateMidBody(t *testing.T) {
	c := open(t, t.TempDir(), Config{})
	c.get("http://example.com/small")
	c.commit("http://example.com/first", exampleRequest, page(200, "text/html", "", randomText(2<<20)))
	c.settle()
	writing, goOn := make(chan struct{}), make(chan struct{})
	began := false
	fault.Set(func(p fault.Point) error { // of the large worker alone: nothing else is committed
		if p == fault.WARCWrite && !began {
			began = true
			close(writing)
			<-goOn
		}
		return nil
	})
	defer fault.Set(nil)
	c.commit("http://example.com/large", exampleRequest,
		page(200, "text/html", "", randomText(100<<20)))
	<-writing
	ctx, cancel := context.WithTimeout(t.Context(), 2*settlePatience)
	defer cancel()
	files, err := c.Rotate(ctx)
	if err == nil || !strings.Contains(err.Error(), "http://example.com/large") || len(files) > 0 {
		t.Errorf("%q, %v", files, err)
	}
	rotated := make(chan []string, 1)
	go func() { rotated <- c.rotate() }()
	select {
	case files := <-rotated:
		t.Fatalf("%q are finished in the middle of a body", files)
	case <-time.After(3 * settlePatience):
	}
	close(goOn)
	if files := <-rotated; len(files) != 2 {
		t.Errorf("%q", files)
	}
	c.close()
	checkIndex(t, c.dir, readBack(t, c.dir))
	if in := c.filesOf(); in["http://example.com/large"] != in["http://example.com/first"] {
		t.Errorf("%q", in)
	}
}
