package recorder

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"warcorder/recorder/recovery/foreign"
	"warcorder/store/collection"
)

// TestForeignReadsOwn reads files of ours as those of another program, after their first record was
// changed to say that they are: the reader of foreign files finds all that was recorded.
func TestForeignReadsOwn(t *testing.T) {
	t.Parallel()
	dir, from, other := t.TempDir(), t.TempDir(), t.TempDir()
	recordVariety(t, dir, 1)
	files, _ := filepath.Glob(filepath.Join(dir, "archive", "*.warc.gz"))
	info := foreign.Gzip(foreign.Record("WARC/1.1\nWARC-Type: warcinfo", "software: another|"))
	longer := map[string]int64{} // than the first member of ours, by file
	var paths []string
	for _, path := range files {
		if own, err := collection.IsOwn(path); err != nil || !own {
			t.Errorf("%s: own is %v, %v", path, own, err)
		}
		file, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(path)
		first := recordLengths(t, path)[0]
		longer[name] = int64(len(info)) - first
		paths = append(paths, filepath.Join(from, name))
		write(t, filepath.Join(from, name), append(info, file[first:]...))
	}
	for _, a := range add(t, other, paths...) {
		if len(a.Damaged) > 0 {
			t.Errorf("%s: %v", a.Name, a.Damaged)
		}
	}
	want := captures(t, dir)
	for i := range want {
		want[i].Offset += longer[want[i].File]
	}
	if got := captures(t, other); len(got) < 20 || !reflect.DeepEqual(got, want) {
		t.Errorf("%d captures and %d:\n%v\n%v", len(got), len(want), got, want)
	}
}

func TestIsOwn(t *testing.T) {
	c := crash(t)
	flipped := slices.Clone(c.bytes)
	flipped[30] ^= 0xff
	magic := slices.Clone(c.bytes)
	magic[0] = 0
	inside := append(foreign.Gzip("WARC/1.0\r\nbroken"), c.bytes...)
	layouts := foreign.Layouts(t, foreign.Files["wget"])
	for _, test := range []struct {
		name string
		file []byte
		want bool
	}{
		{"ours", c.bytes, true},
		{"cut", c.bytes[:200], true},
		{"with a damaged first member", flipped, true},
		{"with a damaged first byte", magic, true},
		{"behind another member", inside, true},
		{"plain", layouts[".warc"], false},
		{"gzip", layouts[".warc.gz"], false},
		{"zstd", layouts[".warc.zst"], false},
		{"our records, in one member",
			foreign.Gzip(foreign.Record("WARC/1.1\nWARC-Type: warcinfo", "software: warcorder|") +
				foreign.Files["wget"][1]), false},
		{"not a warcinfo",
			foreign.Gzip(foreign.Record("WARC/1.1\nWARC-Type: resource", "software: warcorder|")), false},
	} {
		path := filepath.Join(t.TempDir(), "x.warc.gz")
		write(t, path, test.file)
		if got, err := collection.IsOwn(path); err != nil || got != test.want {
			t.Errorf("%s: %v, %v", test.name, got, err)
		}
	}
}
