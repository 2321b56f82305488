package cmd

import (
	"bytes"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"warcorder/store/cdxline"
)

// tableOf are the rows of all parts below a directory: URL, status, file and offset.
func tableOf(t *testing.T, dir string) (rows []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".parquet") {
			return err
		}
		text, err := os.ReadFile(filepath.Join(dir, path))
		if err != nil {
			return err
		}
		all, err := parquet.Read[struct {
			URL    string `parquet:"url"`
			Status int16  `parquet:"fetch_status,optional"`
			File   string `parquet:"warc_filename,optional"`
			Offset int64  `parquet:"warc_record_offset,optional"`
		}](bytes.NewReader(text), int64(len(text)))
		for _, r := range all {
			rows = append(rows, fmt.Sprint(r.URL, " ", r.Status, " ", r.File, " ", r.Offset))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(rows)
	return rows
}

// originOfParts is an origin that gives a text, and a part of it if that is asked for.
func originOfParts(t *testing.T) *httptest.Server {
	text := strings.Repeat("text ", 100)
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"x"`)
		w.Header().Set("Content-Type", "text/plain")
		if r.Header.Get("Range") != "" {
			w.Header().Set("Content-Range", fmt.Sprintf("bytes 100-199/%d", len(text)))
			w.WriteHeader(http.StatusPartialContent)
			fmt.Fprint(w, text[100:200])
			return
		}
		fmt.Fprint(w, text)
	}))
	t.Cleanup(origin.Close)
	return origin
}

// TestPushTable: after each push the table has the rows of an export and no others, beside the recorder and
// at rest: what was removed is not there any more, to be forgotten or not, nor the part whose whole has
// come, nor what lay in a file that is gone.
func TestPushTable(t *testing.T) {
	t.Parallel()
	origin := originOfParts(t)
	p := startRecording(t, "--upstream", origin.URL)
	b := &brokenPush{program: p}
	table := filepath.Join(p.dir, "table")
	push := func(what string, rows int) {
		t.Helper()
		_, errs, code := b.run("push", "--to", "parquet", table, "--verbose")
		if code != 0 {
			t.Errorf("%s: %d %s", what, code, errs)
		}
		if got, want := tableOf(t, table), b.exportedRows(); len(got) != rows || !slices.Equal(got, want) {
			t.Errorf("%s: it has\n%q, an export\n%q: %s", what, got, want, errs)
		}
	}
	const site = "http://example.com/v"
	p.fetchPart(site)
	b.record("https://example.com/a")
	push("an open file", 2)
	b.must("rotate")
	b.record("https://example.com/b")
	b.record("https://example.com:8443/c?x=\",\"removed\":\"whole\"}")
	push("two files", 4)
	p.fetch(site)
	push("a whole", 4)
	b.must("remove", "--url", "https://example.com/a", "--yes")
	push("a removal", 3)
	b.must("remove", "--url", "https://example.com/b", "--yes", "--forget")
	push("a removal to be forgotten", 2)
	b.must("remove", "--url", site, "--yes")
	push("all of a URL", 1)
	b.stop()
	b.must("rebuild")
	push("a rebuild", 1)
	if _, errs, code := b.run("push", "--to", "parquet", table, "--verbose"); code != 0 ||
		!strings.Contains(errs, "0 parts of 0 rows") {
		t.Errorf("nothing new: %d %s", code, errs)
	}
}

// exportedRows are the lines of an export as tableOf has rows.
func (b *brokenPush) exportedRows() (rows []string) {
	b.t.Helper()
	for text := range strings.Lines(b.must("export", "-o", "-")) {
		var l cdxline.Line
		if err := l.Parse([]byte(text)); err != nil {
			b.t.Fatal(err)
		}
		rows = append(rows, fmt.Sprintf("%s %d %s %d", l.URL, l.Status, l.File, l.Offset))
	}
	slices.Sort(rows)
	return rows
}
