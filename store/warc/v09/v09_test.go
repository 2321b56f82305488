package v09

import (
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"warcorder/store/warc"
)

var update = flag.Bool("update", false, "write the golden files anew")

// record makes a 0.9 record by hand: line is its first line without version and data-length, fields
// are whole lines without line breaks.
func record(line string, fields []string, block string) string {
	rest := " " + line + "\r\n"
	for _, f := range fields {
		rest += f + "\r\n"
	}
	rest += "\r\n" + block
	n := len("warc/0.9 ") + len(rest)
	for n != len("warc/0.9 "+strconv.Itoa(n)+rest) {
		n = len("warc/0.9 " + strconv.Itoa(n) + rest)
	}
	return "warc/0.9 " + strconv.Itoa(n) + rest + "\r\n\r\n"
}

// resource is a record with that number in its ID.
func resource(n int, block string) string {
	return record(fmt.Sprintf("resource http://a.example/%d 20060102030405 text/plain uuid:%d", n, n),
		nil, block)
}

// gzipped is s as one gzip member.
func gzipped(t testing.TB, s string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.WriteString(w, s); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// member is s, a record, as a gzip member with `sl`.
func member(s string) string {
	return string(warc.NewCompressor().Append(nil, [][]byte{[]byte(s)}, -1))
}

func newReader(t testing.TB, file string) *Reader {
	t.Helper()
	r, err := NewReader(strings.NewReader(file), "f.warc")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// made is a 1.1 record as an Importer gives it out.
type made struct {
	header warc.Header
	block  string
}

// collected is what came of an import.
type collected struct {
	records  []made
	findings []Finding
}

func (c *collected) importer(t testing.TB) *Importer {
	t.Helper()
	dir := t.TempDir()
	t.Cleanup(func() {
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("%d temporary files are left", len(left))
		}
	})
	return &Importer{
		Temp: dir,
		Out: func(head []byte, block io.Reader, size int64) error {
			version, h, err := warc.ParseHeader(head)
			if err != nil {
				return err
			}
			b, err := io.ReadAll(block)
			if version != warc.Version || int64(len(b)) != size ||
				h.Get("Content-Length") != strconv.Itoa(len(b)) {
				t.Errorf("version %s, %d bytes, size %d, Content-Length %s", version, len(b), size,
					h.Get("Content-Length"))
			}
			c.records = append(c.records, made{h, string(b)})
			return err
		},
		Report: func(f Finding) { c.findings = append(c.findings, f) },
	}
}

// imported imports files that are in memory.
func imported(t testing.TB, files ...string) *collected {
	t.Helper()
	var c collected
	im := c.importer(t)
	for _, file := range files {
		if err := im.Read(newReader(t, file)); err != nil {
			t.Fatal(err)
		}
	}
	if err := im.Close(); err != nil {
		t.Fatal(err)
	}
	return &c
}

// String is the records as they would stand in a file, and the findings.
func (c *collected) String() string {
	var b strings.Builder
	for _, m := range c.records {
		b.WriteString(warc.Version + "\n")
		for _, f := range m.header {
			fmt.Fprintf(&b, "%s: %s\n", f.Name, f.Value)
		}
		fmt.Fprintf(&b, "\n%q\n\n", m.block)
	}
	for _, f := range c.findings {
		fmt.Fprintf(&b, "! %s\n", f)
	}
	return b.String()
}

func testdata(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(filepath.Join("testdata", name), []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want := testdata(t, name); got != want {
		t.Errorf("%s differs; got:\n%s", name, got)
	}
}

// TestAppendixB imports the document's own examples: every record type of appendix B but
// continuation.
func TestAppendixB(t *testing.T) {
	golden(t, "appendix-b.golden", imported(t, testdata(t, "appendix-b.warc")).String())
}

// TestAppendixB8 imports the example of a response in two segments, in either order.
func TestAppendixB8(t *testing.T) {
	one, two := testdata(t, "segment-1.warc"), testdata(t, "segment-2.warc")
	whole := imported(t, one, two)
	golden(t, "segments.golden", whole.String())
	if got := imported(t, two, one).String(); got != whole.String() {
		t.Errorf("in the other order:\n%s", got)
	}
	if got := imported(t, member(one)+member(two)).String(); strings.ReplaceAll(got, "f.warc",
		"") != strings.ReplaceAll(
		whole.String(),
		"f.warc",
		"",
	) {
		t.Errorf("in one gzipped file:\n%s", got)
	}
}
