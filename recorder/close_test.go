package recorder

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"warcorder/recorder/record"
	"warcorder/store/collection"
)

// TestCloseWhileOff: what cannot be written when the recorder closes is named in the log, and Close
// says that it is lost; a large exchange stays on disk, and the next start records it.
func TestCloseWhileOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, t.TempDir(), Config{})
		c.get("http://example.com/safe")
		time.Sleep(time.Second)
		back := c.takeAway()
		c.get("http://example.com/lost")
		c.commit("http://example.com/large", exampleRequest,
			page(200, "text/plain", "", randomText(2<<20)))
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if err := c.Close(); err == nil || !strings.Contains(err.Error(), "1 exchanges lost") {
			t.Errorf("Close: %v", err)
		}
		for name, message := range map[string]string{
			"lost": "exchange lost", "large": "the next start records it",
		} {
			if n := c.log.count(message, "http://example.com/"+name); n != 1 {
				t.Errorf("%s is named %d times in the log: %s", name, n, &c.log.b)
			}
		}
		back()
		again := open(t, c.dir, Config{})
		if got := again.urls(); !slices.Equal(
			got,
			[]string{"http://example.com/large", "http://example.com/safe"},
		) {
			t.Errorf("captures %v", got)
		}
		again.close()
		checkIndex(t, c.dir, readBack(t, c.dir))
	})
}

// TestAfterClose: an exchange that ends too late is named in the log.
func TestAfterClose(t *testing.T) {
	c := open(t, t.TempDir(), Config{})
	x := c.begin("http://example.com/late", exampleRequest, exampleResponse)
	c.close()
	x.Commit()
	if c.log.count("exchange lost", "http://example.com/late") != 1 {
		t.Errorf("in the log: %s", &c.log.b)
	}
	if err := c.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
}

// TestExtraAfterClose: whoever waits for a record is told that it will not come.
func TestExtraAfterClose(t *testing.T) {
	c := open(t, t.TempDir(), Config{})
	e := c.extra(record.Resource, "urn:x", "text/plain", "x")
	c.close()
	if _, err := e.Write(context.Background()); !errors.Is(err, errClosed) {
		t.Errorf("%v", err)
	}
}

// TestTwoRecorders: the second one on a collection is refused, and does no harm to the first.
func TestTwoRecorders(t *testing.T) {
	c := open(t, t.TempDir(), Config{})
	c.get("http://example.com/1")
	_, err := Open(Config{}, collection.Dir(c.dir), zerolog.Nop())
	if !errors.Is(err, collection.ErrLocked) {
		t.Errorf("Open: %v", err)
	}
	c.commit("http://example.com/2", exampleRequest, page(200, "text/plain", "", randomText(2<<20)))
	c.close()
	checkIndex(t, c.dir, readBack(t, c.dir))
}
