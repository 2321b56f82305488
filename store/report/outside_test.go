package report

import (
	"strings"
	"testing"
	"time"
)

// TestOutside: what lies in another collection is listed with all that is needed to hand it on, and makes
// no page less whole.
func TestOutside(t *testing.T) {
	other := record(t)
	other.get("http://elsewhere.example/a", image, answer(200, "X: 1\r\n"))
	stamp := other.now.UTC().Format("2006-01-02T15:04:05.000000Z")
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	r := record(t, string(other.dir))
	r.get("http://site.example/", document, strings.Replace(answer(200, html), "hello", "other", 1))
	for _, name := range []string{"1", "2", "2"} {
		r.get("http://site.example/"+name, image, answer(200, ""))
	}
	all, total := r.each(Selection{})
	if len(all) != 1 || !all[0].Whole || total.Whole != 1 || all[0].Counts[Outside] != 2 || all[0].IsWrong() {
		t.Fatalf("%+v, %+v", all, total)
	}
	for i, f := range all[0].Findings {
		n := f.Needs
		if f.Kind != Outside || f.Times != i+1 || n == nil || n.URL != "http://elsewhere.example/a" ||
			n.Date != stamp || !strings.HasPrefix(n.Digest, "sha1:") || len(n.Archives) != 1 ||
			n.Archives[0] != string(other.dir) {
			t.Errorf("%+v, %+v", f, n)
		}
		if want := "needs " + n.URL + " of " + stamp + ", payload " + n.Digest + ", in " + n.Archives[0]; f.Detail != want {
			t.Errorf("%s\nwant %s", f.Detail, want)
		}
	}
	if _, err := time.Parse(time.RFC3339Nano, stamp); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}
