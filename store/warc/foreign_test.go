package warc

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// foreignRecord returns a record as other tools write it; its number is the last digit of its ID.
func foreignRecord(number int, block string) string {
	return fmt.Sprintf(
		"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:x:%d>\r\nWARC-Target-URI: "+
			"<http://example.com/%d>\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n",
		number,
		number,
		len(block),
		block,
	)
}

func gzipped(records ...string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	for _, record := range records {
		io.WriteString(w, record)
	}
	w.Close()
	return b.Bytes()
}

func zstandard(t testing.TB, text string, options ...zstd.EOption) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil, options...)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	return w.EncodeAll([]byte(text), nil)
}

// wrappers put records into a file in each layout.
func wrappers(t testing.TB) map[string]func(records ...string) []byte {
	each := func(wrap func(string) []byte) func(...string) []byte {
		return func(records ...string) (file []byte) {
			for _, record := range records {
				file = append(file, wrap(record)...)
			}
			return file
		}
	}
	return map[string]func(records ...string) []byte{
		"x.warc":     each(func(record string) []byte { return []byte(record) }),
		"x.warc.gz":  each(func(record string) []byte { return gzipped(record) }),
		"x.warc.zst": each(func(record string) []byte { return zstandard(t, record) }),
	}
}

// found is what a reader has come upon: the offset and length of a record with its number, or a
// damage.
type found struct {
	number         string
	offset, length int64
	reason         error
}

// readAll reads a file to its end, and over its damage.
func readAll(t testing.TB, name string, file []byte, skip bool) (all []found) {
	t.Helper()
	r, err := NewForeignReader(bytes.NewReader(file), name, 0)
	var damage *Damage
	if errors.As(err, &damage) {
		return []found{{"", 0, int64(len(file)), damage.Reason}}
	}
	if err != nil {
		t.Fatal(err)
	}
	for end := int64(-1); ; {
		record, err := r.Next()
		if err == nil {
			if skip {
				err = record.Skip()
			} else {
				err = record.Close()
			}
		}
		if err == nil {
			all = append(all, found{record.Header.Get("WARC-Record-ID"), record.Offset, record.Length, nil})
		}
		if errors.As(err, &damage) {
			var from, to int64
			from, to, err = r.Resync()
			if to <= from || from < end {
				t.Fatalf("%v: skipped %d to %d", damage, from, to)
			}
			end = to
			all = append(all, found{"", from, to - from, damage.Reason})
		}
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestForeignLayouts(t *testing.T) {
	for name, wrap := range wrappers(t) {
		for _, skip := range []bool{false, true} {
			var records []string
			var want []found
			at := int64(0)
			for i, block := range []string{
				"", "a", strings.Repeat("text ", 100_000), string(encodedBody(300_000)),
				strings.Repeat("\x00", 1<<20), "WARC/1.0\r\n\r\n",
			} {
				record := foreignRecord(i, block)
				records = append(records, record)
				n := int64(len(wrap(record)))
				want = append(want, found{fmt.Sprintf("<urn:x:%d>", i), at, n, nil})
				if name == "x.warc" {
					want[i].length -= int64(len(RecordEnd))
				}
				at += n
			}
			if got := readAll(t, name, wrap(records...), skip); !slices.Equal(got, want) {
				t.Errorf("%s, skip %v: %v, want %v", name, skip, got, want)
			}
		}
	}
}

// TestForeignFrom reads each record by itself, from where an index says that it is.
func TestForeignFrom(t *testing.T) {
	for name, wrap := range wrappers(t) {
		file := wrap(foreignRecord(0, "zero"), foreignRecord(1, "one"), foreignRecord(2, "two"))
		for i, at := range readAll(t, name, file, false) {
			r, err := NewForeignReader(bytes.NewReader(file), name, at.offset)
			if err != nil {
				t.Fatal(err)
			}
			record, err := r.Next()
			if err != nil {
				t.Fatal(name, err)
			}
			block, err := io.ReadAll(record.Block)
			if want := []string{"zero", "one", "two"}[i]; err != nil || string(block) != want ||
				record.TargetURI() != fmt.Sprintf("http://example.com/%d", i) {
				t.Errorf("%s, record %d: %q %s (%v)", name, i, block, record.TargetURI(), err)
			}
		}
	}
}

// TestForeignTolerance has what other tools do otherwise than the standard says.
func TestForeignTolerance(t *testing.T) {
	one := foreignRecord(1, "one")
	for name, record := range map[string]string{
		"no empty line behind": strings.TrimSuffix(one, RecordEnd),
		"one line break":       strings.TrimSuffix(one, "\r\n"),
		"LF only":              strings.ReplaceAll(one, "\r\n", "\n"),
		"many line breaks":     one + "\r\n\n\n\r\n",
		"empty lines before":   "\r\n\r\n" + one,
		"names in other cases": strings.NewReplacer("Content-Length", "content-length",
			"WARC-Record-ID", "warc-record-id").Replace(one),
		"no space behind a colon": strings.ReplaceAll(one, ": ", ":"),
		"a folded field":          strings.Replace(one, "<http", "\r\n <http", 1),
		"version 1.1":             strings.Replace(one, "1.0", "1.1", 1),
		"version 0.18":            strings.Replace(one, "1.0", "0.18", 1),
		"version 0.17":            strings.Replace(one, "1.0", "0.17", 1),
		"space behind version":    strings.Replace(one, "1.0", "1.0 ", 1),
	} {
		for layout, wrap := range wrappers(t) {
			got := readAll(t, layout, wrap(foreignRecord(0, "zero"), record, foreignRecord(2, "two")), false)
			if len(got) != 3 || got[1].number != "<urn:x:1>" || got[2].number != "<urn:x:2>" {
				t.Errorf("%s, %s: %v", name, layout, got)
			}
		}
	}
}

// TestForeignKinds has files that are none that we read.
func TestForeignKinds(t *testing.T) {
	old := "warc/0.9 100 warcinfo filedesc:x.warc 20050610235959 text/xml uuid:x\r\n\r\n"
	arc := "filedesc://x.arc 0.0.0.0 20050614070144 text/plain 77\n1 0 Internet Archive\n"
	for _, test := range []struct {
		name string
		file []byte
		want error
	}{
		{"x.warc", []byte(old), ErrOld},
		{"x.warc.gz", gzipped(old), ErrOld},
		{"x.warc", []byte(arc), ErrARC},
		{"x.warc.gz", gzipped(arc), ErrARC},
		{"x.warc.gz", gzipped(foreignRecord(0, "a"), foreignRecord(1, "b")), ErrShared},
		{"x.warc", []byte("<html>"), ErrNotRecord},
		{"x.warc.gz", []byte("<html>"), ErrNotMember},
		{"x.warc.zst", []byte("<html>"), ErrNotRecord},
	} {
		got := readAll(t, test.name, test.file, false)
		if len(got) != 1 || !errors.Is(got[0].reason, test.want) ||
			got[0].length != int64(len(test.file)) {
			t.Errorf("%s %.20q: %v, want %v over all of it", test.name, test.file, got, test.want)
		}
	}
	if got := readAll(t, "x.warc", nil, false); len(got) != 0 {
		t.Errorf("an empty file: %v", got)
	}
}

// TestForeignBlocks has a frame with blocks of all kinds, made by hand: raw, one byte many times,
// raw.
func TestForeignBlocks(t *testing.T) {
	head := "WARC/1.0\r\nWARC-Record-ID: <urn:x:1>\r\nContent-Length: 20\r\n\r\n"
	block := func(kind, size int, last int, content string) string {
		n := size<<3 | kind<<1 | last
		return string([]byte{byte(n), byte(n >> 8), byte(n >> 16)}) + content
	}
	// one segment, its size in one byte, no checksum
	frame := frameMagic + "\x20" + string([]byte{byte(len(head) + 20 + 4)}) +
		block(0, len(head), 0, head) + block(1, 20, 0, "x") + block(0, 4, 1, RecordEnd)
	want := []found{{"<urn:x:1>", 0, int64(len(frame)), nil},
		{"<urn:x:1>", int64(len(frame)), int64(len(frame)), nil}}
	if got := readAll(t, "x.warc.zst", []byte(frame+frame), false); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func FuzzForeign(f *testing.F) {
	records := []string{
		foreignRecord(0, "zero"), foreignRecord(1, strings.Repeat("one ", 100)),
		foreignRecord(2, "\nWARC/1.0\r\nContent-Length: 0\r\n\r\n"),
	}
	for _, wrap := range wrappers(f) {
		file := wrap(records...)
		f.Add(file)
		f.Add(file[:len(file)-20])
		f.Add(append(append(slices.Clone(file[:50]), "xx"...), file[50:]...))
	}
	f.Add([]byte("\x5d\x2a\x4d\x18\x04\x00\x00\x00\x37\xa4\x30\xec"))
	f.Fuzz(func(t *testing.T, file []byte) {
		end := int64(0)
		for _, x := range readAll(t, "x", file, false) {
			if x.offset < end || x.length < 0 || x.offset+x.length > int64(len(file)) {
				t.Fatalf("%+v behind %d", x, end)
			}
			end = x.offset + x.length
		}
	})
}
