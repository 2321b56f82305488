package replay

import (
	"strings"
	"testing"
	"time"

	"warcorder/store/replay/ranges"
)

// parts8 is nine bytes of an entity of a hundred.
var parts8 = ranges.Content{Span: ranges.Span{First: 8, Last: 16}, Of: 100}

// TestMadeHeads: what changes in a head, and that nothing else does.
func TestMadeHeads(t *testing.T) {
	const before = "Set-Cookie: a=b\r\nset-COOKIE:c\r\nEtag: \"x\"\r\n"
	const stored = "HTTP/1.1 200 Fine\r\n" + before + "Content-Type: text/plain\r\n" +
		"content-length: 100\r\nContent-Security-Policy: default-src 'none'\r\n" +
		"Transfer-Encoding:\r\n chunked\r\nContent-Encoding: gzip\r\nLast\r\n\r\n"
	const kept = "Content-Security-Policy: default-src 'none'\r\n"
	for name, c := range map[string]struct{ got, want string }{
		"206": {string(partHead(head(stored), parts8)), "HTTP/1.1 206 Partial Content\r\n" + before +
			"Content-Type: text/plain\r\n" + kept + "Content-Encoding: gzip\r\nLast\r\n" +
			"Content-Range: bytes 8-16/100\r\nContent-Length: 9\r\n\r\n"},
		"206 of several": {string(partsHead(head(stored), "BOUND", 77)),
			"HTTP/1.1 206 Partial Content\r\n" + before + kept + "Content-Encoding: gzip\r\nLast\r\n" +
				"Content-Type: multipart/byteranges; boundary=BOUND\r\nContent-Length: 77\r\n\r\n"},
		"200": {string(wholeHead(partHead(head(stored), parts8), 100)), "HTTP/1.1 200 OK\r\n" + before +
			"Content-Type: text/plain\r\n" + kept + "Content-Encoding: gzip\r\nLast\r\n" +
			"Content-Length: 100\r\n\r\n"},
		"304": {string(notModifiedHead(head(stored))), "HTTP/1.1 304 Not Modified\r\n" + before + kept +
			"Last\r\n\r\n"},
		"412": {string(failedHead(head(stored))), "HTTP/1.1 412 Precondition Failed\r\n" + before + kept +
			"Last\r\nContent-Length: 0\r\n\r\n"},
		"416": {string(unsatisfiedHead(head(stored), 100)),
			"HTTP/1.1 416 Requested Range Not Satisfiable\r\n" + before + kept +
				"Last\r\nContent-Range: bytes */100\r\nContent-Length: 0\r\n\r\n"},
		"HTTP/1.0, LF": {string(partHead(head("HTTP/1.0 200 OK\nA: b\n\n"), parts8)),
			"HTTP/1.0 206 Partial Content\nA: b\nContent-Range: bytes 8-16/100\nContent-Length: 9\n\n"},
		"HTTP/2": {string(partHead(crlf("HTTP/2 200 ", "a: b"), parts8)),
			string(crlf("HTTP/1.1 206 Partial Content", "a: b", "Content-Range: bytes 8-16/100",
				"Content-Length: 9"))},
		"no fields": {string(notModifiedHead(head("HTTP/1.1 200 OK\r\n\r\n"))),
			"HTTP/1.1 304 Not Modified\r\n\r\n"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", name, c.got, c.want)
		}
	}
}

// TestJudge: what conditions make of an answer.
func TestJudge(t *testing.T) {
	const (
		modified = "Last-Modified: Sat, 21 Nov 2026 10:00:00 GMT"
		same     = "Sat, 21 Nov 2026 10:00:00 GMT"
		earlier  = "Sat, 21 Nov 2026 09:59:59 GMT"
		later    = "Saturday, 21-Nov-26 10:00:01 GMT"
	)
	strong, weak, none := `ETag: "a,b"`, `etag: W/"a,b"`, "X: y"
	for _, c := range []struct {
		request, answer string
		want            verdict
	}{
		{"X: y", strong, proceeds},
		{`If-None-Match: "a,b"`, strong, notModified},
		{`If-None-Match: W/"a,b"`, strong, notModified},
		{`If-None-Match: "a,b"`, weak, notModified},
		{`If-None-Match: "x", W/"a,b" ,"z"`, strong, notModified},
		{`If-None-Match: "x"|if-none-match: "a,b"`, strong, notModified},
		{`If-None-Match: "a", "b"`, strong, proceeds},
		{`If-None-Match: a,b`, strong, proceeds},
		{`If-None-Match: "a,b"`, none, proceeds},
		{`If-None-Match: *`, none, notModified},
		{`If-None-Match:`, strong, proceeds},
		{`If-None-Match: "a\", "b"`, `ETag: "b"`, notModified},
		{`If-None-Match: W/"a\",W/"b"`, `ETag: "a\"`, notModified},
		{`If-None-Match: "a\"b", "c"`, `ETag: "c"`, proceeds},
		{`If-None-Match: , ,"a,b",`, strong, notModified},
		{`If-None-Match: abc`, "ETag: abc", notModified},

		{"If-Modified-Since: " + same, modified, notModified},
		{"If-Modified-Since: " + later, modified, notModified},
		{"If-Modified-Since: " + earlier, modified, proceeds},
		{"If-Modified-Since: yesterday", modified, proceeds},
		{"If-Modified-Since: yesterday", "Last-Modified: yesterday", notModified},
		{"If-Modified-Since: " + same, none, proceeds},
		{"If-Modified-Since:", none, proceeds},
		{`If-None-Match: "x"|If-Modified-Since: ` + same, modified, proceeds},
		{`If-None-Match: "x"|If-Modified-Since: ` + same, modified + "|" + strong, proceeds},

		{`If-Match: "a,b"`, strong, proceeds},
		{`If-Match: "x", "a,b"`, strong, proceeds},
		{`If-Match: "a,b"`, weak, failed},
		{`If-Match: W/"a,b"`, strong, failed},
		{`If-Match: "x"`, strong, failed},
		{`If-Match: "x"`, none, failed},
		{`If-Match: *`, none, proceeds},
		{`If-Match: "a,b"|If-None-Match: "a,b"`, strong, notModified},
		{"If-Unmodified-Since: " + same, modified, proceeds},
		{"If-Unmodified-Since: " + earlier, modified, failed},
		{"If-Unmodified-Since: " + earlier, none, proceeds},
		{"If-Unmodified-Since: never", modified, proceeds},
		{"If-Match: *|If-Unmodified-Since: " + earlier, modified, proceeds},
	} {
		request := crlf(append([]string{"GET / HTTP/1.1"}, strings.Split(c.request, "|")...)...)
		answer := crlf(append([]string{"HTTP/1.1 200 OK"}, strings.Split(c.answer, "|")...)...)
		if got := judge(request, answer); got != c.want {
			t.Errorf("%s, of %s: %d, want %d", c.request, c.answer, got, c.want)
		}
	}
}

// TestConditionsOfPOST: conditions and ranges of what is posted were part of what was asked at
// capture, and change nothing.
func TestConditionsOfPOST(t *testing.T) {
	post := exchange{method: "POST", body: "x", response: "HTTP/1.1 200 OK\nETag: \"v\"", text: "done"}
	r := archived(t, Config{}, post)
	for _, fields := range []string{"If-None-Match: \"v\"\r\n", "If-Match: \"w\"\r\n",
		"Range: bytes=0-1\r\n"} {
		post.fields = fields
		if answer, text := r.ask(post); answer.status() != "200" || text != "done" {
			t.Errorf("%s: %s%s", fields, answer, text)
		}
	}
}

// TestIfRange: when the Range of a request counts.
func TestIfRange(t *testing.T) {
	const modified = "Sat, 21 Nov 2026 10:00:00 GMT"
	captured := time.Date(2026, 11, 21, 10, 0, 1, 0, time.UTC)
	for _, c := range []struct {
		request, answer string
		want            bool
	}{
		{"X: y", "X: y", true},
		{`If-Range: "a"`, `ETag: "a"`, true},
		{`If-Range: "a"`, `ETag: "b"`, false},
		{`If-Range: W/"a"`, `ETag: "a"`, false},
		{`If-Range: "a"`, `ETag: W/"a"`, false},
		{`If-Range: W/"a"`, `ETag: W/"a"`, false},
		{`If-Range: "a"`, "X: y", false},
		{`If-Range: "a", "b"`, `ETag: "b"`, true},
		{"If-Range: *", `ETag: "b"`, false},
		{"If-Range:", `ETag: "b"`, false},
		{"If-Range: " + modified, "Last-Modified: " + modified, true},
		{"If-Range: " + modified, "Last-Modified: " + modified + "|Date: " + modified, false},
		{"If-Range: " + modified, "Last-Modified: " + modified + "|Date: Sat, 21 Nov 2026 10:00:01 GMT",
			true},
		{"If-Range: Sat, 21 Nov 2026 10:00:01 GMT", "Last-Modified: " + modified, false},
		{"If-Range: yesterday", "Last-Modified: yesterday", false},
		{"If-Range: " + modified, "X: y", false},
	} {
		request := crlf("GET / HTTP/1.1", c.request)
		answer := crlf(append([]string{"HTTP/1.1 200 OK"}, strings.Split(c.answer, "|")...)...)
		if got := holds(request, answer, captured); got != c.want {
			t.Errorf("%s, of %s: %v, want %v", c.request, c.answer, got, c.want)
		}
	}
}
