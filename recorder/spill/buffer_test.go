package spill

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

func memoryOf(t *testing.T, limit int64) *Memory {
	m := &Memory{dir: t.TempDir(), failed: func(err error) { t.Log(err) }}
	m.Limit.Store(limit)
	return m
}

// twoSides are those of an exchange of which nobody knows any facts.
type twoSides struct {
	request, response Buffer
	files             Files
}

func (x *twoSides) Sides() [2]*Buffer              { return [2]*Buffer{&x.request, &x.response} }
func (x *twoSides) Source() io.Closer              { return nil }
func (x *twoSides) Describe(line *Sidecar, _ bool) { line.Started = time.Now() }

// newSides returns empty ones that share memory.
func newSides(m *Memory) *twoSides {
	x := new(twoSides)
	x.files.Begin(x, m)
	return x
}

// newBuffer returns a response that shares memory.
func newBuffer(m *Memory) *Buffer { return &newSides(m).response }

// TestBuffer writes bodies in pieces and reads them back, in memory and spilled.
func TestBuffer(t *testing.T) {
	random := make([]byte, 3<<20)
	rand.Read(random)
	for _, c := range []struct {
		name    string
		size    int
		piece   int
		limit   int64
		spilled bool
	}{
		{"nothing", 0, 1, 1 << 30, false},
		{"bytes", 5000, 1, 1 << 30, false},
		{"1 MiB and a head", 1<<20 + 500, 32 << 10, 1 << 30, false},
		{"1 MiB in one piece", 1 << 20, 1 << 20, 1 << 30, false},
		{"above", 1<<20 + 64<<10 + 1, 10000, 1 << 30, true},
		{"3 MiB", 3 << 20, 32 << 10, 1 << 30, true},
		{"3 MiB in one piece", 3 << 20, 3 << 20, 1 << 30, true},
		{"3 MiB in odd pieces, and a rest in memory", 3<<20 - 77, 16<<10 + 3, 1 << 30, true},
		{"3 MiB, no memory left", 3 << 20, 32 << 10, 0, true},
		{"small, no memory left", 4 << 10, 100, 0, false},
		{"less small, no memory left", 4<<10 + 1, 100, 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := memoryOf(t, c.limit)
			b := newBuffer(m)
			want := random[:c.size]
			for from := 0; from < c.size; from += c.piece {
				piece := want[from:min(from+c.piece, c.size)]
				if n, err := b.Write(piece); n != len(piece) || err != nil {
					t.Fatal(n, err)
				}
			}
			if err := b.settle(); err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(b.Reader())
			if err != nil || !bytes.Equal(got, want) || b.Len() != int64(c.size) {
				t.Fatalf("%d bytes, %v, Len %d; want %d", len(got), err, b.Len(), c.size)
			}
			if (b.file != nil) != c.spilled {
				t.Errorf("spilled: %t", b.file != nil)
			}
			for from := int64(0); from < b.Len(); from += 100_001 { // across the end of what is in the file
				part := make([]byte, min(150_000, b.Len()-from))
				if n, err := b.ReadAt(part, from); n != len(part) || err != nil ||
					!bytes.Equal(part, want[from:][:n]) {
					t.Errorf("at %d: %d bytes of %d, %v", from, n, len(part), err)
				}
			}
			if names, _ := os.ReadDir(m.dir); len(names) > 0 != c.spilled {
				t.Errorf("in the spill folder: %v", names)
			}
			b.Reset()
			if b.Len() != 0 || m.Held.Load() != 0 {
				t.Errorf("after Reset: Len %d, memory held %d", b.Len(), m.Held.Load())
			}
			b.Write([]byte("again"))
			if got, _ := io.ReadAll(b.Reader()); string(got) != "again" {
				t.Errorf("after Reset: %q", got)
			}
		})
	}
}

// TestBuffersShareMemory: when all buffers together hold as much as they may the next one spills,
// though it is small, and not for ever.
func TestBuffersShareMemory(t *testing.T) {
	m := memoryOf(t, 100<<10)
	a, b := newBuffer(m), newBuffer(m)
	a.Write(make([]byte, 60<<10))
	b.Write(make([]byte, 60<<10))
	if a.file != nil || b.file == nil {
		t.Errorf("spilled: %t, %t", a.file != nil, b.file != nil)
	}
	a.Reset()
	b.Reset()
	b.Write(make([]byte, 60<<10))
	if b.file != nil {
		t.Error("spilled although there is memory again")
	}
	b.Reset()
}

func TestZeroBuffer(t *testing.T) {
	var b Buffer
	for range 1000 {
		b.Write(make([]byte, 5000))
	}
	if b.Len() != 5e6 || b.file != nil {
		t.Errorf("Len %d, spilled %t", b.Len(), b.file != nil)
	}
	b.Reset()
}

// TestBufferCannotSpill keeps what came before and says so when more comes.
func TestBufferCannotSpill(t *testing.T) {
	m := memoryOf(t, 1<<30)
	var told error
	m.failed = func(err error) { told = err }
	b := newBuffer(m)
	b.Write(make([]byte, 1<<20))
	m.dir = filepath.Join(m.dir, "file")
	if err := os.WriteFile(m.dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Write(make([]byte, 1<<20)); !errors.Is(err, syscall.ENOTDIR) ||
		!errors.Is(told, syscall.ENOTDIR) {
		t.Errorf("Write: %v, told %v", err, told)
	}
	if _, err := b.Write([]byte("x")); err == nil {
		t.Error("a second Write, for which there is room: no error")
	}
	if got, err := io.ReadAll(b.Reader()); err != nil || len(got) != 1<<20 {
		t.Errorf("kept %d bytes, %v", len(got), err)
	}
}

// TestBufferCannotGoOn: of what has been taken nothing is lost when the file takes no more.
func TestBufferCannotGoOn(t *testing.T) {
	m := memoryOf(t, 1<<30)
	told := 0
	m.failed = func(error) { told++ }
	body := make([]byte, 4<<20)
	rand.Read(body)
	// one has room in memory, 17 have not; of 100 not all are taken
	for pieces, fails := range map[int]bool{1: false, 17: true, 100: true} {
		b := newBuffer(m)
		if _, err := b.Write(body[:2<<20]); err != nil {
			t.Fatal(err)
		}
		b.file.Close()
		b.file, _ = os.Open(os.DevNull) // for reading only
		taken := 2 << 20
		for range pieces {
			n, _ := b.Write(body[taken : taken+16<<10])
			taken += n
		}
		if err := b.settle(); (err != nil) != fails || pieces == 100 && taken == 2<<20+100*16<<10 {
			t.Errorf("%d pieces: %v, %d bytes taken", pieces, err, taken)
		}
		if err := b.Lacks(); (err != nil) != (pieces == 100) {
			t.Errorf("%d pieces: it lacks something: %v", pieces, err)
		}
		tail := make([]byte, int64(taken)-b.spilled)
		if n, err := b.ReadAt(tail, b.spilled); n != len(tail) || err != nil ||
			!bytes.Equal(tail, body[b.spilled:taken]) || b.Len() != int64(taken) {
			t.Errorf("%d pieces: %d of %d bytes, %v; Len %d of %d", pieces, n, len(tail), err, b.Len(),
				taken)
		}
		b.Reset()
	}
	if told == 0 || m.Held.Load() != 0 {
		t.Errorf("told %d times, %d bytes held", told, m.Held.Load())
	}
}

func BenchmarkBuffer(b *testing.B) {
	for _, size := range []int{1 << 10, 10 << 10, 100 << 10, 1 << 20} {
		b.Run(fmt.Sprint(size>>10, "K"), func(b *testing.B) {
			m := new(Memory)
			m.Limit.Store(1 << 30)
			body := make([]byte, size)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			x := newBuffer(m)
			for b.Loop() {
				for from := 0; from < size; from += 32 << 10 {
					x.Write(body[from:min(from+32<<10, size)])
				}
				x.Reset()
			}
		})
	}
}

// TestSavedIsACopy: a response may have come to its end while its request is still being sent. What
// the sidecar then says of the request must not be memory that moves on, to another exchange even.
func TestSavedIsACopy(t *testing.T) {
	request := newBuffer(memoryOf(t, 1<<30))
	if _, err := io.WriteString(request, "GET / HTTP/1.1"); err != nil {
		t.Fatal(err)
	}
	said, whole := request.saved()
	clear(*request.chunk)
	if !whole || string(said.Bytes) != "GET / HTTP/1.1" {
		t.Errorf("%q, whole %t", said.Bytes, whole)
	}
}

// TestUnsavedWhileMoreComes: the response to an upload may be whole while the request still comes.
// What has come of it since it was brought to its file is not lost, and nothing to refuse the
// response for.
func TestUnsavedWhileMoreComes(t *testing.T) {
	x := newSides(memoryOf(t, 1<<30))
	defer x.request.Reset()
	for _, size := range []int{2 << 20, 1000} {
		if _, err := x.request.Write(make([]byte, size)); err != nil {
			t.Fatal(err)
		}
		if size > 1000 {
			if err := x.files.Note("", 0); err != nil {
				t.Fatal(err)
			}
		}
	}
	if x.request.spilled == x.request.size {
		t.Fatal("nothing of it is in memory beside its file")
	}
	if err := x.request.Unsaved(); err != nil {
		t.Error(err)
	}
}
