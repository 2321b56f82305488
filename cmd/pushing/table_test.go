package pushing

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	pq "github.com/parquet-go/parquet-go"

	"warcorder/store/cdxline"
)

// tableRow are the columns by which rows are told apart.
type tableRow struct {
	Key    string `parquet:"url_surtkey"`
	File   string `parquet:"warc_filename,optional"`
	Offset int64  `parquet:"warc_record_offset,optional"`
	Status int16  `parquet:"fetch_status,optional"`
}

func (r *tableRow) String() string {
	return fmt.Sprint(r.Key, " ", r.File, " ", r.Offset, " ", r.Status)
}

// rowOf is the row of a line.
func rowOf(t *testing.T, text string) string {
	t.Helper()
	var line cdxline.Line
	if err := line.Parse([]byte(text)); err != nil {
		t.Fatal(err)
	}
	row := tableRow{string(line.Key), string(line.File), line.Offset, int16(line.Status)}
	return row.String()
}

// rowsIn are the rows of all parts below a directory, as a reader of data sets finds them.
func rowsIn(t *testing.T, dir string) (rows []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".parquet") {
			return err
		}
		text, err := os.ReadFile(filepath.Join(dir, path))
		if err != nil {
			return err
		}
		all, err := pq.Read[tableRow](bytes.NewReader(text), int64(len(text)))
		for i := range all {
			rows = append(rows, all[i].String())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(rows)
	return rows
}

// tableIn returns the target that is a table in a directory.
func tableIn(t *testing.T, dir string) Target {
	t.Helper()
	target, err := ParseTarget("parquet=" + dir)
	if err != nil {
		t.Fatal(err)
	}
	return target
}

// TestTable: the rows of all parts are the lines of an export, whatever comes; what has not changed is not
// written again.
func TestTable(t *testing.T) {
	t.Parallel()
	c, dir := newCollection(t), t.TempDir()
	for _, step := range []struct {
		name, want string
		finished   bool // only what is finished
		do         func()
	}{
		{"nothing", "0 lines, 0 parts, 0 dropped", false, func() {}},
		{"two files", "30 lines, 2 parts, 0 dropped", false,
			func() { c.add("a.warc.gz", 10, true); c.add("b.warc.gz", 20, false) }},
		{"nothing new", "0 lines, 0 parts, 0 dropped", false, func() {}},
		{"more in an open file", "25 lines, 1 parts, 0 dropped", false, func() { c.add("b.warc.gz", 5, false) }},
		{"more in two, of which one is finished", "30 lines, 1 parts, 0 dropped", true,
			func() { c.add("b.warc.gz", 5, true); c.add("c.warc.gz", 7, false) }},
		{"the open one", "7 lines, 1 parts, 0 dropped", false, func() {}},
		{"odd names", "3 lines, 3 parts, 0 dropped", false, func() {
			c.add("a=b c.warc.gz", 1, true)
			c.add("größe.warc.gz", 1, true)
			c.add(strings.Repeat("x", 230)+".warc.gz", 1, true)
		}},
	} {
		step.do()
		p := c.push(tableIn(t, dir))
		p.Finished = step.finished
		if err := p.Run(context.Background()); err != nil {
			t.Fatal(step.name, err)
		}
		if c.last() != step.want {
			t.Errorf("%s: %s, want %s", step.name, c.last(), step.want)
		}
		if got, want := rowsIn(t, dir), c.exported(); !step.finished && !slices.Equal(got, want) {
			t.Errorf("%s: it has %d rows, an export %d", step.name, len(got), len(want))
		}
	}
	parts, err := filepath.Glob(filepath.Join(dir, "crawl=news", "subset=warc", "part-*-00000.parquet"))
	if err != nil || len(parts) != 6 {
		t.Errorf("%q, %v", parts, err)
	}
}

// TestTableAgain: what breaks off before the token file says it is written again, and is there once.
func TestTableAgain(t *testing.T) {
	t.Parallel()
	c, dir := newCollection(t), t.TempDir()
	c.add("a.warc.gz", 10, true)
	p := c.push(tableIn(t, dir))
	if err := p.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	at, err := pushedAt(p.Kept)
	if err != nil || at.table == "" {
		t.Fatalf("%+v %v", at, err)
	}
	c.add("b.warc.gz", 10, false)
	if err := c.push(p.Target).Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	c.add("b.warc.gz", 10, true)
	if err := p.keep(at); err != nil { // as if the second had been killed
		t.Fatal(err)
	}
	if err := c.push(p.Target).Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if got, want := rowsIn(t, dir), c.exported(); len(got) != 30 || !slices.Equal(got, want) {
		t.Errorf("%d rows, %d lines", len(got), len(want))
	}
}

// TestTableOfOthers: what another recorder has written is not written over, nor what is no table at all;
// under names of their own both are there.
func TestTableOfOthers(t *testing.T) {
	t.Parallel()
	one, other, dir := newCollection(t), newCollection(t), t.TempDir()
	one.add("a.warc.gz", 10, true)
	other.add("b.warc.gz", 5, true)
	for _, c := range []*testCollection{one, other} {
		if err := c.push(tableIn(t, dir)).Run(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if rows := rowsIn(t, dir); len(rows) != 15 {
		t.Errorf("%d rows", len(rows))
	}
	other.add("a.warc.gz", 3, true)
	err := other.push(tableIn(t, dir)).Run(context.Background())
	if err == nil || !strings.Contains(err.Error(), "of another recorder") ||
		!strings.Contains(err.Error(), "warc-prefix") {
		t.Error(err)
	}
	for name, text := range map[string]string{"empty": "", "short": "PAR1", "no end": "PAR1 and more and more",
		"a long end":  "PAR1" + "\xff\xff\xff\x7fPAR1",
		"a wrong end": "PAR1" + strings.Repeat("\xff", 20) + "\x14\x00\x00\x00PAR1"} {
		c, dir := newCollection(t), t.TempDir()
		c.add("a.warc.gz", 1, true)
		path := filepath.Join(dir, "crawl=news", "subset=warc", "part-a.warc.gz-00000.parquet")
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		err := c.push(tableIn(t, dir)).Run(context.Background())
		if err == nil || !strings.Contains(err.Error(), "none of ours") {
			t.Errorf("%s: %v", name, err)
		}
		if now, err := os.ReadFile(path); err != nil || string(now) != text {
			t.Errorf("%s: it is %q now, %v", name, now, err)
		}
	}
}

// TestTargets: what no feed can be says what to write, and nothing that is secret.
func TestTargets(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                               "outbackcdx=http",
		"http://secret@a/web":            "outbackcdx=http",
		"solr=http://a":                  "is no feed",
		"outbackcdx=here":                "http://HOST:PORT/COLLECTION",
		"outbackcdx=http://u:secret@a":   "http://HOST:PORT/COLLECTION",
		"parquet=":                       "no place",
		"parquet=http://u:secret@a/b":    "s3://BUCKET/PREFIX",
		"parquet=s3://u:secret@bucket/b": "s3://BUCKET/PREFIX",
		"parquet=s3://":                  "s3://BUCKET",
	} {
		_, err := ParseTarget(text)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", text, err)
		}
	}
	target, err := ParseTarget("outbackcdx=http://u:secret@a/web/")
	if err != nil || target.String() != "outbackcdx=http://a/web" || target.ID() != "http://a/web" {
		t.Errorf("%s %s %v", target.String(), target.ID(), err)
	}
}
