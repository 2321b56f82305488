package fromhar

import (
	"crypto/sha1"
	"encoding/base32"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"warcorder/store/pagelist"
	"warcorder/store/warc"
)

// made is what has been made of a HAR.
type made struct {
	headers []warc.Header
	blocks  []string
	pages   []pagelist.Page
	report  Report
}

// make makes records of a HAR, through a WARC file.
func makeOf(t testing.TB, har string, attached map[string]string) (m made, err error) {
	t.Helper()
	dir := t.TempDir()
	w, err := warc.Create(dir, "x.warc.gz")
	if err != nil {
		t.Fatal(err)
	}
	compressor := warc.NewCompressor()
	maker := Maker{
		Room: math.MaxInt64,
		Out: func(head [][]byte, body io.Reader, size int64, stored bool) error {
			_, err := w.AppendStream(func(tail *warc.Tail) error {
				_, err := compressor.Stream(tail, tail.Offset(), head, body, size, stored)
				return err
			})
			return err
		},
		Attached: func(name string) (io.ReadCloser, error) {
			text, ok := attached[name]
			if !ok {
				return nil, fs.ErrNotExist
			}
			return io.NopCloser(strings.NewReader(text)), nil
		},
		Page: func(p pagelist.Page) error {
			m.pages = append(m.pages, p)
			return nil
		},
	}
	m.report, err = maker.Make("x.har", func() (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(har)), nil
	})
	if err := errors.Join(err, w.Close()); err != nil {
		return m, err
	}
	r, err := warc.OpenForeign(filepath.Join(dir, "x.warc.gz"), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			return m, nil
		}
		if err != nil {
			t.Fatal(err)
		}
		block, err := io.ReadAll(rec.Block)
		if err := errors.Join(err, rec.Close()); err != nil {
			t.Fatal(err)
		}
		if got, want := rec.Header.Get("WARC-Block-Digest"), digest(string(block)); got != want {
			t.Errorf("block digest %s, want %s", got, want)
		}
		if said := rec.Header.Get("WARC-Payload-Digest"); said != "" {
			_, body, _ := strings.Cut(string(block), "\r\n\r\n")
			if want := digest(body); said != want {
				t.Errorf("payload digest %s, want %s", said, want)
			}
		}
		m.headers, m.blocks = append(m.headers, rec.Header), append(m.blocks, string(block))
	}
}

func digest(text string) string {
	sum := sha1.Sum([]byte(text))
	return "sha1:" + base32.StdEncoding.EncodeToString(sum[:])
}

// logOf is a HAR with entries.
func logOf(entries ...string) string {
	return `{"log":{"version":"1.2","creator":{"name":"Test","version":"1"},"pages":[],"entries":[` +
		strings.Join(entries, ",") + `]}}`
}

// entryOf is an entry with a request and a response.
func entryOf(request, response string) string {
	return `{"startedDateTime":"2026-05-01T14:00:01.250+02:00","time":5,"request":` + request +
		`,"response":` + response + `,"cache":{},"timings":{},"serverIPAddress":"[2001:db8::1]"}`
}

const get = `{"method":"GET","url":"https://a.example/x?y=1#z","httpVersion":"h3","headers":[` +
	`{"name":":authority","value":"a.example"},{"name":"Accept","value":"*/*"}]}`

// TestHAR: what an entry becomes.
func TestHAR(t *testing.T) {
	response := func(status int, headers, content string) string {
		return fmt.Sprintf(`{"status":%d,"statusText":"","headers":[%s],"content":{%s}}`, status, headers, content)
	}
	const head = "HTTP/1.1 200 OK\r\n"
	html := `{"name":"content-type","value":"text/html; charset=iso-8859-1"}`
	attached := map[string]string{"body.bin": "attached"}
	tests := map[string]struct {
		entry     string
		want      string // block of the response
		request   string // block of the request, unless it is that of get
		truncated bool
	}{
		"text of ASCII": {
			entry: entryOf(get, response(200, html, `"size":2,"mimeType":"text/html","text":"hi"`)),
			want:  head + "content-type: text/html; charset=iso-8859-1\r\nContent-Length: 2\r\n\r\nhi",
		},
		"text of other letters": {
			entry: entryOf(get, response(200, html, `"size":3,"mimeType":"text/html","text":"Größe"`)),
			want:  head + "Content-Type: text/html; charset=utf-8\r\nContent-Length: 7\r\n\r\nGröße",
		},
		"base64, and codings": {
			entry: entryOf(get, response(200, `{"name":"Content-Encoding","value":"br"},`+
				`{"name":"Transfer-Encoding","value":"chunked"},{"name":"content-length","value":"7"},`+
				`{"name":"Set-Cookie","value":"a=1\nb=2"},{"name":"bad name","value":"x"}`,
				`"size":3,"text":"AP8K","encoding":"base64"`)),
			want: head + "Set-Cookie: a=1\r\nSet-Cookie: b=2\r\nContent-Length: 3\r\n\r\n\x00\xff\n",
		},
		"text of ASCII that came in UTF-16": {
			entry: entryOf(get, response(200, `{"name":"Content-Type","value":"text/html; charset=UTF-16LE"}`,
				`"size":4,"text":"hi"`)),
			want: head + "Content-Type: text/html; charset=utf-8\r\nContent-Length: 2\r\n\r\nhi",
		},
		"no Content-Type": {
			entry: entryOf(get, response(200, "", `"size":1,"mimeType":"application/json","text":"1"`)),
			want:  head + "Content-Type: application/json\r\nContent-Length: 1\r\n\r\n1",
		},
		"attached": {
			entry: entryOf(get, response(200, "", `"size":8,"mimeType":"x-unknown","_file":"body.bin"`)),
			want:  head + "Content-Length: 8\r\n\r\nattached",
		},
		"a redirect": {
			entry: entryOf(get, response(302, `{"name":"Location","value":"/n"}`, `"size":0,"mimeType":"x-unknown"`)),
			want:  "HTTP/1.1 302 Found\r\nLocation: /n\r\nContent-Length: 0\r\n\r\n",
		},
		"204": {entry: entryOf(get, response(204, "", `"size":0`)), want: "HTTP/1.1 204 No Content\r\n\r\n"},
		"304": {
			entry: entryOf(get, response(304, `{"name":"ETag","value":"\"1\""}`, `"size":0`)),
			want:  "HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\n\r\n",
		},
		"304 from a cache": {
			entry: entryOf(get, response(304, `{"name":"ETag","value":"\"1\""}`, `"size":2,"text":"hi"`)),
			want:  head + "ETag: \"1\"\r\nContent-Length: 2\r\n\r\nhi",
		},
		"304 from a cache, cut": {
			entry: entryOf(get, response(304, `{"name":"Content-Type","value":"text/css; charset=utf-8"}`,
				`"size":1000,"text":"hi"`)),
			want:      head + "Content-Type: text/css; charset=utf-8\r\nContent-Length: 2\r\n\r\nhi",
			truncated: true,
		},
		"text that is shorter in UTF-8": {
			entry: entryOf(get, response(200, html, `"size":1000,"text":"hi"`)),
			want:  head + "content-type: text/html; charset=iso-8859-1\r\nContent-Length: 2\r\n\r\nhi",
		},
		"a field in Latin-1": {
			entry: entryOf(get, response(200, `{"name":"X","value":"\u00e4","comment":"read as Latin-1"}`, `"size":0`)),
			want:  head + "X: \xe4\r\nContent-Length: 0\r\n\r\n",
		},
		"HEAD": {
			entry: entryOf(strings.Replace(get, "GET", "HEAD", 1),
				response(200, `{"name":"Content-Length","value":"77"}`, `"size":77`)),
			want:    head + "Content-Length: 77\r\n\r\n",
			request: "HEAD /x?y=1 HTTP/1.1\r\nHost: a.example\r\nAccept: */*\r\n\r\n",
		},
		"cut": {
			entry:     entryOf(get, response(200, "", `"size":300,"text":"AP8K","encoding":"base64"`)),
			want:      head + "Content-Length: 3\r\n\r\n\x00\xff\n",
			truncated: true,
		},
		"POST": {
			entry: entryOf(`{"method":"POST","url":"http://a.example:81/","headers":[{"name":"host","value":`+
				`"a.example:81"},{"name":"Content-Length","value":"9"}],"postData":{"mimeType":"text/plain","text":"bö"}}`,
				response(200, "", `"size":0`)),
			want:    head + "Content-Length: 0\r\n\r\n",
			request: "POST / HTTP/1.1\r\nhost: a.example:81\r\nContent-Length: 3\r\n\r\nbö",
		},
		"a form": {
			entry: entryOf(`{"method":"POST","url":"http://a.example","headers":[],"postData":{"mimeType":`+
				`"application/x-www-form-urlencoded; charset=UTF-8","params":[{"name":"a b","value":"&"},`+
				`{"name":"c","value":""}]}}`, response(200, "", `"size":0`)),
			want:    head + "Content-Length: 0\r\n\r\n",
			request: "POST / HTTP/1.1\r\nHost: a.example\r\nContent-Length: 10\r\n\r\na+b=%26&c=",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			m, err := makeOf(t, logOf(test.entry), attached)
			if err != nil || len(m.blocks) != 3 || m.report.Captures != 1 {
				t.Fatalf("%d records, %+v, %v", len(m.blocks), m.report, err)
			}
			if m.blocks[1] != test.want {
				t.Errorf("%q, want %q", m.blocks[1], test.want)
			}
			want := test.request
			if want == "" {
				want = "GET /x?y=1 HTTP/1.1\r\nHost: a.example\r\nAccept: */*\r\n\r\n"
			}
			if m.blocks[2] != want {
				t.Errorf("%q, want %q", m.blocks[2], want)
			}
			h := m.headers[1]
			if (h.Get("WARC-Truncated") != "") != test.truncated {
				t.Errorf("%v", h)
			}
			for name, want := range map[string]string{
				"WARC-Type": "response", "WARC-Date": "2026-05-01T12:00:01.250000Z",
				"WARC-IP-Address": "2001:db8::1", "WARC-Warcinfo-ID": m.headers[0].Get("WARC-Record-ID"),
				"Content-Type": "application/http; msgtype=response",
			} {
				if h.Get(name) != want {
					t.Errorf("%s: %s, want %s", name, h.Get(name), want)
				}
			}
			if m.headers[2].Get("WARC-Concurrent-To") != h.Get("WARC-Record-ID") {
				t.Errorf("%v", m.headers[2])
			}
			if strings.Contains(test.entry, "a.example/x?") &&
				h.Get("WARC-Target-URI") != "https://a.example/x?y=1" {
				t.Errorf("%v", h)
			}
		})
	}
}

// TestSkipped: what became no record is counted, and the reason said.
func TestSkipped(t *testing.T) {
	of := func(url, rest string) string {
		return entryOf(`{"method":"GET","url":"`+url+`","headers":[]}`, rest)
	}
	const here = "https://a.example/"
	const ok = `{"status":200,"headers":[],"content":{"size":1,"text":"x"}}`
	const length = `"headers":[{"name":"content-length","value":"9"}]`
	const internal = `"headers":[{"name":"Location","value":"/"},{"name":"Non-Authoritative-Reason","value":"HSTS"}]`
	post := func(method, posted string) string {
		return entryOf(`{"method":"`+method+`","url":"`+here+`","postData":`+posted+`}`, ok)
	}
	entries := map[string]string{
		of(here, `{"status":0,"headers":[],"content":{}}`):                         "status 0",
		of(here, `{"status":200,"headers":[],"content":{"size":9}}`):               "not in the HAR",
		of(here, `{"status":200,`+length+`,"content":{}}`):                         "not in the HAR",
		of(here, `{"status":200,"content":{"text":"!","encoding":"base64"}}`):      "form that is not known",
		of(here, `{"status":200,"content":{"text":"x","encoding":"rot13"}}`):       "form that is not known",
		of(here, `{"status":200,"content":{"_file":"gone"}}`):                      "not there",
		of(here, `{"status":100,"content":{}}`):                                    "no status",
		of(here, `{"status":"200","content":{}}`):                                  "status that is none",
		of(here, `{"status":200,"headers":7,"content":{}}`):                        "headers that is none",
		of(here, `{"status":307,`+internal+`,"content":{}}`):                       "by the browser itself",
		of("wss://a.example/", `{"status":101,"content":{}}`):                      "WebSocket",
		of(here, `{"status":101,"content":{}}`):                                    "WebSocket",
		of("data:text/plain,x", ok):                                                "not fetched by HTTP",
		of("https://[", ok):                                                        "no address",
		post("G T", "null"):                                                        "no method",
		post("POST", `{"mimeType":"multipart/form-data","params":[{"name":"a"}]}`): "request whose body",
		strings.Replace(of(here, ok), "2026-05-01T", "May ", 1):                    "no time",
		`7`: "none",
	}
	for entry, want := range entries {
		m, err := makeOf(t, logOf(entry, of(here, ok)), nil)
		if err != nil || m.report.Captures != 1 || m.report.Entries != 2 || len(m.report.Skipped) != 1 ||
			!strings.Contains(m.report.Skipped[0].Reason, want) || len(m.blocks) != 3 {
			t.Errorf("%s: %+v, %v, want %q", entry, m.report, err, want)
		}
	}
}

// isUUID8 are the IDs of records.
var isUUID8 = regexp.MustCompile(`^<urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}>$`)

// TestWhole: the same HAR makes the same records; another one other IDs. It is no file of ours.
func TestWhole(t *testing.T) {
	entry := entryOf(get, `{"status":200,"headers":[],"content":{"size":1,"text":"x"}}`)
	a, err := makeOf(t, logOf(entry, entry), nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := makeOf(t, logOf(entry, entry), nil)
	if err != nil || !slices.Equal(a.blocks, b.blocks) {
		t.Fatal(err)
	}
	other, err := makeOf(t, logOf(entry, entry)+" ", nil)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for i := range a.headers {
		if !slices.Equal(a.headers[i], b.headers[i]) {
			t.Errorf("%v, and then %v", a.headers[i], b.headers[i])
		}
		for _, h := range []warc.Header{a.headers[i], other.headers[i]} {
			if id := h.Get("WARC-Record-ID"); seen[id] || !isUUID8.MatchString(id) {
				t.Errorf("%s comes twice, or is no UUID of version 8", id)
			} else {
				seen[id] = true
			}
		}
	}
	info := a.blocks[0]
	for _, part := range []string{"derived from a HAR", "harCreator: Test 1\r\n", "harVersion: 1.2"} {
		if !strings.Contains(info, part) {
			t.Errorf("no %q in %s", part, info)
		}
	}
	if strings.Contains(info, "software: warcorder") || strings.Contains(info, "x.har") {
		t.Errorf("%s", info)
	}
}

// TestPages: a page is the first document that names it, wherever the list stands.
func TestPages(t *testing.T) {
	of := func(page, url, kind, more string) string {
		return `{"pageref":"` + page + `","startedDateTime":"2026-05-01T12:00:01Z"` + more +
			`,"request":{"method":"GET","url":"` + url + `","headers":[]},"response":{"status":200,"headers":[],` +
			`"content":{"size":1,"mimeType":"` + kind + `","text":"x"}}}`
	}
	har := `{"log":{"entries":[` + strings.Join([]string{
		of("page_1", "https://a.example/1.js", "text/javascript", ""),
		of("page_1", "https://a.example/1", "text/html; charset=utf-8", ""),
		of("page_1", "https://a.example/frame", "text/html", ""),
		of("page_2", "https://a.example/frame", "text/html", `,"_resourceType":"xhr"`),
		of("page_2", "https://a.example/2", "text/html", `,"_resourceType":"document"`),
		of("page_3", "https://a.example/3.js", "text/javascript", ""),
		of("page_4", "https://a.example/4", "text/html", ""),
	}, ",") + `],"pages":[{"id":"page_1","title":"One"},{"id":"page_1","title":"Again"},` +
		`{"id":"page_2","title":"https://a.example/2"},{"id":"page_3","title":"Three"},{"title":"none"},7]}}`
	m, err := makeOf(t, har, nil)
	if err != nil || len(m.pages) != 2 || m.report.Pages != 2 {
		t.Fatal(m.pages, err)
	}
	one, two := m.pages[0], m.pages[1]
	if one.URL != "https://a.example/1" || one.Title != "One" || !strings.HasSuffix(one.ID, "-page_1") ||
		len(one.ID) != 15 || one.From != "x.har" || !one.Time.Equal(time.Date(2026, 5, 1, 12, 0, 1, 0, time.UTC)) {
		t.Errorf("%+v", one)
	}
	if two.URL != "https://a.example/2" || two.Title != "" {
		t.Errorf("%+v", two)
	}
}

// TestNoHAR: what is none is refused, with where.
func TestNoHAR(t *testing.T) {
	entry := entryOf(get, `{"status":200,"headers":[],"content":{"size":1,"text":"x"}}`)
	for har, want := range map[string]string{
		"":                            "EOF",
		"[]":                          "no HAR",
		"{}":                          "no HAR",
		`{"log":7}`:                   "no HAR",
		`{"log":{"entries":{}}}`:      "no HAR",
		logOf(entry, "x"):             "entry 1: ",
		logOf(entry)[:400]:            "entry 0: ",
		`{"log":{"entries":[` + entry: "behind 1 entries",
		logOf(entry, `{"x":`+strings.Repeat("[", 20_000)+strings.Repeat("]", 20_000)+`}`): "entry 1",
	} {
		if _, err := makeOf(t, har, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want %q", har, err, want)
		}
	}
}
