//go:build unix

package cmd

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"warcorder/store/objects/gateway"
	"warcorder/store/outbackcdx/outbackcdxtest"
)

// front stands in front of who is fed: it kills the recorder when something is written, or takes nothing.
type front struct {
	*httptest.Server

	mu    sync.Mutex
	kill  *program // nil: nobody
	after bool     // it is killed when the write has been done, before the answer comes
	down  bool
}

// newFront stands in front of a server.
func newFront(t *testing.T, behind string) *front {
	t.Helper()
	to, err := url.Parse(behind)
	if err != nil {
		t.Fatal(err)
	}
	f := new(front)
	proxy := httputil.NewSingleHostReverseProxy(to)
	proxy.ErrorHandler = func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) }
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		kill, after, down := f.kill, f.after, f.down
		if r.Method == http.MethodGet || r.Method == http.MethodHead {
			kill = nil
		}
		if kill != nil {
			f.kill = nil
		}
		f.mu.Unlock()
		if kill != nil && !after {
			kill.cmd.Process.Kill()
		}
		if kill != nil && after {
			proxy.ServeHTTP(httptest.NewRecorder(), r)
			kill.cmd.Process.Kill()
		}
		if kill != nil || down {
			panic(http.ErrAbortHandler)
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(f.Close)
	return f
}

// strikes kills a recorder when it writes next, before that is done or after.
func (f *front) strikes(p *program, after bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.kill, f.after = p, after
}

func (f *front) isDown(is bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.down = is
}

// TestFeedsStruck: a recorder that is killed again and again while it feeds, before or after the other side
// has taken what came, feeds it all at last, each line once; while the other side is away the lag grows, and
// falls when it is back.
func TestFeedsStruck(t *testing.T) {
	server, storage := outbackcdxtest.New(), gateway.Run(t)
	t.Cleanup(server.Close)
	index, bucket := newFront(t, server.URL), newFront(t, storage.Endpoint)
	gateway.Use(t, bucket.URL)
	for name, c := range map[string]*struck{
		"an index server": {index, "outbackcdx=" + index.URL + "/web", func(b *brokenPush) (got, want []string) {
			return server.Lines(), b.exported()
		}},
		"a table in a bucket": {bucket, "parquet=s3://" + gateway.Bucket + "/table",
			func(b *brokenPush) (got, want []string) {
				return tableOf(t, filepath.Join(storage.Dir, gateway.Bucket, "table")), b.exportedRows()
			}},
	} {
		t.Run(name, func(t *testing.T) {
			b := &brokenPush{program: &program{t: t, dir: t.TempDir()}, server: server}
			start := func() {
				b.program = startRecordingIn(t, b.dir, "--push", c.to, "--push-every", "1s", "--warc-idle", "1s")
			}
			for i := range 6 {
				start()
				b.record(fmt.Sprintf("https://example.com/%d", i))
				token := b.recorder().Token
				c.front.strikes(b.program, i%2 == 1)
				b.tries(token, fmt.Sprintf("https://example.com/%d/more", i))
				<-b.ended
			}
			start()
			c.isFed(t, b)
			c.front.isDown(true)
			b.record("https://example.com/away")
			eventually(t, "it fails", func() bool { return b.metric("push_up") == 0 })
			before := b.metric("push_lag_seconds")
			eventually(t, "the lag grows", func() bool { return b.metric("push_lag_seconds") > before+2 })
			if b.metric("push_failures_total") == 0 {
				t.Error("nothing has failed")
			}
			c.front.isDown(false)
			c.isFed(t, b)
			grown := b.metric("push_lag_seconds")
			eventually(t, "the lag falls", func() bool {
				return b.metric("push_up") == 1 && (b.metric("push_lag_seconds") < 2 ||
					b.metric("push_lag_seconds") < grown-1)
			})
			if code := b.stop(); code != 0 {
				t.Errorf("%d %s", code, b.stderr)
			}
		})
	}
}

// struck is who is fed behind a front, and what is there.
type struck struct {
	front *front
	to    string
	has   func(*brokenPush) (got, want []string)
}

// isFed waits until the other side has what an export has, and nothing twice.
func (c *struck) isFed(t *testing.T, b *brokenPush) {
	t.Helper()
	var got, want []string
	eventually(t, "all is there", func() bool {
		got, want = c.has(b)
		return slices.Equal(got, want)
	})
	if distinct := slices.Compact(slices.Clone(got)); len(distinct) != len(got) || len(got) == 0 {
		t.Errorf("%q", got)
	}
}

// tries has something recorded by a recorder that may be killed meanwhile.
func (b *brokenPush) tries(token, uri string) {
	to := "http://" + b.address + "/record?type=resource&date=2026-05-01T12:00:00Z&token=" + token +
		"&uri=" + url.QueryEscape(uri)
	if res, err := http.Post(to, "text/plain", strings.NewReader("text")); err == nil {
		res.Body.Close()
	}
}

// metric is the value of a recorder's only series of that family; -1 if it is not there.
func (p *program) metric(family string) float64 {
	p.t.Helper()
	value := -1.0
	for line := range strings.Lines(p.page("/metrics")) {
		if name, text, found := strings.Cut(line, " "); found &&
			strings.HasPrefix(name, "warcorder_"+family+"{") {
			fmt.Sscan(text, &value)
		}
	}
	return value
}
