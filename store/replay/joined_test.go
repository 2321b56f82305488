package replay

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"warcorder/store/replay/ranges"
)

// TestRandomParts holds what is answered from parts against a model that knows each byte.
func TestRandomParts(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	random := rand.New(rand.NewPCG(seed, 0))
	var records []stocked
	has := make([][20]bool, 40) // of each URL, which bytes
	url := func(i int) string { return fmt.Sprintf("http://example.com/%d", i) }
	for i := range has {
		for at := range 1 + random.IntN(6) {
			first := random.IntN(20)
			last := first + random.IntN(20-first)
			stored := stocked{url: url(i), block: part206(first, last, ""), at: at}
			if cut := random.IntN(last - first + 1); random.IntN(3) == 0 && cut > 0 {
				stored.block, stored.fields = stored.block[:len(stored.block)-cut], cutSign
				last -= cut
			}
			for b := first; b <= last; b++ {
				has[i][b] = true
			}
			records = append(records, stored)
		}
	}
	s := stockOf(t, Config{}, records...)
	for i := range has {
		for range 20 {
			first := int64(random.IntN(20))
			span := ranges.Span{First: first, Last: first + int64(random.IntN(25))}
			g := s.getURL(context.Background(), "GET", url(i),
				fmt.Sprintf("Range: bytes=%d-%d", span.First, span.Last))
			want := http.StatusNotFound
			end := span.First
			for end <= min(span.Last, 19) && has[i][end] {
				want = http.StatusPartialContent
				end++
			}
			if g.status != want || g.err != nil {
				t.Fatalf("seed %d: %s, %v: %s, want %d", seed, url(i), span, g, want)
			}
			if want == http.StatusPartialContent {
				said := ranges.Content{Span: ranges.Span{First: first, Last: end - 1}, Of: 20}
				if g.body != twenty[first:end] || g.header.Get("Content-Range") != said.String() {
					t.Fatalf("seed %d: %s, %v: %s, want %s", seed, url(i), span, g, said)
				}
			}
		}
	}
}

// TestAway: parts whose file has gone are a miss that says so, also if they were read before.
func TestAway(t *testing.T) {
	s := stockOf(t, Config{Explain: true}, stocked{block: part206(0, 9, "")},
		stocked{block: part206(10, 19, ""), at: 1})
	if g := s.get("GET", "Range: bytes=5-14"); g.String() != "206 5-14/20 56789abcde" {
		t.Fatal(g)
	}
	files, err := os.ReadDir(s.dir.Archive())
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if err := os.Remove(s.dir.Archive() + "/" + file.Name()); err != nil {
			t.Fatal(err)
		}
	}
	for _, fields := range []string{"X: y", "Range: bytes=5-14", "Range: bytes=5-6",
		"If-None-Match: \"v\"", "Range: bytes=0-1|If-Range: \"v\"", "Range: bytes=30-"} {
		g := s.get("GET", strings.Split(fields, "|")...)
		if why := g.header.Get("X-Warcorder-Miss"); g.status != 404 || why != whyMissing {
			t.Errorf("%s: %d, %q", fields, g.status, why)
		}
	}
}
