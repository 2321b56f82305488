package cmd

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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

var gapConstant = regexp.MustCompile(`(?m)^\tGap\w+ += "(\w+)"`)

// TestGapReasonsListed: recorder.GapReasons has every reason that there is a constant for.
func TestGapReasonsListed(t *testing.T) {
	var declared []string
	for _, room := range []string{"../recorder", "../recorder/recovery"} {
		files, err := filepath.Glob(filepath.Join(room, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			code, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, found := range gapConstant.FindAllSubmatch(code, -1) {
				declared = append(declared, string(found[1]))
			}
		}
	}
	slices.Sort(declared)
	listed := slices.Sorted(slices.Values(recorder.GapReasons))
	if !slices.Equal(declared, listed) {
		t.Errorf("the constants are %v, GapReasons lists %v", declared, listed)
	}
}
