package removing

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"warcorder/store/selection"
)

// segments are a response of two segments.
func segments() (first, second string) {
	whole := page(text("aaaa"))
	return stranger("response", 1, "/hush", whole[:400], digestA, "WARC-Segment-Number: 1"),
		stranger("continuation", 2, "/hush", whole[400:], "WARC-Segment-Number: 2",
			"WARC-Segment-Origin-ID: "+idOf(1), fmt.Sprintf("WARC-Segment-Total-Length: %d", len(whole)))
}

// TestRemoveContinuation: the second segment of a response goes with the first, in whatever file that is,
// and not without it.
func TestRemoveContinuation(t *testing.T) {
	first, second := segments()
	kept := stranger("response", 5, "/kept", page(text("bbbb")), digestB)
	for name, test := range map[string]struct {
		sel      selection.Selection
		captures int64
		stays    bool
	}{
		"its file":        {selection.Selection{Files: []string{"x1.warc"}}, 1, true},
		"both files":      {selection.Selection{Files: []string{"x0.warc", "x1.warc"}}, 2, false},
		"its URL":         {hush, 1, false},
		"its own second":  {selection.Selection{From: "20260101000002", To: "20260101000002"}, 0, true},
		"another capture": {selection.Selection{URL: "https://example.com/kept"}, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			r := strange(t, first, second+kept)
			done := r.remove(test.sel, nil)
			b, err := os.ReadFile(r.dir.WARC("x1.warc"))
			if err != nil || done.Captures != test.captures ||
				strings.Contains(string(b), "WARC-Segment-Number: 2") != test.stays {
				t.Errorf("%+v, %v: %s", done, err, b)
			}
			r.verified()
		})
	}
}
