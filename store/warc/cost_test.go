package warc

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
)

// meteredFile counts what is read of a file.
type meteredFile struct {
	*bytes.Reader
	read int64
}

func (f *meteredFile) Read(p []byte) (int, error) {
	n, err := f.Reader.Read(p)
	f.read += int64(n)
	return n, err
}

// costOf reads a file to its end, over all damage, and returns how many bytes of it were read, some
// more than once.
func costOf(t testing.TB, file []byte, name string, foreign bool) (read int64, damaged int) {
	t.Helper()
	f := &meteredFile{Reader: bytes.NewReader(file)}
	open := NewReader
	if foreign {
		open = NewForeignReader
	}
	r, err := open(f, name, 0)
	if err != nil {
		return f.read, 0
	}
	for {
		_, err := r.Next()
		if errors.As(err, new(*Damage)) {
			damaged++
			_, _, err = r.Resync()
		}
		if errors.Is(err, io.EOF) {
			return f.read, damaged
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// costly is how many times a file may be read, and what comes on top for buffers and windows.
const (
	costly  = 16
	costTop = 8 << 20
)

// stored is a gzip member whose deflate stream is one stored block that claims more than there is,
// or all that follows.
func stored(claims int, block string) string {
	head := "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
	b := []byte{0, 0, 0, 0, 0}
	binary.LittleEndian.PutUint16(b[1:], uint16(claims))
	binary.LittleEndian.PutUint16(b[3:], ^uint16(claims))
	return head + string(b) + block
}

// nests are files in which every few bytes something seems to begin that goes on for long.
func nests(size int) map[string]string {
	warcHead := "WARC/1.1\r\nWARC-Type: response\r\nContent-Length: 100000000\r\n\r\n"
	claims := func(member string, end int) string { // an `sl` field that leads there
		b := []byte(memberHeader + member)
		binary.LittleEndian.PutUint32(b[skipLengths:], uint32(end))
		binary.LittleEndian.PutUint32(b[skipLengths+4:], 7)
		return string(b)
	}
	good := string(numbered(1, []byte("the end")))
	all := map[string]string{}
	nested := strings.Builder{}
	for nested.Len() < size {
		nested.WriteString(stored(65535, warcHead))
	}
	all["stored blocks that hold the next ones"] = nested.String()
	all["the same, before a good record"] = nested.String() + good
	jump := strings.Builder{}
	for jump.Len() < size {
		jump.WriteString(claims("\x01\x05\x00\xfa\xffWARC/junk", max(size-jump.Len(), 100)))
	}
	all["sl fields that lead to the end"] = jump.String()
	all["the same, before a good record "] = jump.String()[:size] + good
	all["headers of damaged members"] = strings.Repeat(stored(5, "WARC/"), size/20)
	all["half headers"] = strings.Repeat("\x1f\x8b\x08\x04\x00\x00\x00\x00\x00\xff\xff\xff",
		size/12)
	all["nothing but magic"] = strings.Repeat("\x1f\x8b\x08", size/3)
	all["zeros between"] = strings.Repeat(good+strings.Repeat("\x00", 3000)+"\x01", size/3500)
	all["plain"] = strings.Repeat("WARC/1.0\r\nContent-Length: 99999999\r\n\r\n", size/40)
	all["plain, folded"] = "WARC/1.0\r\na:b" + strings.Repeat("\r\n c", size/4) + "\r\n\r\n"
	all["plain, without an end"] = strings.Repeat("WARC/1.0\r\nContent-Length: 0\r\n", size/30)
	all["frames"] = strings.Repeat("\x28\xb5\x2f\xfd\x24\x05\x29\x00\x00WARC/", size/14)
	all["frames with windows"] = strings.Repeat("\x28\xb5\x2f\xfd\x00\x88\x29\x00\x00WARC/",
		size/14)
	return all
}

// TestHostileFilesAreLinear: whatever seems to begin in a file, it is read a few times over at
// most.
func TestHostileFilesAreLinear(t *testing.T) {
	const size = 1 << 20
	for name, file := range nests(size) {
		for _, foreign := range []bool{false, true} {
			t.Run(fmt.Sprint(name, foreign), func(t *testing.T) {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				read, damaged := costOf(t, []byte(file), "x.warc.gz", foreign)
				runtime.ReadMemStats(&after)
				t.Logf("%d places, %.1f times read, %d MB allocated", damaged,
					float64(read)/float64(len(file)), (after.TotalAlloc-before.TotalAlloc)>>20)
				if read > costly*int64(len(file))+costTop {
					t.Errorf("read %.1f times", float64(read)/float64(len(file)))
				}
				if made := after.TotalAlloc - before.TotalAlloc; made > 600<<20 {
					t.Errorf("%d MB allocated for %d", made>>20, len(file)>>20)
				}
			})
		}
	}
}

// FuzzCost fails when reading a file, over all damage, costs more than in proportion to its length.
func FuzzCost(f *testing.F) {
	for _, file := range nests(3000) {
		f.Add([]byte(file), true)
		f.Add([]byte(file), false)
	}
	f.Fuzz(func(t *testing.T, file []byte, foreign bool) {
		for _, times := range []int{1, 30} { // what is cheap once may not be when it comes again
			file := bytes.Repeat(file, times)
			if len(file) > 1<<20 {
				return
			}
			if read, _ := costOf(t, file, "x.warc.gz",
				foreign); read > costly*int64(len(file))+costTop {
				t.Errorf("%d bytes read of %d", read, len(file))
			}
		}
	})
}

// TestFoldsAreLinear: a header of folded lines takes no more than its text, whatever their number.
func TestFoldsAreLinear(t *testing.T) {
	made := func(lines int) float64 {
		header := []byte("WARC/1.1\r\na: b" + strings.Repeat("\r\n  c", lines) + "\r\n\r\n")
		var parsed Header
		allocated := testing.AllocsPerRun(3, func() {
			var err error
			if _, parsed, err = ParseHeader(header); err != nil {
				t.Fatal(err)
			}
		})
		if want := "b" + strings.Repeat(" c", lines); parsed.Get("a") != want {
			t.Fatalf("%.40q", parsed.Get("a"))
		}
		return allocated
	}
	if few, many := made(1000), made(60_000); many > 4*few {
		t.Errorf("%v allocations for 1000 lines, %v for 60,000", few, many)
	}
	var b bytes.Buffer
	b.WriteString("WARC/1.1\r\n")
	for range maxLines {
		b.WriteString("a:\r\n")
	}
	b.WriteString("\r\n")
	if _, _, err := ParseHeader(b.Bytes()); !errors.Is(err, ErrHeader) {
		t.Errorf("%d lines: %v", maxLines+1, err)
	}
}
