package replay

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"math/rand/v2"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"warcorder/certs"
	"warcorder/proxy"
	"warcorder/recorder"
)

// through starts a proxy, and returns a client that asks through it.
func through(t *testing.T, authority *certs.Authority, rec *recorder.Recorder,
	source proxy.Source) *http.Client {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	cfg := proxy.Default()
	cfg.Source = source
	p, err := proxy.New(cfg, ln, authority, rec, http.NotFoundHandler(), zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- p.Serve() }()
	transport := &http.Transport{
		Proxy:              http.ProxyURL(&url.URL{Scheme: "http", Host: ln.Addr().String()}),
		DisableCompression: true,
	}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		p.Shutdown(context.Background())
		<-served
	})
	return &http.Client{Transport: transport}
}

// sent is a request that a client sends, each time anew.
type sent struct {
	name, method, path, mime string
	body                     func() io.Reader // nil: none. What has no length is sent in chunks
	fields                   map[string]string
	rule                     string // by which it is found again
}

func text(s string) func() io.Reader {
	return func() io.Reader { return strings.NewReader(s) }
}

// unsized hides how long a body is.
func unsized(s string) func() io.Reader {
	return func() io.Reader { return io.MultiReader(strings.NewReader(s)) }
}

func gzipped(s string) func() io.Reader {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(s))
	w.Close()
	return text(b.String())
}

const (
	typeForm   = "application/x-www-form-urlencoded"
	typeJSON   = "application/json"
	typeBinary = "application/octet-stream"
)

func noise(n int) string {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{byte(n)}).Read(b)
	return string(b)
}

func requests() []sent {
	state := "__VIEWSTATE=" + strings.Repeat("0123456789ABCDEF", 50<<10/16)
	query := `{"query":"` + strings.Repeat("{ user { name } } ", 1000) + `","variables":{"page":`
	return []sent{
		{name: "GET", method: "GET", rule: ruleExact},
		{name: "GET with a query", method: "GET", path: "?b=2&a=1|x&c=%zz&d=ü", rule: ruleExact},
		{name: "HEAD", method: "HEAD", path: "head", rule: ruleExact},
		{name: "POST of nothing", method: "POST", path: "nothing", rule: ruleExact},
		{name: "DELETE", method: "DELETE", path: "deleted", rule: ruleExact},
		{name: "DELETE with a body", method: "DELETE", mime: typeJSON, body: text(`{"a":1}`),
			rule: ruleQuery},
		{name: "a form", method: "POST", mime: typeForm, body: text("a=1&b=x+y"), rule: ruleQuery},
		{name: "another form", method: "POST", mime: typeForm, body: text("a=1&b=x+z"), rule: ruleQuery},
		{name: "ASP.NET", method: "POST", mime: typeForm, body: text(state + "&page=1"), rule: ruleQuery},
		{name: "ASP.NET, page 2", method: "POST", mime: typeForm, body: text(state + "&page=2"),
			rule: ruleQuery},
		{name: "JSON", method: "POST", mime: typeJSON, body: text(`{"a":[1,{"b":"ü"}]}`),
			rule: ruleQuery},
		{name: "empty JSON", method: "POST", mime: typeJSON, body: text(`{}`), rule: ruleQuery},
		{name: "empty list", method: "POST", mime: typeJSON, body: text(`[]`), rule: ruleQuery},
		{name: "JSON with a charset", method: "PATCH", mime: typeJSON + "; charset=utf-8",
			body: text(`{"a":1}`), rule: ruleQuery},
		{name: "GraphQL", method: "POST", mime: typeJSON, body: text(query + `1}}`), rule: ruleQuery},
		{name: "GraphQL, page 2", method: "POST", mime: typeJSON, body: text(query + `2}}`),
			rule: ruleQuery},
		{name: "chunks", method: "PUT", mime: typeJSON, body: unsized(`{"chunked":true}`),
			rule: ruleQuery},
		{name: "text", method: "POST", mime: "text/plain", body: text("just so"), rule: ruleQuery},
		{name: "JSON as text", method: "POST", mime: "text/plain;charset=UTF-8", body: text(`{"a":"b"}`),
			rule: ruleQuery},
		{name: "AMF", method: "POST", mime: "application/x-amf",
			body: text("\x00\x03\x00\x00\x00\x01\x00\x04null\x00\x02/1\x00\x00\x00\x05\x0a\x00\x00\x00\x00"),
			rule: ruleQuery},
		{name: "binary", method: "POST", mime: typeBinary, body: text(noise(10_000)), rule: ruleQuery},
		{name: "other binary that begins the same", method: "POST", mime: typeBinary,
			body: text(noise(10_000)[:9000]), rule: ruleQuery},
		{name: "binary in chunks", method: "POST", mime: typeBinary, body: unsized(noise(9999)),
			rule: ruleQuery},
		{name: "gzip", method: "POST", mime: typeJSON, body: gzipped(`{"zipped":1}`),
			fields: map[string]string{"Content-Encoding": "gzip"}, rule: ruleQuery},
		{name: "no type", method: "POST", body: text("a=b"), rule: ruleQuery},
		{name: "20 MB", method: "PUT", mime: typeBinary, body: text(noise(20 << 20)), rule: ruleQuery},
		{name: "20 MB of a form in chunks", method: "POST", mime: typeForm,
			body: unsized("a=" + strings.Repeat("b", 20<<20)), rule: ruleQuery},
		{name: "16 MB in chunks", method: "POST", mime: typeBinary, body: unsized(noise(16 << 20)),
			rule: ruleQuery},
	}
}

// TestSameRequest: what was recorded through a proxy is found by the same request through another
// one, whose answers come from the archive, and by no other request. The origin says by a digest
// what it was sent.
func TestSameRequest(t *testing.T) {
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sum := sha256.New()
		fmt.Fprintln(sum, r.Method, r.RequestURI, r.Header.Get("Content-Type"))
		io.Copy(sum, r.Body)
		fmt.Fprintf(w, "%x", sum.Sum(nil))
	}))
	a := archived(t, Config{Explain: true})
	authority, err := certs.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	recording := through(t, authority, a.recorder, nil)
	replaying := through(t, authority, nil, a.Archive)
	answers := map[string]string{}
	for _, s := range requests() {
		_, answers[s.name] = s.send(t, recording, origin.URL)
	}
	a.settle()
	origin.Close()
	for _, s := range requests() {
		t.Run(s.name, func(t *testing.T) {
			response, text := s.send(t, replaying, origin.URL)
			if response.StatusCode != http.StatusOK || text != answers[s.name] {
				t.Errorf("%s %s, recorded %s", response.Status, text, answers[s.name])
			}
			if rule := response.Header.Get("X-Warcorder-Rule"); rule != s.rule {
				t.Errorf("found by %q, want %q", rule, s.rule)
			}
		})
	}
}

// TestMultipart: a form that is sent once more has another boundary, and is found.
func TestMultipart(t *testing.T) {
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.FormValue("name"), len(r.FormValue("long")))
	}))
	a := archived(t, Config{Explain: true})
	authority, err := certs.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	recording := through(t, authority, a.recorder, nil)
	replaying := through(t, authority, nil, a.Archive)
	upload := func(client *http.Client, name string, size int) (*http.Response, string) {
		var b bytes.Buffer
		w := multipart.NewWriter(&b)
		w.WriteField("long", strings.Repeat("x", size))
		w.WriteField("name", name)
		file, _ := w.CreateFormFile("file", "photo.jpg")
		file.Write([]byte(noise(size)))
		w.Close()
		s := sent{method: "POST", path: "upload", mime: w.FormDataContentType(), body: text(b.String())}
		return s.send(t, client, origin.URL)
	}
	sizes := []int{1, 10_000, 2 << 20}
	for _, size := range sizes {
		upload(recording, "a", size)
		upload(recording, "b", size)
	}
	a.settle()
	origin.Close()
	for _, size := range sizes {
		for _, name := range []string{"a", "b"} {
			response, text := upload(replaying, name, size)
			want := fmt.Sprint(name, size)
			if rule := response.Header.Get("X-Warcorder-Rule"); text != want || rule != ruleQuery {
				t.Errorf("%s of %d bytes: %q, found by %q", name, size, text, rule)
			}
		}
	}
}

// send sends a request, and returns its answer.
func (s *sent) send(t *testing.T, client *http.Client, origin string) (*http.Response, string) {
	t.Helper()
	var body io.Reader
	if s.body != nil {
		body = s.body()
	}
	r, err := http.NewRequest(s.method, origin+"/"+s.path, body)
	if err != nil {
		t.Fatal(err)
	}
	if s.mime != "" {
		r.Header.Set("Content-Type", s.mime)
	}
	for name, value := range s.fields {
		r.Header.Set(name, value)
	}
	response, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	b, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(b)
}
