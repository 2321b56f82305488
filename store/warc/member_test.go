package warc

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nlnwa/gowarc"
)

// bodies are what a member can hold, by name; every length around the limits of a stored block is
// there.
func bodies() map[string][]byte {
	all := map[string][]byte{"empty": nil, "one byte": {7}}
	for _, n := range []int{
		1000, maxStored - 5, maxStored - 4, maxStored - 3, maxStored - 1, maxStored, maxStored + 1,
		2 * maxStored, 3*maxStored - 4,
	} {
		all[fmt.Sprint("text ", n)] = textBody(n)
		all[fmt.Sprint("encoded ", n)] = encodedBody(n)
	}
	return all
}

func TestAppend(t *testing.T) {
	c := NewCompressor() // one for all: nothing of a member stays behind
	for name, body := range bodies() {
		for _, stored := range []int{-1, 0, 1, 2, 3, 4} {
			t.Run(fmt.Sprintf("%s/stored %d", name, stored), func(t *testing.T) {
				record := newRecord(1, body)
				before := []byte("before")
				got := c.Append(bytes.Clone(before), record.parts(), stored)
				if !bytes.HasPrefix(got, before) {
					t.Fatal("what was in dst is gone")
				}
				checkMember(t, got[len(before):], record.text())
			})
		}
	}
}

// checkMember proves that member is one gzip member that holds text and tells its lengths.
func checkMember(t *testing.T, member []byte, text string) {
	t.Helper()
	in := bytes.NewReader(member)
	gz, err := gzip.NewReader(in)
	if err != nil {
		t.Fatal(err)
	}
	gz.Multistream(false)
	got, err := io.ReadAll(gz)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != text {
		t.Errorf("member holds %d bytes, want %d", len(got), len(text))
	}
	if in.Len() != 0 {
		t.Errorf("%d bytes behind the member", in.Len())
	}
	want := append([]byte("sl\x08\x00"), binary.LittleEndian.AppendUint32(nil, uint32(len(member)))...)
	want = binary.LittleEndian.AppendUint32(want, uint32(len(text)))
	if !bytes.Equal(gz.Extra, want) {
		t.Errorf("extra field is %x, want %x", gz.Extra, want)
	}
}

func TestStoredBytesAreNotDeflated(t *testing.T) {
	record := newRecord(1, textBody(100_000))
	if !bytes.Contains(record.member(true), record.body[:60_000]) {
		t.Error("the body is not stored as it is")
	}
	if len(record.member(false)) > len(record.body)/2 {
		t.Error("the body is not deflated")
	}
}

// TestMembersAreShort holds members to what gzip -6 makes of the same records: half of the bodies
// are encoded, and stored.
func TestMembersAreShort(t *testing.T) {
	c := NewCompressor()
	for _, n := range []int{1_000, 10_000, 100_000} {
		ours, theirs := 0, 0
		for i, body := range [][]byte{textBody(n), encodedBody(n), nil} { // the last as a request
			parts, stored := newRecord(i, body).parts(), -1
			if i == 1 {
				stored = 2
			}
			ours += len(c.Append(nil, parts, stored))
			var gz bytes.Buffer
			w, err := gzip.NewWriterLevel(&gz, 6)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range parts {
				if _, err := w.Write(p); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			theirs += gz.Len()
		}
		t.Logf("bodies of %d: %d bytes, gzip -6 %d", n, ours, theirs)
		if ours > theirs+theirs/10 {
			t.Errorf("bodies of %d: members have %d bytes, those of gzip -6 %d", n, ours, theirs)
		}
	}
}

func TestPutSkipLengths(t *testing.T) {
	for _, test := range []struct {
		name                     string
		compressed, uncompressed int64
		want                     [2]uint32
	}{
		{"small", 300, 1000, [2]uint32{300, 1000}},
		{"largest", math.MaxUint32, math.MaxUint32, [2]uint32{math.MaxUint32, math.MaxUint32}},
		{"record of 4 GiB", 5, 1 << 32, [2]uint32{}},
		{"member of 4 GiB", 1<<32 + 7, 1 << 32, [2]uint32{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var b [8]byte
			putSkipLengths(b[:], test.compressed, test.uncompressed)
			got := [2]uint32{binary.LittleEndian.Uint32(b[:]), binary.LittleEndian.Uint32(b[4:])}
			if got != test.want {
				t.Errorf("got %d, want %d", got, test.want)
			}
		})
	}
}

func TestStream(t *testing.T) {
	c := NewCompressor()
	for name, body := range bodies() {
		for _, stored := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/stored %t", name, stored), func(t *testing.T) {
				f, err := os.Create(filepath.Join(t.TempDir(), "f"))
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
				if _, err := f.WriteString("before"); err != nil {
					t.Fatal(err)
				}
				record := newRecord(1, body)
				length, err := c.Stream(f, 6, [][]byte{record.warc, record.http}, bytes.NewReader(body),
					int64(len(body)), stored)
				if err != nil {
					t.Fatal(err)
				}
				got, err := os.ReadFile(f.Name())
				if err != nil {
					t.Fatal(err)
				}
				if int64(len(got)) != 6+length {
					t.Errorf("length is %d, the file has %d bytes more", length, len(got)-6)
				}
				checkMember(t, got[6:], record.text())
			})
		}
	}
}

func TestStreamErrors(t *testing.T) {
	broken := errors.New("broken")
	for _, test := range []struct {
		name string
		body string
		end  error // of the body
		size int64
		want error // nil: any
	}{
		{"body too short", "abc", io.EOF, 4, io.ErrUnexpectedEOF},
		{"no body", "", io.EOF, 4, io.EOF},
		{"body too long", "abcde", io.EOF, 4, nil},
		{"unreadable body", "ab", broken, 4, broken},
		{"unreadable end", "abcd", broken, 4, broken},
	} {
		for _, stored := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/stored %t", test.name, stored), func(t *testing.T) {
				f, err := os.Create(filepath.Join(t.TempDir(), "f"))
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
				body := io.MultiReader(strings.NewReader(test.body), failing{test.end})
				_, err = NewCompressor().Stream(f, 0, [][]byte{[]byte("head")}, body, test.size, stored)
				if err == nil || test.want != nil && !errors.Is(err, test.want) {
					t.Errorf("got error %v, want %v", err, test.want)
				}
			})
		}
	}
}

func TestStreamToFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	for _, stored := range []bool{false, true} {
		body := encodedBody(1 << 20)
		_, err := NewCompressor().Stream(full, 0, nil, bytes.NewReader(body), 1<<20, stored)
		if err == nil {
			t.Errorf("stored %t: no error", stored)
		}
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// testFile is a WARC file with every kind of member.
func testFile() []byte {
	var file []byte
	for i, body := range [][]byte{
		textBody(100), nil, textBody(100_000), encodedBody(10), encodedBody(200_000),
	} {
		record := newRecord(i, body)
		file = append(append(file, record.member(false)...), record.member(true)...)
	}
	return file
}

func TestGowarcReadsMembers(t *testing.T) {
	path := writeFile(t, testFile())
	r, err := gowarc.NewWarcFileReader(path, 0, gowarc.WithStrictValidation())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	records := 0
	for ; ; records++ {
		record, offset, validation, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("record %d at %d: %v", records, offset, err)
		}
		block := record.Block()
		if _, err := block.RawBytes(); err != nil {
			t.Errorf("record %d: %v", records, err)
		}
		if err := record.ValidateDigest(validation); err != nil {
			t.Errorf("record %d: %v", records, err)
		}
		if err := record.Close(); err != nil {
			t.Errorf("record %d: %v", records, err)
		}
		if !validation.Valid() {
			t.Errorf("record %d: %v", records, validation)
		}
	}
	if records != 10 {
		t.Errorf("gowarc finds %d records, want 10", records)
	}
}

func TestGzipAcceptsMembers(t *testing.T) {
	program, err := exec.LookPath("gzip")
	if err != nil {
		t.Skip(err)
	}
	path := writeFile(t, testFile())
	if out, err := exec.Command(program, "-t", path).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("gzip -t: %v %s", err, out)
	}
}
