package recorder

import (
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"warcorder/store"
	"warcorder/store/collection"
)

// TestGroupCommit: what comes after a quiet time is committed at once; what comes within the
// interval of that, together, at its end and not before; what is large enough at once.
func TestGroupCommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, t.TempDir(), Config{CommitInterval: 100 * time.Millisecond, CommitSize: 100_000})
		check := func(want int) {
			t.Helper()
			synctest.Wait()
			if got := len(c.urls()); got != want {
				t.Fatalf("%d captures after %v, want %d", got, time.Since(start(t)), want)
			}
		}
		c.get("http://example.com/0")
		check(1)
		time.Sleep(30 * time.Millisecond)
		c.get("http://example.com/1")
		time.Sleep(15 * time.Millisecond)
		c.get("http://example.com/2")
		time.Sleep(54 * time.Millisecond)
		check(1)
		time.Sleep(time.Millisecond)
		check(3)
		c.commit("http://example.com/3", exampleRequest, page(200, "text/html", "", randomText(60_000)))
		check(3)
		c.commit("http://example.com/4", exampleRequest, page(200, "text/html", "", randomText(60_000)))
		time.Sleep(handfulFor)
		check(5)
		c.get("http://example.com/5")
		c.close()
		if n := c.log.count(`"message":"capture"`, `"level":"info"`); n != 6 {
			t.Errorf("%d captures in the log", n)
		}
	})
}

// TestAloneTakesLittle: an exchange that is synced by itself holds no more memory than its records
// while it waits.
func TestAloneTakesLittle(t *testing.T) {
	index, err := store.Open(filepath.Join(t.TempDir(), collection.IndexName), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	cfg, err := Config{}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	dir, wake := collection.Dir(t.TempDir()), newWake()
	cfg.Sync = syncAlways
	l := newLanes(&cfg, newNames(&cfg, dir, "host", index), wake)
	q := newBatches(&cfg, newOriginals(dir, index, nil), wake)
	out := l.plan(small, 100)
	records := make([]byte, 500)
	held := 0
	for range 1000 {
		q.add(out, 100, records, done{})
	}
	for _, b := range q.waiting {
		for _, chunk := range b.chunks {
			held += cap(chunk)
		}
	}
	if len(q.waiting) != 1000 || held > 2*1000*len(records) {
		t.Errorf("%d batches hold %d bytes", len(q.waiting), held)
	}
	if now, later := q.some(q.waiting); len(now) != aloneAtOnce || len(later) != 1000-aloneAtOnce {
		t.Errorf("%d at once, %d later", len(now), len(later))
	}
}
