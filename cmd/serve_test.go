package cmd

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"warcorder/store/collection"
)

// answered is what an address answers, to a program, with fields.
func answered(t *testing.T, address, path string, fields ...string) (status int, header http.Header,
	body string) {
	t.Helper()
	r, err := http.NewRequest("GET", "http://"+address+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(fields); i += 2 {
		r.Header.Set(fields[i], fields[i+1])
	}
	res, err := (&http.Transport{Proxy: nil, DisableKeepAlives: true}).RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, res.Header, string(b)
}

// warcNames are the names of the WARC files of a collection.
func warcNames(t *testing.T, dir, name string) (names []string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "collections", name, "archive", "*.warc.gz*"))
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		names = append(names, strings.TrimSuffix(filepath.Base(path), ".open"))
	}
	return names
}

// TestServe: what was recorded is read over HTTP from the recorder, under the same paths from
// warcorder serve when it has ended, and there again while another recorder has one of the
// collections.
func TestServe(t *testing.T) {
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Set-Cookie", "a=b")
		fmt.Fprint(w, "page of ", r.URL)
	}))
	defer origin.Close()
	dir := t.TempDir()
	p := startRecordingIn(t, dir)
	p.fetch(origin.URL + "/a//b?c=d&token=e")
	eventually(t, "the capture", func() bool { return p.page("/export") != "" })
	name := warcNames(t, dir, "default")[0]
	const shown = "page of /a//b?c=d&token=e"
	read := func(address string) {
		t.Helper()
		for _, at := range []string{"", "/default"} {
			status, header, body := answered(t, address, at+"/web/id_/"+origin.URL+"/a//b?c=d&token=e")
			if status != 200 || body != shown || header.Get("Set-Cookie") != "" {
				t.Errorf("%s: %d %v %q", at, status, header, body)
			}
			status, _, body = answered(t, address, at+"/warc/"+name, "Range", "bytes=0-1")
			if status != 206 || body != "\x1f\x8b" {
				t.Errorf("%s: %d %q", at, status, body)
			}
			status, header, _ = answered(t, address, at+"/warc/"+name, "Sec-Fetch-Site", "cross-site")
			if status != 403 || header.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("another site's page: %d %v", status, header)
			}
		}
	}
	read(p.address)
	if code := p.stop(); code != 0 {
		t.Fatal(p.stderr)
	}
	s := startProgram(t, dir, "serving", "serve", "--listen", "127.0.0.1:0", "--log", "json")
	read(s.address)
	again := startRecordingIn(t, dir)
	status, _, body := answered(t, s.address, "/default/web/id_/"+origin.URL+"/a//b?c=d&token=e")
	if status != 503 || !strings.Contains(body, "http://"+again.address+"/default/") {
		t.Errorf("while it is recorded: %d %s", status, body)
	}
	read(again.address)
	if code := again.stop(); code != 0 {
		t.Fatal(again.stderr)
	}
	read(s.address)
	if code := s.stop(); code != 0 {
		t.Errorf("exit status %d: %s", code, s.stderr)
	}
}

// TestServeConsent: the page of another site reads parts of files and lines from a recorder with the
// token in the URL, and asks first; without it, or with a wrong one, it gets nothing.
func TestServeConsent(t *testing.T) {
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "page")
	}))
	defer origin.Close()
	p := startRecording(t)
	p.fetch(origin.URL + "/a?token=b")
	eventually(t, "the capture", func() bool { return p.page("/export") != "" })
	name := warcNames(t, p.dir, "default")[0]
	b, err := os.ReadFile(filepath.Join(p.dir, "collections", "default", "recorder.token"))
	if err != nil {
		t.Fatal(err)
	}
	token := strings.TrimSpace(string(b))
	page := []string{"User-Agent", "Mozilla/5.0", "Origin", "https://replay.example", "Sec-Fetch-Site",
		"cross-site", "Sec-Fetch-Mode", "cors", "Sec-Fetch-Dest", "empty"}
	for path, may := range map[string]bool{
		"/warc/" + name + "?token=" + token:                             true,
		"/token=" + token + "/warc/" + name:                             true,
		"/token=" + token + "/default/warc/index.cdxj":                  true,
		"/cdx?url=" + origin.URL + "/a&matchType=prefix&token=" + token: true,
		"/token=" + token + "/web/id_/" + origin.URL + "/a?token=b":     true,
		"/warc/" + name:                                false,
		"/warc/" + name + "?token=b":                   false,
		"/token=b/warc/" + name:                        false,
		"/web/id_/" + origin.URL + "/a?token=b":        false,
		"/web/id_/" + origin.URL + "/a?token=" + token: false,
	} {
		status, header, body := answered(t, p.address, path, append(page, "Range", "bytes=0-9")...)
		allowed := header.Get("Access-Control-Allow-Origin")
		exposed := header.Get("Access-Control-Expose-Headers")
		if may && (status/100 != 2 || allowed != "https://replay.example" || body == "" ||
			!strings.Contains(exposed, "Content-Range")) || !may && (status/100 != 4 || allowed != "") ||
			strings.Contains(body, token) {
			t.Errorf("%s: %d %v %.200s", path, status, header, body)
		}
		r, err := http.NewRequest("OPTIONS", "http://"+p.address+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(page); i += 2 {
			r.Header.Set(page[i], page[i+1])
		}
		r.Header.Set("Access-Control-Request-Method", "GET")
		r.Header.Set("Access-Control-Request-Headers", "range")
		res, err := (&http.Transport{Proxy: nil, DisableKeepAlives: true}).RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if got := res.StatusCode == 204 && res.Header.Get("Access-Control-Allow-Origin") != "" &&
			strings.Contains(res.Header.Get("Access-Control-Allow-Headers"), "Range"); got != may {
			t.Errorf("preflight of %s: %s %v", path, res.Status, res.Header)
		}
	}
	p.stop()
	if log := p.stderr.String(); strings.Contains(log, token) {
		t.Errorf("the log tells the token: %s", log)
	}
}

// TestServeSeveral: several collections are told apart by name, and paths without one say which.
func TestServeSeveral(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"default", "blue moon"} {
		if code := startRecordingNamed(t, dir, name).stop(); code != 0 {
			t.Fatal(code)
		}
	}
	renameCollection(t, dir, "default", "web")
	if code := startRecordingNamed(t, dir, "third").stop(); code != 0 {
		t.Fatal(code)
	}
	serve := []string{"serve", "--listen", "127.0.0.1:0", "--log", "json"}
	s := startProgram(t, dir, "serving", serve...)
	if !strings.Contains(s.stderr.String(), "rename the directory") {
		t.Errorf("it does not say what to do about the name: %s", s.stderr)
	}
	var list struct{ Collections []struct{ Name, CDX string } }
	_, _, body := answered(t, s.address, "/collections")
	if err := json.Unmarshal([]byte(body), &list); err != nil || len(list.Collections) != 2 ||
		list.Collections[0].CDX != "/blue%20moon/cdx" {
		t.Errorf("%s %v", body, err)
	}
	for path, want := range map[string]struct {
		status int
		says   string
	}{
		"/":                         {200, "/NAME/cdx?url=URL"},
		"/cdx?url=http://h/":        {404, "put its name first, /blue%20moon/cdx"},
		"/nothing":                  {404, "/NAME/cdx"},
		"/third/nothing":            {404, "/NAME/cdx"},
		"/third/web/id_/http://h/":  {404, "/third/cdx?url="},
		"/web/cdx?url=http://h/":    {404, "put its name first"},
		"/status":                   {200, `"mode": "serve"`},
		"/readyz":                   {200, "ok"},
		"/third/warc/../index.bolt": {404, ""},
	} {
		if status, _, body := answered(t, s.address, path); status != want.status ||
			!strings.Contains(body, want.says) {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	_, stderr, code := s.run("serve", "--listen", s.address)
	if code == 0 || !strings.Contains(stderr, "which serves") {
		t.Errorf("the address is taken: %d %s", code, stderr)
	}
	for args, says := range map[string]string{
		"--collection web":   "rename the directory",
		"--collection fifth": "there is no collection fifth",
		"--collection a/b":   "without slashes",
		"--listen 8070":      "127.0.0.1:8070",
	} {
		_, stderr, code := s.run(append([]string{"serve"}, strings.Fields(args)...)...)
		if code == 0 || !strings.Contains(stderr, says) {
			t.Errorf("serve %s: %d %s", args, code, stderr)
		}
	}
}

// TestBodiless: a body that does not come holds no connection.
func TestBodiless(t *testing.T) {
	pages := httptest.NewServer(bodiless(http.NotFoundHandler()))
	defer pages.Close()
	for _, field := range []string{"Content-Length: 5", "Transfer-Encoding: chunked"} {
		conn, err := net.Dial("tcp", pages.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprintf(conn, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n%s\r\n\r\n", field)
		conn.SetReadDeadline(time.Now().Add(10 * servedBody))
		answer, err := io.ReadAll(conn)
		if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 400 ") {
			t.Errorf("%s: %v %.100q", field, err, answer)
		}
	}
}

// TestOwnNames: no collection is made under the name of a page of the recorder's own; one that is
// there is recorded, and read without its name.
func TestOwnNames(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"web", "CDX", "status", "events"} {
		cmd := command(dir, "record", "--listen", "127.0.0.1:0", "--collection", name)
		said, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(said), "is no name for a collection") {
			t.Errorf("%s: %v %s", name, err, said)
		}
	}
	if code := startRecordingNamed(t, dir, "default").stop(); code != 0 {
		t.Fatal(code)
	}
	renameCollection(t, dir, "default", "web")
	p := startRecordingNamed(t, dir, "web")
	if status, _, body := answered(t, p.address, "/web/id_/http://h/"); status != 404 ||
		!strings.Contains(body, "/cdx?url=") {
		t.Errorf("%d %s", status, body)
	}
	if status, _, body := answered(t, p.address, "/status"); status != 200 ||
		!strings.Contains(body, `"web"`) {
		t.Errorf("%d %s", status, body)
	}
}

func renameCollection(t *testing.T, dir, from, to string) {
	t.Helper()
	all := filepath.Join(dir, "collections")
	if err := os.Rename(filepath.Join(all, from), filepath.Join(all, to)); err != nil {
		t.Fatal(err)
	}
}

// startRecordingNamed records into a collection of that name.
func startRecordingNamed(t *testing.T, dir, name string) *program {
	t.Helper()
	return startProgram(t, dir, "recording", "record", "--listen", "127.0.0.1:0", "--log", "json",
		"--collection", name)
}

// TestReservedNames: no page of ours has a path whose first segment a collection may be named like.
func TestReservedNames(t *testing.T) {
	path := regexp.MustCompile(`"(?:[A-Z]+ )?/([a-z][a-z.-]*)[^"]*"`)
	var files []string
	for _, pattern := range []string{"*.go", "replaying/*.go", "../proxy/admin/*.go",
		"../proxy/admin/live/*.go",
		"../proxy/admin/trust/*.go", "../store/cdxserver/*.go", "../store/wayback/*.go"} {
		some, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, some...)
	}
	found := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		code, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range path.FindAllSubmatch(code, -1) {
			segment := string(match[1])
			if segment == "dev" || segment == "go-build" || segment == "index" ||
				segment == "debug" { // no pages; behind a name; of a listener that has no other
				continue
			}
			if found++; !collection.IsOwnPath(segment) {
				t.Errorf("%s has the page /%s: add it to the names that no collection may have", file, segment)
			}
		}
	}
	if found < 20 {
		t.Errorf("%d paths: the pages are elsewhere", found)
	}
}
