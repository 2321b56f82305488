package v09

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"warcorder/store/warc"
)

// exported writes records to a new directory and returns the files in their order.
func exported(t *testing.T, target int64, records []made) []string {
	t.Helper()
	dir := t.TempDir()
	w := &Writer{Dir: dir, Prefix: "x", Host: "host", Target: target, Temp: t.TempDir()}
	for _, m := range records {
		if err := w.Write(warc.Version, m.header, strings.NewReader(m.block),
			int64(len(m.block))); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(files, func(a, b string) int { return strings.Compare(serial(a), serial(b)) })
	return files
}

// serial is the part of a file's name that says its place in the order.
func serial(path string) string { return strings.Split(filepath.Base(path), "-")[2] }

func TestRoundTrip(t *testing.T) {
	for _, target := range []int64{0, 10 << 20, 1 << 20, 200_000, 1} {
		t.Run(fmt.Sprint("target ", target), func(t *testing.T) {
			want := olds()
			if target == 1 { // each record, and each few bytes of a block, in a file of its own
				want = slices.DeleteFunc(want, func(m made) bool { return len(m.block) > 20_000 })
			}
			files := exported(t, target, want)
			var c collected
			if err := importAll(c.importer(t), files...); err != nil {
				t.Fatal(err)
			}
			for _, f := range c.findings {
				t.Errorf("finding %v", f)
			}
			sameRecords(t, c.records, want)
			if target >= 200_000 {
				sizes(t, files, target)
			}
			// Twice through is the same again.
			var twice collected
			if err := importAll(twice.importer(t), exported(t, target, c.records)...); err != nil {
				t.Fatal(err)
			}
			sameRecords(t, twice.records, want)
		})
	}
}

// TestRoundTripBackwards imports the files in the wrong order: segments find together.
func TestRoundTripBackwards(t *testing.T) {
	want := olds()
	files := exported(t, 200_000, want)
	slices.Reverse(files)
	var c collected
	if err := importAll(c.importer(t), files...); err != nil {
		t.Fatal(err)
	}
	key := func(m made) string { return strings.Join(lines(m.header), "\n") }
	byKey := func(a, b made) int { return strings.Compare(key(a), key(b)) }
	slices.SortStableFunc(want, byKey)
	slices.SortStableFunc(c.records, byKey)
	sameRecords(t, c.records, want)
}

// sizes holds the files to the target.
func sizes(t *testing.T, files []string, target int64) {
	t.Helper()
	for _, path := range files {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() > target {
			t.Errorf("%s has %d bytes", path, info.Size())
		}
	}
}

// TestExportImported makes 0.9 of what has been imported: no field of 0.9 is lost on the way there,
// but for those that 1.1 says otherwise.
func TestExportImported(t *testing.T) {
	first := imported(t, testdata(t, "appendix-b.warc"))
	var second collected
	if err := importAll(second.importer(t), exported(t, 0, first.records)...); err != nil {
		t.Fatal(err)
	}
	sameRecords(t, second.records, first.records)
	var files []string
	for _, path := range exported(t, 0, first.records) {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, string(b))
	}
	was, is := newReader(t, testdata(t, "appendix-b.warc")), newReader(t, files[0])
	for {
		a, errA := was.Next()
		b, errB := is.Next()
		if errA == io.EOF && errB == io.EOF {
			return
		}
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		if fmt.Sprint(a.Type, a.URI, a.Date, a.ContentType, a.ID) != fmt.Sprint(
			b.Type,
			b.URI,
			b.Date,
			b.ContentType,
			b.ID,
		) {
			t.Errorf("%q became %q", a.Header, b.Header)
		}
		for _, f := range a.Fields {
			if !slices.Contains(b.Fields.Values(f.Name), f.Value) {
				t.Errorf("%s: %q is not in %q", f.Name, f.Value, b.Fields)
			}
		}
	}
}
