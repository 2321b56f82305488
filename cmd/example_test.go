//go:build unix

package cmd

import (
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warcorder/store/collection"
)

// TestExample: what is said in the end names a page that was recorded, beside a recorder and after it;
// what is no page stands for none.
func TestExample(t *testing.T) {
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/page" {
			w.Header().Set("Content-Type", "text/html")
		} else {
			w.Header().Set("Content-Type", "text/plain")
		}
		io.WriteString(w, "something")
	}))
	defer origin.Close()
	began := time.Now()
	p := startRecording(t)
	dir := collection.Dir(filepath.Join(p.dir, "collections", "default"))
	for _, c := range [][2]string{{"/a", ""}, {"/page", origin.URL + "/page"}} {
		path, want := c[0], c[1]
		if path == "/page" {
			p = startRecordingIn(t, p.dir)
		}
		p.fetch(origin.URL + path)
		p.page("/export") // waits for what was fetched
		beside := exampleOf(dir, began)
		p.stop()
		if rest := exampleOf(dir, began); beside != want || rest != want {
			t.Errorf("%s: %q beside the recorder, %q after it", path, beside, rest)
		}
		word := want
		if want == "" {
			word = "URL"
		}
		if out, _, _ := p.run("status"); !strings.Contains(out, " replay "+word+" --dir ") {
			t.Errorf("%s: %s", path, out)
		}
		s := summary{dir: dir, captures: 1, took: time.Hour}
		if s.choosePage(time.Now()); !strings.Contains(s.text(), " replay "+word+" --dir ") {
			t.Errorf("%s: %s", path, s.text())
		}
	}
}
