package pages

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"warcorder/recorder"
	"warcorder/recorder/recovery"
	"warcorder/store/collection"
)

// TestCompletion: the whole of a document that broke off is no second page, but belongs to the one of
// which a part came: while it is recorded, in an index that is made anew, and in another collection.
func TestCompletion(t *testing.T) {
	cfg := recorder.Default()
	cfg.MinFreeSpace = 0
	dir := collection.Dir(t.TempDir())
	rec, err := recorder.Open(cfg, dir, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	const site = "https://a.example/"
	for i, one := range []struct{ url, truncated, completion string }{
		{site + "p", "disconnect", ""}, {site + "q", "", ""}, {site + "p", "", "cut"}, {site + "p", "", ""},
	} {
		x := rec.Begin()
		x.URL, x.Method, x.Started = one.url, "GET", testTime.Add(time.Duration(i)*time.Second)
		x.Truncated, x.Completion = one.truncated, one.completion
		fmt.Fprintf(&x.Request, "GET / HTTP/1.1\r\nHost: a.example\r\n%s\r\n", toPage)
		io.WriteString(&x.Response, answer("200 OK", "text/html", fmt.Sprint(i)))
		x.Commit()
		if err := rec.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	const want = "p 1, q 0, p 0, "
	if got := told(t, open(t, dir)); got != want {
		t.Errorf("as it was recorded: %s, want %s", got, want)
	}
	if _, err := recovery.Rebuild(recovery.Config{}, dir, zerolog.Nop()); err != nil {
		t.Fatal(err)
	}
	if got := told(t, open(t, dir)); got != want {
		t.Errorf("rebuilt: %s, want %s", got, want)
	}
	paths, err := filepath.Glob(filepath.Join(string(dir), "archive", "*.warc.gz"))
	if err != nil {
		t.Fatal(err)
	}
	other := collection.Dir(t.TempDir())
	if _, err := recovery.Add(recovery.Config{}, other, paths, true, zerolog.Nop()); err != nil {
		t.Fatal(err)
	}
	if got := told(t, open(t, other)); got != want {
		t.Errorf("in another collection: %s, want %s", got, want)
	}
}

// told are the pages with the number of their resources.
func told(t *testing.T, p *Pages) string {
	t.Helper()
	var b strings.Builder
	for page, err := range p.All(t.Context(), "", "") {
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(&b, filepath.Base(page.URL), " ", page.Resources, ", ")
	}
	return b.String()
}
