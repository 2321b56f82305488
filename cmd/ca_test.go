package cmd

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestCA(t *testing.T) {
	p := &program{t: t, dir: t.TempDir()}
	run := func(args ...string) string {
		cmd := exec.Command(os.Args[0], args...)
		cmd.Env = append(os.Environ(), "RUN_AS_WARCORDER=1",
			"WARCORDER_CA_DIR="+filepath.Join(p.dir, "ca"))
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		return string(out)
	}
	pem := run("ca")
	if !strings.HasPrefix(pem, "-----BEGIN CERTIFICATE-----") || strings.Contains(pem, "PRIVATE") {
		t.Errorf("%s", pem)
	}
	if again := run("ca"); again != pem {
		t.Error("another certificate the second time")
	}
	for file := range strings.Lines(run("ca", "--out", filepath.Join(p.dir, "out"))) {
		if b, err := os.ReadFile(strings.TrimSpace(file)); err != nil || len(b) == 0 ||
			bytes.Contains(b, []byte("PRIVATE")) {
			t.Errorf("%s: %v", file, err)
		}
	}
	if !strings.Contains(run("version"), "warcorder "+version) {
		t.Error("version")
	}
}

// TestTrustCommand: the line is one command that a shell takes as it stands, whatever the path.
func TestTrustCommand(t *testing.T) {
	file := "/home/o'neil/$(date) \"x\"/ca.pem"
	line := trustCommand("linux", "warcorder CA here", file)
	home := t.TempDir()
	certutil := filepath.Join(home, "certutil")
	if err := os.WriteFile(certutil, []byte("#!/bin/sh\nprintf '%s\\n' \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	shell := exec.Command("sh", "-c", line)
	shell.Env = []string{"HOME=" + home, "PATH=" + home + ":" + os.Getenv("PATH")}
	out, err := shell.CombinedOutput()
	want := "-d\nsql:" + home + "/.pki/nssdb\n-A\n-t\nC,,\n-n\nwarcorder CA here\n-i\n" + file + "\n"
	if err != nil || string(out) != want {
		t.Errorf("%s: %v\n%s", line, err, out)
	}
	if _, err := os.Stat(filepath.Join(home, ".pki/nssdb")); err != nil {
		t.Errorf("on a fresh home: %v", err)
	}
}
