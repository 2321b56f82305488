package verify

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"testing"
)

// TestTable sorts what fits into memory, and what does not, and leaves no file behind.
func TestTable(t *testing.T) {
	for name, memory := range map[string]int{
		"in memory": 0, "many runs": 100 * len(row{}), "a run a row": 1,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			var sorted table
			var want []row
			random := rand.New(rand.NewPCG(1, uint64(memory)))
			for range 5000 {
				var r row
				binary.BigEndian.PutUint16(r[:], uint16(random.IntN(500)))
				binary.BigEndian.PutUint64(r[40:], random.Uint64())
				want = append(want, r)
			}
			var all sync.WaitGroup
			for half := range slices.Chunk(want, len(want)/4) {
				all.Go(func() {
					for _, r := range half {
						if err := sorted.add(dir, memory, r); err != nil {
							t.Error(err)
						}
					}
				})
			}
			all.Wait()
			want = slices.Clone(want)
			slices.SortFunc(want, func(a, b row) int { return bytes.Compare(a[:], b[:]) })
			var got []row
			var groups int
			if err := sorted.groups(2, func(group []row) {
				got = append(got, group...)
				groups++
			}); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, want) || groups != 500 {
				t.Errorf("%d rows in %d groups", len(got), groups)
			}
			sorted.close()
			if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}

// TestTableFails says that there is no room.
func TestTableFails(t *testing.T) {
	var sorted table
	dir := t.TempDir() + "/none"
	if err := errors.Join(sorted.add(dir, 1, row{}), sorted.add(dir, 1, row{})); err == nil {
		t.Error("no error")
	}
}

// TestChunks reads chunks whole, and cut into pieces at every byte.
func TestChunks(t *testing.T) {
	for _, c := range []struct {
		body, want string
		done, bad  bool
		surplus    int64
	}{
		{"5\r\nhello\r\n0\r\n\r\n", "hello", true, false, 0},
		{"5;a=\"b\"\r\nhello\r\n3 \r\nabc\r\n0\r\nX: y\r\nZ:\r\n\r\n", "helloabc", true, false, 0},
		{"A\nhello more\n0\n\n", "hello more", true, false, 0},
		{"000a\r\nhello more\r\n00\r\n\r\nrest", "hello more", true, false, 4},
		{"", "", false, false, 0},
		{"5\r\nhel", "hel", false, false, 0},
		{"5\r\nhello\r\n0\r\n", "hello", false, false, 0},
		{"5\r\nhello\r\n0\r\nX: y\r\n", "hello", false, false, 0},
		{"<p>", "", false, true, 0},
		{"\r\nhello", "", false, true, 0},
		{"5\r\nhello5\r\n", "hello", false, true, 0},
		{"ffffffffffffffffffff\r\n", "", false, true, 0},
	} {
		for size := 1; size <= len(c.body)+1; size++ {
			var got []byte
			var s chunks
			for piece := range slices.Chunk([]byte(c.body), size) {
				got = append(got, s.write(piece)...)
			}
			if string(got) != c.want || s.done != c.done || s.bad != c.bad || s.surplus != c.surplus {
				t.Errorf("%q by %d: %q, %+v", c.body, size, got, s)
			}
		}
	}
}

// FuzzMessage finds nothing that the split of a message into pieces changes.
func FuzzMessage(f *testing.F) {
	f.Add([]byte("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx"), 3)
	f.Add([]byte("HTTP/1.1 200 OK\nTransfer-Encoding: gzip,\n chunked\n\n5\r\nhello\r\n0\r\n\r\n"), 1)
	f.Add([]byte("\r\n\r\n"), 1)
	f.Fuzz(func(t *testing.T, text []byte, size int) {
		read := func(size int) (m message, wire, entity []byte) {
			m.reset(false)
			for piece := range slices.Chunk(text, size) {
				w, e := m.write(piece)
				wire, entity = append(wire, w...), append(entity, e...)
			}
			m.end()
			return m, wire, entity
		}
		a, wire, entity := read(max(1, len(text)))
		b, wire2, entity2 := read(1 + max(0, size)%100)
		textA, openA := a.problem()
		textB, openB := b.problem()
		if !bytes.Equal(wire, wire2) || !bytes.Equal(entity, entity2) || textA != textB ||
			openA != openB || a.status != b.status {
			t.Errorf("%q: %q %q %s, %q %q %s", text, wire, entity, textA, wire2, entity2, textB)
		}
		if !bytes.Equal(slices.Concat(a.head, wire), text) {
			t.Errorf("%q is not head %q and body %q", text, a.head, wire)
		}
	})
}
