package cmd

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
)

// post asks a running recorder for a record.
func (p *program) post(token, query, body string) (status int, answer string) {
	p.t.Helper()
	r, err := http.NewRequest("POST", "http://"+p.address+"/record?"+query, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "image/png")
	r.Header.Set("Origin", "https://example.com")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := (&http.Transport{Proxy: nil, DisableKeepAlives: true}).RoundTrip(r)
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	for name := range res.Header {
		if strings.HasPrefix(name, "Access-Control-") {
			p.t.Errorf("%s: %s", name, res.Header.Get(name))
		}
	}
	return res.StatusCode, string(b)
}

// TestRecordAPI: a record is written by who has the token, outlives a kill the moment it is
// answered, and nothing tells the token.
func TestRecordAPI(t *testing.T) {
	const token, query = "the-secret-of-the-test", "type=resource&uri=screenshot:https://example.com/"
	t.Setenv("WARCORDER_API_TOKEN", token)
	p := startRecording(t)
	for name, c := range map[string]struct {
		token  string
		status int
		says   string
	}{
		"no token":    {"", 401, "api-token"},
		"wrong token": {"the-secret-of-the-tesT", 401, "api-token"},
		"bad request": {token, 400, "no parameter"},
	} {
		if status, answer := p.post(c.token, query+"&what=ever", "x"); status != c.status ||
			!strings.Contains(answer, c.says) {
			t.Errorf("%s: %d %s", name, status, answer)
		}
	}
	if status, answer := p.post(token, query, "a picture"); status != 201 {
		t.Fatalf("%d %s", status, answer)
	}
	p.cmd.Process.Kill()
	<-p.ended
	if log := p.stderr.String(); strings.Contains(log, token) {
		t.Errorf("the log tells the token: %s", log)
	}
	if _, stderr, code := p.run("recover"); code != 0 {
		t.Fatal(stderr)
	}
	lines, stderr, code := p.run("export", "-o", "-")
	if code != 0 || strings.Count(lines, "\n") != 1 ||
		!strings.HasPrefix(lines, "screenshot:https://example.com ") ||
		!strings.Contains(lines, `"mime":"image/png"`) {
		t.Errorf("%s %s", lines, stderr)
	}
	if _, stderr, code = p.run("rebuild"); code != 0 {
		t.Fatal(stderr)
	}
	if again, _, _ := p.run("export", "-o", "-"); again != lines {
		t.Errorf("rebuilt: %s, want %s", again, lines)
	}
	if found, stderr, code := p.run("verify"); code != 0 {
		t.Errorf("%s %s", found, stderr)
	}
}

// TestNoToken: without the token nobody can write a record, and the answer says what to do.
func TestNoToken(t *testing.T) {
	p := startRecording(t)
	for _, token := range []string{"", "anything"} {
		if status, answer := p.post(token, "type=resource&uri=urn:x", "x"); status != 401 ||
			!strings.Contains(answer, "recorder.token") {
			t.Errorf("%d %s", status, answer)
		}
	}
	if code := p.stop(); code != 0 {
		t.Errorf("exit status %d", code)
	}
	for _, token := range []string{"two words", "line\nbreak", "ä"} {
		_, stderr, code := p.run("record", "--listen", "127.0.0.1:0", "--api-token", token)
		if code == 0 || !strings.Contains(stderr, "api-token") || strings.Contains(stderr, token) {
			t.Errorf("%q: exit status %d, %s", token, code, stderr)
		}
	}
}

// TestDNSKey: names that the hosts file has leave no record, and can be reached.
func TestDNSKey(t *testing.T) {
	hosts, err := os.ReadFile("/etc/hosts")
	if err != nil || !strings.Contains(string(hosts), "localhost") {
		t.Skip("this machine has no hosts file with localhost in it")
	}
	origin := httptest.NewServer(
		http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "page") }))
	defer origin.Close()
	p := startRecording(t, "--record-dns")
	if got := p.fetch(strings.Replace(origin.URL, "127.0.0.1", "localhost", 1)); got != "page" {
		t.Errorf("%q", got)
	}
	p.stop()
	if lines, _, _ := p.run("export", "-o", "-"); strings.Count(lines, "\n") != 1 {
		t.Errorf("%s", lines)
	}
}
