//go:build unix

package cmd

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestReplayFound: the command has the rules that are built in, the key of a data set where the
// collection has it, and the clock of documents, by the files and by a recorder.
func TestReplayFound(t *testing.T) {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		asked++
		fmt.Fprint(w, "<!doctype html><p>answer ", asked)
	}))
	t.Cleanup(server.Close)
	ask := func(method, path, fields, body string) string {
		return fmt.Sprintf("%s %s%s HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: "+
			"application/x-www-form-urlencoded\r\nContent-Length: %d\r\n%s\r\n%s", method, server.URL, path,
			len(body), fields, body)
	}
	rec := startRecording(t, "--keys-extra", "form")
	for _, request := range []string{ask("GET", "/list?part=2&_=1700000000000", "", ""),
		ask("POST", "/form", "", "a=1&b=%61"), ask("GET", "/page", "", "")} {
		rec.raw(request)
	}
	rec.stop()
	for _, beside := range []bool{false, true} {
		if beside {
			startRecordingIn(t, rec.dir, "--keys-extra", "form")
		}
		p := startReplay(t, rec.dir, "--explain", "--inject")
		for _, c := range []struct{ request, field, text string }{
			{ask("GET", "/list?part=2&_=1712345678901", "", ""), "Rule: jquery-cache", "<p>answer 1"},
			{ask("GET", "/list?part=3&_=1712345678901", "", ""), "Miss: not captured", ""},
			{ask("POST", "/form", "", "a=1&b=%61"), "Rule: query", "<p>answer 2"},
			{ask("POST", "/form", "", "a=1;b=%61"), "Rule: form", "<p>answer 2"},
			{ask("GET", "/page", "", ""), "Rule: exact", "<!doctype html><p>answer 3"},
			{ask("GET", "/page", "Accept: text/html\r\n", ""), "Injected: clock", "</script>"},
		} {
			got := p.raw(c.request)
			if !strings.Contains(got, "\r\nX-Warcorder-"+c.field+"\r\n") || !strings.Contains(got, c.text) {
				t.Errorf("beside %v: %.60q: %q", beside, c.request, got)
			}
		}
	}
}
