package sha1pair

import (
	"testing"

	"golang.org/x/sys/unix"
)

// TestPageEnd has messages between two pages that cannot be read: nothing before or after a message
// may be.
func TestPageEnd(t *testing.T) {
	page := unix.Getpagesize()
	b, err := unix.Mmap(-1, 0, 3*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(b)
	copy(b[page:], random(page))
	for _, guard := range [][]byte{b[:page], b[2*page:]} {
		if err := unix.Mprotect(guard, unix.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	message := b[page : 2*page]
	for size := range 400 + 1 {
		for _, head := range []int{0, min(size, 1), min(size, 64), min(size, 100), size} {
			check(t, message[page-size:], head)
			check(t, message[:size], head)
		}
	}
	check(t, message, 100)
}
