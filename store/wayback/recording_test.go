package wayback

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"warcorder/recorder"
	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/readback"
)

// recording is a collection that is being recorded, and a server of it.
type recording struct {
	t      *testing.T
	rec    *recorder.Recorder
	dir    collection.Dir
	site   *Site
	server *httptest.Server
}

// begun is when the recordings of tests begin.
var begun = time.Date(2026, 3, 4, 5, 0, 0, 0, time.UTC)

// record begins to record a collection of that name.
func record(t *testing.T, name string, change func(*recorder.Config)) *recording {
	t.Helper()
	cfg := recorder.Default()
	cfg.CommitInterval, cfg.IndexInterval, cfg.MinFreeSpace = time.Millisecond, time.Millisecond, 0
	if change != nil {
		change(&cfg)
	}
	dir, err := collection.In(t.TempDir(), name)
	if err != nil {
		t.Fatal(err)
	}
	rec, err := recorder.Open(cfg, dir, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { rec.Close() })
	return &recording{t: t, rec: rec, dir: dir}
}

// collection is the recording as a site has it. What answers for the index says which path it got.
func (r *recording) collection() Collection {
	index := r.rec.Index()
	files := readback.New(r.dir, index)
	r.t.Cleanup(func() { files.Close() })
	says := func(who string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			fmt.Fprintf(w, "%s %s %s", who, q.URL.Path, q.RequestURI)
		})
	}
	return Collection{
		Name: r.dir.Name(), Dir: r.dir,
		Open:   func() (Reader, error) { return Reader{index, files}, nil },
		Settle: func(ctx context.Context, q store.Question) { r.rec.SettleFor(ctx, q) },
		Pywb:   says("pywb"), Search: says("search"), TimeMap: says("timemap"),
	}
}

// serve serves it, and others beside it.
func (r *recording) serve(others ...*recording) *recording {
	all := []Collection{r.collection()}
	for _, other := range others {
		all = append(all, other.collection())
	}
	r.site = New(all...)
	r.server = httptest.NewServer(r.site)
	r.t.Cleanup(r.server.Close)
	return r
}

// commit records a response that came so many seconds behind begun.
func (r *recording) commit(url, response string, second float64) {
	r.t.Helper()
	r.commitCut(url, response, second, "")
}

func (r *recording) commitCut(url, response string, second float64, cut string) {
	r.t.Helper()
	r.send(url, response, second, cut)
	if err := r.rec.Settle(context.Background()); err != nil {
		r.t.Fatal(err)
	}
}

// send records a response, and waits for nothing.
func (r *recording) send(url, response string, second float64, cut string) {
	r.t.Helper()
	x := r.rec.Begin()
	x.URL, x.Method = url, "GET"
	x.Started = begun.Add(time.Duration(second * float64(time.Second)))
	x.Ended, x.Truncated, x.RemoteIP = x.Started, cut, netip.MustParseAddr("192.0.2.1")
	io.WriteString(&x.Request, "GET / HTTP/1.1\r\nHost: example.com\r\n\r\n")
	io.WriteString(&x.Response, response)
	x.Commit()
}

// lines are the captures of all.
func (r *recording) captures() (all []store.Capture) {
	r.t.Helper()
	err := r.rec.Index().Captures(store.Query{}, func(c *store.Capture) bool {
		all = append(all, *c)
		return true
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return all
}

// got is an answer.
type got struct {
	*http.Response
	body string
}

// ask sends a request as it stands there, so that no client changes its target.
func (r *recording) ask(line string, fields ...string) got {
	r.t.Helper()
	conn, err := net.Dial("tcp", r.server.Listener.Addr().String())
	if err != nil {
		r.t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(30 * time.Second))
	head := line + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
	for _, field := range fields {
		head += field + "\r\n"
	}
	io.WriteString(conn, head+"\r\n")
	method, _, _ := strings.Cut(line, " ")
	res, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	if err != nil {
		r.t.Fatalf("%s: %v", line, err)
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		r.t.Fatalf("%s: %v", line, err)
	}
	return got{res, string(body)}
}

const page = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
