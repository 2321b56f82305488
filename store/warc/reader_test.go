package warc

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// leave is a way to leave a record.
type leave struct {
	name string
	do   func(*Record) error
}

var leaves = []leave{{"close", (*Record).Close}, {"skip", (*Record).Skip},
	{"next", func(*Record) error { return nil }}, {"read and close", func(r *Record) error {
		if _, err := io.ReadAll(r.Block); err != nil {
			return err
		}
		return r.Close()
	}}, {"read a little and skip", func(r *Record) error {
		if _, err := r.Block.Read(make([]byte, 10)); err != nil {
			return err
		}
		return r.Skip()
	}}}

// walk reads file to its end and returns where its records begin, the last of them that proved
// whole ends, and the error.
func walk(t *testing.T, file []byte, l leave) (offsets []int64, end int64, err error) {
	t.Helper()
	r, err := NewReader(bytes.NewReader(file), "test", 0)
	if err != nil {
		t.Fatal(err)
	}
	for {
		record, err := r.Next()
		if err == nil {
			err = l.do(record)
		}
		if err != nil {
			if _, again := r.Next(); !errors.Is(again, err) {
				t.Fatalf("after the error %v another: %v", err, again)
			}
			if last := len(offsets) - 1; last >= 0 && offsets[last] == r.Offset() {
				offsets = offsets[:last] // begun, but not whole
			}
			return offsets, r.Offset(), err
		}
		offsets = append(offsets, record.Offset)
	}
}

func TestReader(t *testing.T) {
	var file []byte
	var records []testRecord
	var members []int
	for i, body := range [][]byte{
		nil, textBody(10), textBody(300_000), encodedBody(300_000), textBody(5),
	} {
		for _, stored := range []bool{false, true} {
			record := newRecord(i, body)
			records = append(records, record)
			file = append(file, record.member(stored)...)
			members = append(members, len(file))
		}
	}
	path := writeFile(t, file)
	for _, l := range leaves {
		t.Run(l.name, func(t *testing.T) {
			r, err := Open(path, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			start := 0
			var previous *Record
			for i, want := range records {
				got, err := r.Next()
				if err != nil {
					t.Fatalf("record %d: %v", i, err)
				}
				if previous != nil && previous.Length != int64(start)-previous.Offset {
					t.Errorf("record %d: Next leaves its length at %d", i-1, previous.Length)
				}
				if got.Offset != int64(start) || got.Size != int64(len(want.http)+len(want.body)) ||
					got.Version != Version || got.Type() != "response" {
					t.Errorf("record %d: %+v", i, got)
				}
				if id := got.Header.Get("warc-target-uri"); !strings.HasSuffix(id, fmt.Sprintf("?v=%d", i/2)) {
					t.Errorf("record %d: %s", i, id)
				}
				if err := l.do(got); err != nil {
					t.Fatalf("record %d: %v", i, err)
				}
				previous, start = got, members[i]
			}
			if _, err := r.Next(); err != io.EOF {
				t.Errorf("at the end: %v", err)
			}
			if previous.Length != int64(start)-previous.Offset || r.Offset() != int64(len(file)) {
				t.Errorf("last record has length %d, valid part ends at %d of %d", previous.Length, r.Offset(),
					len(file))
			}
		})
	}
}

func TestReaderGivesTheBlock(t *testing.T) {
	record := newRecord(1, textBody(100_000))
	r, err := NewReader(bytes.NewReader(append(record.member(false), record.member(true)...)), "test",
		0)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		got, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		block, err := io.ReadAll(got.Block)
		if err != nil || string(block) != string(record.http)+string(record.body) {
			t.Errorf("block of %d bytes, %v", len(block), err)
		}
	}
}

func TestReaderFromOffset(t *testing.T) {
	first, second := newRecord(1, nil).member(false), newRecord(2, nil).member(false)
	in := bytes.NewReader(append(bytes.Clone(first), second...))
	in.Seek(3, io.SeekStart) // wherever it stands
	r, err := NewReader(in, "test", int64(len(first)))
	if err != nil {
		t.Fatal(err)
	}
	record, err := r.Next()
	if err != nil || record.Offset != int64(len(first)) {
		t.Fatalf("got %+v, %v", record, err)
	}
	if _, err := r.Next(); err != io.EOF || record.Length != int64(len(second)) {
		t.Errorf("length %d, then %v", record.Length, err)
	}
}

// smallFile is a file short enough to be cut everywhere, and where its members end.
func smallFile() (file []byte, ends []int) {
	ends = []int{0}
	for i, body := range [][]byte{nil, textBody(40), encodedBody(40)} {
		file = append(file, newRecord(i, body).member(i == 2)...)
		ends = append(ends, len(file))
	}
	return file, ends
}

// TestReaderOfCutFile cuts a file at every byte: the records before are found, each and no more,
// and the rest is called torn.
func TestReaderOfCutFile(t *testing.T) {
	file, ends := smallFile()
	for _, l := range leaves {
		t.Run(l.name, func(t *testing.T) {
			for cut := range len(file) + 1 {
				whole := 0
				for whole+1 < len(ends) && ends[whole+1] <= cut {
					whole++
				}
				offsets, end, err := walk(t, file[:cut], l)
				if len(offsets) != whole || end != int64(ends[whole]) {
					t.Fatalf("cut at %d: %d records, valid to %d; want %d, %d", cut, len(offsets), end, whole,
						ends[whole])
				}
				if cut == ends[whole] {
					if err != io.EOF {
						t.Fatalf("cut at %d, behind a record: %v", cut, err)
					}
					continue
				}
				checkDamage(t, err, ErrTorn, ends[whole])
			}
		})
	}
}

// TestReaderOfZeroedFile replaces the end of a file, from every byte on, by zeros: what a power
// failure leaves of a file whose length was already written. Every record that is not as it was is
// found out.
func TestReaderOfZeroedFile(t *testing.T) {
	file, ends := smallFile()
	for cut := range len(file) {
		zeroed := append(bytes.Clone(file[:cut]), make([]byte, len(file)-cut+1000)...)
		whole := 0
		for whole+1 < len(ends) && bytes.Equal(zeroed[:ends[whole+1]], file[:ends[whole+1]]) {
			whole++
		}
		offsets, end, err := walk(t, zeroed, leaves[0])
		if len(offsets) != whole || end != int64(ends[whole]) {
			t.Fatalf("zeros from %d: %d records, valid to %d; want %d, %d", cut, len(offsets), end, whole,
				ends[whole])
		}
		checkDamage(t, err, nil, ends[whole])
		if cut == ends[whole] {
			checkDamage(t, err, ErrZeros, cut)
		}
	}
}

// TestReaderOfFlippedByte changes every byte of a record: it is found out, unless the record is
// still the same (some bits only fill a byte).
func TestReaderOfFlippedByte(t *testing.T) {
	file, ends := smallFile()
	for at := ends[1]; at < ends[2]; at++ {
		changed := bytes.Clone(file)
		changed[at] ^= 0x10
		offsets, end, err := walk(t, changed, leaves[0])
		if err == io.EOF {
			if len(offsets) != 3 || inflate(t, changed) != inflate(t, file) {
				t.Fatalf("byte %d of the member: not found out", at-ends[1])
			}
			continue
		}
		if len(offsets) != 1 || end != int64(ends[1]) {
			t.Fatalf("byte %d of the member: %d records, valid to %d", at-ends[1], len(offsets), end)
		}
		checkDamage(t, err, nil, ends[1])
	}
}

func inflate(t *testing.T, file []byte) string {
	gz, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(gz)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func checkDamage(t *testing.T, err, reason error, offset int) {
	t.Helper()
	var damage *Damage
	if !errors.As(err, &damage) {
		t.Fatalf("got error %v, want a Damage", err)
	}
	if damage.Offset != int64(offset) || damage.File != "test" ||
		reason != nil && !errors.Is(err, reason) {
		t.Fatalf("got %v, want %v at %d", err, reason, offset)
	}
}

// member returns text as a gzip member that Go's own package has made.
func member(text string) []byte {
	var b bytes.Buffer
	gz := gzip.NewWriter(&b)
	gz.Write([]byte(text))
	gz.Close()
	return b.Bytes()
}

func TestReaderOfDamagedFile(t *testing.T) {
	const whole = "WARC/1.1\r\nContent-Length: 3\r\n\r\nabc\r\n\r\n"
	wrongSum := member(whole)
	wrongSum[len(wrongSum)-8] ^= 1
	wrongSize := member(whole)
	wrongSize[len(wrongSize)-1] ^= 1
	noDeflate := member(whole)
	noDeflate[10] = 0xff // a block type that there is not
	for _, test := range []struct {
		name   string
		damage []byte
		want   error
	}{
		{"zeros", make([]byte, 200_000), ErrZeros},
		{"one zero", []byte{0}, ErrZeros},
		{"garbage", []byte("garbage"), ErrNotMember},
		{"zeros, then garbage", append(make([]byte, 200_000), 1), ErrNotMember},
		{"zeros, then a record", append(make([]byte, 10), member(whole)...), ErrNotMember},
		{"garbage, then a record", append([]byte("xyz"), member(whole)...), ErrNotMember},
		{"uncompressed record", []byte(whole), ErrNotMember},
		{"unknown compression", []byte("\x1f\x8b\x07\x00\x00\x00\x00\x00\x00\x00 and so on"),
			ErrNotMember},
		{"reserved flag", []byte("\x1f\x8b\x08\x80\x00\x00\x00\x00\x00\x00 and so on"), ErrNotMember},
		{"does not inflate", noDeflate, ErrCorrupt},
		{"wrong checksum", wrongSum, ErrChecksum},
		{"wrong size", wrongSize, ErrChecksum},
		{"empty member", member(""), ErrEmptyMember},
		{"two records", member(whole + whole), ErrSecondRecord},
		{"one record in two members", append(member(whole[:20]), member(whole[20:])...), ErrHeader},
		{"block in the next member", append(member(whole[:34]), member(whole[34:])...), ErrContentLength},
		{"not WARC", member("HTTP/1.1 200 OK\r\n\r\n"), ErrHeader},
		{"three bytes", member("WAR"), ErrHeader},
		{"header without end", member("WARC/1.1\r\nContent-Length: 3\r\n"), ErrHeader},
		{"endless header", member("WARC/1.1\r\nA: " + strings.Repeat("a", maxHeader)), ErrHeader},
		{"bad header", member("WARC/1.1\r\nno colon\r\n\r\n\r\n\r\n"), ErrHeader},
		{"no Content-Length", member("WARC/1.1\r\nA: b\r\n\r\n\r\n\r\n"), ErrHeader},
		{"Content-Length one too small", member(strings.Replace(whole, "3", "2", 1)), ErrContentLength},
		{"Content-Length one too large", member(strings.Replace(whole, "3", "4", 1)), ErrContentLength},
		{"Content-Length much too large", member(strings.Replace(whole, "3", "300", 1)),
			ErrContentLength},
		{"Content-Length four too large", member(strings.Replace(whole, "3", "7", 1)), ErrContentLength},
		{"no end of the record", member(strings.TrimSpace(whole)), ErrContentLength},
		{"half the end of the record", member(whole[:len(whole)-2]), ErrContentLength},
		{"bytes behind the end", member(whole + "\r\n"), ErrContentLength},
		{"many bytes behind the end", member(whole + strings.Repeat("x", 100_000)), ErrContentLength},
	} {
		for _, l := range leaves {
			t.Run(test.name+"/"+l.name, func(t *testing.T) {
				before := append(newRecord(1, nil).member(false), member(whole)...)
				offsets, _, err := walk(t, append(bytes.Clone(before), test.damage...), l)
				if len(offsets) != 2 {
					t.Fatalf("%d records before %v, want 2", len(offsets), err)
				}
				checkDamage(t, err, test.want, len(before))
			})
		}
	}
}

// TestReaderFileError: an error of the disk is no damage of the file.
func TestReaderFileError(t *testing.T) {
	broken := errors.New("broken")
	file := newRecord(1, encodedBody(200_000)).member(true)
	for _, cut := range []int{0, 2, 5, 30, 300, 100_000} {
		in := struct {
			io.Reader
			io.Seeker
		}{io.MultiReader(bytes.NewReader(file[:cut]), failing{broken}), bytes.NewReader(nil)}
		r, err := NewReader(in, "test", 0)
		if err != nil {
			t.Fatal(err)
		}
		record, err := r.Next()
		if err == nil {
			err = record.Close()
		}
		var damage *Damage
		if !errors.Is(err, broken) || errors.As(err, &damage) {
			t.Errorf("cut at %d: %v", cut, err)
		}
	}
}

// FuzzReader: whatever the bytes, reading ends with the file's end or a Damage, behind records that
// lie one behind the other.
func FuzzReader(f *testing.F) {
	file, ends := smallFile()
	f.Add(file)
	f.Add(file[:ends[2]+30])
	f.Add(append(file[:ends[1]:ends[1]], 0, 0, 0))
	f.Add(member("WARC/1.1\r\nContent-Length: 3\r\n\r\nabc\r\n\r\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		for _, l := range leaves[:2] {
			offsets, end, err := walk(t, file, l)
			var damage *Damage
			if err != io.EOF && (!errors.As(err, &damage) || damage.Offset != end) {
				t.Fatalf("%s: valid to %d, but %v", l.name, end, err)
			}
			if err == io.EOF && end != int64(len(file)) || end > int64(len(file)) ||
				len(offsets) > 0 && offsets[0] != 0 {
				t.Fatalf("%s: records at %d, valid to %d of %d", l.name, offsets, end, len(file))
			}
		}
	})
}

func TestOpenErrors(t *testing.T) {
	if _, err := Open(t.TempDir()+"/none", 0); err == nil {
		t.Error("opened a file that is not there")
	}
	if _, err := Open(writeFile(t, nil), -1); err == nil {
		t.Error("opened at a negative offset")
	}
}
