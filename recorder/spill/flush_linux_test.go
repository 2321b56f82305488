package spill

import (
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestNoteOnFullDisk: when the end of a body finds no room on disk, what is unsaved says so, and
// whoever would pass the last byte on must not; it is kept in memory for when there is room.
func TestNoteOnFullDisk(t *testing.T) {
	response := strings.Repeat("0123456789abcdef", 3<<15)
	x := newSides(memoryOf(t, 1<<30))
	defer x.response.Reset()
	for piece := range slices.Chunk([]byte(response), 16<<10) {
		if _, err := x.response.Write(piece); err != nil {
			t.Fatal(err)
		}
	}
	if x.response.file == nil || x.response.spilled == x.response.size {
		t.Fatal("nothing of it is in memory beside its file")
	}
	file := x.response.file
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	x.response.file = full
	if err := errors.Join(x.files.Note("", 0), x.response.Unsaved()); !errors.Is(err, unix.ENOSPC) {
		t.Errorf("on a full disk: %v", err)
	}
	x.response.file = file
	if err := full.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(x.response.Reader()); err != nil || string(got) != response {
		t.Errorf("%d bytes are left of %d, %v", len(got), len(response), err)
	}
}
