package removing

import (
	"os"
	"strings"
	"testing"
	"time"

	"warcorder/store/selection"
)

// TestRemoveListedPages: of the list that imports have brought go the pages whose captures go, though
// a list has other times than captures have, and fragments.
func TestRemoveListedPages(t *testing.T) {
	at := func(second int) time.Time { return time.Date(2026, 5, 1, 12, 0, second, 0, time.UTC) }
	for name, sel := range map[string]selection.Selection{
		"by URL and time": {URL: "https://example.com/secret", To: "20260501120005"},
		"by time":         {To: "20260501120001"},
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t, nil)
			r.get("https://example.com/secret", page("one")) // at 1
			r.now = at(39)
			r.get("https://example.com/secret", page("two")) // at 40
			r.get("https://example.com/other", page("three"))
			r.rotate()
			list := `{"format":"json-pages-1.0","id":"pages","title":"Pages of imports"}
{"ts":"2026-05-01T12:00:09.000000Z","url":"https://example.com/secret","id":"1","title":"goes late"}
{"ts":"2026-05-01T12:00:10.000000Z","url":"https://example.com/secret#/a","id":"2","title":"goes fragment"}
{"ts":"2026-05-01T12:00:41.000000Z","url":"https://example.com/other","id":"3","title":"stays other"}
{"ts":"2026-05-01T12:00:42.000000Z","url":"https://example.com/secret","id":"4","title":"stays near two"}
{"ts":"2026-05-03T12:00:42.000000Z","url":"https://example.com/secret","id":"5","title":"goes without a capture"}
`
			if err := os.WriteFile(r.dir.Pages(), []byte(list), 0o600); err != nil {
				t.Fatal(err)
			}
			if done := r.remove(sel, nil); done.Captures != 1 || done.Pages != 3 {
				t.Errorf("removed %+v", done)
			}
			text, err := os.ReadFile(r.dir.Pages())
			if err != nil || strings.Count(string(text), "stays") != 2 || strings.Contains(string(text), "goes") {
				t.Errorf("%s, %v", text, err)
			}
			r.verified()
		})
	}
}
