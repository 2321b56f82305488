package proxy

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
)

// lines writes a head with CRLF line ends.
func lines(l ...string) []byte { return []byte(strings.Join(l, "\r\n") + "\r\n\r\n") }

func TestRequestFraming(t *testing.T) {
	for name, c := range map[string]struct {
		head    []byte
		framing framing
		length  int64
		keep    bool
	}{
		"GET":                           {lines("GET / HTTP/1.1", "Host: a"), noBody, 0, true},
		"HTTP/1.0":                      {lines("GET / HTTP/1.0", "Host: a"), noBody, 0, false},
		"HTTP/1.0 keep-alive":           {lines("GET / HTTP/1.0", "connection: Keep-Alive"), noBody, 0, true},
		"close among others":            {lines("GET / HTTP/1.1", "Connection: te, Close"), noBody, 0, false},
		"sized":                         {lines("POST / HTTP/1.1", "Content-Length: 12"), sized, 12, true},
		"sized, odd case":               {lines("POST / HTTP/1.1", "cOnTeNt-lEnGtH:12\t"), sized, 12, true},
		"length zero":                   {lines("POST / HTTP/1.1", "Content-Length: 0"), noBody, 0, true},
		"equal lengths":                 {lines("POST / HTTP/1.1", "Content-Length: 5", "Content-Length: 5"), sized, 5, true},
		"equal lengths in a list":       {lines("POST / HTTP/1.1", "Content-Length: 5, 5"), sized, 5, true},
		"chunked":                       {lines("POST / HTTP/1.1", "Transfer-Encoding: chunked"), chunked, 0, true},
		"gzip, chunked":                 {lines("POST / HTTP/1.1", "Transfer-Encoding: gzip, Chunked"), chunked, 0, true},
		"codings on two lines":          {lines("POST / HTTP/1.1", "Transfer-Encoding: gzip", "Transfer-Encoding: chunked"), chunked, 0, true},
		"LF only":                       {[]byte("POST / HTTP/1.1\nContent-Length: 3\n\n"), sized, 3, true},
		"folded other field":            {lines("GET / HTTP/1.1", "X-A: 1", "\tmore"), noBody, 0, true},
		"line without colon":            {lines("GET / HTTP/1.1", "nonsense"), noBody, 0, true},
		"8-bit bytes":                   {lines("GET /\xe9 HTTP/1.1", "X: \xff"), noBody, 0, true},
		"space before colon of another": {lines("GET / HTTP/1.1", "X-A : 1"), noBody, 0, true},
		"a target like a version":       {lines("GET HTTP/1.0/HTTP/1.1 HTTP/1.1"), noBody, 0, true},
		"spaces in the target":          {lines("GET /a b HTTP/1.1"), noBody, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			req, err := parseRequest(c.head)
			if err != nil {
				t.Fatal(err)
			}
			if req.framing != c.framing || req.length != c.length || req.keepAlive != c.keep {
				t.Errorf("%v length %d keep %v, want %v %d %v", req.framing, req.length, req.keepAlive,
					c.framing, c.length, c.keep)
			}
		})
	}
}

// smuggled are heads that two readers could frame differently. Each holds for requests and for
// responses.
var smuggled = map[string][]string{
	"CL.TE":                     {"Content-Length: 6", "Transfer-Encoding: chunked"},
	"TE.CL":                     {"Transfer-Encoding: chunked", "Content-Length: 6"},
	"two lengths":               {"Content-Length: 6", "Content-Length: 7"},
	"two lengths in a list":     {"Content-Length: 6, 7"},
	"length with a sign":        {"Content-Length: +6"},
	"negative length":           {"Content-Length: -6"},
	"length in hexadecimal":     {"Content-Length: 0x6"},
	"length with a space":       {"Content-Length: 6 6"},
	"empty length":              {"Content-Length:"},
	"length over 63 bits":       {"Content-Length: 99999999999999999999"},
	"two lengths, one empty":    {"Content-Length: 6,"},
	"list of empty and length":  {"Content-Length: ,6"},
	"length with a fraction":    {"Content-Length: 6.0"},
	"length with an exponent":   {"Content-Length: 6e0"},
	"length with a parameter":   {"Content-Length: 6;q=1"},
	"length in quotes":          {"Content-Length: \"6\""},
	"length in wide digits":     {"Content-Length: \uff16"},
	"length with an underscore": {"Content-Length: 1_0"},
	"length behind a VT":        {"Content-Length: \x0b6"},
	"length before a FF":        {"Content-Length: 6\x0c"},
	"length before a NBSP":      {"Content-Length: 6\u00a0"},
	"space before colon, CL":    {"Content-Length : 6"},
	"tab before colon, CL":      {"Content-Length\t: 6"},
	"space before colon, TE":    {"Transfer-Encoding : chunked"},
	"tab before colon, TE":      {"Transfer-Encoding\t: chunked"},
	"space in the name, CL":     {"Content -Length: 6"},
	"DEL in the name":           {"Transfer-Encoding\x7f: chunked"},
	"NBSP before colon":         {"X: y", "Transfer-Encoding \u00a0: chunked"},
	"control in the name":       {"Transfer-Encoding\x0b: chunked"},
	"folded length":             {"Content-Length:", " 6"},
	"folded coding":             {"Transfer-Encoding: gzip,", "\tchunked"},
	"framing field as a fold":   {"X: 1", " Transfer-Encoding: chunked"},
	"first line is a fold":      {" Content-Length: 6"},
	"no colon":                  {"Content-Length 6", "Transfer-Encoding"},
	"chunked twice":             {"Transfer-Encoding: chunked, chunked"},
	"chunked on two lines":      {"Transfer-Encoding: chunked", "Transfer-Encoding: chunked"},
	"chunked and nothing":       {"Transfer-Encoding: chunked,"},
	"chunked not last":          {"Transfer-Encoding: chunked, identity"},
	"chunked not last, 2 lines": {"Transfer-Encoding: chunked", "Transfer-Encoding: identity"},
	"CL.CL.TE": {
		"Content-Length: 6",
		"Content-Length: 6",
		"Transfer-Encoding: chunked",
	},
	"TE.CL, coding unknown":  {"Transfer-Encoding: xchunked", "Content-Length: 6"},
	"TE.CL, coding empty":    {"Transfer-Encoding:", "Content-Length: 6"},
	"bare CR before a field": {"X: a", "\rContent-Length: 6"},
	"bare CR in a name":      {"Content-\rLength: 6"},
	"bare CR behind a value": {"Content-Length: 6\r"},
	"NUL in a name":          {"Content-Length\x00: 6"},
	"NUL in a coding":        {"Transfer-Encoding: chunked\x00"},
	"bare CR":                {"X: a\rContent-Length: 6"},
	"CR CR LF":               {"X: a\r"},
	"NUL":                    {"X: a\x00b"},
}

func TestAmbiguousHeadsAreRefused(t *testing.T) {
	for name, fields := range smuggled {
		t.Run(name, func(t *testing.T) {
			var head *headError
			if req, err := parseRequest(lines(append([]string{"POST / HTTP/1.1"}, fields...)...)); !errors.As(
				err,
				&head,
			) {
				t.Errorf("request: %v, %v", req.framing, err)
			}
			if res, err := parseResponse(lines(append([]string{"HTTP/1.1 200 OK"}, fields...)...), &request{}); !errors.As(
				err,
				&head,
			) {
				t.Errorf("response: %v, %v", res.framing, err)
			}
		})
	}
}

func TestRequestsRefused(t *testing.T) {
	for name, head := range map[string][]byte{
		"TE without chunked":     lines("POST / HTTP/1.1", "Transfer-Encoding: gzip"),
		"TE that looks chunked":  lines("POST / HTTP/1.1", "Transfer-Encoding: xchunked"),
		"TE with a vertical tab": lines("POST / HTTP/1.1", "Transfer-Encoding: \x0bchunked"),
		"TE in HTTP/1.0":         lines("POST / HTTP/1.0", "Transfer-Encoding: chunked"),
		"HTTP/0.9":               lines("GET /"),
		"HTTP/2.0":               lines("PRI * HTTP/2.0"),
		"no target":              lines("GET  HTTP/1.1"),
		"method not a token":     lines("G(T / HTTP/1.1"),
		"HTTP/1.10":              lines("GET / HTTP/1.10"),
		"two versions":           lines("POST / HTTP/1.0 HTTP/1.1", "Transfer-Encoding: chunked"),
		"two versions, a tab":    lines("POST /\tHTTP/1.0 HTTP/1.1", "Transfer-Encoding: chunked"),
		"two versions, a VT":     lines("POST /HTTP/\x0bHTTP/1.0 HTTP/1.1"),
		"LF hides a length":      []byte("POST / HTTP/1.1\r\nX: y\nContent-Length: 5\r\n\r\n"),
		"fold before any field":  lines("GET / HTTP/1.1", " Proxy-Authorization: x"),
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := parseRequest(head); err == nil {
				t.Error("accepted")
			}
		})
	}
}

// TestRefusalShowsOnlyFramingLines: cookies and credentials stay out of the log.
func TestRefusalShowsOnlyFramingLines(t *testing.T) {
	_, err := parseRequest(
		lines("POST / HTTP/1.1", "Cookie: secret", "Content-Length: 6", "Authorization: secret",
			"Transfer-Encoding: chunked"),
	)
	var head *headError
	if !errors.As(err, &head) || len(head.lines) != 2 {
		t.Fatalf("%v, want two lines", err)
	}
	if all := string(bytes.Join(head.lines, nil)) + err.Error(); strings.Contains(all, "secret") {
		t.Errorf("%q", all)
	}
}

func TestResponseFraming(t *testing.T) {
	get, head := &request{}, &request{headRequested: true}
	for name, c := range map[string]struct {
		head    []byte
		req     *request
		framing framing
		keep    bool
	}{
		"sized":               {lines("HTTP/1.1 200 OK", "Content-Length: 3"), get, sized, true},
		"chunked":             {lines("HTTP/1.1 200 OK", "Transfer-Encoding: chunked"), get, chunked, true},
		"until close":         {lines("HTTP/1.1 200 OK"), get, untilClose, false},
		"1.0 until close":     {lines("HTTP/1.0 200 OK", "Connection: keep-alive"), get, untilClose, false},
		"1.0 sized, kept":     {lines("HTTP/1.0 200 OK", "Connection: keep-alive", "Content-Length: 1"), get, sized, true},
		"1.0 chunked":         {lines("HTTP/1.0 200 OK", "Connection: keep-alive", "Transfer-Encoding: chunked"), get, untilClose, false},
		"TE without chunked":  {lines("HTTP/1.1 200 OK", "Transfer-Encoding: gzip"), get, untilClose, false},
		"HEAD with length":    {lines("HTTP/1.1 200 OK", "Content-Length: 3"), head, noBody, true},
		"HEAD without length": {lines("HTTP/1.1 200 OK"), head, noBody, true},
		"204":                 {lines("HTTP/1.1 204 No Content", "Content-Length: 3"), get, noBody, true},
		"304":                 {lines("HTTP/1.1 304 Not Modified", "Content-Length: 3"), get, noBody, true},
		"103":                 {lines("HTTP/1.1 103 Early Hints", "Link: x"), get, noBody, true},
		"length zero":         {lines("HTTP/1.1 200 OK", "Content-Length: 0"), get, noBody, true},
		"no reason":           {lines("HTTP/1.1 200", "Content-Length: 3"), get, sized, true},
		"empty reason":        {lines("HTTP/1.1 200 ", "Content-Length: 3"), get, sized, true},
		"close":               {lines("HTTP/1.1 200 OK", "Content-Length: 3", "Connection: close"), get, sized, false},
	} {
		t.Run(name, func(t *testing.T) {
			res, err := parseResponse(c.head, c.req)
			if err != nil {
				t.Fatal(err)
			}
			if res.framing != c.framing || res.keepAlive != c.keep {
				t.Errorf("%v keep %v, want %v %v", res.framing, res.keepAlive, c.framing, c.keep)
			}
		})
	}
}

func TestResponsesRefused(t *testing.T) {
	for name, head := range map[string][]byte{
		"ICY":           lines("ICY 200 OK"),
		"HTTP/2":        lines("HTTP/2.0 200 OK"),
		"two digits":    lines("HTTP/1.1 20 OK"),
		"four digits":   lines("HTTP/1.1 2000 OK"),
		"status 099":    lines("HTTP/1.1 099 OK"),
		"no HTTP":       lines("<html>"),
		"signed status": lines("HTTP/1.1 +20 OK"),
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := parseResponse(head, &request{}); err == nil {
				t.Error("accepted")
			}
		})
	}
}

func TestHeadEnd(t *testing.T) {
	for _, c := range []struct {
		text string
		want int
	}{
		{"", -1},
		{"GET / HTTP/1.1\r\n", -1},
		{"a\r\n\r\nbody", 5},
		{"a\n\nbody", 3},
		{"a\r\n\nbody", 4},
		{"a\n\r\nbody", 4},
		{"a\n\r", -1},
	} {
		if end, _ := headEnd([]byte(c.text), 0); end != c.want {
			t.Errorf("%q: %d, want %d", c.text, end, c.want)
		}
		end, from := -1, 0 // byte by byte, as a slow peer sends it
		for i := range len(c.text) + 1 {
			if end, from = headEnd([]byte(c.text[:i]), from); end >= 0 {
				break
			}
		}
		if end != c.want {
			t.Errorf("%q byte by byte: %d, want %d", c.text, end, c.want)
		}
	}
}

// FuzzRequestFraming holds the framing against net/http's: what both accept must end in the same
// place.
func FuzzRequestFraming(f *testing.F) {
	seed(f, "POST / HTTP/1.1", "GET /")
	f.Add(append(lines("POST / HTTP/1.1", "Host: a", "Content-Length: 3"), "abcrest"...))
	f.Fuzz(func(t *testing.T, wire []byte) {
		end, _ := headEnd(wire, 0)
		if end < 0 {
			return
		}
		req, err := parseRequest(wire[:end])
		if err != nil {
			return
		}
		sameEnd(t, wire, end, requestBody(&req.message), func(in *bufio.Reader) (io.ReadCloser, error) {
			theirs, err := http.ReadRequest(in)
			if err != nil {
				return nil, err
			}
			return theirs.Body, nil
		})
	})
}

// FuzzResponseFraming is the same for responses.
func FuzzResponseFraming(f *testing.F) {
	seed(f, "HTTP/1.1 200 OK", "HTTP/1.1")
	f.Add(append(lines("HTTP/1.1 204 No Content"), "HTTP/1.1"...))
	f.Fuzz(func(t *testing.T, wire []byte) {
		end, _ := headEnd(wire, 0)
		if end < 0 {
			return
		}
		res, err := parseResponse(wire[:end], &request{})
		if err != nil || res.status == 101 { // what follows a 101 is no HTTP, and they give all of it
			return
		}
		sameEnd(t, wire, end, responseBody(&res.message), func(in *bufio.Reader) (io.ReadCloser, error) {
			theirs, err := http.ReadResponse(in, nil)
			if err != nil {
				return nil, err
			}
			return theirs.Body, nil
		})
	})
}

// seed gives a fuzzer all kinds of heads and bodies, each with something behind it.
func seed(f *testing.F, line, rest string) {
	for _, fields := range smuggled {
		f.Add(append(lines(append([]string{line, "Host: a"}, fields...)...), "0\r\n\r\n"+rest...))
	}
	for _, table := range []map[string]string{badChunks, looseChunks, {"good": "3;a=b\r\nabc\r\n0\r\nX: y\r\n\r\n"}} {
		for _, chunks := range table {
			f.Add(append(lines(line, "Host: a", "Transfer-Encoding: chunked"), chunks+rest...))
		}
	}
}

// sameEnd compares where the message that begins wire ends, and what its body holds, for us and for
// net/http, if both accept it. A body that ends with the connection must do so for both. We must
// also find the same end when the bytes come one by one.
func sameEnd(t *testing.T, wire []byte, head int, b body,
	read func(*bufio.Reader) (io.ReadCloser, error)) {
	ours, slow := b, b
	n, err := ours.take(wire[head:])
	whole := err == nil && (ours.done() || ours.framing == untilClose)
	if m, end := byteByByte(&slow, wire[head:]); m != n || (end == nil) != (err == nil) ||
		slow.done() != ours.done() {
		t.Errorf("in one piece %d bytes, %v; byte by byte %d, %v", n, err, m, end)
	}
	in := bufio.NewReader(bytes.NewReader(wire))
	theirs, failed := read(in)
	if failed != nil {
		return
	}
	payload, failed := io.ReadAll(theirs)
	if failed != nil || !whole {
		return
	}
	theirs.Close()
	rest, _ := io.ReadAll(in)
	if got := len(wire) - head - n; got != len(rest) {
		t.Errorf("%d bytes behind the message, net/http says %d", got, len(rest))
	}
	if ours.framing != chunked && string(payload) != string(wire[head:head+n]) {
		t.Errorf("the body is %q, net/http says %q", wire[head:head+n], payload)
	}
}

func byteByByte(b *body, wire []byte) (n int, err error) {
	for n < len(wire) && !b.done() {
		m, err := b.take(wire[n : n+1])
		n += m
		if err != nil || m == 0 {
			return n, err
		}
	}
	return n, nil
}

func BenchmarkFraming(b *testing.B) {
	asked := lines("GET /some/path?with=query HTTP/1.1", "Host: www.example.org",
		"Connection: keep-alive", "Cache-Control: max-age=0", "Sec-Ch-Ua: \"Chromium\";v=\"156\"",
		"User-Agent: Mozilla/5.0 (X11; Linux x86_64)", "Accept: text/html,application/xhtml+xml",
		"Accept-Encoding: gzip, deflate, br, zstd", "Accept-Language: en-US,en;q=0.9", "Cookie: a=b; c=d",
		"Sec-Fetch-Mode: navigate")
	answered := lines("HTTP/1.1 200 OK", "Date: Sat, 21 Nov 2026 00:00:00 GMT",
		"Content-Type: text/html; charset=utf-8", "Content-Length: 10240", "Cache-Control: max-age=600",
		"Etag: \"abc\"", "Server: nginx", "Vary: Accept-Encoding")
	b.Run("request head", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			headEnd(asked, 0)
			if _, err := parseRequest(asked); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("response head", func(b *testing.B) {
		b.ReportAllocs()
		req := &request{}
		for b.Loop() {
			headEnd(answered, 0)
			if _, err := parseResponse(answered, req); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("chunked body", func(b *testing.B) {
		wire := []byte(strings.Repeat("1000\r\n"+strings.Repeat("x", 0x1000)+"\r\n", 8) + "0\r\n\r\n")
		b.SetBytes(int64(len(wire)))
		b.ReportAllocs()
		for b.Loop() {
			body := responseBody(&message{framing: chunked})
			if _, err := body.take(wire); err != nil || !body.done() {
				b.Fatal(err)
			}
		}
	})
}

// TestEmptyLinesInPieces: empty lines before a head are passed over, also when they come byte by
// byte.
func TestEmptyLinesInPieces(t *testing.T) {
	const head = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
	var w wire
	rest := "\r\n\n\r\n\r\n" + head
	got, err := w.head(1<<10, func() error {
		w.unread([]byte(rest[:1]))
		rest = rest[1:]
		return nil
	})
	if err != nil || string(got) != head {
		t.Errorf("%q, %v", got, err)
	}
}
