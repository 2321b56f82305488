package removing

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"warcorder/recorder/feed"
	"warcorder/store"
	"warcorder/store/selection"
)

// TestTold: what a recorder tells after a removal is what is in the archive, and where; who has heard
// of it before comes to the same by what is told of the removal. Nobody is told a URL that went.
func TestTold(t *testing.T) {
	for name, sel := range map[string]selection.Selection{
		"one": {URL: "https://example.com/secret"}, "another": {URL: "https://example.com/other"},
		"all": {To: "2999"},
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t, nil)
			r.fill()
			r.send("GET", "https://example.com/secret", "", "", "")
			r.rotate()
			before, seen := events(r.Feed().FollowAll()), map[string]string{}
			known := before[len(before)-1].ID
			done := r.remove(sel, nil)
			if !done.Done {
				t.Fatalf("%+v", done)
			}
			for _, e := range before {
				if e.Kind == feed.Capture {
					seen[fmt.Sprint(e.File, " ", e.Offset)] = e.URL
				}
			}
			for _, e := range events(r.Feed().FollowAfter(known)) {
				if e.Kind == feed.Removed && e.File != "" {
					follow(t, seen, e.File, e.Detail)
				}
				if strings.Contains(fmt.Sprint(e), "example.com") {
					t.Errorf("it is told that %+v", e)
				}
			}
			held, index := map[string]string{}, map[string]string{}
			for _, e := range events(r.Feed().FollowAll()) {
				switch e.Kind {
				case feed.Capture:
					held[fmt.Sprint(e.File, " ", e.Offset)] = e.URL
				case feed.Gap:
					if strings.HasSuffix(e.URL, "/secret") && name != "another" {
						t.Errorf("a gap is told still: %+v", e)
					}
				}
			}
			err := r.Index().Captures(store.Query{All: true}, func(c *store.Capture) bool {
				index[fmt.Sprint(c.File, " ", c.Offset)] = c.URL
				return true
			})
			if err != nil || fmt.Sprint(held) != fmt.Sprint(index) || fmt.Sprint(seen) != fmt.Sprint(index) {
				t.Errorf("%v: there is\n%v\nit is told\n%v\nand known\n%v", err, index, held, seen)
			}
		})
	}
}

// follow does what a reader does who is told of a removal.
func follow(t *testing.T, seen map[string]string, file, detail string) {
	t.Helper()
	var stays [][3]int64
	if err := json.Unmarshal([]byte(detail), &stays); err != nil {
		t.Fatal(err)
	}
	was := map[int64]string{}
	for at, url := range seen {
		var name string
		var offset int64
		if fmt.Sscan(at, &name, &offset); name == file {
			was[offset] = url
			delete(seen, at)
		}
	}
	for offset, url := range was {
		i := slices.IndexFunc(stays, func(s [3]int64) bool { return s[0] <= offset && offset < s[1] })
		if i >= 0 {
			seen[fmt.Sprint(file, " ", stays[i][2]+offset-stays[i][0])] = url
		}
	}
}

// events are those that a reader has by now.
func events(r *feed.Reader) (all []feed.Numbered) {
	for {
		before := len(all)
		if all = r.Next(all); len(all) == before {
			return all
		}
	}
}
