package cmd

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
)

// recordedPages records some pages, and returns when all are in the index of a recorder that goes on.
func recordedPages(t *testing.T) (p *program, origin string) {
	t.Helper()
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	p = startRecording(t)
	for _, path := range []string{"/a", "/a/b", "/ab", "/c", "/a?x=%20y"} {
		p.fetch(server.URL + path)
	}
	for until := time.Now().Add(10 * time.Second); ; {
		out, _, _ := p.run("export", "-o", "-")
		if strings.Count(out, "\n") == 5 {
			return p, server.URL
		}
		if time.Now().After(until) {
			t.Fatalf("never all of them: %s", out)
		}
	}
}

// TestExportFormats: each format has the lines of the plain export, as the flags select them, beside a
// recorder and at rest.
func TestExportFormats(t *testing.T) {
	p, origin := recordedPages(t)
	check := func(when string) {
		for _, selected := range [][]string{nil, {"--url", origin + "/a", "--match", "prefix"},
			{"--dialect", "warciojs"}, {"--to", "2001"}} {
			plain, _, _ := p.run(append([]string{"export", "-o", "-"}, selected...)...)
			lines := slices.Collect(strings.Lines(plain))
			out, errs, code := p.run(append([]string{"export", "--format", "cdx11", "-o", "-"}, selected...)...)
			rows := slices.Collect(strings.Lines(out))
			if code != 0 || len(rows) != len(lines)+1 || !slices.IsSorted(rows) {
				t.Fatalf("%s, cdx11 %v: %d, %s\n%s", when, selected, code, errs, out)
			}
			for i, row := range rows[1:] {
				fields := strings.Split(strings.TrimSuffix(row, "\n"), " ")
				if len(fields) != 11 || !strings.HasPrefix(lines[i], fields[0]+" "+fields[1]+" {") ||
					!strings.Contains(lines[i], `"offset":"`+fields[9]+`"`) {
					t.Errorf("%s, cdx11 %v: %q of %q", when, selected, row, lines[i])
				}
			}
			for _, dialect := range []string{"pywb", "wacz"} {
				dir := filepath.Join(t.TempDir(), "new", "index")
				_, errs, code := p.run(append([]string{"export", "--format", "zipnum", "--zipnum", dialect,
					"--part-lines", "1", "-o", dir}, selected...)...)
				if got := unzipped(t, dir); code != 0 || errs != "" || got != plain {
					t.Errorf("%s, %s %v: %d, %s\n%s", when, dialect, selected, code, errs, got)
				}
			}
			var keys string
			for _, line := range lines {
				key, _, _ := strings.Cut(line, " ")
				keys += key + "\n"
			}
			dir := filepath.Join(t.TempDir(), "new", "table")
			_, errs, code = p.run(append([]string{"export", "--format", "parquet", "--part-lines", "1", "-o", dir},
				selected...)...)
			if got := keysOfTable(t, dir); code != 0 || errs != "" || got != keys {
				t.Errorf("%s, parquet %v: %d, %s\n%s", when, selected, code, errs, got)
			}
		}
	}
	check("beside a recorder")
	if code := p.stop(); code != 0 {
		t.Fatal(p.stderr)
	}
	check("at rest")
}

// unzipped returns the lines of all parts in a directory.
func unzipped(t *testing.T, dir string) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.gz"))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, name := range names { // Glob sorts them
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if len(data) == 0 {
			continue
		}
		in, err := gzip.NewReader(bytes.NewReader(data))
		if err == nil {
			_, err = io.Copy(&all, in)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return all.String()
}

// keysOfTable returns the keys of the rows of a table.
func keysOfTable(t *testing.T, dir string) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "crawl=default", "subset=warc", "*.parquet"))
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	var keys strings.Builder
	for _, name := range names {
		rows, err := parquet.ReadFile[struct {
			Key string `parquet:"url_surtkey"`
		}](name)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			keys.WriteString(row.Key + "\n")
		}
	}
	return keys.String()
}

// TestTableBeside: a table takes another collection beside the first, and none twice.
func TestTableBeside(t *testing.T) {
	p, _ := recordedPages(t)
	if code := p.stop(); code != 0 {
		t.Fatal(p.stderr)
	}
	table := filepath.Join(p.dir, "table")
	collections := filepath.Join(p.dir, "collections")
	export := func(name, said string) {
		_, errs, code := p.run("export", "--format", "parquet", "-o", table, "--collection", name)
		if (code == 0) != (said == "") || !strings.Contains(errs, said) {
			t.Errorf("%s: %d, %q", name, code, errs)
		}
	}
	export("default", "")
	export("default", "crawl=default is there already")
	err := os.Rename(filepath.Join(collections, "default"), filepath.Join(collections, "other name"))
	if err != nil {
		t.Fatal(err)
	}
	export("other name", "")
	left, err := os.ReadDir(table)
	if err != nil || len(left) != 2 || left[1].Name() != "crawl=other%20name" {
		t.Errorf("%v, %v", left, err)
	}
}

// TestExportFormatsRefused: an output that a format cannot have is refused with what to do, and what is
// there stays as it is.
func TestExportFormatsRefused(t *testing.T) {
	p, _ := recordedPages(t)
	if code := p.stop(); code != 0 {
		t.Fatal(p.stderr)
	}
	full := t.TempDir()
	file := filepath.Join(full, "file")
	if err := os.WriteFile(file, []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	within := filepath.Join(p.dir, "collections", "default", "indexes", "zipnum")
	for want, args := range map[string][]string{
		"--format zipnum writes a directory": {"--format", "zipnum"},
		"one that is not there yet, with -o": {"--format", "zipnum", "-o", "-"},
		"is there already":                   {"--format", "zipnum", "-o", full},
		file + " is there already":           {"--format", "zipnum", "-o", file},
		"is a file, and no folder":           {"--format", "zipnum", "-o", filepath.Join(file, "x")},
		"--format parquet writes":            {"--format", "parquet", "-o", "-"},
		"leave --key out":                    {"--format", "parquet", "-o", full, "--key", "path"},
		"belongs to the collection":          {"--format", "zipnum", "-o", within},
		"1 or more":                          {"--format", "zipnum", "-o", full + "/x", "--part-lines", "0"},
		"name the file for the CDX lines":    {"--format", "cdx11"},
		"it is a directory":                  {"--format", "cdx11", "-o", full},
		"--format must be one of":            {"--format", "fuzzy"},
	} {
		out, errs, code := p.run(append([]string{"export"}, args...)...)
		if code != 1 || out != "" || !strings.Contains(errs, want) {
			t.Errorf("%v: %d %q %q", args, code, out, errs)
		}
	}
	if left, err := os.ReadDir(full); err != nil || len(left) != 1 {
		t.Errorf("left: %v, %v", left, err)
	}
}
