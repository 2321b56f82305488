package recorder

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"warcorder/store"
	"warcorder/store/collection"
)

// TestOrphans: what refers to a response that was lost is not written; all else is, where the index
// says.
func TestOrphans(t *testing.T) {
	lost := &pendingOriginal{lost: true}
	o := newOriginals("", nil, nil)
	gaps := &gapList{total: map[string]int64{}, closed: true, telling: newTelling()}
	c := &committer{
		batches: newBatches(&Config{}, o, newWake()),
		queue:   newQueue(&Config{}, gaps, nil, zerolog.Nop()),
	}
	out := &output{lanes: new(lanes), pending: 10}
	second := &pendingOriginal{keyed: true, Original: store.Original{Key: store.OriginalKey{1}}}
	for i, refers := range []*pendingOriginal{nil, lost, new(pendingOriginal), second, nil} {
		original := &pendingOriginal{
			keyed:    true,
			Original: store.Original{Key: store.OriginalKey{byte(i)}},
		}
		if i == 1 {
			original = second
		}
		c.batches.add(out, 0, bytes.Repeat([]byte{byte('a' + i)}, chunkSize/3+i),
			done{url: fmt.Sprint(i), refers: refers, original: original})
	}
	g := group{
		batches: []*batch{
			{done: []done{{refers: lost}}, written: true},
			out.batch,
			{output: out, done: []done{{url: "alone", refers: lost}}},
		},
	}
	c.dropOrphans(&g)
	var gone []string
	for _, g := range gaps.waiting {
		gone = append(gone, g.URL)
	}
	if !slices.Equal(gone, []string{"1", "3", "alone"}) || len(g.batches) != 2 || out.pending != 7 {
		t.Fatalf("%q lost, %d batches, %d pending", gone, len(g.batches), out.pending)
	}
	b, at := g.batches[1], int64(0)
	records := bytes.Join(b.chunks, nil)
	for n, i := range []int{0, 2, 4} {
		size := int64(chunkSize/3 + i)
		d := b.done[n]
		if d.url != fmt.Sprint(i) || d.capture.Offset != at || d.at != (span{at, at + size}) ||
			string(records[at:at+size]) != strings.Repeat(string(rune('a'+i)), int(size)) {
			t.Errorf("%s lies at %d, %+v", d.url, d.capture.Offset, d.at)
		}
		at += size
	}
	if b.size != at || int64(len(records)) != at || len(o.byKey) != 3 {
		t.Errorf("%d bytes of %d, %d originals", b.size, at, len(o.byKey))
	}
}

// TestLostOriginal: a response that could not be written takes what refers to it along, and no
// later one refers to it.
func TestLostOriginal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, t.TempDir(), Config{})
		c.get("http://example.com/before")
		time.Sleep(time.Second) // until it is on disk
		back := c.takeAway()
		for i := range 3 {
			c.commit(fmt.Sprint("http://example.com/", i), exampleRequest, answerOf(200, "", body2K))
			synctest.Wait()
			time.Sleep(time.Second) // the first is being tried, the others wait
		}
		c.get("http://example.com/other")
		synctest.Wait()
		var once sync.Once
		c.log.onLine = func(line string) {
			if strings.Contains(line, "exchange lost") {
				once.Do(back) // writing works again, for those that wait
			}
		}
		c.LastTry()
		synctest.Wait()
		c.commit("http://example.com/after", exampleRequest, answerOf(200, "", body2K))
		c.commit("http://example.com/again", exampleRequest, answerOf(200, "", body2K))
		if err := c.Close(); err == nil || c.log.count("exchange lost", errOrphan.Error()) != 2 ||
			c.log.count("exchange lost") != 3 {
			t.Errorf("%v; the log:\n%s", err, c.log.b.String())
		}
		again := open(t, c.dir, Config{})
		urls := again.urls()
		again.close()
		if !slices.Equal(
			urls,
			[]string{
				"http://example.com/after",
				"http://example.com/again",
				"http://example.com/before",
				"http://example.com/other",
			},
		) {
			t.Errorf("recorded: %q", urls)
		}
		records := readBack(t, c.dir)
		if n := checkRevisits(t, records); n != 1 {
			t.Errorf("%d revisits", n)
		}
	})
}

// TestPendingOriginal: what is not on disk yet is referred to only in the file that it will be in,
// before.
func TestPendingOriginal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		index, err := store.Open(filepath.Join(t.TempDir(), collection.IndexName), store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer index.Close()
		cfg, wake := &Config{WARCMaxSize: 1e9}, newWake()
		o := newOriginals("", index, newPresence("", index))
		l, q := newLanes(cfg, names{index: index}, wake), newBatches(cfg, o, wake)
		c := &committer{lanes: l, batches: q}
		key := store.OriginalKey{1}
		refers := func(out *output, claims bool) bool {
			to, err := o.find(key, out, claims, func(time.Time) bool { return true })
			if err != nil {
				t.Fatal(err)
			}
			return to != nil
		}
		s1, s2 := l.plan(small, 10), &output{lanes: l, name: "other"}
		if refers(s1, true) {
			t.Fatal("there is nothing to refer to")
		}
		waited := make(chan bool, 2)
		for range 2 {
			go func() { waited <- refers(s1, true) }()
		}
		synctest.Wait()
		if len(waited) > 0 {
			t.Error("others do not wait for the one that will be stored")
		}
		p := &pendingOriginal{keyed: true, output: s1, Original: store.Original{Key: key}}
		q.add(s1, 10, []byte("records"), done{original: p})
		if first, second := <-waited, <-waited; !first || !second {
			t.Error("those that have waited do not refer to it")
		}
		check := func(name string, in1, in2, none bool) {
			t.Helper()
			if refers(s1, false) != in1 || refers(s2, false) != in2 || refers(nil, false) != none {
				t.Errorf("%s: %v, %v, %v", name, refers(s1, false), refers(s2, false), refers(nil, false))
			}
		}
		check("in memory", true, false, false)
		b := s1.batch
		l.current[small] = s2
		c.move(b)
		check("moved to the next file", false, true, false)
		q.recycle(b)
		check("gone", false, false, false)
		q.addWritten(l.plan(large, 10), 100, done{original: p})
		check("on disk", true, true, true)
	})
}
