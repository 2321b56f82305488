package removing

import (
	"fmt"
	"maps"
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

// TestRemoveSegmented: a response of several segments that a revisit needs stays, and does not keep the
// rest from going.
func TestRemoveSegmented(t *testing.T) {
	first, second := segments()
	r := strange(t, first+second+again(3, "/r", digestA, "/hush", 1)+
		stranger("response", 4, "/hush", page(text("bbbb")), digestB))
	before := r.all()
	done := r.remove(hush, nil)
	if done.Captures != 1 || done.Needed != 1 || done.Moved != 0 {
		t.Errorf("%+v", done)
	}
	maps.DeleteFunc(before, func(_ string, s shown) bool { return s.isOf([]string{"/hush 4"}) })
	r.same(before)
	b, err := os.ReadFile(r.dir.WARC("x0.warc"))
	if err != nil || !strings.Contains(string(b), "WARC-Segment-Number: 2") {
		t.Errorf("%s, %v", b, err)
	}
	if done := r.remove(selection.Selection{To: "2999"}, nil); done.Captures != 2 || done.Needed != 0 {
		t.Errorf("with the revisit: %+v", done)
	}
	r.verified()
}
