package cmd

import (
	"os"
	"strings"
	"testing"
)

// TestFullOutput: what cannot be written to standard output is an error, whichever command was asked
// for it: `ca > ca.pem` on a full disk leaves an empty file.
func TestFullOutput(t *testing.T) {
	p := startRecording(t)
	p.fetch("http://127.0.0.1:1/") // a gap
	p.stop()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	for _, line := range []string{"ca", "ca --spki", "gaps", "gaps --json", "key http://a.example/",
		"password anna", "status", "completion bash"} {
		var errs strings.Builder
		words := strings.Fields(line)
		cmd := command(p.dir, words...)
		cmd.Args, cmd.Dir = cmd.Args[:len(words)+1], p.dir // no --dir
		cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader("secret\n"), full, &errs
		cmd.Run()
		if code := cmd.ProcessState.ExitCode(); code != 1 || !strings.Contains(errs.String(), "no space") {
			t.Errorf("%s: exit status %d, and says %q", line, code, errs.String())
		}
	}
}
