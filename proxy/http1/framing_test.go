package http1

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"warcorder/proxy/http1/http1test"
)

func fields(f ...string) []string { return f }

// TestFramingVerdicts: for each way to write the framing fields, how a request and a response with
// them end, or that they are refused. What is refused on both sides stands in http1test.Smuggled.
func TestFramingVerdicts(t *testing.T) {
	const refused, closed = "refused", "until close"
	for name, c := range map[string]struct {
		fields            []string
		minor             byte // of the version
		request, response string
	}{
		"unknown coding":               {fields("Transfer-Encoding: xchunked"), '1', refused, closed},
		"chunked behind a VT":          {fields("Transfer-Encoding: \x0bchunked"), '1', refused, closed},
		"chunked before a VT":          {fields("Transfer-Encoding: chunked\x0b"), '1', refused, closed},
		"chunked behind a FF":          {fields("Transfer-Encoding: \x0cchunked"), '1', refused, closed},
		"chunked behind a NBSP":        {fields("Transfer-Encoding: \xa0chunked"), '1', refused, closed},
		"chunked in quotes":            {fields("Transfer-Encoding: \"chunked\""), '1', refused, closed},
		"chunked with a parameter":     {fields("Transfer-Encoding: chunked;q=1"), '1', refused, closed},
		"chunked behind a semicolon":   {fields("Transfer-Encoding: x;chunked"), '1', refused, closed},
		"chunked behind a space":       {fields("Transfer-Encoding: x chunked"), '1', refused, closed},
		"chunked with a colon":         {fields("Transfer-Encoding:: chunked"), '1', refused, closed},
		"half of chunked":              {fields("Transfer-Encoding: chunk"), '1', refused, closed},
		"chunked in letters that fold": {fields("Transfer-Encoding: chun\u212aed"), '1', refused, closed},
		"identity":                     {fields("Transfer-Encoding: identity"), '1', refused, closed},
		"no coding":                    {fields("Transfer-Encoding:"), '1', refused, closed},
		"gzip":                         {fields("Transfer-Encoding: gzip"), '1', refused, closed},
		"chunked in HTTP/1.0":          {fields("Transfer-Encoding: chunked"), '0', refused, closed},
		"chunked":                      {fields("Transfer-Encoding: chunked"), '1', "chunked", "chunked"},
		"chunked in capitals":          {fields("TRANSFER-ENCODING: CHUNKED"), '1', "chunked", "chunked"},
		"chunked behind spaces":        {fields("Transfer-Encoding:    chunked"), '1', "chunked", "chunked"},
		"chunked behind a tab":         {fields("Transfer-Encoding:\tchunked"), '1', "chunked", "chunked"},
		"chunked before a tab":         {fields("Transfer-Encoding: chunked\t"), '1', "chunked", "chunked"},
		"chunked without a space":      {fields("Transfer-Encoding:chunked"), '1', "chunked", "chunked"},
		"identity, chunked":            {fields("Transfer-Encoding: identity, chunked"), '1', "chunked", "chunked"},
		"identity and chunked, 2 lines": {fields("Transfer-Encoding: identity", "Transfer-Encoding: chunked"),
			'1', "chunked", "chunked"},
		"nothing and chunked":     {fields("Transfer-Encoding: , chunked"), '1', "chunked", "chunked"},
		"length":                  {fields("Content-Length: 6"), '1', "sized", "sized"},
		"length behind a tab":     {fields("Content-Length:\t6"), '1', "sized", "sized"},
		"length before spaces":    {fields("Content-Length: 6  "), '1', "sized", "sized"},
		"length with zeros":       {fields("Content-Length: 0006"), '1', "sized", "sized"},
		"equal lengths":           {fields("Content-Length: 6", "Content-Length: 6"), '1', "sized", "sized"},
		"equal lengths in a list": {fields("Content-Length: 6, 6"), '1', "sized", "sized"},
		"lengths written differently": {fields("Content-Length: 6", "Content-Length: 06"), '1', "sized",
			"sized"},
		"length zero": {fields("Content-Length: 0"), '1', "none", "none"},
		"length named by Connection": {fields("Connection: close, Content-length", "Content-Length: 6"),
			'1', refused, "sized"},
		"length named sloppily": {fields("Connection: \x0bContent-Length ", "Content-Length: 6"), '1',
			refused, "sized"},
		"coding named by Connection": {fields("Connection: Transfer-Encoding", "Transfer-Encoding: chunked"),
			'1', refused, "chunked"},
		"coding named in a fold": {fields("Connection: x,", " Transfer-Encoding", "Transfer-Encoding: chunked"),
			'1', refused, refused},
		"others named by Connection": {fields("Connection: TE, X-Content-Length, Trailer", "Content-Length: 6"),
			'1', "sized", "sized"},
		"neither":           {nil, '1', "none", closed},
		"other fields fold": {fields("X: 1", " y", "Content-Length: 6"), '1', "sized", "sized"},
		"a value that looks like one": {fields("X: Transfer-Encoding: chunked", "Content-Length: 6"), '1',
			"sized", "sized"},
	} {
		t.Run(name, func(t *testing.T) {
			version := "HTTP/1." + string(c.minor)
			verdict := func(f Framing, err error) string {
				if errors.As(err, new(*Error)) {
					return refused
				}
				return f.String()
			}
			req, err := ParseRequest(lines(append([]string{"POST / " + version}, c.fields...)...))
			if got := verdict(req.Framing, err); got != c.request {
				t.Errorf("request: %s, want %s", got, c.request)
			}
			res, err := ParseResponse(lines(append([]string{version + " 200 OK"}, c.fields...)...),
				&Request{})
			if got := verdict(res.Framing, err); got != c.response {
				t.Errorf("response: %s, want %s", got, c.response)
			}
			if res.Framing == UntilClose && res.KeepAlive {
				t.Error("the connection goes on behind a response that ends with it")
			}
		})
	}
}

func TestAmbiguousHeadsAreRefused(t *testing.T) {
	for name, fields := range http1test.Smuggled {
		t.Run(name, func(t *testing.T) {
			var head *Error
			req, err := ParseRequest(lines(append([]string{"POST / HTTP/1.1"}, fields...)...))
			if !errors.As(err, &head) {
				t.Errorf("request: %v, %v", req.Framing, err)
			}
			answer := lines(append([]string{"HTTP/1.1 200 OK"}, fields...)...)
			if res, err := ParseResponse(answer, &Request{}); !errors.As(err, &head) {
				t.Errorf("response: %v, %v", res.Framing, err)
			}
		})
	}
}

// TestRefusalShowsOnlyFramingLines: cookies and credentials stay out of the log.
func TestRefusalShowsOnlyFramingLines(t *testing.T) {
	_, err := ParseRequest(
		lines("POST / HTTP/1.1", "Cookie: secret", "Content-Length: 6", "Authorization: secret",
			"Transfer-Encoding: chunked"),
	)
	var head *Error
	if !errors.As(err, &head) || len(head.Lines) != 2 {
		t.Fatalf("%v, want two lines", err)
	}
	if all := string(bytes.Join(head.Lines, nil)) + err.Error(); strings.Contains(all, "secret") {
		t.Errorf("%q", all)
	}
}
