package wayback

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"warcorder/recorder"
	"warcorder/store"
)

// TestSettle: what is on disk is found by who asks for it, also when the index has not got it yet; and
// who asks for something else, or for what the index knows already, makes no transaction.
func TestSettle(t *testing.T) {
	r := record(t, "news", func(c *recorder.Config) { c.IndexInterval = time.Hour })
	r.commit("http://example.com/a", page+"first", 0)
	r.serve()
	name := r.captures()[0].File
	known, _ := r.rec.Index().File(name)
	whole := fmt.Sprintf("bytes=0-%d", known.Committed-1)
	indexed := func() int64 {
		t.Helper()
		n, err := r.rec.IndexFor(t.Context(), store.Nothing).Count()
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for i, c := range []struct {
		name, path, ranged string
		status             int
		waits              bool
		has                string // in the answer, if that is text; NEW is the last URL
	}{
		{"another URL", "/web/id_/http://example.com/a", "", 200, false, "first"},
		{"a URL that is nowhere", "/news/web/2026id_/http://example.com/none", "", 404, false, ""},
		{"no path", "/web/2026/http://example.com/a", "", 404, false, ""},
		{"another file", "/warc/other.warc.gz", "", 404, false, ""},
		{"a record that the index knows", "/warc/" + name, "bytes=5-17", 206, false, ""},
		{"all that it knows", "/news/warc/" + name, whole, 206, false, ""},
		{"the URL", "/web/id_/NEW", "", 200, true, "text of NEW"},
		{"the file", "/warc/" + name, "", 200, true, ""},
		{"the file from a byte on", "/warc/" + name, "bytes=5-", 206, true, ""},
		{"the end of the file", "/warc/" + name, "bytes=-5", 206, true, ""},
		{"more than the index knows", "/warc/" + name, "bytes=0-999999999", 206, true, ""},
		{"two ranges", "/warc/" + name, "bytes=0-5,7-9", 206, true, ""},
		{"all lines", "/warc/index.cdxj", "", 200, true, "NEW"},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := indexed()
			url := fmt.Sprint("http://example.com/new/", i)
			r.send(url, page+"text of "+url, 1, "")
			if all, err := r.rec.OnDiskWithin(t.Context(), time.Minute); !all || err != nil {
				t.Fatal(all, err)
			}
			var fields []string
			if c.ranged != "" {
				fields = []string{"Range: " + c.ranged}
			}
			got := r.ask("GET "+strings.ReplaceAll(c.path, "NEW", url), fields...)
			if got.StatusCode != c.status || !strings.Contains(got.body, strings.ReplaceAll(c.has, "NEW", url)) {
				t.Errorf("%s %q", got.Status, got.body[:min(len(got.body), 500)])
			}
			if n := indexed(); (n > before) != c.waits {
				t.Errorf("%d captures in the index, %d before", n, before)
			}
			r.rec.Index() // for the next
			known, _ = r.rec.Index().File(name)
			if size := int64(len(got.body)); c.status == 200 && strings.HasSuffix(c.path, name) &&
				size != known.Committed {
				t.Errorf("%d bytes of %d", size, known.Committed)
			}
		})
	}
}
