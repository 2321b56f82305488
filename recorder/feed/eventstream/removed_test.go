package eventstream

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"warcorder/recorder/feed"
)

// TestRemoved: a removal is told to all, with what of a file is where; what went is told to nobody, and
// who comes again behind it goes on.
func TestRemoved(t *testing.T) {
	s := serve(t, nil)
	for i := range 2 {
		s.Publish(&feed.Event{Kind: feed.Capture, URL: fmt.Sprint("secret ", i), File: "f", Offset: int64(i)})
	}
	s.Publish(&feed.Event{Kind: feed.Gap, URL: "secret"})
	s.Renew(feed.Renewal{
		Files: []feed.Anew{{File: "f", Stays: []feed.Stretch{}, Now: func(int64) (int64, bool) { return 0, false }}},
		Gap:   func(*feed.Event) bool { return true },
	}, 0)
	for _, query := range []string{"since=0", "since=0&status=404&text=x", "since=0&kinds=removed", "since=-5"} {
		l := s.listen(t, query, "")
		var got []string
		for len(got) < 2 {
			if line, _ := l.line(); strings.HasPrefix(line, "data: ") {
				_, line, _ = strings.Cut(line, "Z\",")
				got = append(got, line)
			}
		}
		if want := []string{`"file":"f","stays":[]}`, `"events":[[3,3]]}`}; !slices.Equal(got, want) {
			t.Errorf("%s gives %q", query, got)
		}
	}
}
