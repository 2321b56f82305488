package collection

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestHolders: processes that hold the lock of the directory, or of the index, are named with their
// commands; one that waits is not, and neither is who asks.
func TestHolders(t *testing.T) {
	d := newDir(t)
	if err := os.WriteFile(d.Index(), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if names := d.Holders(); len(names) != 0 {
		t.Errorf("nobody holds it, and it is %q", names)
	}
	unlock, err := d.Lock()
	if err != nil {
		t.Fatal(err)
	}
	if names := d.Holders(); len(names) != 0 {
		t.Errorf("who asks holds it, and it is %q", names)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	for how, path := range map[string]string{"lock": string(d), "share": d.Index()} {
		pid, end := hold(t, how, path)
		names := d.Holders()
		end()
		want := "process " + strconv.Itoa(pid) + " (" + os.Args[0]
		if len(names) != 1 || !strings.HasPrefix(names[0], want[:min(len(want), maxCommand)]) {
			t.Errorf("%s: got %q, want %q", path, names, want)
		}
	}
}

func TestParseLock(t *testing.T) {
	for line, want := range map[string]struct {
		pid   int
		inode string
		ok    bool
	}{
		"1: FLOCK  ADVISORY  WRITE 4711 fd:01:1234 0 EOF\n":    {4711, "1234", true},
		"1: -> FLOCK  ADVISORY  WRITE 4711 fd:01:1234 0 EOF\n": {0, "", false},
		"2: OFDLCK ADVISORY  READ  -1 00:2f:77 0 0\n":          {-1, "77", false},
		"3: FLOCK  ADVISORY  WRITE 0 fd:01:1234 0 EOF\n":       {0, "1234", false},
		"": {0, "", false},
	} {
		if pid, inode, ok := parseLock(line); ok != want.ok ||
			ok && (pid != want.pid || inode != want.inode) {
			t.Errorf("%q: %d %q %t", line, pid, inode, ok)
		}
	}
}
