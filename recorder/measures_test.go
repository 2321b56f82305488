package recorder

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"warcorder/recorder/latency"
	"warcorder/recorder/record"
	"warcorder/store/collection"
	"warcorder/store/refusal"
)

// TestMeasures: what monitors follow is what was done: each exchange waited once, each batch was written
// and synced once, and the bytes are those of the files.
func TestMeasures(t *testing.T) {
	for _, c := range []struct {
		name  string
		cfg   Config
		syncs bool
	}{
		{"as a rule", Config{}, true},
		{"one batch for each", Config{Sync: syncAlways}, true},
		{"without sync", Config{Sync: syncNone}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cfg := c.cfg
			r := open(t, t.TempDir(), cfg)
			for i, response := range []string{answerOf(200, "", body2K), answerOf(200, "X: 1\r\n", body2K),
				answer("403 Forbidden"), answerOf(200, "", strings.Repeat(body2K, 1<<10))} {
				r.commit("http://example.com/", exampleRequest, response)
				eventually(t, "an exchange", func() bool { return r.Measures().Exchanges == int64(i+1) })
			}
			r.Panics().add(time.Now())
			r.settle()
			m := r.Measures()
			if m.Exchanges != 4 || m.Revisits != 1 || m.Saved != int64(len(body2K)) || m.Panics != 1 ||
				m.QueueSize != Default().QueueSize || m.Refusals.Total != (RefusalCounts{Forbidden: 1}) ||
				len(m.Refusals.Hosts) != 0 {
				t.Errorf("%+v", m)
			}
			wantTimes(t, &m, c.syncs)
			r.close()
			if got, want := r.Measures().Bytes, sizeOf(t, r.dir); got != want {
				t.Errorf("%d bytes are counted, the files have %d", got, want)
			}
		})
	}
}

// wantTimes: three small exchanges, one by one, and one large one.
func wantTimes(t *testing.T, m *Measures, syncs bool) {
	t.Helper()
	for name, c := range map[string]struct {
		got  latency.Snapshot
		want uint64
	}{
		"write small": {m.Write.Small, 3}, "write large": {m.Write.Large, 1}, "commit": {m.Commit, 4},
		"sync small": {m.Sync.Small, map[bool]uint64{true: 3}[syncs]},
		"sync large": {m.Sync.Large, map[bool]uint64{true: 1}[syncs]},
	} {
		if c.got.Count != c.want || (c.got.Sum > 0) != (c.want > 0) {
			t.Errorf("%s: %d times in %v, want %d", name, c.got.Count, c.got.Sum, c.want)
		}
	}
	if m.Index.Count == 0 || m.Index.Sum <= 0 {
		t.Errorf("index: %+v", m.Index)
	}
}

// sizeOf is the size of the WARC files of a collection.
func sizeOf(t *testing.T, dir string) (n int64) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "archive", "*.warc.gz*"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		n += info.Size()
	}
	return n
}

// TestMeasuresOfSpilled: what the recorder before has left in spill/ is recorded, and has not waited for
// this one.
func TestMeasuresOfSpilled(t *testing.T) {
	r := open(t, t.TempDir(), Config{})
	defer r.close()
	s := r.newSpillRecovery(&Config{Digest: "sha1"}, 1)
	x := r.begin("http://example.com/", exampleRequest, answerOf(200, "", body2K))
	r.queue.exits(&x.transit)
	s.worker.guarded(x, s.worker.take)
	x.release()
	eventually(t, "an exchange", func() bool { return r.Measures().Exchanges == 1 })
	if m := r.Measures(); m.Commit.Count != 0 || m.Write.Large.Count != 1 {
		t.Errorf("%+v", m)
	}
}

// TestMeasuresNeverFall: under load, whatever the moment, no count is below what it was, and none of the
// exchanges that are recorded lacks its wait.
func TestMeasuresNeverFall(t *testing.T) {
	t.Parallel()
	const clients, each = 8, 50
	r := open(t, t.TempDir(), Config{Dedup: record.DedupConfig{}})
	var all sync.WaitGroup
	for range clients {
		all.Go(func() {
			for range each {
				r.commit("http://example.com/", exampleRequest, answerOf(200, "", body2K))
				r.Gap(GapCut, "http://example.com/", "of a test")
			}
		})
	}
	ended := make(chan struct{})
	go func() { all.Wait(); close(ended) }()
	before := r.Measures()
	for going := true; going; {
		select {
		case <-ended:
			going = false
		default:
		}
		now := r.Measures()
		for _, c := range [][2]int64{
			{before.Exchanges, now.Exchanges}, {before.Bytes, now.Bytes}, {before.Saved, now.Saved},
			{before.Captures, now.Captures}, {before.Revisits, now.Revisits},
			{before.Gaps[GapCut], now.Gaps[GapCut]},
			{int64(before.Commit.Count), int64(now.Commit.Count)}, {int64(before.Sync.Small.Sum), int64(now.Sync.Small.Sum)},
		} {
			if c[1] < c[0] {
				t.Fatalf("%+v, before %+v", now, before)
			}
		}
		before = now
	}
	r.close()
	if m := r.Measures(); m.Exchanges != clients*each || m.Commit.Count != clients*each ||
		m.Gaps[GapCut] != clients*each {
		t.Errorf("%+v", m)
	}
}

// BenchmarkMeasures is what a scrape asks of a recorder, however many hosts have refused; Status, which
// lists some of them, is beside it.
func BenchmarkMeasures(b *testing.B) {
	r, err := Open(Config{}, collection.Dir(b.TempDir()), zerolog.Nop())
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	for i := range refusingHosts {
		r.committer.refusals.count(&refused{kind: refusal.Forbidden, host: fmt.Sprint("h", i, ".example")})
	}
	for name, ask := range map[string]func(){"measures": func() { r.Measures() }, "status": func() { r.Status() }} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				ask()
			}
		})
	}
}
