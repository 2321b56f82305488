package cmd

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"warcorder/certs"
)

// TestTypable: what a person is told to type leads to the recorder, also if it listens on all
// addresses.
func TestTypable(t *testing.T) {
	name, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string][2]string{
		"127.0.0.1:8080":     {"127.0.0.1:8080", "127.0.0.1:8080"},
		"[2001:db8::7]:8080": {"[2001:db8::7]:8080", "[2001:db8::7]:8080"},
		"[::]:8080":          {name + ":8080", "127.0.0.1:8080"},
		"0.0.0.0:8080":       {name + ":8080", "127.0.0.1:8080"},
	} {
		if others, here := typable(address); others != want[0] || here != want[1] {
			t.Errorf("%s: %s and %s, want %s", address, others, here, want)
		}
	}
	ln, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	_, here := typable(ln.Addr().String())
	conn, err := net.Dial("tcp", here)
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
}

// TestTrustLine: the line that the greeting has is one command that a shell takes as it stands,
// whatever the path, and leads to the root that is used.
func TestTrustLine(t *testing.T) {
	dir := "/home/o'neil/$(date) \"x\""
	line := trustLine("warcorder", certs.RootFile(dir))
	bin := t.TempDir()
	script := []byte("#!/bin/sh\nprintf '%s\\n' \"$@\"\n")
	if err := os.WriteFile(filepath.Join(bin, "warcorder"), script, 0o755); err != nil {
		t.Fatal(err)
	}
	shell := exec.Command("sh", "-c", line)
	shell.Env = []string{"PATH=" + bin + ":" + os.Getenv("PATH")}
	out, err := shell.CombinedOutput()
	if want := "trust\n--ca-dir\n" + dir + "\n"; err != nil || string(out) != want {
		t.Errorf("%s: %v\n%s", line, err, out)
	}
	t.Setenv("HOME", t.TempDir())
	usual, err := new(commandLine).caDir()
	if err != nil {
		t.Fatal(err)
	}
	for program, want := range map[string]string{
		"warcorder":                            "warcorder trust",
		"./warcorder":                          "./warcorder trust",
		"/home/o'neil/warcorder":               `'/home/o'\''neil/warcorder' trust`,
		"/tmp/go-build3911/b001/exe/warcorder": "go run . trust",
		"/ci/cache/42/421deeb592316c780a9e868da289004affdce9b8e459b367ee3fc955c7196bf6-d/warcorder": "go run . trust",
	} {
		if line := trustLine(program, certs.RootFile(usual)); line != want {
			t.Errorf("started as %s: %s, want %s", program, line, want)
		}
	}
}
