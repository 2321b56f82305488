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
