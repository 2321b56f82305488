package record

import "testing"

func TestTargetURI(t *testing.T) {
	for _, c := range []struct{ name, url, want string }{
		{"as it is", "http://example.com/a/b?c=d", "http://example.com/a/b?c=d"},
		{"case, default port, dot segments",
			"HTTP://Example.COM:80/A/../b", "HTTP://Example.COM:80/A/../b"},
		{"no path", "http://example.com", "http://example.com"},
		{"fragment", "http://example.com/a#b#c", "http://example.com/a"},
		{"userinfo", "http://user:p@ss@example.com/a@b", "http://example.com/a@b"},
		{"userinfo before a query", "http://u@example.com?q=x@y", "http://example.com?q=x@y"},
		{"space", "http://example.com/a b?c d", "http://example.com/a%20b?c%20d"},
		{"control", "http://example.com/\x00\t\x7f", "http://example.com/%00%09%7F"},
		{"UTF-8", "http://example.com/ä", "http://example.com/%C3%A4"},
		{"Latin-1", "http://example.com/\xe4", "http://example.com/%E4"},
		{"no URI characters", "http://example.com/\"<>\\^`{|}",
			"http://example.com/%22%3C%3E%5C%5E%60%7B%7C%7D"},
		{"escapes of any case", "http://example.com/%c3%A4%2f", "http://example.com/%c3%A4%2f"},
		{"percent without digits", "http://example.com/100%?%zz%4",
			"http://example.com/100%25?%25zz%254"},
		{"percent before an escape", "http://example.com/%%41", "http://example.com/%25%41"},
		{"brackets", "http://[2001:db8::1]:8080/a[1]?b[]=c",
			"http://[2001:db8::1]:8080/a%5B1%5D?b%5B%5D=c"},
		{"all reserved", "http://example.com/:@!$&'()*+,;=-._~?/",
			"http://example.com/:@!$&'()*+,;=-._~?/"},
		{"no authority", "urn:x y", "urn:x%20y"},
		{"empty", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := TargetURI(c.url); got != c.want {
				t.Errorf("targetURI(%q) = %q, want %q", c.url, got, c.want)
			}
		})
	}
}

// FuzzTargetURI checks that the result holds nothing but what RFC 3986 allows, and that it is its
// own normal form.
func FuzzTargetURI(f *testing.F) {
	f.Add("http://u@example.com/a b%zz[1]?ä#f")
	f.Fuzz(func(t *testing.T, url string) {
		got := TargetURI("http://" + url)
		for i := range len(got) {
			if got[i] <= ' ' || got[i] >= 0x7f || got[i] == '#' {
				t.Fatalf("targetURI(%q) = %q", url, got)
			}
		}
		if again := TargetURI(got); again != got {
			t.Fatalf("targetURI(%q) = %q, and of that %q", url, got, again)
		}
	})
}
