package stores

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestQuoted: a step as it is shown is what a shell makes of it.
func TestQuoted(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh on this machine")
	}
	for _, word := range []string{
		"plain", "", "a b", "o'neil", `$(date) "x" \`, "a\nb", "-n", "*", "ö",
	} {
		step := Step{Run: []string{"printf", "<%s>", word}}
		out, err := exec.Command("sh", "-c", step.String()).Output()
		if err != nil || string(out) != "<"+word+">" {
			t.Errorf("%s prints %q, %v", step, out, err)
		}
	}
}

// TestDoFails: what a failed step and the files before it have left is taken back; what comes after
// it is not begun.
func TestDoFails(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(file("left"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	test := func(flag string) []string { return []string{os.Args[0], "-test.run=^$", flag} }
	err := Do(context.Background(), []Step{
		{Make: file("below/it")},
		{Write: file("written"), Text: []byte("x")},
		{Run: test("-no-such-flag"), Undo: test("-test.cpuprofile=" + file("undone"))},
		{Write: file("never")},
	})
	if err == nil || !strings.Contains(err.Error(), "no-such-flag") || len(err.Error()) > 500 {
		t.Errorf("the error has what the program said, and not all of it: %v", err)
	}
	for name, want := range map[string]bool{
		"below/it": true, "left": true, "undone": true, "written": false, "never": false,
	} {
		if _, err := os.Stat(file(name)); (err == nil) != want {
			t.Errorf("%s is there: %t", name, !want)
		}
	}
}

// TestMissing: who has not got the program is told how it is installed.
func TestMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	err := Do(context.Background(), []Step{{Run: Database{Dir: "x"}.command("-L")}})
	var missing *MissingError
	if !errors.As(err, &missing) || !strings.Contains(err.Error(), "libnss3-tools") {
		t.Error(err)
	}
	for manager, want := range map[string]string{
		"apt-get": "apt install libnss3-tools", "dnf": "dnf install nss-tools",
		"pacman": "pacman -S nss", "apk": "apk add nss-tools",
	} {
		if got := toolsOfNSS(func(program string) bool { return program == manager }); got != want {
			t.Errorf("%s: %q, want %q", manager, got, want)
		}
	}
}
