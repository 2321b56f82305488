package recorder

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"warcorder/recorder/record"
	"warcorder/store"
)

// TestAskUnderLoad: who reads the index is heard though there is always something to commit.
func TestAskUnderLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := batches{wake: newWake()}
		q.full.Store(1)
		c := committer{
			archive: new(archive),
			lanes:   new(lanes),
			batches: &q,
			health:  new(health),
			closing: make(chan struct{}),
			stop:    make(chan struct{}),
			readers: newReaders(new(health)),
		}
		c.pace.Store(new(pace))
		defer close(c.ended)
		go c.settle(t.Context())
		synctest.Wait()
		b := &batch{output: new(output)}
		q.waiting, q.size, c.unindexed = []*batch{b}, 1, []*batch{b}
		g, _ := c.next()
		if len(g.batches) != 1 || len(c.asking) != 1 {
			t.Errorf("%d batches, %d ask", len(g.batches), len(c.asking))
		}
		if left, waiting := c.untilIndexed(); left > 0 || !waiting {
			t.Errorf("what is on disk waits for %v", left)
		}
	})
}

// TestReadWhileOff: a disk that is nearly full, where recording stops, does not keep captures from
// whoever reads the index.
func TestReadWhileOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, t.TempDir(), Config{IndexInterval: time.Hour})
		c.get("http://example.com/")
		time.Sleep(time.Second)
		synctest.Wait()
		c.health.set(roomy, errors.New("nearly full"))
		if got := c.urls(); len(got) != 1 {
			t.Errorf("captures %q", got)
		}
		c.close()
	})
}

// TestLongTextUnindexed: what waits for the index holds little memory, whatever its URLs and tags
// are.
func TestLongTextUnindexed(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	for name, commit := range map[string]func(c *recording, n int){
		"URLs": func(c *recording, n int) { c.get(fmt.Sprint("http://example.com/", n, long)) },
		"tags": func(c *recording, n int) {
			c.commit(fmt.Sprint("http://example.com/", n), exampleRequest,
				answerOf(200, "ETag: \""+long+"\"\r\n", body2K))
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := open(t, t.TempDir(), Config{IndexInterval: time.Hour})
				for n := range 200 {
					commit(c, n)
				}
				time.Sleep(time.Minute)
				synctest.Wait()
				if n, err := c.index.Count(); n == 0 || err != nil {
					t.Errorf("%d captures in the index: %v", n, err)
				}
				c.close()
			})
		})
	}
}

// TestWriteIsInIndex: when Write returns the record is in the index, on disk, and not only for who
// asks this recorder.
func TestWriteIsInIndex(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, t.TempDir(), Config{IndexInterval: time.Hour})
		c.write(c.extra(record.Resource, "urn:x:A", "text/plain", "x"))
		if n, err := c.index.Count(); n != 1 || err != nil {
			t.Errorf("%d captures in the index: %v", n, err)
		}
		c.close()
	})
}

// TestFewOpen: files that get no more exchanges do not stay open by the hundreds until the index is
// written.
func TestFewOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, t.TempDir(), Config{IndexInterval: time.Hour, WARCMaxSize: 1})
		for n := range 100 {
			c.get(fmt.Sprint("http://example.com/", n))
			time.Sleep(time.Second)
			synctest.Wait()
			if open := len(c.Status().OpenFiles); open > manyOpen {
				t.Errorf("%d files are open after %d exchanges", open, n+1)
				break
			}
		}
		c.close()
	})
}

// TestIdleUnindexed: a file is finished after its idle time, though the index might wait longer.
func TestIdleUnindexed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, t.TempDir(), Config{IndexInterval: time.Hour, WARCIdle: time.Minute})
		c.get("http://example.com/")
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if open := c.Status().OpenFiles; len(open) > 0 {
			t.Errorf("open: %q", open)
		}
		c.close()
	})
}

// TestReadersShare: those who ask for what is on disk soon one after another wait for one transaction
// of the index, and who asks after a quiet time waits for none but their own.
func TestReadersShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, t.TempDir(), Config{IndexInterval: time.Hour})
		asked := func() time.Duration {
			c.get("http://example.com/")
			time.Sleep(c.committer.pace.Load().interval - time.Millisecond) // on disk: a quiet time was before
			synctest.Wait()
			began := time.Now()
			c.Index()
			return time.Since(began)
		}
		_, _ = c.urls(), asked()
		time.Sleep(time.Second)
		if got := asked(); got > 0 {
			t.Errorf("after a quiet time it took %v", got)
		}
		if got := asked(); got <= 0 || got > c.committer.pace.Load().interval {
			t.Errorf("soon after another it took %v", got)
		}
		c.close()
	})
}

// TestIndexForGone: who is gone does not wait for the index.
func TestIndexForGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, t.TempDir(), Config{IndexInterval: time.Hour})
		c.urls()
		c.get("http://example.com/")
		time.Sleep(c.committer.pace.Load().interval - 10*time.Millisecond)
		synctest.Wait()
		c.Index()
		c.get("http://example.com/")
		time.Sleep(c.committer.pace.Load().interval / 2)
		synctest.Wait()
		ctx, leave := context.WithCancel(t.Context())
		leave()
		began := time.Now()
		c.IndexFor(ctx, store.Everything)
		if got := time.Since(began); got > 0 {
			t.Errorf("it took %v", got)
		}
		c.close()
	})
}

// TestIndexFor: who asks for other URLs than those that are on disk alone does not wait for the index,
// and makes no transaction; who asks for one of them finds it.
func TestIndexFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, t.TempDir(), Config{IndexInterval: time.Hour})
		c.get("http://example.com/a?b")
		time.Sleep(time.Second)
		synctest.Wait()
		for _, q := range []store.Query{
			{URL: "http://example.com/"}, {URL: "http://example.com/b", Match: store.Prefix},
			{URL: "http://example.org/", Match: store.Host}, {URL: "http://b.example.com/", Match: store.Domain},
		} {
			if n, err := c.IndexFor(t.Context(), q.Question()).Count(); n > 0 || err != nil {
				t.Errorf("%+v: %d captures in the index: %v", q, n, err)
			}
		}
		open := c.Status().OpenFiles
		for name, q := range map[string]store.Question{
			"nothing": store.Nothing, "another file": store.OfFiles("x.warc.gz"),
			"a key": store.OfKey(store.URLKey, "com,example)/a"), "a prefix": store.OfPrefix("com,example)/a?c"),
			"both": store.OfFiles(open...).And(store.Nothing),
		} {
			if n, err := c.IndexFor(t.Context(), q).Count(); n > 0 || err != nil {
				t.Errorf("%s: %d captures in the index: %v", name, n, err)
			}
		}
		questions := []store.Question{
			store.Everything, store.OfFiles(open...), store.OfKey(store.URLKey, "com,example)/a?b"),
			store.OfPrefix("com,example)/a?"), store.OfPrefix(""), store.Question(store.Nothing).Or(store.Everything),
		}
		for _, q := range []store.Query{
			{}, {URL: "http://example.com/a?b"}, {URL: "http://example.com/a", Match: store.Prefix},
			{URL: "http://example.com/", Match: store.Host}, {URL: "http://com/", Match: store.Domain},
			{URL: "x", Key: store.FormKey, Match: store.Prefix},
		} {
			questions = append(questions, q.Question())
		}
		for i, q := range questions {
			c.get("http://example.com/a?b")
			time.Sleep(time.Second)
			synctest.Wait()
			before, err := c.index.Count()
			if n, err2 := c.IndexFor(t.Context(), q).Count(); n <= before || err != nil || err2 != nil {
				t.Errorf("%d: %d captures in the index, %d before: %v, %v", i, n, before, err, err2)
			}
		}
		c.close()
	})
}
