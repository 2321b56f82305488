package cmd

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/bcrypt"

	"warcorder/proxy/route/routetest"
)

// configFile writes a configuration file.
func configFile(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config.yaml")
	write(t, file, text)
	return file
}

// write writes a file, in the place of what it has.
func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestReloadable: each key of the example is in one of the two tables, and in the same one of
// doc/operating.md.
func TestReloadable(t *testing.T) {
	doc, err := os.ReadFile("../doc/operating.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(doc), "\n## Change settings while it records\n")
	section, _, _ = strings.Cut(section, "\n## ")
	live, restart, found := strings.Cut(section, "\nOnly after a restart count:")
	if !found {
		t.Fatal("doc/operating.md has no two lists of keys")
	}
	named := func(text string) map[string]bool {
		keys := map[string]bool{}
		for _, match := range regexp.MustCompile("`([a-z][a-z-]*)`").FindAllStringSubmatch(text, -1) {
			keys[match[1]] = true
		}
		return keys
	}
	inLive, inRestart, why := named(live), named(restart), fixed()
	for key := range exampleKeys(t) {
		_, isFixed := why[key]
		if isReloadable(key) == isFixed {
			t.Errorf("%s is in both tables, or in none", key)
		}
		if inLive[key] != isReloadable(key) || inRestart[key] != isFixed {
			t.Errorf("doc/operating.md says something else of %s", key)
		}
	}
	for _, key := range slices.Concat(reloadable(), slices.Collect(maps.Keys(why))) {
		if !exampleKeys(t)[key] {
			t.Errorf("%s is no key", key)
		}
	}
}

// exampleKeys are the keys of config.example.yaml.
func exampleKeys(t *testing.T) map[string]bool {
	t.Helper()
	example, err := os.Open("../config.example.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defer example.Close()
	config, err := parseConfig(example)
	if err != nil {
		t.Fatal(err)
	}
	keys := map[string]bool{}
	for key := range config {
		keys[key] = true
	}
	return keys
}

// asByDefault are settings as they are without any.
const asByDefault = "log-level: info\n"

// reload has the settings read anew, which must be taken, and returns what the command says of that.
func (p *program) reload(file, text string) string {
	p.t.Helper()
	write(p.t, file, text)
	var done reloaded
	if err := p.recorder().Switch(reloadPath, &done); err != nil {
		p.t.Fatalf("%q: %v", text, err)
	}
	var out strings.Builder
	done.print(&out)
	return out.String()
}

// bareClient is a client of a recorder, with the proxy's user if there is one.
func (p *program) bareClient(user string) *http.Client {
	address := &url.URL{Scheme: "http", Host: p.address}
	if name, password, has := strings.Cut(user, ":"); has {
		address.User = url.UserPassword(name, password)
	}
	return &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(address)}, Timeout: patience}
}

// answerTo asks for a URL through the proxy.
func (p *program) answerTo(target, user string, fields ...string) int {
	p.t.Helper()
	client := p.bareClient(user)
	defer client.CloseIdleConnections()
	request, err := http.NewRequest(http.MethodGet, target, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	for i := 0; i+1 < len(fields); i += 2 {
		request.Header.Set(fields[i], fields[i+1])
	}
	res, err := client.Do(request)
	if err != nil {
		p.t.Log(err)
		return 0
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		return 0
	}
	return res.StatusCode
}

// ownStatus asks for a page of the recorder's own.
func (p *program) ownStatus(method, path, token string) int {
	p.t.Helper()
	request, err := http.NewRequest(method, "http://"+p.address+path, strings.NewReader("x"))
	if err != nil {
		p.t.Fatal(err)
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := http.DefaultClient.Do(request)
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	return res.StatusCode
}

// TestReload: each of many settings has an effect at the next request, once it is reloaded, and none
// when it is taken back.
func TestReload(t *testing.T) {
	t.Parallel()
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/slow":
			select {
			case <-r.Context().Done():
			case <-time.After(500 * time.Millisecond):
			}
		case "/from":
			host, _, _ := net.SplitHostPort(r.RemoteAddr)
			if host != "127.0.0.1" {
				w.WriteHeader(http.StatusTeapot)
			}
		case "/fields":
			if strings.Contains(r.Header.Get("Accept-Encoding"), "zstd") || r.Header.Get("If-None-Match") != "" {
				w.WriteHeader(http.StatusTeapot)
			}
		}
		fmt.Fprint(w, strings.Repeat("x", 3000))
	}))
	defer origin.Close()
	secure := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer secure.Close()
	parent := routetest.HTTP(t, nil, "", "")
	hash, err := bcrypt.GenerateFromPassword([]byte("secret"), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	file := configFile(t, "")
	p := startRecording(t, "--config", file)
	get := func(path string, fields ...string) func() int {
		return func() int { return p.answerTo(origin.URL+path, "", fields...) }
	}
	exchanges := func() int64 {
		var status struct{ Exchanges int64 }
		if err := json.Unmarshal([]byte(p.page("/status")), &status); err != nil {
			t.Fatal(err)
		}
		return status.Exchanges
	}
	long := "Long " + strings.Repeat("x", 3<<10)
	for _, c := range []struct {
		settings        string
		effect          func() int
		without, withIt int
	}{
		{"deny: ['127.0.0.1']", get("/"), 200, 403},
		{"clients: [192.0.2.1]", get("/"), 200, 403},
		{"proxy-users: ['anna:" + string(hash) + "']", get("/"), 200, 407},
		{"proxy-users: ['anna:" + string(hash) + "']",
			func() int { return p.answerTo(origin.URL, "anna:secret") }, 200, 200},
		{"readers: []", func() int { return p.ownStatus("GET", "/gaps", "") }, 200, 401},
		{"api-token: 0123456789abcdef0123", func() int {
			return p.ownStatus("POST", "/pause", "0123456789abcdef0123") * p.ownStatus("POST", "/resume",
				"0123456789abcdef0123")
		}, 401 * 401, 200 * 200},
		{"page-control: token", func() int { return p.controls() }, 1, 0},
		{"max-header-size: 2KiB", get("/", "X", long), 200, 431},
		{"max-header-size: 2KiB\nmax-header-memory: 8KiB", get("/", "X", long), 200, 431},
		{"max-body-size: 1", get("/"), 200, 0},
		{"max-body-size: 1", func() int {
			return p.ownStatus("POST", "/record?type=resource&uri=urn:x:y&date=2020-01-01T00:00:00Z", "")
		}, 401, 401},
		{"source-address: 127.0.0.2", get("/from"), 200, 418},
		{"codings: any", get("/fields", "Accept-Encoding", "gzip, zstd"), 200, 418},
		{"anticache: never", get("/fields", "If-None-Match", `"x"`), 200, 418},
		{"timeout: {first-byte: 100ms}", get("/slow"), 200, 504},
		{"insecure-upstream: true", func() int { return p.tlsStatus(secure.URL) }, 502, 200},
		{"upstream: " + parent.URL("http"), func() int {
			before := len(parent.Seen())
			get("/")()
			return len(parent.Seen()) - before
		}, 0, 1},
		{"no-record: ['127.0.0.1']", func() int {
			p.settle()
			before := exchanges()
			get("/")()
			p.settle()
			return int(exchanges() - before)
		}, 1, 0},
		{"min-free-space: 1EB", get("/"), 200, 503},
		{"warc-prefix: another", func() int {
			p.run("rotate")
			get("/")()
			out, _, _ := p.run("rotate")
			return strings.Count(filepath.Base(out), "another")
		}, 0, 1},
	} {
		key, _, _ := strings.Cut(c.settings, ":")
		if got := c.effect(); got != c.without {
			t.Errorf("without %s: %d, want %d", c.settings, got, c.without)
		}
		out := p.reload(file, c.settings+"\n")
		if !strings.Contains(out, key) {
			t.Errorf("%s: it says %q", c.settings, out)
		}
		if got := c.effect(); got != c.withIt {
			t.Errorf("with %s: %d, want %d", c.settings, got, c.withIt)
		}
		p.reload(file, asByDefault)
		if got := c.effect(); got != c.without {
			t.Errorf("when %s is taken back: %d, want %d", c.settings, got, c.without)
		}
	}
	for settings, says := range map[string]string{
		asByDefault: "no setting has changed\n", "max-connections: 77\n": "max-connections: 77, was 10000\n",
	} {
		p.reload(file, asByDefault)
		write(t, file, settings)
		if out, errs, code := p.run("reload"); code != 0 || out != says || errs != "" {
			t.Errorf("%q: the command says %q %q, %d", settings, out, errs, code)
		}
	}
	if code := p.stop(); code != 0 {
		t.Errorf("exit status %d", code)
	}
	if strings.Contains(p.stderr.String(), string(hash)) ||
		strings.Contains(p.stderr.String(), "0123456789abcdef0123") {
		t.Error("the log has a secret")
	}
}

// controls is whether the live page may change something without the token: 1 if so.
func (p *program) controls() int {
	request, err := http.NewRequest(http.MethodGet, "http://"+p.address+"/", nil)
	if err != nil {
		p.t.Fatal(err)
	}
	request.Header.Set("Sec-Fetch-Site", "none")
	request.Header.Set("Sec-Fetch-Mode", "navigate")
	request.Header.Set("Sec-Fetch-Dest", "document")
	res, err := http.DefaultClient.Do(request)
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	return len(res.Cookies())
}

// tlsStatus asks for a URL over TLS.
func (p *program) tlsStatus(target string) int {
	p.t.Helper()
	client := p.trusting()
	defer client.CloseIdleConnections()
	res, err := client.Get(target)
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	return res.StatusCode
}

// settle waits until what clients have is in the index.
func (p *program) settle() {
	p.t.Helper()
	var after status
	if err := p.recorder().Work(p.t.Context(), settlePath, &after); err != nil {
		p.t.Fatal(err)
	}
}

// trusting is a client that trusts the recorder's certificate.
func (p *program) trusting() *http.Client {
	p.t.Helper()
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(p.page("/ca.pem")))
	client := p.bareClient("")
	client.Transport.(*http.Transport).TLSClientConfig = &tls.Config{RootCAs: roots}
	return client
}
