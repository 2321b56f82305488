package cmd

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"warcorder/certs"
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

// TestCAPlace: where no root certificate can be made, it is said which setting names another place.
func TestCAPlace(t *testing.T) {
	cmd := exec.Command(os.Args[0], "ca")
	cmd.Env = append(os.Environ(), "RUN_AS_WARCORDER=1", "XDG_CONFIG_HOME=", "HOME="+os.Args[0])
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.HasSuffix(string(out), "; give another place with --ca-dir\n") {
		t.Errorf("%v: %s", err, out)
	}
}

// TestOwnAuthority: that of ca-cert and ca-key is given out, and no other is made; one of the two
// settings without the other is refused.
func TestOwnAuthority(t *testing.T) {
	theirs, err := certs.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	key := strings.TrimSuffix(theirs.File(), ".pem") + ".key"
	unused := filepath.Join(t.TempDir(), "unused")
	run := func(args ...string) (string, error) {
		cmd := exec.Command(os.Args[0], args...)
		cmd.Env = append(os.Environ(), "RUN_AS_WARCORDER=1", "WARCORDER_CA_DIR="+unused)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	out, err := run("ca", "--ca-cert", theirs.File(), "--ca-key", key)
	if err != nil || out != string(theirs.PEM()) {
		t.Errorf("%v: %s", err, out)
	}
	if _, err := os.Stat(unused); err == nil {
		t.Error("a root was made beside it")
	}
	for _, flag := range []string{"--ca-cert", "--ca-key"} {
		for _, command := range []string{"ca", "record --listen 127.0.0.1:0"} {
			out, err := run(append(strings.Fields(command), flag, key)...)
			if err == nil || !strings.Contains(out, flag[2:]+" is set, and ") {
				t.Errorf("%s with %s alone: %v, %s", command, flag, err, out)
			}
		}
	}
}
