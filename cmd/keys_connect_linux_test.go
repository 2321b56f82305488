package cmd

import (
	"errors"
	"fmt"
	"net"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// unreachable is an address at which connections are neither taken nor refused: of a listener whose
// queue is full.
func unreachable(t *testing.T) string {
	t.Helper()
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	if err := errors.Join(unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}),
		unix.Listen(fd, 0)); err != nil {
		t.Fatal(err)
	}
	name, err := unix.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	address := fmt.Sprintf("127.0.0.1:%d", name.(*unix.SockaddrInet4).Port)
	for range 100 {
		conn, err := net.DialTimeout("tcp", address, 100*time.Millisecond)
		if err != nil {
			return address
		}
		t.Cleanup(func() { conn.Close() })
	}
	t.Fatal("the queue of a listener does not fill")
	return ""
}

func showTimeoutConnect(t *testing.T, b *keyBench) {
	target := "http://" + unreachable(t) + "/"
	r := b.record(t, "timeout: {connect"+aShort+"}")
	byDefault := make(chan came, 1)
	go func() { byDefault <- b.plain.fetch(target) }()
	for range 2 {
		var got came
		slowly(t, func() string { got = r.fetch(target); return got.body })
		got.wants(t, 504, "timeout-connect")
	}
	select {
	case got := <-byDefault:
		t.Errorf("by default: %+v", got)
	default:
	}
}
