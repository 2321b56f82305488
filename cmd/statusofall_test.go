package cmd

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"warcorder/proxy/unused"
)

// speaks is a listener that says a text to all who come, whatever they say.
func speaks(t *testing.T, text string) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for c, err := l.Accept(); err == nil; c, err = l.Accept() {
			go func() {
				defer c.Close()
				io.WriteString(c, text)
				io.Copy(io.Discard, c)
			}()
		}
	}()
	return l.Addr().String()
}

// TestStatusOfAll: among addresses at which something is wrong the recorder that is well is summed up; of each
// other a line says what is wrong; what they say is bounded; and the command fails, in time.
func TestStatusOfAll(t *testing.T) {
	t.Parallel()
	p := startRecording(t)
	p.fetch(newPages(t).URL + "/a")
	answers := func(h http.HandlerFunc) string {
		server := httptest.NewServer(h)
		t.Cleanup(server.Close)
		return server.URL
	}
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0) // who comes says what it does not like
	t.Cleanup(secure.Close)
	long := strings.Repeat("0123456789abcdef", 1<<17) // 2 MiB
	wrong := []struct{ name, address, want string }{
		{"down", unused.Address(t), "refused"},
		{"an error", answers(func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, "\x1b[31mred", http.StatusInternalServerError)
		}), "answers 500 to /status: it is no recorder"},
		{"a long answer", answers(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, long) }),
			"answers more than 1 MiB: no recorder does"},
		{"a long head", answers(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X", long)
		}), "header"},
		{"a drip", answers(func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				io.WriteString(w, " ")
				http.NewResponseController(w).Flush()
				time.Sleep(50 * time.Millisecond)
			}
		}), "does not answer within 5 s"},
		{"a stall", speaks(t, ""), "does not answer within 5 s"},
		{"interim answers", speaks(t, strings.Repeat("HTTP/1.1 100 Continue\r\n\r\n", 1<<16)), ""},
		{"SSH", speaks(t, "SSH-2.0-OpenSSH\r\n"), "malformed HTTP"},
		{"JSON of others", answers(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, `{"version":"1","started":"2026-01-01T00:00:00Z"}`)
		}), "something else listens there"},
		{"TLS", secure.Listener.Addr().String(), "answers 400"},
		{"TLS of nobody's", secure.URL, "certificate"},
	}
	list := []string{p.address}
	for _, w := range wrong {
		list = append(list, w.address)
	}
	list = append(list, p.address, "http://"+p.address+"/")
	began := time.Now()
	out, errs, code := p.run("status", "--of", strings.Join(list, ","))
	if took := time.Since(began); code != 1 || errs != "" || took > 6*askPatience || len(out) > 20_000 {
		t.Errorf("exit %d after %v, %d bytes: %s", code, took, len(out), errs)
	}
	for _, w := range wrong {
		_, said, found := strings.Cut(out, w.address+"\n")
		said, _, _ = strings.Cut(said, "\n\n")
		if !found || !strings.Contains(strings.Join(strings.Fields(said), " "), w.want) || said == "" {
			t.Errorf("%s, at %s: %q", w.name, w.address, said)
		}
	}
	head, _, _ := strings.Cut(out, "\n")
	if want := fmt.Sprintf("%d recorders: 1 recording, %d down, 2 named twice", len(list), len(wrong)); head != want {
		t.Errorf("%q, want %q", head, want)
	}
	if !slices.ContainsFunc(strings.Split(out, "\n"), func(line string) bool {
		return strings.HasPrefix(strings.Join(strings.Fields(line), " "), "captures 1 ")
	}) || strings.ContainsRune(out, '\x1b') {
		t.Errorf("%s", out)
	}
	for _, none := range []string{",", ",,"} {
		if _, errs, code := p.run("status", "--of", none); code == 0 || !strings.Contains(errs, "names no recorder") {
			t.Errorf("%q: %d %s", none, code, errs)
		}
	}
}
