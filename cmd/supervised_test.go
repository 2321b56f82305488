//go:build linux

package cmd

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// notified is a service manager that has started a recorder: what it has heard, a word at a time.
type notified struct {
	t     *testing.T
	words chan string
}

// listenForWords makes the next processes of this test tell how it goes; the watchdog waits that long.
func listenForWords(t *testing.T, watchdog time.Duration) *notified {
	t.Helper()
	folder, err := os.MkdirTemp("", "warcorder-notify-") // the name of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	address := filepath.Join(folder, "s")
	ln, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: address, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	t.Setenv("NOTIFY_SOCKET", address)
	if watchdog > 0 {
		t.Setenv("WATCHDOG_USEC", fmt.Sprint(watchdog.Microseconds()))
	}
	n := &notified{t, make(chan string, 10000)}
	go func() {
		buf := make([]byte, 4096)
		for {
			size, err := ln.Read(buf)
			if err != nil {
				close(n.words)
				return
			}
			n.words <- string(buf[:size])
		}
	}()
	return n
}

// until gives what was said up to the word that has want in it.
func (n *notified) until(want string) (said []string) {
	n.t.Helper()
	for deadline := time.After(patience); ; {
		select {
		case word := <-n.words:
			if said = append(said, word); strings.Contains(word, want) {
				return said
			}
		case <-deadline:
			n.t.Fatalf("it has not said %s: %q", want, said)
		}
	}
}

// TestNotify: a service manager hears that the recorder is ready when it takes clients, and has its
// collection open; that it is alive, and what it does; that it reloads; and that it ends, before it
// has ended.
func TestNotify(t *testing.T) {
	n := listenForWords(t, 200*time.Millisecond)
	dir := t.TempDir()
	p := &program{t: t, cmd: command(dir, "record", "--listen", "127.0.0.1:0", "--log", "json"), dir: dir}
	var errs strings.Builder
	p.cmd.Stderr = &errs
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.cmd.Process.Kill() })
	said := n.until("READY=1")
	out, _, code := p.run("status", "--check") // by recorder.json, from the very moment on
	if code != 0 || !strings.HasPrefix(out, "recording; 0 exchanges") {
		t.Errorf("at READY=1: %d, %s: %s", code, out, &errs)
	}
	if strings.Contains(strings.Join(said, "\n"), "WATCHDOG=1") != strings.Contains(said[len(said)-1], "WATCHDOG=1") {
		t.Errorf("a watchdog is told before READY=1: %q", said)
	}
	for range 4 {
		n.until("WATCHDOG=1")
	}
	if out, said, code := p.run("reload"); code != 0 {
		t.Errorf("reload: %d, %s%s", code, out, said)
	}
	n.until("RELOADING=1")
	n.until("READY=1")
	p.cmd.Process.Signal(syscall.SIGTERM)
	end := n.until("STOPPING=1")
	last := end[len(end)-1]
	if !strings.Contains(last, "EXTEND_TIMEOUT_USEC=") {
		t.Errorf("%q", last)
	}
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("%v: %s", err, &errs)
	}
	if _, said, code := p.run("status", "--check"); code != 1 || !strings.Contains(said, "nobody records") {
		t.Errorf("after the end: %d, %s", code, said)
	}
}

// TestNotifyNobody: a socket that is not there any more is a warning, and the recording goes on.
func TestNotifyNobody(t *testing.T) {
	t.Setenv("NOTIFY_SOCKET", filepath.Join(t.TempDir(), "gone"))
	p := startRecording(t)
	eventually(t, "a line of the log", func() bool { return p.page("/readyz") != "" })
	if code := p.stop(); code != 0 || !strings.Contains(p.stderr.String(), "systemd is not told how it goes") {
		t.Errorf("%d: %s", code, p.stderr)
	}
}

// handedOn starts a recorder that is given sockets as systemd gives them, and returns it with what
// it has said once it has ended. pid is for which process they are: "$$" for itself.
func handedOn(t *testing.T, pid string, sockets []*os.File, args ...string) (*exec.Cmd, *strings.Builder) {
	t.Helper()
	own := command(t.TempDir(), append([]string{"record", "--log", "json"}, args...)...)
	script := fmt.Sprintf(`LISTEN_PID=%s LISTEN_FDS=%d exec "$0" "$@"`, pid, len(sockets))
	cmd := exec.Command("sh", append([]string{"-c", script}, own.Args...)...)
	cmd.Env, cmd.ExtraFiles = own.Env, sockets
	said := new(strings.Builder)
	cmd.Stderr = said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	return cmd, said
}

// socketOf listens, and gives the socket as a file.
func socketOf(t *testing.T, network, address string) (file *os.File, at string) {
	t.Helper()
	var socket interface {
		io.Closer
		File() (*os.File, error)
	}
	switch network {
	case "udp":
		conn, err := net.ListenPacket(network, address)
		if err != nil {
			t.Fatal(err)
		}
		socket, at = conn.(*net.UDPConn), conn.LocalAddr().String()
	case "unix":
		ln, err := net.Listen(network, address)
		if err != nil {
			t.Fatal(err)
		}
		socket, at = ln.(*net.UnixListener), address
	default:
		ln, err := net.Listen(network, address)
		if err != nil {
			t.Fatal(err)
		}
		socket, at = ln.(*net.TCPListener), ln.Addr().String()
	}
	file, err := socket.File()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close(); socket.Close() })
	return file, at
}

// TestSocketActivation: clients that come before the recorder runs are served by it, and so are those
// that come between two of its lives: the socket stays.
func TestSocketActivation(t *testing.T) {
	var mu sync.Mutex
	asked := 0
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		asked++
		fmt.Fprint(w, asked)
	}))
	defer origin.Close()
	socket, at := socketOf(t, "tcp", "127.0.0.1:0")
	for round := range 2 {
		client, err := net.Dial("tcp", at) // nobody accepts yet
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(client, "GET %s/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", origin.URL)
		cmd, said := handedOn(t, "$$", []*os.File{socket}, "--listen", "127.0.0.1:1")
		client.SetDeadline(time.Now().Add(patience))
		answer, err := io.ReadAll(client)
		if err != nil || !strings.HasSuffix(string(answer), fmt.Sprint(round+1)) {
			t.Errorf("%q, %v: %s", answer, err, said)
		}
		client.Close()
		cmd.Process.Signal(syscall.SIGTERM)
		if err := cmd.Wait(); err != nil || !strings.Contains(said.String(), `"address":"`+at+`"`) {
			t.Errorf("%v: %s", err, said)
		}
	}
}

// TestSocketRefused: what is no socket for a recorder is refused, with what to write; and an address
// of the network needs a word on who may come, as that of --listen does.
func TestSocketRefused(t *testing.T) {
	for _, c := range []struct {
		name             string
		network, address []string
		pid              string
		want             string
	}{
		{"beyond loopback", []string{"tcp"}, []string{"0.0.0.0:0"}, "$$", "ListenStream"},
		{"beyond loopback, in IPv6", []string{"tcp"}, []string{"[::]:0"}, "$$", "set clients to their networks"},
		{"two", []string{"tcp", "tcp"}, []string{"127.0.0.1:0", "127.0.0.1:0"}, "$$", "leave one ListenStream"},
		{"UDP", []string{"udp"}, []string{"127.0.0.1:0"}, "$$", "ListenStream=HOST:PORT"},
		{"a path", []string{"unix"}, []string{filepath.Join(t.TempDir(), "s")}, "$$", "is not TCP"},
		{"another process's", []string{"tcp"}, []string{"0.0.0.0:0"}, "1", "--listen"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var files []*os.File
			for i, network := range c.network {
				file, _ := socketOf(t, network, c.address[i])
				files = append(files, file)
			}
			cmd, said := handedOn(t, c.pid, files, "--listen", "192.0.2.1:1", "--clients", "")
			err := cmd.Wait()
			if err == nil || !strings.Contains(said.String(), c.want) {
				t.Errorf("%v: %s", err, said)
			}
		})
	}
}
