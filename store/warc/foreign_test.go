package warc

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
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
			for i, block := range []string{"", "a", strings.Repeat("text ", 100_000), string(encodedBody(300_000)), strings.Repeat("\x00", 1<<20), "WARC/1.0\r\n\r\n"} {
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
		"no empty line behind":    strings.TrimSuffix(one, RecordEnd),
		"one line break":          strings.TrimSuffix(one, "\r\n"),
		"LF only":                 strings.ReplaceAll(one, "\r\n", "\n"),
		"many line breaks":        one + "\r\n\n\n\r\n",
		"empty lines before":      "\r\n\r\n" + one,
		"names in other cases":    strings.NewReplacer("Content-Length", "content-length", "WARC-Record-ID", "warc-record-id").Replace(one),
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

// TestForeignDamage has what is reported and stepped over; formats.md section 6, and what tools are
// known to leave.
func TestForeignDamage(t *testing.T) {
	zero, one, two := foreignRecord(0, "zero"), foreignRecord(1,
		strings.Repeat("one ", 100)), foreignRecord(
		2,
		"two",
	)
	wraps := wrappers(t)
	plain, members, frames := wraps["x.warc"], wraps["x.warc.gz"], wraps["x.warc.zst"]
	join := func(parts ...[]byte) []byte { return slices.Concat(parts...) }
	flip := func(b []byte, at int) []byte {
		b = slices.Clone(b)
		b[at] ^= 0x55
		return b
	}
	longer := strings.Replace(one, "Content-Length: 400", "Content-Length: 4000", 1)
	shorter := strings.Replace(one, "Content-Length: 400", "Content-Length: 390", 1)
	noLength := strings.Replace(one, "Content-Length: 400\r\n", "", 1)
	// A record whose block holds members and frames, as they are: they are no records of the file.
	embedded := func(wrap func(...string) []byte) string {
		block := append(
			encodedBody(5000),
			wrap(foreignRecord(8, "inside"), foreignRecord(9, "inside"))...)
		return strings.Replace(foreignRecord(1, string(append(block, encodedBody(5000)...))),
			"Content-Length: ", "Content-Length: 9", 1)
	}
	stored := func(record string) []byte {
		var b bytes.Buffer
		w, _ := gzip.NewWriterLevel(&b, gzip.NoCompression)
		io.WriteString(w, record)
		w.Close()
		return b.Bytes()
	}
	twoLengths := strings.Replace(one, "Content-Length: 400",
		"Content-Length: 400\r\nContent-Length: 40", 1)
	for _, test := range []struct {
		name, file string
		damaged    []byte // between records 0 and 2
		atEnd      bool   // record 2 does not follow
		reason     error
	}{
		{"nothing", "x.warc", nil, false, nil},
		{"the block is longer than it says", "x.warc", plain(shorter), false, ErrLength},
		{"the block is shorter than it says", "x.warc", plain(longer), false, ErrCut},
		{"no length", "x.warc", plain(noLength), false, ErrHeader},
		{"two lengths", "x.warc", plain(twoLengths), false, ErrHeader},
		{"unknown version", "x.warc", plain(strings.Replace(one, "1.0", "2.0", 1)), false, ErrHeader},
		{"a line that is no field", "x.warc", plain(strings.Replace(one, "WARC-Type:", "WARC-Type", 1)), false, ErrHeader},
		{"other bytes between records", "x.warc", []byte("garbage\r\n\r\n"), false, ErrNotRecord},
		{"a header that leads nowhere", "x.warc", []byte("garbage\nWARC/1.0\r\nContent-Length: 9\r\n" +
			"\r\nshort\r\nWARC/1.0 is text\r\n"), false, ErrNotRecord},
		{"other bytes at the end", "x.warc", []byte("garbage"), true, ErrNotRecord},
		{"cut in a block", "x.warc", plain(one)[:len(one)-50], true, ErrCut},
		{"cut in a header", "x.warc", plain(one)[:60], true, ErrCut},
		{"cut in the magic", "x.warc", []byte("WAR"), true, ErrCut},
		{"zeros at the end", "x.warc", make([]byte, 5000), true, ErrZeros},

		{"the block is longer than it says", "x.warc.gz", members(shorter), false, ErrLength},
		{"the block is shorter than it says", "x.warc.gz", members(longer), false, ErrLength},
		{"no length", "x.warc.gz", members(noLength), false, ErrHeader},
		{"two records in a member", "x.warc.gz", gzipped(one, zero), false, ErrShared},
		{"an empty member", "x.warc.gz", gzipped(""), false, ErrEmptyMember},
		{"a member of line breaks", "x.warc.gz", gzipped("\r\n\r\n"), false, ErrEmptyMember},
		{"another file's member", "x.warc.gz", gzipped("hello"), false, ErrHeader},
		{"other bytes between members", "x.warc.gz", []byte("garbage"), false, ErrNotMember},
		{"zeros at the end", "x.warc.gz", make([]byte, 5000), true, ErrZeros},
		{"cut", "x.warc.gz", members(one)[:100], true, ErrTorn},
		{"a wrong checksum", "x.warc.gz", flip(members(one), len(members(one))-6), false, ErrChecksum},
		{"a wrong byte", "x.warc.gz", flip(members(one), 20), false, nil},
		{"WARC 0.9 in a member", "x.warc.gz", gzipped("warc/0.9 10 response http://x 20260101000000 " +
			"text/plain uuid:x\r\n\r\n"), false, ErrOld},

		{"the block is longer than it says", "x.warc.zst", frames(shorter), false, ErrLength},
		{"a member with members in it", "x.warc.gz", stored(embedded(members)), false, ErrLength},
		{"a frame with frames in it", "x.warc.zst", frames(embedded(frames)), false, ErrLength},
		{"a magic between frames", "x.warc.zst", []byte("gar" + frameMagic + "bage"), false, ErrNotRecord},
		{"two records in a frame", "x.warc.zst", frames(one + zero), false, ErrShared},
		{"other bytes between frames", "x.warc.zst", []byte("garbage"), false, ErrNotRecord},
		{"zeros at the end", "x.warc.zst", make([]byte, 5000), true, ErrZeros},
		{"cut", "x.warc.zst", frames(one)[:100], true, ErrCut},
		{"a wrong checksum", "x.warc.zst", flip(frames(one), len(frames(one))-2), false, ErrFrame},
		{"a wrong byte", "x.warc.zst", flip(frames(one), 30), false, nil},
		{"an empty frame", "x.warc.zst", zstandard(t, "", zstd.WithZeroFrames(true)), false, ErrFrame},
	} {
		t.Run(test.file+" "+test.name, func(t *testing.T) {
			before, after := wraps[test.file](zero), wraps[test.file](two)
			if test.atEnd {
				after = nil
			}
			got := readAll(t, test.file, join(before, test.damaged, after), false)
			want := []string{"<urn:x:0>"}
			if len(test.damaged) > 0 {
				want = append(want, "")
			}
			if !test.atEnd {
				want = append(want, "<urn:x:2>")
			}
			var numbers []string
			for _, f := range got {
				numbers = append(numbers, f.number)
			}
			if !slices.Equal(numbers, want) {
				t.Fatalf("%v, want %q", got, want)
			}
			if d := got[min(1, len(got)-1)]; len(test.damaged) > 0 &&
				(d.offset != int64(len(before)) || d.length != int64(len(test.damaged)) || d.reason == nil || test.reason != nil && !errors.Is(d.reason, test.reason)) {
				t.Errorf("damage %d+%d %v, want %d+%d %v", d.offset, d.length, d.reason, len(before),
					len(test.damaged), test.reason)
			}
		})
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

// TestForeignDictionary has files whose frames need the dictionary that they begin with.
func TestForeignDictionary(t *testing.T) {
	var samples [][]byte
	for i := range 200 {
		samples = append(
			samples,
			[]byte(
				foreignRecord(
					i,
					fmt.Sprintf(
						"<html><head><title>page %d</title></head><body>some text that is on every page</body></html>",
						i*7919),
				),
			),
		)
	}
	dictionary, err := zstd.BuildDict(
		zstd.BuildDictOptions{
			ID:       4711,
			Contents: samples,
			History:  bytes.Join(samples[:20], nil),
			Offsets:  [3]int{1, 4, 8},
		},
	)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"as it is": dictionary, "compressed": zstandard(t, string(dictionary))} {
		file := binary.LittleEndian.AppendUint32(nil, dictionaryMagic)
		file = binary.LittleEndian.AppendUint32(file, uint32(len(content)))
		file = append(file, content...)
		first := int64(len(file))
		frame := zstandard(t, string(samples[1]), zstd.WithEncoderDict(dictionary))
		if plain := zstandard(t, string(samples[1])); len(frame) >= len(plain) {
			t.Fatal("the dictionary is of no use")
		}
		file = append(file, frame...)
		file = append(file, "\x51\x2a\x4d\x18\x03\x00\x00\x00abc"...) // a skippable frame
		file = append(file, zstandard(t, string(samples[2]), zstd.WithEncoderDict(dictionary))...)
		got := readAll(t, "x", file, false)
		if len(got) != 2 || got[0] != (found{"<urn:x:1>", first, int64(len(frame)), nil}) ||
			got[1].number != "<urn:x:2>" || got[1].offset != first+int64(len(frame))+11 {
			t.Errorf("%s: %v", name, got)
		}
		file[first+20] ^= 0xff
		if got := readAll(t, "x", file, false); len(got) != 2 || got[0].number != "" ||
			got[1].number != "<urn:x:2>" {
			t.Errorf("%s, damaged: %v", name, got)
		}
		file[10] ^= 0xff
		file[0x40] ^= 0xff
		_ = readAll(t, "x", file, false) // whatever a damaged dictionary gives
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
	want := []found{
		{"<urn:x:1>", 0, int64(len(frame)), nil},
		{"<urn:x:1>", int64(len(frame)), int64(len(frame)), nil},
	}
	if got := readAll(t, "x.warc.zst", []byte(frame+frame), false); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestForeignUnended cuts a file of each layout behind the last record's block: the record is
// there, and says so.
func TestForeignUnended(t *testing.T) {
	for name, cut := range map[string]int{"x.warc": len("\n\r\n"), "x.warc.gz": 1} {
		file := wrappers(t)[name](foreignRecord(0, "zero"), foreignRecord(1, "one"))
		for _, n := range []int{0, cut} {
			r, err := NewForeignReader(bytes.NewReader(file[:len(file)-n]), name, 0)
			if err != nil {
				t.Fatal(err)
			}
			var unended []bool
			for {
				record, err := r.Next()
				if err == nil {
					err = record.Close()
				}
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				unended = append(unended, record.Unended)
			}
			if !slices.Equal(unended, []bool{false, n > 0}) {
				t.Errorf("%s without its last %d bytes: %v", name, n, unended)
			}
		}
	}
}

// TestForeignCut cuts a file of each layout at every byte: what is whole is found, and the rest
// reported.
func TestForeignCut(t *testing.T) {
	for name, wrap := range wrappers(t) {
		file := wrap(foreignRecord(0, "zero"), foreignRecord(1, "one"))
		whole := readAll(t, name, file, false)
		for n := range len(file) {
			got := readAll(t, name, file[:n], false)
			var end int64
			for i, f := range got {
				unended := f.offset == whole[i].offset && f.offset+f.length == int64(n) && i == len(got)-1
				if f.reason == nil && f != whole[i] && !unended {
					t.Fatalf("%s cut at %d: %v", name, n, got)
				}
				end = f.offset + f.length
			}
			blank := strings.Trim(string(file[end:n]), "\r\n") == ""
			if name != "x.warc" && end != int64(n) || !blank {
				t.Errorf("%s cut at %d: only %d are accounted for: %v", name, n, end, got)
			}
		}
	}
}

func TestSegments(t *testing.T) {
	segment := func(number int, more, block string) string {
		kind, origin := "continuation", "WARC-Segment-Origin-ID: <urn:x:7>\r\n"
		if number == 1 {
			kind, origin = "response", ""
		}
		return fmt.Sprintf(
			"WARC/1.0\r\nWARC-Type: %s\r\nWARC-Record-ID: <urn:x:%d>\r\n%sWARC-Segment-Number: %d\r\n"+
				"%sContent-Length: %d\r\n\r\n%s\r\n\r\n",
			kind, number+6, origin, number, more, len(block), block)
	}
	total := "WARC-Segment-Total-Length: 9\r\n"
	other := strings.Replace(segment(2, total, "wrong"), "<urn:x:7>", "<urn:x:9>", 1)
	whole := foreignRecord(7, "one")
	for _, test := range []struct {
		name  string
		files []string
		want  string
		err   error
	}{
		{"in one file", []string{segment(1, "", "one") + whole + segment(2, "", "two") + segment(3, total, "six")}, "onetwosix", nil},
		{"in three files", []string{segment(1, "", "one"), other + segment(2, "", "two"), whole + segment(3, total, "six") + segment(4, "", "no")}, "onetwosix", nil},
		{"the last is missing", []string{segment(1, "", "one") + segment(2, "", "two")}, "onetwo", ErrSegment},
		{"one is missing", []string{segment(1, "", "one"), segment(3, total, "six")}, "one", ErrSegment},
		{"no segments", []string{whole, segment(2, total, "two")}, "one", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			var paths []string
			for _, file := range test.files {
				paths = append(paths, filepath.Join(t.TempDir(), "x.warc"))
				if err := os.WriteFile(paths[len(paths)-1], []byte(file), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			s, err := OpenSegments(paths, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			got, err := io.ReadAll(s.Block)
			if string(got) != test.want || !errors.Is(err, test.err) ||
				s.Header.Get("WARC-Record-ID") != "<urn:x:7>" {
				t.Errorf("%q, %v", got, err)
			}
		})
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
