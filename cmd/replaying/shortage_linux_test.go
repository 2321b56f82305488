package replaying

import (
	"errors"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
)

// TestShortage: who has no descriptor left cannot ask the recorder, which has not ended by that.
func TestShortage(t *testing.T) {
	d, _ := door(t, "HTTP/1.1 200 OK\r\n\r\n")
	s := New(Config{Options: Options{Fallback: true}, Say: func(text string) { t.Error(text) },
		Wrong: func(err error) error { return err }})
	s.beside = &beside{door: d, told: io.NopCloser(strings.NewReader("")), final: true,
		ended: make(chan struct{})}
	ask := func() error {
		_, rest, err := s.Answer(t.Context(), "GET", "http://a/", []byte("GET / HTTP/1.1\r\n\r\n"), nil)
		if rest != nil {
			rest.Close()
		}
		return err
	}
	if err := ask(); err != nil {
		t.Fatal(err)
	}
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &was); err != nil {
		t.Fatal(err)
	}
	next, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	none := syscall.Rlimit{Cur: uint64(next.Fd()), Max: was.Max}
	next.Close()
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &none); err != nil {
		t.Fatal(err)
	}
	err = ask()
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &was); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(err, syscall.EMFILE) || isOver(err) {
		t.Errorf("without descriptors: %v", err)
	}
	select {
	case <-s.Gone():
		t.Error("the recorder has ended")
	default:
	}
	s.beside.door, _ = door(t, "HTTP/1.1 200 OK\r\n\r\n") // the other one may have been short, too
	if err := ask(); err != nil {
		t.Errorf("with descriptors: %v", err)
	}
}
