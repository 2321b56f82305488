package cdxapi

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"warcorder/proxy/raced"
	"warcorder/store"
)

// manyAtOnce is more of one second than the index sorts, and than may be looked at within fewLooked.
const manyAtOnce = 3*4096 + 500

// fewLooked bounds what is looked at to some more than one slice.
var fewLooked = bounds{looked: 6000, kept: 100, bytes: 1 << 20, digests: 100, block: 50, places: 4 << 20}

// atOnce are captures of a URL, all but the first and the last of one second, whose lines are in another
// order than they lie in the file.
func atOnce(url string, n int, mime string) (all []store.Capture) {
	random := rand.New(rand.NewPCG(5, 6))
	for i := range n {
		c := captureOf(url, 1, fmt.Sprintf("text/%04d%s", random.IntN(1000), mime), 200+i%2, "A")
		if i == 0 || i == n-1 {
			c = captureOf(url, 2*min(i, 1), "text/html", 200, "A")
		}
		all = append(all, c)
	}
	return all
}

// TestResumeInOneSecond: where more are of one second than can be sorted, and than may be looked at
// without a line, all answers together are the whole, and none looks at what one before has given.
func TestResumeInOneSecond(t *testing.T) {
	long := "http://a.example/" + strings.Repeat("l", 600)
	var captures []store.Capture
	for _, url := range []string{"http://a.example/a", long, "http://a.example/z"} {
		captures = append(captures, atOnce(url, manyAtOnce, "")...)
	}
	b := newIndex(t, captures)
	whole, few := server(t, b, usual), server(t, b, fewLooked)
	for _, test := range []struct {
		query  string
		limits []string
	}{
		{"url=a.example/a", []string{"5000", "150000"}}, {"url=" + long, []string{"5000"}},
		{"url=a.example/*&filter=statuscode:201", []string{"3000"}},
		{"url=a.example/*&collapse=mimetype:6", []string{"1000"}},
	} {
		path := "/cdx/search/cdx?fl=timestamp,offset,statuscode,mimetype&" + test.query
		_, want := ask(t, whole, path)
		if raced.Enabled && len(test.limits) == 1 { // it is slow
			continue
		}
		for _, limit := range test.limits {
			got := resumed(t, path+"&showResumeKey=true&limit="+limit, func(path string) string {
				status, body := ask(t, few, path)
				if status != 200 {
					t.Fatalf("%.200s: %d %.200s", path, status, body)
				}
				return body
			})
			if got != want {
				t.Errorf("%.80s by %s: %d lines, not %d", test.query, limit, strings.Count(got, "\n"),
					strings.Count(want, "\n"))
			}
		}
	}
	// A key that counts alone, as they once all did.
	_, want := ask(t, whole, "/cdx/search/cdx?fl=offset&url=a.example/a")
	for _, n := range []int{3000, manyAtOnce - 2} {
		key := position{place: store.PlaceOf(&captures[1]), n: n}.String()
		got := resumed(t, "/cdx/search/cdx?fl=offset&url=a.example/a&showResumeKey=true", func(path string) string {
			if strings.HasSuffix(path, "resumeKey=") {
				path += url.QueryEscape(key)
			}
			_, body := ask(t, few, path)
			return body
		})
		if rest := strings.SplitAfter(want, "\n")[1+n:]; got != strings.Join(rest, "") {
			t.Errorf("behind %d: %d lines, not %d", n, strings.Count(got, "\n"), len(rest)-1)
		}
	}
}

// TestResumeAfterImport: an import may add so many captures to a second that they are not sorted any
// more. What was there before comes once.
func TestResumeAfterImport(t *testing.T) {
	for _, test := range []struct {
		before, after int
		mime          string
		limits        bounds
	}{
		{3000, 7000, "", fewLooked}, {3000, 100, "", fewLooked},
		{500, 1000, strings.Repeat("m", 6000), usual}, {4090, 10, "", fewLooked},
	} {
		b := newIndex(t, atOnce("http://a.example/", test.before, test.mime))
		s := server(t, b, test.limits)
		asked := 0
		got := resumed(t, "/cdx/search/cdx?url=a.example&fl=offset&showResumeKey=true&limit=400",
			func(path string) string {
				if asked++; asked == 2 {
					add(t, b, atOnce("http://a.example/", test.after, test.mime))
				}
				status, body := ask(t, s, path)
				if status != 200 {
					t.Fatalf("%.200s: %d %.200s", path, status, body)
				}
				return body
			})
		var old, want []int
		for _, line := range strings.Fields(got) {
			if n, err := strconv.Atoi(line); err == nil && n < test.before {
				old = append(old, n)
			}
		}
		for i := range test.before {
			want = append(want, i)
		}
		if slices.Sort(old); !slices.Equal(old, want) {
			t.Errorf("%d and %d of %d bytes: %d of the first", test.before, test.after, len(test.mime), len(old))
		}
	}
}
