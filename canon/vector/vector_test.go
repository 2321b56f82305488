package vector

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"only a URL": {`{"url":"http://www.example.com/a/../b?z=1&a=2"}`,
			`{"urlkey":"com,example)/b?a=2&z=1","url":"http://www.example.com/a/../b?z=1&a=2",` +
				`"request_body":"","surt":"com,example)/b?a=2&z=1","path":"/a/../b",` +
				`"wwwoffle":"http://www.example.com/a/../b?z=1&a=2",` +
				`"wwwoffle_userinfo":"http://www.example.com/a/../b?z=1&a=2","form":{"pairs":[],` +
				`"canonical":"","malformed":false}}`},
		"a post": {`{"id":7,"url":"http://example.com/","method":"POST",` +
			`"content_type":"application/json","body_base64":"eyJhIjoiYiJ9"}`,
			`{"id":7,"urlkey":"com,example)/?__wb_method=post&a=b","url":"http://example.com/` +
				`?__wb_method=POST&a=b","request_body":"a=b","surt":"com,example)/","path":"/",` +
				`"wwwoffle":"http://example.com/","wwwoffle_userinfo":"http://example.com/",` +
				`"form":{"pairs":[["{\"a\":\"b\"}",null]],"canonical":"%7B%22a%22%3A%22b%22%7D",` +
				`"malformed":false},` +
				`"query":"com,example)/?__wb_method=post#query=42144f3939c3ffbbf0bf8b1f12affb5c"}`},
		"a profile and a raw path": {`{"id":"x","url":"http://example.com/","profile":"mediawiki",` +
			`"raw_path":"/wiki/A%2fB"}`, `"path":"/wiki/A/B"`},
		"a raw path in hex": {`{"url":"http://example.com/","raw_path":{"hex":"2fff"}}`, `"path":"/%FF"`},
		"urlencoded": {`{"url":"http://example.com/","urlencoded":"a=1;b&c="}`, `"form":` +
			`{"pairs":[["a","1"],["b",null],["c",""]],"canonical":"a=1&b&c=","malformed":false}`},
		"urlencoded in hex": {`{"url":"http://example.com/","urlencoded_hex":"61ff"}`,
			`"malformed":true`},
		"a URL in hex": {`{"url":{"hex":"687474703a2f2f612f636166e9"}}`,
			`"url":{"hex":"687474703a2f2f612f636166e9"}`},
		"no HTML escapes": {`{"url":"http://a/?<&>"}`, `"url":"http://a/?<&>"`},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := Run(strings.NewReader(c.in), &out); err != nil {
				t.Fatal(err)
			}
			got := strings.TrimSuffix(out.String(), "\n")
			if !json.Valid([]byte(got)) || !strings.Contains(got, c.want) {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestRunNamesTheLine(t *testing.T) {
	for in, want := range map[string]string{
		"{\"url\":\"http://a/\"}\n\nnonsense\n":     "line 3",
		`{"url":7}`:                                 "line 1",
		`{"url":"http://a/","profile":"none"}`:      "mediawiki",
		`{"url":"http://a/","dialect":"klingon"}`:   "klingon",
		`{"url":"http://a/","urlencoded_hex":"zz"}`: "urlencoded_hex",
		`{"url":{"hex":"z"}}`:                       "line 1",
	} {
		var out bytes.Buffer
		if err := Run(strings.NewReader(in), &out); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", in, err, want)
		}
	}
}

// TestRunStreams: each request is answered before the next one is read, and half a million of them
// take no more memory than a few.
func TestRunStreams(t *testing.T) {
	in, ask := io.Pipe()
	answers, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- Run(in, out) }()
	for i := range 3 {
		if _, err := fmt.Fprintf(ask, "{\"id\":%d,\"url\":\"http://a/\"}\n", i); err != nil {
			t.Fatal(err)
		}
		var keys struct{ ID int }
		line := make([]byte, 4<<10)
		n, err := answers.Read(line)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(line[:n], &keys); err != nil || keys.ID != i {
			t.Fatalf("%s: %v", line[:n], err)
		}
	}
	ask.Close()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	lines := &repeated{line: "{\"url\":\"http://example.com/some/path?with=query\"}\n", left: 100_000}
	if err := Run(lines, io.Discard); err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if after.HeapAlloc > before.HeapAlloc+4<<20 {
		t.Errorf("the heap grew from %d to %d bytes", before.HeapAlloc, after.HeapAlloc)
	}
}

// repeated is a line so many times.
type repeated struct {
	line string
	at   int
	left int
}

func (r *repeated) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if r.left == 0 {
			return n, io.EOF
		}
		m := copy(p[n:], r.line[r.at:])
		n += m
		if r.at += m; r.at == len(r.line) {
			r.at, r.left = 0, r.left-1
		}
	}
	return n, nil
}

func FuzzRun(f *testing.F) {
	f.Add(
		[]byte(
			`{"url":"http://a/","method":"POST","content_type":"application/json","body_base64":"e30=",` +
				`"dialect":"spec"}`,
		),
	)
	f.Add(
		[]byte(`{"url":{"hex":"ff"},"raw_path":{"hex":"ff"},"urlencoded_hex":"ff","dialect":"warciojs"}`),
	)
	f.Fuzz(func(t *testing.T, in []byte) {
		var out bytes.Buffer
		if Run(bytes.NewReader(in), &out) == nil {
			for line := range bytes.Lines(out.Bytes()) {
				if !json.Valid(line) {
					t.Errorf("%q", line)
				}
			}
		}
	})
}
