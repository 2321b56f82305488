package readback

import (
	nethttp "net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
	"testing"

	"warcorder/recorder"
	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/holdings/awaytest"
	"warcorder/store/objects/gateway"
)

// TestAwayShared: whoever reads a collection for one request after another has one Storage for all of them,
// with the memory of one: what was read for the first is not asked for again, also when the Files of the
// first were closed.
func TestAwayShared(t *testing.T) {
	storage := gateway.Start(t)
	r := record(t, func(cfg *recorder.Config) { cfg.Dedup.MinSize = 0 })
	const text = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody"
	r.commit("http://example.com/a", text, nil)
	c := r.wait("http://example.com/a", 1)[0]
	if _, err := r.Rotate(t.Context()); err != nil {
		t.Fatal(err)
	}
	awaytest.Send(t, r.dir, r.Index(), c.File)
	asked := requestsTo(t, storage.Endpoint)
	base := New(r.dir, r.Index())
	for i := range 20 {
		before := asked.Load()
		files := base.By(r.Index())
		readOne(t, files, &c)
		if got := asked.Load() - before; (got > 0) != (i == 0) {
			t.Errorf("request %d asked the storage %d times", i, got)
		}
		one, err := base.Holdings().Storage()
		other, otherErr := files.Holdings().Of(collection.Dir(t.TempDir())).Storage()
		if err != nil || otherErr != nil || one != other {
			t.Fatalf("another storage, %v %v", err, otherErr)
		}
		if err := files.Close(); err != nil {
			t.Error(err)
		}
	}
	alone := New(r.dir, r.Index())
	before := asked.Load()
	if readOne(t, alone, &c); asked.Load() == before {
		t.Error("one that shares nothing has asked nobody")
	}
}

// readOne reads the body of a capture.
func readOne(t *testing.T, files *Files, c *store.Capture) {
	t.Helper()
	response, err := files.Response(c)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Close()
	if got := all(t, response.Body); got != "body" {
		t.Errorf("%q", got)
	}
}

// requestsTo counts what a storage is asked; the environment of the test names what counts from then on.
func requestsTo(t *testing.T, endpoint string) *atomic.Int64 {
	t.Helper()
	to, err := url.Parse(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	asked := new(atomic.Int64)
	proxy := &httputil.ReverseProxy{Rewrite: func(p *httputil.ProxyRequest) {
		p.SetURL(to)
		p.Out.Host = p.In.Host // it is signed
	}}
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, q *nethttp.Request) {
		asked.Add(1)
		proxy.ServeHTTP(w, q)
	}))
	t.Cleanup(server.Close)
	gateway.Use(t, server.URL)
	return asked
}
