package removing

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/rs/zerolog"

	"warcorder/recorder/recovery"
	"warcorder/store/collection"
	"warcorder/store/selection"
	"warcorder/store/warc"
)

// recordsOf are the records of the WARC files of a collection but their first ones, with their ends.
func (r *recording) recordsOf() (records [][]byte) {
	r.t.Helper()
	paths, err := filepath.Glob(r.dir.WARC("*.warc.gz"))
	if err != nil {
		r.t.Fatal(err)
	}
	for _, path := range paths {
		reader, err := warc.Open(path, 0)
		if err != nil {
			r.t.Fatal(err)
		}
		for {
			record, err := reader.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				r.t.Fatal(err)
			}
			text := bytes.Clone(record.RawHeader())
			block, err := io.ReadAll(record.Block)
			if err != nil {
				r.t.Fatal(err)
			}
			if record.Type() != "warcinfo" {
				records = append(records, append(append(text, block...), warc.RecordEnd...))
			}
		}
		reader.Close()
	}
	return records
}

// forms are how other tools write their files.
var forms = map[string]func(records [][]byte) []byte{
	"other.warc": func(records [][]byte) []byte { return bytes.Join(records, nil) },
	"other.warc.gz": func(records [][]byte) (b []byte) {
		for _, text := range records {
			var out bytes.Buffer
			w := gzip.NewWriter(&out)
			w.Write(text)
			w.Close()
			b = append(b, out.Bytes()...)
		}
		return b
	},
	"other.warc.zst": func(records [][]byte) (b []byte) {
		encoder, _ := zstd.NewWriter(nil)
		for _, text := range records {
			b = encoder.EncodeAll(text, b)
		}
		return b
	},
}

// TestRemoveForeign: files of other tools, in every form, with the requests behind their responses or
// before them, lose what is selected, and nothing else. A file outside that is linked in stays.
func TestRemoveForeign(t *testing.T) {
	source := start(t, nil)
	source.fill()
	source.rotate()
	records := source.recordsOf()
	source.close()
	for name, form := range forms {
		for _, backwards := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				all := slices.Clone(records)
				if backwards {
					slices.Reverse(all)
				}
				path := filepath.Join(t.TempDir(), name)
				if err := os.WriteFile(path, form(all), 0o600); err != nil {
					t.Fatal(err)
				}
				r := &recording{t: t, cfg: source.cfg, dir: collection.Dir(t.TempDir())}
				added, err := recovery.Add(recovery.Config{}, r.dir, []string{path}, false, zerolog.Nop())
				if err != nil || added[0].Captures != 13 || len(added[0].Damaged) > 0 {
					t.Fatalf("%+v, %v", added, err)
				}
				r.open()
				defer func() { r.Recorder.Close() }()
				before := r.all()
				done := r.remove(selection.Selection{URL: "https://example.com/secret"}, nil)
				maps.DeleteFunc(before, func(_ string, s shown) bool { return s.isOf([]string{"/secret"}) })
				r.same(before)
				if done.Captures != 3 || done.Moved != 2 || len(done.Linked) != 1 {
					t.Errorf("%+v", done)
				}
				for _, needle := range []string{"posted", "name=hush", "biscuit", "no answer from"} {
					b, err := os.ReadFile(r.dir.WARC(name))
					if err != nil || bytes.Contains(plainOf(b), []byte(needle)) {
						t.Errorf("%v, or %q is still there", err, needle)
					}
				}
				if outside, err := os.ReadFile(path); err != nil || !bytes.Equal(outside, form(all)) {
					t.Error("the file outside has changed", err)
				}
				r.verified()
				r.rebuilt(before)
			})
		}
	}
}

// plainOf is what a file of any form holds.
func plainOf(b []byte) []byte {
	if decoder, err := zstd.NewReader(bytes.NewReader(b)); err == nil {
		if text, err := io.ReadAll(decoder); err == nil {
			return text
		}
	}
	return append(inflated(b), b...)
}
