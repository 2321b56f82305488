package canon

import (
	"fmt"
	"strings"
	"testing"
)

func FuzzSURT(f *testing.F) {
	for _, v := range readVectors(f) {
		f.Add(v.URL)
	}
	for _, u := range typical {
		f.Add(u.url)
	}
	f.Fuzz(func(t *testing.T, url string) {
		key, ok := SURT(url)
		if !ok && key != url {
			t.Errorf("SURT(%q) = %q, not the URL unchanged", url, key)
		}
		if ok && !strings.HasPrefix(url, "filedesc") && !isPrintable(key) {
			t.Errorf("SURT(%q) = %q, not printable ASCII without space", url, key)
		}
		checkFragment(t, url, key, ok)
		checkEscaping(t, "http://example.com/?", url, "&x")
		if !strings.Contains(url, "?") {
			checkEscaping(t, "http://example.com/", url, "?x")
		}
		Pywb.Append(url, url, "")
	})
}

// checkFragment: a fragment changes nothing.
func checkFragment(t *testing.T, url, key string, ok bool) {
	bare := url == "" || strings.HasPrefix(url, "filedesc") ||
		strings.TrimRight(url, "\t\n\v\f\r ") != url
	if bare || strings.Contains(url, "#") {
		return
	}
	again, okAgain := SURT(url + "#f")
	if okAgain != ok || (ok && again != key) {
		t.Errorf("SURT(%q) = %q, but with a fragment %q", url, key, again)
	}
}

// checkEscaping: escaping every byte of a path or of a query changes nothing.
func checkEscaping(t *testing.T, before, part, after string) {
	if strings.ContainsAny(part, "#\t\r\n") {
		return
	}
	plain, _ := SURT(before + part + after)
	escaped, _ := SURT(before + escapeAll(part) + after)
	if plain != escaped {
		t.Errorf("SURT(%q) = %q, but escaped %q", before+part+after, plain, escaped)
	}
}

func escapeAll(s string) string {
	var out strings.Builder
	for i := range len(s) {
		fmt.Fprintf(&out, "%%%02X", s[i])
	}
	return out.String()
}

// isPrintable reports whether key can begin a line of an index.
func isPrintable(key string) bool {
	for i := range len(key) {
		if key[i] <= ' ' || key[i] > '~' {
			return false
		}
	}
	return key != ""
}
