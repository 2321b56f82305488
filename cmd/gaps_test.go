package cmd

import (
	"bytes"
	"os"
	"testing"

	"warcorder/recorder"
)

// TestGapReasons: the table of doc/operating.md has every reason that --reason takes.
func TestGapReasons(t *testing.T) {
	page, err := os.ReadFile("../doc/operating.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, reason := range recorder.GapReasons {
		if !bytes.Contains(page, []byte("\n| `"+reason+"` | ")) {
			t.Errorf("doc/operating.md does not tell of %s", reason)
		}
		if line, err := parse(t, "gaps", "--reason", reason); err != nil || line.Gaps.Reason != reason {
			t.Errorf("%s: %v", reason, err)
		}
	}
}
