package cmd

import (
	"io"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"warcorder/store/collection"
)

// showLogAtTerminal: who records at a terminal reads text, unless the file says JSON.
func showLogAtTerminal(t *testing.T, b *keyBench) {
	for file, json := range map[string]bool{"": false, "log: auto": false, "log: json": true} {
		screen, terminal := openTerminal(t)
		home := t.TempDir()
		cmd := homeCommand(home, "record", "--config",
			writeFile(t, file+"\nlisten: 127.0.0.1:0\nca-dir: "+b.ca))
		cmd.Stderr = terminal
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { cmd.Process.Kill() })
		terminal.Close()
		eventually(t, "it records", func() bool {
			_, running := collection.Dir(filepath.Join(home, "collections", "default")).Recorder()
			return running
		})
		cmd.Process.Signal(syscall.SIGTERM)
		said, _ := io.ReadAll(screen) // to the end of the last one who has the terminal, which is an error
		cmd.Wait()
		screen.Close()
		if log := strings.ReplaceAll(string(said), "\r", ""); isJSON(log) != json {
			t.Errorf("%q: %s", file, log)
		}
	}
}
