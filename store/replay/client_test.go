package replay

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"testing"

	"warcorder/certs"
)

// TestClient: a client sees of redirects, cookies, errors and cut bodies what the first one saw.
func TestClient(t *testing.T) {
	const text = "Content-Type: text/plain\r\n"
	s := stockOf(t, Config{},
		stocked{url: "http://example.com/", block: "HTTP/1.1 301 Moved\r\n" +
			"Location: //www.example.org/a?b=c#d\r\nSet-Cookie: one=1; Path=/\r\n" +
			"Set-Cookie: two=2; Path=/two\r\nContent-Length: 0\r\n\r\n"},
		stocked{url: "http://www.example.org/a?b=c", block: "HTTP/1.1 307 Again\r\nLocation: b\r\n" +
			"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"},
		stocked{url: "http://www.example.org/b", block: whole200(text+chunked) + chunks},
		stocked{url: "http://example.com/busy", block: "HTTP/1.1 503 Busy\r\nRetry-After: 120\r\n" +
			"Content-Length: 4\r\n\r\nbusy"},
		stocked{url: "http://example.com/cut", block: whole200(sized) + twenty[:5], fields: cutSign},
		stocked{url: "http://example.com/chunks", block: whole200(chunked) + chunks[:30], fields: cutSign},
		stocked{url: "http://example.com/policy", block: whole200(sized+
			"Content-Security-Policy: sandbox\r\nContent-Security-Policy: img-src 'self'\r\n"+
			"Access-Control-Allow-Origin: https://a.example\r\nAccess-Control-Allow-Credentials: true\r\n") +
			twenty},
	)
	authority, err := certs.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	client := through(t, authority, nil, s.Archive)
	if client.Jar, err = cookiejar.New(nil); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		url, at string // what is asked for, and what the client ends at
		status  int
		body    string
		err     error
		fields  map[string]string
	}{
		{"http://example.com/", "http://www.example.org/b", 200, twenty, nil, nil},
		{"http://example.com/busy", "", 503, "busy", nil, map[string]string{"Retry-After": "120"}},
		{"http://example.com/cut", "", 200, twenty[:5], io.ErrUnexpectedEOF, nil},
		{"http://example.com/chunks", "", 200, twenty[:17], io.ErrUnexpectedEOF, nil},
		{"http://example.com/policy", "", 200, twenty, nil, map[string]string{
			"Content-Security-Policy":     "sandbox, img-src 'self'",
			"Access-Control-Allow-Origin": "https://a.example", "Access-Control-Allow-Credentials": "true"}},
		{"http://example.com/nowhere", "", 404, "", nil, nil},
	} {
		res, err := client.Get(c.url)
		if err != nil {
			t.Errorf("%s: %v", c.url, err)
			continue
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if c.at == "" {
			c.at = c.url
		}
		if res.StatusCode != c.status || string(body) != c.body || !errors.Is(err, c.err) ||
			res.Request.URL.String() != c.at {
			t.Errorf("%s: %s, %d, %q, %v", c.url, res.Request.URL, res.StatusCode, body, err)
		}
		for name, want := range c.fields {
			if got := strings.Join(res.Header.Values(name), ", "); got != want {
				t.Errorf("%s: %s: %q, want %q", c.url, name, got, want)
			}
		}
	}
	first, err := http.NewRequest("GET", "http://example.com/two", nil)
	if err != nil {
		t.Fatal(err)
	}
	var cookies []string
	for _, cookie := range client.Jar.Cookies(first.URL) {
		cookies = append(cookies, cookie.String())
	}
	if got := strings.Join(cookies, " "); got != "two=2 one=1 a=b" {
		t.Errorf("the cookies are %s", got)
	}
}

// TestHeldThrough: a stream of events that its client left comes through the proxy at once, and the
// connection is held until the client leaves again; nothing is open then.
func TestHeldThrough(t *testing.T) {
	s := stockOf(t, Config{}, stocked{block: eventHead + "\r\n" + events3, fields: cutSign})
	authority, err := certs.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, "GET", "http://example.com/", nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := through(t, authority, nil, s.Archive).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	came := make([]byte, len(events3))
	if _, err := io.ReadFull(res.Body, came); err != nil || string(came) != events3 {
		t.Fatalf("%q, %v", came, err)
	}
	cancel()
	if _, err := res.Body.Read(came); !errors.Is(err, context.Canceled) {
		t.Errorf("the stream ended with %v", err)
	}
}
