package v09

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"warcorder/store/warc"
)

// TestExportForm looks at the files themselves: one member a record, with `sl`, and segments as
// section 7.2 has them.
func TestExportForm(t *testing.T) {
	large := randomBytes(500_000)
	files := exported(t, 200_000, []made{
		olds()[0], olds()[1],
		old(large, "WARC-Type: response", "WARC-Record-ID: "+uuid(1), "WARC-Date: 2026-01-02T03:04:05Z",
			"WARC-Target-URI: http://a.example/", "WARC-Block-Digest: "+sha(large), "WARC-Truncated: time",
			"Content-Type: application/http; msgtype=response"),
		olds()[2],
	})
	if len(files) != 4 {
		t.Fatalf("%d files", len(files))
	}
	var heads []string
	for _, path := range files {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		heads = append(heads, path[strings.LastIndex(path, "x-"):][:2])
		for len(b) > 0 {
			n := int(b[16]) | int(b[17])<<8 | int(b[18])<<16
			r := newReader(t, string(b[:n]))
			rec, err := r.Next()
			if err != nil {
				t.Fatal(err)
			}
			heads = append(heads, string(rec.Header.append(nil, rec.Size)))
			if _, err := r.Next(); err != io.EOF {
				t.Errorf("behind the record: %v", err)
			}
			b = b[n:]
		}
	}
	all := strings.Join(heads, "\n")
	for _, line := range heads {
		if i := strings.Index(line, "continuation http"); i >= 0 {
			id := line[strings.Index(line, "uuid:"):][:41]
			all = strings.ReplaceAll(all, id, "uuid:RANDOM")
		}
	}
	golden(t, "export.golden", strings.ReplaceAll(all, "\r\n", "\n"))
}

// TestExportReader exports a file, up to where it is damaged, and nothing that is not whole.
func TestExportReader(t *testing.T) {
	var file bytes.Buffer
	for _, m := range olds() {
		head := []byte(warc.Version + "\r\n")
		for _, f := range m.header {
			head = warc.AppendField(head, f.Name, f.Value)
		}
		file.Write(warc.NewCompressor().
			Append(nil, [][]byte{head, []byte("\r\n"), []byte(m.block), []byte(warc.RecordEnd)}, -1))
	}
	whole := bytes.Clone(file.Bytes())
	broken := bytes.Clone(whole)
	broken[len(broken)-6] ^= 1
	for name, test := range map[string]struct {
		file    []byte
		records int
		damaged bool
	}{"whole": {whole, len(olds()), false}, "broken": {broken, len(olds()) - 1, true}} {
		t.Run(name, func(t *testing.T) {
			r, err := warc.NewReader(bytes.NewReader(test.file), "f.warc.gz", 0)
			if err != nil {
				t.Fatal(err)
			}
			w := &Writer{Dir: t.TempDir(), Prefix: "x", Host: "host"}
			err = w.Export(r)
			var damage *warc.Damage
			if errors.As(err, &damage) != test.damaged || err != nil && !test.damaged {
				t.Error(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			files, _ := filepath.Glob(filepath.Join(w.Dir, "*.warc.gz"))
			var c collected
			if err := importAll(c.importer(t), files...); err != nil {
				t.Fatal(err)
			}
			sameRecords(t, c.records, olds()[:test.records])
		})
	}
}

// TestMemory sends a large block there and back; what is allocated on the way does not grow with
// it.
func TestMemory(t *testing.T) {
	const size = 64 << 20
	block := &pattern{left: size}
	w := &Writer{Dir: t.TempDir(), Prefix: "x", Host: "host", Target: 1 << 20, Temp: t.TempDir()}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	h := old("", "WARC-Type: resource", "WARC-Record-ID: "+uuid(1), "WARC-Date: 2026-01-02T03:04:05Z",
		"WARC-Target-URI: urn:x").header
	if err := w.Write(warc.Version, h, block, size); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(w.Dir, "*"))
	if len(files) != 1 {
		t.Errorf("%d files: it deflates to less than the target", len(files))
	}
	var got int64
	im := &Importer{Temp: t.TempDir(), Out: func(_ []byte, block io.Reader, n int64) (err error) {
		got, err = io.Copy(io.Discard, block)
		return err
	}}
	if err := importAll(im, files...); err != nil || got != size {
		t.Errorf("%d bytes, %v", got, err)
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 16<<20 {
		t.Errorf("%d bytes allocated", n)
	}
}

// pattern is left bytes that deflate well.
type pattern struct{ left int }

func (p *pattern) Read(b []byte) (int, error) {
	if p.left == 0 {
		return 0, io.EOF
	}
	n := min(len(b), p.left)
	clear(b[:n])
	p.left -= n
	return n, nil
}

// TestWriterErrors leaves nothing of a record whose block is not what it should be.
func TestWriterErrors(t *testing.T) {
	good := olds()[1]
	for name, block := range map[string]io.Reader{
		"short":       strings.NewReader("x"),
		"long":        strings.NewReader(randomBytes(2*memory + 1)),
		"cannot read": io.MultiReader(strings.NewReader("x"), failing{}),
	} {
		for _, size := range []int64{memory / 2, 2 * memory} {
			t.Run(fmt.Sprint(name, " ", size), func(t *testing.T) {
				w := &Writer{Dir: t.TempDir(), Prefix: "x", Host: "host"}
				if err := w.Write(warc.Version, good.header, strings.NewReader(good.block),
					int64(len(good.block))); err != nil {
					t.Fatal(err)
				}
				if err := w.Write(warc.Version, good.header, block, size); err == nil {
					t.Error("no error")
				}
				if err := w.Close(); err != nil {
					t.Fatal(err)
				}
				files, _ := filepath.Glob(filepath.Join(w.Dir, "*"))
				var c collected
				if err := importAll(c.importer(t), files...); err != nil {
					t.Fatal(err)
				}
				sameRecords(t, c.records, []made{good})
			})
		}
	}
	w := &Writer{Dir: t.TempDir(), Prefix: "x"}
	if err := w.Write(warc.Version, good.header, strings.NewReader(good.block),
		int64(len(good.block))); err != nil {
		t.Fatal(err)
	}
	if err := w.Abandon(); err != nil {
		t.Error(err)
	}
	if files, _ := filepath.Glob(filepath.Join(w.Dir, "*")); len(files) > 0 {
		t.Errorf("%q are left", files)
	}
	w = &Writer{Dir: t.TempDir(), Prefix: "iipc"}
	if err := w.Write(warc.Version, good.header, strings.NewReader(good.block),
		int64(len(good.block))); err == nil {
		t.Error("a reserved prefix is taken")
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("cannot read") }
