//go:build unix

package proxy

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"warcorder/proxy/http1"
	"warcorder/proxy/raced"
	"warcorder/recorder"
)

// TestFloodOfParts: a page that makes any number of URLs which come in part, each with a large
// head, takes bounded memory, and time by their number.
func TestFloodOfParts(t *testing.T) {
	cfg := config()
	cfg.Complete.Quiet, cfg.Complete.Within = time.Hour, time.Hour
	h := newHouse(t, cfg)
	const headSize = 20 << 10
	parts := 100_000
	if raced.Enabled {
		parts = 50_000 // the detector takes most of the time; without it all are there
	}
	rest := " HTTP/1.1\r\nHost: a.example\r\nX: " + strings.Repeat("x", headSize) + "\r\nRange: bytes=0-1\r\n\r\n"
	unit := &exchange{
		client: &session{relay: &h.proxy.relay},
		limits: limits{cfg: &cfg},
		to:     origin{host: "a.example", port: "80"},
		req:    &http1.Request{Method: []byte("GET")},
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	began := cpuTime(t)
	for n := range parts {
		e := &exchange{client: unit.client, limits: unit.limits, to: unit.to, req: unit.req}
		e.url = fmt.Sprint("http://a.example/", n)
		e.client.fwd = append(fmt.Appendf(e.client.fwd[:0], "GET /%d", n), rest...)
		ent := entity{part: true, length: 10, nature: sized, etag: []byte("x")}
		h.proxy.completions.begin(e.url, true)
		h.proxy.completions.note(e, &ent, afterPart, "")
		h.proxy.completions.end(e.url, &ent)
	}
	took := cpuTime(t) - began
	runtime.GC()
	runtime.ReadMemStats(&after)
	q := h.proxy.completions
	if got := h.proxy.Completions(); got.Waiting == 0 || got.Waiting > cfg.Complete.Waiting ||
		q.heads > maxHeads || len(q.byURL) != got.Waiting || len(q.flights) != 0 {
		t.Errorf("%+v, %d bytes of heads, %d URLs, %d under way", got, q.heads, len(q.byURL), len(q.flights))
	}
	const told = 16 << 20 // the recorder's feed holds the newest 65,536 gaps of some 200 bytes
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 2*maxHeads+told {
		t.Errorf("%d MB more memory", grown>>20)
	}
	if took > 20*time.Second {
		t.Errorf("%v for %d", took, parts)
	}
	gaps, waiting := h.rec.Status().Gaps[recorder.GapCut], h.proxy.Completions().Waiting
	if gaps+int64(waiting) != int64(parts) {
		t.Errorf("%d gaps and %d that wait, of %d", gaps, waiting, parts)
	}
	q.stop() // what waits leads nowhere
}

// cpuTime is what the process has used of the processors: other programs do not lengthen it.
func cpuTime(t *testing.T) time.Duration {
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
