//go:build unix

package readback

import (
	"errors"
	"os"
	"syscall"
	"testing"

	"warcorder/recorder/recovery/foreign"
)

// TestPipe: a pipe that lies in the place of a file is no file, and nobody waits for what is written
// into it.
func TestPipe(t *testing.T) {
	const url = "http://example.com/a"
	files, dir := imported(t, map[string][]byte{
		"a.warc.gz": foreign.Gzip(response(url, http, "HTTP/1.1 200 OK||hello"))})
	c := captures(t, files.index, url)[0]
	path := dir.WARC(c.File)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := files.Response(&c); !errors.Is(err, ErrMissing) {
		t.Errorf("a pipe: %v", err)
	}
}
