package warc

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

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
		{"a line that is no field", "x.warc", plain(strings.Replace(one, "WARC-Type:", "WARC-Type", 1)),
			false, ErrHeader},
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
		{"a magic between frames", "x.warc.zst", []byte("gar" + frameMagic + "bage"), false,
			ErrNotRecord},
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
				(d.offset != int64(len(before)) || d.length != int64(len(test.damaged)) || d.reason == nil ||
					test.reason != nil && !errors.Is(d.reason, test.reason)) {
				t.Errorf("damage %d+%d %v, want %d+%d %v", d.offset, d.length, d.reason, len(before),
					len(test.damaged), test.reason)
			}
		})
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
