package cmd

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestOpenProxyRefused: a recorder that other machines reach, and that nobody has told who may use
// it, does not start; and it says so before anything is looked for or made.
func TestOpenProxyRefused(t *testing.T) {
	const says = "set clients to their networks"
	for _, c := range []struct{ listen, flag, says string }{
		{"0.0.0.0:0", "", says},
		{"[::]:0", "", says},
		{"[::ffff:0.0.0.0]:0", "", says},
		{"192.0.2.7:0", "", says},
		{"[fe80::1%lo]:0", "", says},
		{"0.0.0.0:0", "--clients=@any", ""},
		{"0.0.0.0:0", "--clients=192.168.0.0/16", ""},
		{"0.0.0.0:0", "--clients=@loopback", ""},
		{"0.0.0.0:0", "--proxy-users=" + someUser, ""},
		{"127.0.0.1:0", "", ""},
		{"127.0.0.9:0", "", ""},
		{"[::1]:0", "", ""},
		{"[::ffff:127.0.0.1]:0", "", ""},
		{"localhost:0", "", ""},
		{"no.such.host.invalid:0", "", "could not be looked up"},
		{"127.0.0.1:nosuchport", "", "needs a port"},
		{":8085", "", "write 127.0.0.1:8085, or 0.0.0.0:8085 to"},
		{"localhost", "", "write it as 127.0.0.1:8080"},
	} {
		args := []string{"--listen", c.listen}
		if c.flag != "" {
			args = append(args, c.flag)
		}
		line, err := parse(t, args...)
		if err != nil {
			t.Fatal(err)
		}
		line.Record.listenOn(line.Record.Listen)
		err = line.Record.check()
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s with %q: %v, want %q", c.listen, c.flag, err, c.says)
		}
	}
}

// TestOpenProxyMakesNothing: the program itself, with status 1, within a second, and nothing made.
func TestOpenProxyMakesNothing(t *testing.T) {
	dir := t.TempDir()
	began := time.Now()
	out, err := command(dir, "record", "--listen", "0.0.0.0:0").CombinedOutput()
	if took := time.Since(began); took > 5*time.Second { // a second, and a slow machine
		t.Errorf("it took %v", took)
	}
	if err == nil || !strings.Contains(string(out), "set clients") || strings.Count(string(out), "\n") != 1 {
		t.Errorf("%v: %s", err, out)
	}
	made, err := os.ReadDir(dir)
	if err != nil || len(made) != 0 {
		t.Errorf("%v, %v", made, err)
	}
}

// TestAddressInUse: who cannot listen makes nothing, and is told what has the address, if that is a
// recorder, and what to do.
func TestAddressInUse(t *testing.T) {
	recorder := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"pid": 7, "dir": "/srv/news\u001b[31m%s"}`, strings.Repeat("x", 1000))
	}))
	defer recorder.Close()
	endless := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			io.WriteString(w, `{"dir": "a", "dir": "b", `)
		}
	}))
	defer endless.Close()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	const next = "give another address with --listen (127.0.0.1:0 for a free port)"
	for _, c := range []struct{ name, address, says string }{
		{"a recorder", recorder.Listener.Addr().String(),
			"is the address of process 7, which records /srv/news\uFFFD[31mxxx"},
		{"what answers without end", endless.Listener.Addr().String(), "address already in use"},
		{"what says nothing", silent.Addr().String(), "address already in use"},
	} {
		dir := t.TempDir()
		out, err := command(dir, "record", "--listen", c.address).CombinedOutput()
		if err == nil || !strings.Contains(string(out), c.says) || !strings.Contains(string(out), next) ||
			len(out) > 1000 {
			t.Errorf("%s: %v: %s", c.name, err, out)
		}
		if made, err := os.ReadDir(dir); err != nil || len(made) != 0 {
			t.Errorf("%s: left %v, %v", c.name, made, err)
		}
	}
	out, err := command(t.TempDir(), "record", "--listen", "192.0.2.7:8080", "--clients", "@any").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "this machine has no such address: give one of its own") {
		t.Errorf("of another machine: %v: %s", err, out)
	}
	p := startRecording(t)
	if _, errs, code := p.run("record", "--listen", p.address); code != 1 ||
		!strings.Contains(errs, "is already being recorded by process") {
		t.Errorf("the same collection: %d %s", code, errs)
	}
	if _, errs, code := p.run("record", "--listen", p.address, "--collection", "other"); code != 1 ||
		!strings.Contains(errs, "give another address with --listen") {
		t.Errorf("another collection: %d %s", code, errs)
	}
	if other := filepath.Join(p.dir, "collections", "other"); isThere(other) {
		t.Errorf("%s is left behind", other)
	}
}

func isThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// TestClientsWhomNobodyReaches: who names clients, and forgets to listen for them, is told so.
func TestClientsWhomNobodyReaches(t *testing.T) {
	for _, c := range []struct {
		listen, clients string
		told            bool
	}{
		{"127.0.0.1:0", "192.168.1.0/24", true},
		{"127.0.0.1:0", "192.168.1.0/24,@loopback", false},
		{"127.0.0.1:0", "", false},
		{"0.0.0.0:0", "192.168.1.0/24", false},
	} {
		args := []string{"--listen", c.listen, "--clients=" + c.clients}
		p := startRecording(t, args...)
		p.stop()
		if told := strings.Contains(p.stderr.String(), "give listen an address"); told != c.told {
			t.Errorf("%+v: %s", c, p.stderr)
		}
	}
}
