package replay

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"
)

func TestAnswer(t *testing.T) {
	r := archived(t, Config{Explain: true},
		exchange{url: "http://example.com/a", text: "first", at: 1},
		exchange{url: "http://example.com/a", text: "second", at: 2},
		exchange{url: "http://example.com/gone", response: "HTTP/1.1 503 Later\nRetry-After: 5", at: 3},
		exchange{method: "POST", url: "http://example.com/a", body: "x", text: "posted", at: 4},
		exchange{url: "http://example.com/|?%", text: "bars", at: 5})
	for _, c := range []struct {
		name, status, text, rule string
		ask                      exchange
	}{
		{"the latest", "200", "second", "exact", exchange{url: "http://example.com/a"}},
		{"an error", "503", "", "exact", exchange{url: "http://example.com/gone"}},
		{"HEAD of a GET", "200", "", "exact", exchange{method: "HEAD", url: "http://example.com/a"}},
		{"other spelling", "200", "second", "pywb", exchange{url: "https://www.example.com/A"}},
		{"with userinfo and a fragment", "200", "second", "exact",
			exchange{url: "http://u:p@example.com/a#b"}},
		{"spelled as no record has it", "200", "bars", "exact", exchange{url: "http://example.com/|?%"}},
		{"POST", "200", "posted", "query",
			exchange{method: "POST", url: "http://example.com/a", body: "x"}},
		{"PUT is no POST", "404", "", "",
			exchange{method: "PUT", url: "http://example.com/a", body: "x"}},
		{"DELETE is no GET", "404", "", "", exchange{method: "DELETE", url: "http://example.com/a"}},
		{"Accept-Datetime", "200", "first", "exact", exchange{url: "http://example.com/a",
			fields: "Accept-Datetime: Wed, 04 Mar 2026 05:00:59 GMT\r\n"}},
		{"no Accept-Datetime", "400", "Accept-Datetime names", "", exchange{
			url: "http://example.com/a", fields: "Accept-Datetime: yesterday\r\n"}},
		{"empty Accept-Datetime", "400", "Accept-Datetime names", "", exchange{
			url: "http://example.com/a", fields: "Accept-Datetime:\r\n"}},
		{"what is not there", "404", "", "", exchange{url: "http://example.com/b"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			answer, text := r.ask(c.ask)
			if answer.status() != c.status || !strings.HasPrefix(text, c.text) {
				t.Errorf("status %s, %q", answer.status(), text)
			}
			if rule := answer.first("X-Warcorder-Rule"); rule != c.rule {
				t.Errorf("found by %q, want %q", rule, c.rule)
			}
		})
	}
}

func TestFallback(t *testing.T) {
	r := archived(t, Config{Fallback: true}, exchange{text: "there"})
	if _, text := r.ask(exchange{}); text != "there" {
		t.Errorf("what is there: %q", text)
	}
	_, _, err := r.Answer(context.Background(), "GET", "http://example.com/x",
		[]byte("GET /x HTTP/1.1\r\n\r\n"), nil)
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what is not there: %v", err)
	}
	if got := r.Report(); got.FellBack != 1 || got.Missed != 1 || got.Answered != 1 {
		t.Errorf("report: %+v", got)
	}
}

// TestNotAll: a range that was not captured is missed, and it is said whether the answer was cut.
func TestNotAll(t *testing.T) {
	r := archived(t, Config{Explain: true},
		exchange{url: "http://example.com/cut", text: "01234", truncated: "disconnect"},
		exchange{url: "http://example.com/part", text: "01234",
			response: "HTTP/1.1 206 P\nETag: \"a\"\nContent-Range: bytes 0-4/20"})
	for path, why := range map[string]string{"cut": whyCut, "part": whyPart} {
		url := "http://example.com/" + path
		answer, _ := r.ask(exchange{url: url, fields: "Range: bytes=7-9\r\n"})
		if answer.status() != "404" || answer.first("X-Warcorder-Miss") != why {
			t.Errorf("%s: %s", path, answer)
		}
	}
}

// TestTally: a report counts what was made for an answer.
func TestTally(t *testing.T) {
	r := archived(t, Config{}, exchange{text: "0123456789", response: "HTTP/1.1 200 OK\nETag: \"a\""})
	for _, fields := range []string{"", "Range: bytes=2-3\r\n", "Range: bytes=20-\r\n",
		"If-None-Match: \"a\"\r\n", "If-None-Match: \"b\"\r\n"} {
		r.ask(exchange{fields: fields})
	}
	got := r.Report()
	if got.Answered != 5 || got.Ranges != 2 || got.NotModified != 1 || got.Rules["exact"] != 5 {
		t.Errorf("report: %+v", got)
	}
}
