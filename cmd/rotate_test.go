package cmd

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"warcorder/store/cdxserver"
	"warcorder/store/collection"
)

// recorder is the program as its clients see it.
func (p *program) recorder() cdxserver.Recorder {
	p.t.Helper()
	r, err := cdxserver.At(collection.Dir(filepath.Join(p.dir, "collections", "default")))
	if err != nil {
		p.t.Fatal(err)
	}
	return r
}

// TestRotate: the command names the files that it has had finished, which others can read then; a
// second one has nothing to do. Beside a recorder that has ended there is nothing to finish either,
// and behind one that was killed it says what to do.
func TestRotate(t *testing.T) {
	site := newSite(t)
	p := startRecording(t)
	p.fetch(site.plain.URL + "/text/1/1000")
	out, errs, code := p.run("rotate")
	path := strings.TrimSpace(out)
	if code != 0 || errs != "" || strings.Contains(path, "\n") {
		t.Fatalf("%d %q %q", code, out, errs)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
	if out, errs, code := p.run("verify"); code != 0 {
		t.Errorf("verify: %d %s %s", code, out, errs)
	}
	if out, errs, code := p.run("rotate"); code != 0 || out != "" || errs != "" {
		t.Errorf("again: %d %q %q", code, out, errs)
	}
	p.fetch(site.plain.URL + "/text/2/1000")
	next, _, _ := p.run("rotate")
	if next == "" || strings.TrimSpace(next) == path {
		t.Errorf("the next file is %q, after %q", next, path)
	}
	p.stop()
	if out, errs, code := p.run("rotate"); code != 0 || out != "" || errs != "" {
		t.Errorf("at rest: %d %q %q", code, out, errs)
	}
	if _, errs, code := p.run("rotate", "--collection", "other"); code != 1 ||
		!strings.Contains(errs, "there is no collection") {
		t.Errorf("none: %d %q", code, errs)
	}
}

// TestRotateCrashed: files that a crash has left are finished by recover, as the command says.
func TestRotateCrashed(t *testing.T) {
	site := newSite(t)
	p := startRecording(t)
	p.fetch(site.plain.URL + "/text/1/1000")
	if err := p.recorder().Work(t.Context(), settlePath, new(status)); err != nil {
		t.Fatal(err)
	}
	p.cmd.Process.Kill()
	<-p.ended
	if out, errs, code := p.run("rotate"); code != 1 || out != "" ||
		!strings.Contains(errs, "warcorder recover") {
		t.Errorf("%d %q %q", code, out, errs)
	}
	if _, errs, code := p.run("recover"); code != 0 {
		t.Fatalf("recover: %d %s", code, errs)
	}
	if _, errs, code := p.run("rotate"); code != 0 || errs != "" {
		t.Errorf("then: %d %q", code, errs)
	}
}

// TestWorkPages: who has no token gets nothing done.
func TestWorkPages(t *testing.T) {
	p := startRecording(t)
	for _, path := range []string{settlePath, rotatePath} {
		res, err := http.Post("http://"+p.address+path, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != http.StatusUnauthorized || p.status(path) != http.StatusMethodNotAllowed {
			t.Errorf("%s: %d", path, res.StatusCode)
		}
	}
	var answer map[string]json.RawMessage
	if err := p.recorder().Work(t.Context(), rotatePath, &answer); err != nil ||
		string(answer["files"]) != "[]" {
		t.Errorf("%s %v", answer, err)
	}
}

// TestSettleLong: an exchange whose client has its answer and still sends is waited for, for longer
// than a request to the recorder itself may take.
func TestSettleLong(t *testing.T) {
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.NewResponseController(w).EnableFullDuplex()
		w.Header().Set("Content-Length", "5")
		io.WriteString(w, "early")
		http.NewResponseController(w).Flush()
		io.Copy(io.Discard, r.Body)
	}))
	defer origin.Close()
	p := startRecording(t, "--timeout-header", "500ms")
	conn, err := net.Dial("tcp", p.address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST %s/ HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n1", origin.URL)
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	if body, err := io.ReadAll(res.Body); err != nil || string(body) != "early" {
		t.Fatal(body, err)
	}
	settled := make(chan error, 1)
	var after status
	recorder := p.recorder()
	recorder.Patience = time.Second // in which it answers other questions
	go func() { settled <- recorder.Work(t.Context(), settlePath, &after) }()
	select {
	case err := <-settled:
		t.Fatalf("settled before the request had come: %v", err)
	case <-time.After(4 * time.Second):
	}
	io.WriteString(conn, "2")
	if err := <-settled; err != nil || after.Exchanges != 1 {
		t.Errorf("%v, %d exchanges", err, after.Exchanges)
	}
}

// TestRotateUnderLoad: files are finished again and again under load. Each that is named can be
// read, nothing is lost, and the referee finds nothing.
func TestRotateUnderLoad(t *testing.T) {
	site := newSite(t)
	p := startRecording(t)
	var clients sync.WaitGroup
	for client := range 4 {
		clients.Go(func() {
			for i := range 15 {
				p.fetch(fmt.Sprintf("%s/bytes/%d/%d", site.plain.URL, 100*client+i, 300+(i%5)*400_000))
				if i%3 > 0 {
					continue
				}
				var answer rotated
				if err := p.recorder().Work(t.Context(), rotatePath, &answer); err != nil {
					t.Error(err)
				}
				for _, name := range answer.Files {
					path := filepath.Join(p.dir, "collections", "default", "archive", name)
					_, err := os.Stat(path)
					if _, open := os.Stat(path + ".open"); err != nil || !errors.Is(open, os.ErrNotExist) {
						t.Error(name, err, open)
					}
				}
			}
		})
	}
	clients.Wait()
	p.stop()
	if out, errs, code := p.run("verify"); code != 0 {
		t.Errorf("verify: %d %s %s", code, out, errs)
	}
	if out, _, _ := p.run("export", "-o", "-"); strings.Count(out, "\n") != 60 {
		t.Errorf("%d lines", strings.Count(out, "\n"))
	}
}
