package recorder

import (
	"errors"
	"io"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// TestFlushOnFullDisk: when the end of a body finds no room on disk, Flush says so, and whoever
// would pass the last byte on must not; it is kept in memory for when there is room.
func TestFlushOnFullDisk(t *testing.T) {
	c := open(t, t.TempDir(), Config{})
	response := page(200, "text/plain", "", randomText(3<<19))
	x := c.begin("http://example.com/", exampleRequest, "")
	defer x.Discard()
	for rest := response; rest != ""; {
		piece := rest[:min(len(rest), 16<<10)]
		if _, err := x.Response.Write([]byte(piece)); err != nil {
			t.Fatal(err)
		}
		rest = rest[len(piece):]
	}
	if x.Response.file == nil || x.Response.spilled == x.Response.size {
		t.Fatal("nothing of it is in memory beside its file")
	}
	file := x.Response.file
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	x.Response.file = full
	if err := x.Flush(); !errors.Is(err, unix.ENOSPC) {
		t.Errorf("on a full disk: %v", err)
	}
	x.Response.file = file
	if err := full.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(x.Response.reader()); err != nil || string(got) != response {
		t.Errorf("%d bytes are left of %d, %v", len(got), len(response), err)
	}
}
