package cmd

import (
	"net"
	"os"
	"testing"
)

// TestTypable: what a person is told to type leads to the recorder, also if it listens on all
// addresses.
func TestTypable(t *testing.T) {
	name, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string][2]string{
		"127.0.0.1:8080":     {"127.0.0.1:8080", "127.0.0.1:8080"},
		"[2001:db8::7]:8080": {"[2001:db8::7]:8080", "[2001:db8::7]:8080"},
		"[::]:8080":          {name + ":8080", "127.0.0.1:8080"},
		"0.0.0.0:8080":       {name + ":8080", "127.0.0.1:8080"},
	} {
		if others, here := typable(address); others != want[0] || here != want[1] {
			t.Errorf("%s: %s and %s, want %s", address, others, here, want)
		}
	}
	ln, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	_, here := typable(ln.Addr().String())
	conn, err := net.Dial("tcp", here)
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
}
