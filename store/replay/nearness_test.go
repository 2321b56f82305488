package replay

import "testing"

func TestNearness(t *testing.T) {
	const asked = "https://example.com/a?x=1&y=2"
	for captured, want := range map[string]int{
		asked:                               sameURL,
		"HTTPS://Example.com:443/a?x=1&y=2": sameURL,
		"https://example.com/a?y=2&x=1":     sameSite,
		"https://example.com/A?x=1&y=2":     sameSite,
		"http://example.com/a?x=1&y=2":      sameHost,
		"https://www.example.com/a?x=1&y=2": sameKey,
		"https://example.com:80/a?x=1&y=2":  sameKey,
		"":                                  sameKey,
	} {
		if got := nearnessOf(captured, asked); got != want {
			t.Errorf("%s is as near as %d, want %d", captured, got, want)
		}
	}
	if got := nearnessOf("http://example.com", "http://example.com:80/"); got != sameURL {
		t.Errorf("a URL without a path is as near as %d", got)
	}
	if got := nearnessOf("http://example.com?a", "http://example.com/?a"); got != sameURL {
		t.Errorf("a URL whose path is empty is as near as %d", got)
	}
}
