package replay

import "testing"

// TestResolve: a Location leads where a browser goes; what WHATWG's URL makes of them is the
// reference.
func TestResolve(t *testing.T) {
	for _, c := range []struct{ base, location, want string }{
		{"https://a.com/b/c?d", "e#f", "https://a.com/b/e"},
		{"https://a.com/b/c?d", "", "https://a.com/b/c?d"},
		{"https://a.com/b/c?d", "?", "https://a.com/b/c?"},
		{"https://a.com/b/c?d", "?e", "https://a.com/b/c?e"},
		{"https://a.com/b/c?d", "#e", "https://a.com/b/c?d"},
		{"https://a.com/b/c", "//B.com", "https://b.com/"},
		{"https://a.com/b/c", "//B.com?x", "https://b.com/?x"},
		{"https://a.com/b/c", `\\b.com\d`, "https://b.com/d"},
		{"https://a.com/b/c", "///b.com/d", "https://b.com/d"},
		{"https://a.com/b/c", `/d\e?f\g`, `https://a.com/d/e?f\g`},
		{"https://a.com/b/c", "https:d", "https://a.com/b/d"},
		{"https://a.com/b/c", "HTTPS:/d", "https://a.com/d"},
		{"https://a.com/b/c", "http:/d", "http://d/"},
		{"https://a.com/b/c", "http:d/e", "http://d/e"},
		{"https://a.com/b/c", "https://u:p@a.com:0443/", "https://a.com:443/"},
		{"https://a.com/b/c", "https://a.com:/", "https://a.com/"},
		{"https://a.com/b/c", "https://%61.com/", "https://a.com/"},
		{"https://a.com/b/c", "https://b\u00fccher.example/", "https://xn--bcher-kva.example/"},
		{"https://a.com/b/c/", "../d/./e/..", "https://a.com/b/d/"},
		{"https://a.com/b/c/", "%2e%2E/d/%2e", "https://a.com/b/d/"},
		{"https://a.com/b", "/../../..", "https://a.com/"},
		{"https://a.com/b", "...", "https://a.com/..."},
		{"https://a.com/b", "/%zz?%zz", "https://a.com/%zz?%zz"},
		{"https://a.com/b", " \t/c\td \x00", "https://a.com/cd"},
		{"http://a.com/", "https://a.com/?x y", "https://a.com/?x y"},
		{"http://a.com/'", "?'", "http://a.com/'?%27"},
		{"http://a.com/b/c", "1:2", "http://a.com/b/1:2"},
		{"http://a.com/", "app:open", ""},
		{"http://a.com/", "javascript://a.com/", ""},
	} {
		if got := resolve(c.base, c.location); got != c.want {
			t.Errorf("%q from %s: %q, want %q", c.location, c.base, got, c.want)
		}
	}
}
