package replay

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"warcorder/store/replay/inject"
)

const someHTML = "<!doctype html><head><title>a</title>"

func textOf(t *testing.T, r io.Reader) string {
	t.Helper()
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func htmlBlock(status, fields, body string) string {
	return fmt.Sprintf("HTTP/1.1 %s\r\nContent-Type: text/html\r\n%sContent-Length: %d\r\n\r\n%s", status,
		fields, len(body), body)
}

// TestInjected: documents get the script, in chunks and without their coding, whatever else is asked
// of them; all else goes out as it is stored.
func TestInjected(t *testing.T) {
	const frame, fetched = "Sec-Fetch-Dest: iframe", "Sec-Fetch-Dest: empty"
	cut := "WARC-Truncated: disconnect\r\n"
	long := someHTML + strings.Repeat("<p>x", 100_000)
	for _, c := range []struct {
		name    string
		record  stocked
		asked   []string
		want    string // the someHTML; "" if it goes out as it is stored
		isBroke bool
	}{
		{"plain", stocked{block: htmlBlock("200 OK", "", someHTML)}, []string{frame}, someHTML, false},
		{"long", stocked{block: htmlBlock("200 OK", "", long)}, []string{frame}, long, false},
		{"HTTP/1.0", stocked{block: "HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n" + someHTML},
			[]string{frame}, someHTML, false},
		{"chunks", stocked{block: "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n" + chunked +
			"Trailer: x\r\n\r\n25\r\n" + someHTML + "\r\n0\r\nx: y\r\n\r\n"}, []string{frame}, someHTML, false},
		{"gzip", stocked{block: htmlBlock("200 OK", "Content-Encoding: gzip\r\n", textOf(t, gzipped(long)()))},
			[]string{frame}, long, false},
		{"a coding that lies", stocked{block: htmlBlock("200 OK", "Content-Encoding: br\r\n", someHTML)},
			[]string{frame}, "", false},
		{"another coding that lies", stocked{block: htmlBlock("200 OK", "Content-Encoding: gzip\r\n", someHTML)},
			[]string{frame}, "", false},
		{"a coding that nobody knows", stocked{block: htmlBlock("200 OK", "Content-Encoding: x\r\n", someHTML)},
			[]string{frame}, "", false},
		{"an error", stocked{block: htmlBlock("404 Not Found", "", someHTML)}, []string{frame}, someHTML, false},
		{"a range", stocked{block: htmlBlock("200 OK", "", someHTML)}, []string{frame, "Range: bytes=0-3"},
			someHTML, false},
		{"by Accept", stocked{block: htmlBlock("200 OK", "", someHTML)},
			[]string{"Accept: text/html,application/xhtml+xml,*/*;q=0.8"}, someHTML, false},
		{"fetched", stocked{block: htmlBlock("200 OK", "", someHTML)}, []string{fetched, "Accept: text/html"},
			"", false},
		{"by a program", stocked{block: htmlBlock("200 OK", "", someHTML)}, []string{"Accept: */*"}, "", false},
		{"a picture", stocked{block: "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 1\r\n\r\nx"},
			[]string{frame}, "", false},
		{"a sandbox", stocked{block: htmlBlock("200 OK", "Content-Security-Policy: sandbox\r\n", someHTML)},
			[]string{frame}, "", false},
		{"cut", stocked{block: strings.Replace(htmlBlock("200 OK", "", someHTML), "Content-Length: 37",
			"Content-Length: 99", 1), fields: cut}, []string{frame}, someHTML, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := stockOf(t, Config{Inject: &inject.Clock{}}, c.record)
			if c.want == "" {
				if h, rest := s.answered("GET", c.asked...); h+rest != c.record.block {
					t.Errorf("%.300q", h+rest)
				}
				return
			}
			g := s.get("GET", c.asked...)
			script, rest, _ := strings.Cut(strings.TrimPrefix(g.body, "<!doctype html><head>"), "</script>")
			if !strings.HasPrefix(script, "<script>") || "<!doctype html><head>"+rest != c.want ||
				(g.err != nil) != c.isBroke {
				t.Errorf("%v %.300q", g.err, g.body)
			}
			if g.header.Get("X-Warcorder-Injected") != "clock" || g.header.Get("Content-Encoding") != "" ||
				fmt.Sprint(g.status) != c.record.block[9:12] {
				t.Error(g.status, g.header)
			}
			head, _ := s.answered("GET", c.asked...)
			if only, rest := s.answered("HEAD", c.asked...); !c.isBroke && (only != head || rest != "") {
				t.Errorf("HEAD: %q %q, GET: %q", only, rest, head)
			}
		})
	}
}

// TestInjectedTwice: the same document is the same each time, and says when it was captured.
func TestInjectedTwice(t *testing.T) {
	s := stockOf(t, Config{Inject: &inject.Clock{}}, stocked{block: htmlBlock("200 OK", "", someHTML)})
	_, one := s.answered("GET", "Sec-Fetch-Dest: document")
	_, two := s.answered("GET", "Sec-Fetch-Dest: document")
	if one != two || !strings.Contains(one, fmt.Sprint("(", minute(0).UnixMilli(), ",[")) {
		t.Errorf("%q, then %q", one[max(0, len(one)-200):], two[max(0, len(two)-200):])
	}
}

// TestInjectedAgain: a browser that has a document from before, with another clock or with none, gets
// it anew; what is not changed it may keep.
func TestInjectedAgain(t *testing.T) {
	const tag, modified = "ETag: \"a\"\r\n", "Last-Modified: Sun, 01 Mar 2026 00:00:00 GMT\r\n"
	s := stockOf(t, Config{Inject: &inject.Clock{}},
		stocked{block: htmlBlock("200 OK", tag+modified, someHTML)})
	for _, condition := range []string{"If-None-Match: \"a\"", "If-None-Match: *",
		"If-Modified-Since: Sun, 01 Mar 2026 00:00:00 GMT"} {
		g := s.get("GET", "Sec-Fetch-Dest: document", condition)
		if g.status != 200 || g.header.Get("X-Warcorder-Injected") == "" {
			t.Errorf("%s: %d %v", condition, g.status, g.header)
		}
		if g := s.get("GET", "Sec-Fetch-Dest: empty", condition); g.status != 304 {
			t.Errorf("%s by a script: %d", condition, g.status)
		}
	}
}
