package http1

import (
	"testing"
)

// TestTargetFormWaits until enough of a head is there to tell.
func TestTargetFormWaits(t *testing.T) {
	for _, c := range []struct {
		head     string
		known    int // bytes that tell
		absolute bool
	}{
		{head: "CONNECT a:1 HTTP/1.1\r\n", known: len("CONNECT a"), absolute: false},
		{head: "GET /status HTTP/1.1\r\n", known: len("GET /"), absolute: false},
		{head: "OPTIONS * HTTP/1.1\r\n", known: len("OPTIONS *"), absolute: false},
		{head: "GET http://a/ HTTP/1.1\r\n", known: len("GET h"), absolute: true},
		{head: "nonsense\r\n", known: len("nonsense\r\n"), absolute: true},
	} {
		for n := range len(c.head) + 1 {
			absolute, known := TargetForm([]byte(c.head[:n]))
			if known != (n >= c.known) || known && absolute != c.absolute {
				t.Errorf("%q: known %v, absolute %v", c.head[:n], known, absolute)
			}
		}
	}
}

// TestNoHosts: what another reader could take for another host leads nowhere.
func TestNoHosts(t *testing.T) {
	for _, authority := range []string{"good@127.0.0.1:443", "a:b@127.0.0.1:443", "127.0.0.1#:443",
		"127.0.0.1?.a:443", "a b:443", "a/:443", `a\:443`, "a\x01:443", "a\x0b:443", "a\x7f:443", "<a>:443",
		"*:443", "[a@b]:443", ":443", "[]:443", "a:0", "a:65536", "a:443443", "a:+1", "::1:443"} {
		if host, port, err := SplitAuthority(authority, "443"); err == nil {
			t.Errorf("%q: host %q, port %q", authority, host, port)
		}
	}
	for authority, want := range map[string]string{"A:80": "a 80", "a": "a 443", "a:": "a 443",
		"[::1]:80": "::1 80", "[FE80::1%25x]": "fe80::1%25x 443", "a_b%2f,;=~!$&'()+:1": "a_b%2f,;=~!$&'()+ 1",
		"b\u00fccher.test:80": "b\u00fccher.test 80"} {
		if host, port, err := SplitAuthority(authority, "443"); err != nil || host+" "+port != want {
			t.Errorf("%q: host %q, port %q, %v", authority, host, port, err)
		}
	}
}
