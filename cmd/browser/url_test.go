package browser

import (
	"os"
	"strings"
	"testing"
)

// TestParseURL: what people type is what a browser would make of it; what no proxy sees is refused.
func TestParseURL(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("page.html", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for typed, want := range map[string]string{
		"https://example.org/":       "https://example.org/",
		"http://example.org":         "http://example.org/",
		"HTTPS://Example.org/A?b#c":  "https://Example.org/A?b#c",
		" example.org ":              "https://example.org/",
		"example.org/a b":            "https://example.org/a%20b",
		"example.org:8443/x":         "https://example.org:8443/x",
		"example.org?u=http://a.b/":  "https://example.org/?u=http://a.b/",
		"localhost:3000":             "http://localhost:3000/",
		"app.localhost:3000":         "http://app.localhost:3000/",
		"127.0.0.1:8080/x":           "http://127.0.0.1:8080/x",
		"[::1]:8080":                 "http://[::1]:8080/",
		"intranet":                   "http://intranet/",
		"bücher.example/ü":           "https://b%C3%BCcher.example/%C3%BC",
		"user:pass@example.org":      "https://user:pass@example.org/",
		"page.html":                  "",
		"about:blank":                "",
		"javascript:alert(1)":        "",
		"file:///etc/passwd":         "",
		"chrome://settings":          "",
		"view-source:http://a.b/":    "",
		"https://":                   "",
		"https:///x":                 "",
		"":                           "",
		"https://a b/":               "",
		"https://example.org:port/":  "",
		"http://exa\x00mple.org/":    "",
		"https://example.org/\nX: y": "",
	} {
		got, err := ParseURL(typed)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v; want %q", typed, got, err, want)
		}
		if err != nil && strings.ContainsAny(err.Error(), "\x00\n") {
			t.Errorf("%q: control characters in %q", typed, err)
		}
	}
}
