package http1

import (
	"testing"
)

func TestResponseFraming(t *testing.T) {
	get, head := &Request{}, &Request{HeadRequested: true}
	for name, c := range map[string]struct {
		head    []byte
		req     *Request
		framing Framing
		keep    bool
	}{
		"sized":           {lines("HTTP/1.1 200 OK", "Content-Length: 3"), get, Sized, true},
		"chunked":         {lines("HTTP/1.1 200 OK", "Transfer-Encoding: chunked"), get, Chunked, true},
		"until close":     {lines("HTTP/1.1 200 OK"), get, UntilClose, false},
		"1.0 until close": {lines("HTTP/1.0 200 OK", "Connection: keep-alive"), get, UntilClose, false},
		"1.0 sized, kept": {lines("HTTP/1.0 200 OK", "Connection: keep-alive", "Content-Length: 1"), get,
			Sized, true},
		"1.0 chunked": {lines("HTTP/1.0 200 OK", "Connection: keep-alive", "Transfer-Encoding: chunked"),
			get, UntilClose, false},
		"TE without chunked": {lines("HTTP/1.1 200 OK", "Transfer-Encoding: gzip"), get, UntilClose,
			false},
		"HEAD with length":    {lines("HTTP/1.1 200 OK", "Content-Length: 3"), head, NoBody, true},
		"HEAD without length": {lines("HTTP/1.1 200 OK"), head, NoBody, true},
		"204":                 {lines("HTTP/1.1 204 No Content", "Content-Length: 3"), get, NoBody, true},
		"304":                 {lines("HTTP/1.1 304 Not Modified", "Content-Length: 3"), get, NoBody, true},
		"103":                 {lines("HTTP/1.1 103 Early Hints", "Link: x"), get, NoBody, true},
		"length zero":         {lines("HTTP/1.1 200 OK", "Content-Length: 0"), get, NoBody, true},
		"no reason":           {lines("HTTP/1.1 200", "Content-Length: 3"), get, Sized, true},
		"empty reason":        {lines("HTTP/1.1 200 ", "Content-Length: 3"), get, Sized, true},
		"close":               {lines("HTTP/1.1 200 OK", "Content-Length: 3", "Connection: close"), get, Sized, false},
	} {
		t.Run(name, func(t *testing.T) {
			res, err := ParseResponse(c.head, c.req)
			if err != nil {
				t.Fatal(err)
			}
			if res.Framing != c.framing || res.KeepAlive != c.keep {
				t.Errorf("%v keep %v, want %v %v", res.Framing, res.KeepAlive, c.framing, c.keep)
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
			if _, err := ParseResponse(head, &Request{}); err == nil {
				t.Error("accepted")
			}
		})
	}
}
