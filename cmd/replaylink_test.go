//go:build unix

package cmd

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warcorder/store/collection"
)

// oddOrigin is an origin whose answers end in each way that HTTP/1.1 knows, and one that breaks off.
func oddOrigin(t *testing.T) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/posted":
			posted, _ := io.ReadAll(r.Body)
			fmt.Fprintf(w, "%s %s %d", r.Method, posted[:min(len(posted), 20)], len(posted))
		case "/chunks":
			for n := range 3 {
				fmt.Fprintf(w, "chunk %d;", n)
				w.(http.Flusher).Flush()
			}
		case "/none":
			w.WriteHeader(http.StatusNoContent)
		case "/large":
			w.Write(bytes.Repeat([]byte("large "), 1<<20))
		case "/cut":
			w.Header().Set("Content-Length", "1000")
			io.WriteString(w, "some")
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		default:
			w.Header().Set("Connection", "close")
			w.Header().Set("X-Own", "as sent")
			w.Write([]byte("a page"))
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// raw is all that a proxy answers to a request, and how that ends.
func (p *program) raw(request string) string {
	p.t.Helper()
	conn, err := net.DialTimeout("tcp", p.address, patience)
	if err != nil {
		p.t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(patience))
	io.WriteString(conn, request)
	all, err := io.ReadAll(conn)
	if err != nil {
		all = fmt.Appendf(all, "\n%v", strings.Contains(err.Error(), "reset"))
	}
	return string(all)
}

// TestReplaySame: what a replay answers by the files, it answers byte for byte when it has to ask the
// recorder, and by replay-listen: with each framing, with and without bodies, whole and cut.
func TestReplaySame(t *testing.T) {
	origin := oddOrigin(t)
	host := strings.TrimPrefix(origin, "http://")
	requests := map[string]string{}
	line := func(method, path, more string) {
		requests[method+path+more[:min(len(more), 30)]] = fmt.Sprintf(
			"%s %s%s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n%s", method, origin, path, host, more)
	}
	for _, path := range []string{"/", "/chunks", "/none", "/large", "/cut"} {
		line("GET", path, "\r\n")
	}
	line("HEAD", "/", "\r\n")
	line("POST", "/posted", "Content-Length: 6\r\n\r\nposted")
	line("POST", "/posted", "Transfer-Encoding: chunked\r\n\r\n3\r\nin \r\n6\r\nchunks\r\n0\r\n\r\n")
	large := strings.Repeat("x", 3<<20)
	line("PUT", "/posted", fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(large), large))
	rec := startRecording(t, "--complete", "never", "--replay-listen", "127.0.0.1:0")
	recorded := map[string]string{}
	for name, request := range requests {
		recorded[name] = rec.raw(request)
	}
	who, err := collection.Dir(filepath.Join(rec.dir, "collections", "default")).Running()
	if err != nil {
		t.Fatal(err)
	}
	second := &program{t: t, address: who.Replay}
	p := startReplay(t, rec.dir)
	requests["a miss"] = "GET http://" + host + "/missing HTTP/1.1\r\nConnection: close\r\n\r\n"
	beside := map[string]string{}
	for name, request := range requests {
		beside[name] = p.raw(request)
		if got := second.raw(request); got != beside[name] {
			t.Errorf("%s: by replay-listen\n%.500q\nbeside\n%.500q", name, got, beside[name])
		}
	}
	if code := rec.stop(); code != 0 {
		t.Fatalf("%d %s", code, rec.stderr)
	}
	for name, request := range requests {
		got := p.raw(request)
		if got != beside[name] {
			t.Errorf("%s: by the files\n%.500q\nbeside\n%.500q", name, got, beside[name])
		}
		if want, was := recorded[name]; was && got != want {
			t.Errorf("%s: replayed\n%.500q\nrecorded\n%.500q", name, got, want)
		}
	}
	if code := p.stop(); code != 0 {
		t.Errorf("%d %s", code, p.stderr)
	}
}

// TestReplaySecure: pages of HTTPS are replayed in tunnels, by the files and by the recorder, for who
// trusts the same certificate as at the recording.
func TestReplaySecure(t *testing.T) {
	site := newSite(t)
	rec := startRecording(t, "--insecure-upstream")
	_, want := rec.get(site.secure.URL + "/text/7/5001")
	p := startReplay(t, rec.dir)
	look := func(by string) {
		if _, got := p.get(site.secure.URL + "/text/7/5001"); got != want || len(got) != 5001 {
			t.Errorf("by %s: %d bytes, want %d", by, len(got), len(want))
		}
	}
	look("the recorder")
	rec.stop()
	look("the files")
}
