//go:build unix

package cmd

import (
	"path/filepath"
	"strings"
	"testing"

	"warcorder/store/collection"
)

// TestReplayFallbackInside: what is missing is not fetched from inside for whoever may come from another
// machine, though the listener that fetches it is one of this machine alone.
func TestReplayFallbackInside(t *testing.T) {
	for _, beside := range []bool{false, true} {
		origin, asked, _ := countedPages(t)
		rec := startRecording(t)
		if !beside {
			rec.stop()
		}
		p := startProgram(t, rec.dir, "replaying", "replay", "--listen", "0.0.0.0:0", "--log", "json",
			"--clients", "@loopback", "--fallback", "live")
		if res, body := p.get(origin + "/inside"); res.StatusCode != 403 || asked.Load() > 0 {
			t.Errorf("beside %v: %s, %q", beside, res.Status, body)
		}
		p.stop()
		if beside {
			rec.stop()
		}
	}
}

// TestReplayFallbackSelf: through a replay that fetches what is missing, none of the listeners is
// reached on which it goes there: they would take every client for one of this machine.
func TestReplayFallbackSelf(t *testing.T) {
	rec := startRecording(t, "--replay-listen", "127.0.0.1:0")
	who, err := collection.Dir(filepath.Join(rec.dir, "collections", "default")).Running()
	if err != nil {
		t.Fatal(err)
	}
	p := startReplay(t, rec.dir, "--fallback", "live")
	for _, address := range []string{rec.address, who.Replay, p.address} {
		if res, body := p.get("http://" + address + "/status"); res.StatusCode != 508 {
			t.Errorf("%s: %s, %.200q", address, res.Status, body)
		}
	}
	if lines := linesIn(t, rec.dir); strings.Contains(lines, "/status") {
		t.Errorf("recorded: %s", lines)
	}
}
