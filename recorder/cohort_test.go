package recorder

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"warcorder/store"
)

// indexed returns how many captures the index has, without asking for those that are to come.
func (c *recording) indexed() int64 {
	c.t.Helper()
	n, err := c.index.Count()
	if err != nil {
		c.t.Fatal(err)
	}
	return n
}

// settle waits for all that has come, which must succeed.
func (c *recording) settle() {
	c.t.Helper()
	if err := c.Settle(c.t.Context()); err != nil {
		c.t.Fatal(err)
	}
}

// TestSettle: what was committed, small or large, is in the index when Settle returns, and nothing
// to wait for is no wait.
func TestSettle(t *testing.T) {
	c := open(t, t.TempDir(), Config{})
	c.settle()
	for i := range 10 {
		c.get(fmt.Sprint("http://example.com/", i))
	}
	c.commit("http://example.com/large", exampleRequest,
		page(200, "text/html", "", randomText(3<<20)))
	c.settle()
	if n := c.indexed(); n != 11 {
		t.Errorf("%d captures of 11", n)
	}
	c.close()
	if err := c.Settle(t.Context()); err != nil {
		t.Errorf("after the end: %v", err)
	}
}

// TestSettleEnding: Settle waits for an exchange whose last piece is about to pass, though it is
// not committed yet; not for one that is in its middle, nor for one whose last piece passes later.
func TestSettleEnding(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, t.TempDir(), Config{})
		middle := c.begin("http://example.com/middle", exampleRequest, exampleResponse)
		last := c.begin("http://example.com/last", exampleRequest, exampleResponse)
		gone := c.begin("http://example.com/gone", exampleRequest, exampleResponse)
		if err := errors.Join(last.Flush(), gone.Flush()); err != nil {
			t.Fatal(err)
		}
		settled := make(chan error, 1)
		go func() { settled <- c.Settle(t.Context()) }()
		time.Sleep(time.Minute)
		later := c.begin("http://example.com/later", exampleRequest, exampleResponse)
		later.Ending()
		last.Commit()
		time.Sleep(time.Minute)
		select {
		case err := <-settled:
			t.Fatal("settled without the one that is discarded:", err)
		default:
		}
		gone.Discard()
		if err := <-settled; err != nil {
			t.Error(err)
		}
		if n := c.indexed(); n != 1 {
			t.Errorf("%d captures", n)
		}
		later.Commit()
		middle.Commit()
		c.settle()
		if n := c.indexed(); n != 3 {
			t.Errorf("%d captures in the end", n)
		}
		c.close()
	})
}

// TestSettleEnds: what does not come is not waited for longer than ctx says.
func TestSettleEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, t.TempDir(), Config{})
		x := c.begin("http://example.com/", exampleRequest, exampleResponse)
		x.Ending()
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		began := time.Now()
		err := c.Settle(ctx)
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Hour {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		x.Discard()
		c.settle()
		c.close()
	})
}

// TestSettleWithin: an exchange that is not committed is waited for as long as one has patience; one
// that is, beside it, is in the index in any case, and both when all are there.
func TestSettleWithin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, t.TempDir(), Config{})
		settles := func(patience time.Duration, want bool, captures int64) {
			t.Helper()
			began := time.Now()
			all, err := c.SettleWithin(t.Context(), patience)
			if n := c.indexed(); all != want || err != nil || n != captures {
				t.Errorf("all %v, %v, %d captures", all, err, n)
			}
			if took := time.Since(began); took > patience+settlePatience {
				t.Errorf("it took %v with a patience of %v", took, patience)
			}
		}
		settles(0, true, 0)
		slow := c.begin("http://example.com/slow", exampleRequest, exampleResponse)
		slow.Ending()
		c.get("http://example.com/quick")
		settles(time.Minute, false, 1)
		c.get("http://example.com/later")
		settles(0, false, 2)
		slow.Commit()
		settles(time.Minute, true, 3)
		c.close()
	})
}

// TestSettleOff: while nothing can be written Settle says why, at once, and waits for no end of it.
func TestSettleOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, t.TempDir(), Config{})
		back := c.takeAway()
		c.get("http://example.com/")
		err := c.Settle(t.Context())
		if err == nil || !strings.Contains(err.Error(), "recording is off") ||
			!strings.Contains(err.Error(), "archive") {
			t.Errorf("%v", err)
		}
		back()
		time.Sleep(lastPause)
		c.settle()
		if n := c.indexed(); n != 1 {
			t.Errorf("%d captures", n)
		}
		c.close()
	})
}

// TestSettleUnderLoad: under load that never ends each Settle ends, and what was committed before
// it is there. In the end nobody is waited for.
func TestSettleUnderLoad(t *testing.T) {
	c := open(t, t.TempDir(), Config{})
	var clients sync.WaitGroup
	for client := range 4 {
		clients.Go(func() {
			for i := range 30 {
				large := ""
				if i%10 == 9 {
					large = randomText(1<<20 + 1)
				}
				url := fmt.Sprintf("http://example.com/%d/%d", client, i)
				x := c.begin(url, exampleRequest, page(200, "text/html", "", url+large))
				if err := x.Flush(); err != nil {
					t.Error(err)
				}
				x.Commit()
				if err := c.Settle(t.Context()); err != nil {
					t.Error(err)
				}
				found, err := c.index.Newest(url, 1, func(*store.Capture) bool { return true })
				if len(found) != 1 || err != nil {
					t.Errorf("%s: %d captures, %v", url, len(found), err)
				}
			}
		})
	}
	clients.Wait()
	if left := c.queue.cohorts.close(); len(left) > 0 {
		t.Errorf("%d cohorts are left", len(left))
	}
	c.close()
}
