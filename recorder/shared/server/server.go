// Package server runs a redis-server of its own for a test, and ends it with the test.
//
// Invariant: it listens on a socket in a directory of its own, or on loopback, and writes nothing to
// disk.
package server

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"warcorder/proxy/unused"
)

// Server is a server that runs.
type Server struct {
	Path string // of its socket
	Port string // on 127.0.0.1; "" if it has none
	run  *exec.Cmd
	t    testing.TB
}

// URL is its address for dedup-shared.
func (s *Server) URL() string { return "unix://" + s.Path }

// Start starts a server with more settings, such as "--maxmemory", "1mb". A test without a redis-server
// in PATH is passed over; .ci/run demands that there is one.
func Start(t testing.TB, settings ...string) *Server {
	t.Helper()
	dir, err := os.MkdirTemp("", "redis") // t.TempDir is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return StartAt(t, filepath.Join(dir, "s"), "0", settings...)
}

// StartOnPort is Start on a free port of loopback.
func StartOnPort(t testing.TB, settings ...string) *Server {
	t.Helper()
	return StartAt(t, "", unused.Port(t), settings...)
}

// StartAt is Start on a socket of that path ("" is none) and a port ("0" is none).
func StartAt(t testing.TB, path, port string, settings ...string) *Server {
	t.Helper()
	s := &Server{Path: path, Port: port, t: t}
	args := append([]string{"--port", port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no",
		"--daemonize", "no", "--dir", os.TempDir()}, settings...)
	if path != "" {
		args = append(args, "--unixsocket", path)
	}
	s.run = Run(t, "eady to accept connections", "redis-server", args...)
	t.Cleanup(s.Stop)
	return s
}

// At is a server on a port of loopback that runs already: Do asks it.
func At(t testing.TB, port string) *Server { return &Server{Port: port, t: t} }

// Run starts a program, and waits until it has said that it is ready.
func Run(t testing.TB, ready, name string, args ...string) *exec.Cmd {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skip("there is no " + name + " here")
	}
	run := exec.Command(name, args...)
	out, err := run.StdoutPipe()
	if err == nil {
		err = run.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if strings.Contains(lines.Text(), ready) {
			go func() { // else it waits for who reads what it says
				for lines.Scan() {
				}
			}()
			return run
		}
	}
	t.Fatalf("%s does not say %q", name, ready)
	return nil
}

// Do asks it for something, and returns what it answers, as redis-cli shows that.
func (s *Server) Do(args ...string) string {
	s.t.Helper()
	said, err := s.Try(args...)
	if err != nil {
		s.t.Fatal(err)
	}
	return said
}

// Try is Do of a server that may not answer.
func (s *Server) Try(args ...string) (string, error) {
	at := []string{"-s", s.Path}
	if s.Path == "" {
		at = []string{"-p", s.Port}
	}
	said, err := exec.Command("redis-cli", append(at, args...)...).Output()
	return strings.TrimSpace(string(said)), err
}

// Stop ends it, and all that it has.
func (s *Server) Stop() { Stop(s.run) }

// Stop ends a program that Run has started.
func Stop(run *exec.Cmd) {
	_ = run.Process.Kill() // which fails of one that has ended
	_ = run.Wait()
}
