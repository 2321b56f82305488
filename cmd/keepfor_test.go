package cmd

import (
	"io"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"warcorder/recorder"
	"warcorder/store"
	"warcorder/store/collection"
)

// TestKeepForClock: after a time without recordings that is longer than keep-for nothing is removed
// until the next start, since a wrong clock looks the same.
func TestKeepForClock(t *testing.T) {
	dir := t.TempDir()
	long := time.Now().Add(-100 * 24 * time.Hour)
	c := oldCapture(t, dir, long)
	index, err := store.Open(c.Index(), store.Options{})
	if err == nil {
		err = index.SetSession(store.Session{Started: long, Last: long})
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := index.Close(); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		said string
		kept bool
	}{
		{"what is older than keep-for could not be removed: it is tried again in an hour", true},
		{"removed what is older than keep-for", false},
	} {
		p := startProgram(t, dir, test.said, "record", "--listen", "127.0.0.1:0", "--log", "json",
			"--keep-for", "90d")
		if p.stop() != 0 || test.kept != strings.Contains(p.stderr.String(), "the clock may be wrong") {
			t.Error(p.stderr)
		}
		if out, _, _ := p.run("export", "-o", "-"); strings.Contains(out, "/old") != test.kept {
			t.Errorf("%s: %q", test.said, out)
		}
	}
}

// oldCapture makes a collection with a capture of that time.
func oldCapture(t *testing.T, dir string, at time.Time) collection.Dir {
	t.Helper()
	c := collection.Dir(filepath.Join(dir, "collections", "default"))
	cfg := recorder.Default()
	cfg.MinFreeSpace = 0
	old, err := recorder.Open(cfg, c, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	x := old.Begin()
	x.URL, x.Method, x.Started = "https://example.com/old", "GET", at
	x.RemoteIP = netip.MustParseAddr("192.0.2.1")
	io.WriteString(&x.Request, "GET /old HTTP/1.1\r\nHost: example.com\r\n\r\n")
	io.WriteString(&x.Response, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nold")
	x.Commit()
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	return c
}
