package warc

import (
	"bytes"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// TestStoredBody: any part of a body in stored blocks is found, in members of every way to make
// them; and none in others.
func TestStoredBody(t *testing.T) {
	head := [][]byte{[]byte("WARC/1.1\r\nWARC-Type: response\r\n\r\n"), []byte("HTTP/1.1 200 OK\r\n\r\n")}
	for _, size := range []int{1, 4, 5, maxStored - 5, maxStored - 4, maxStored, maxStored + 1,
		10 * maxStored, maxInspected, maxInspected + 1, maxInspected + maxStored, 3 << 20} {
		body := make([]byte, size)
		source := rand.NewChaCha8([32]byte{byte(size)})
		source.Read(body)
		for name, member := range membersOf(t, head, body) {
			before := make([]byte, 77) // the member begins somewhere
			f := bytes.NewReader(append(append(before, member...), member...))
			s := StoredBody(f, int64(len(before)), int64(len(member)), int64(size))
			if s == nil {
				t.Errorf("%d bytes, %s: not found", size, name)
				continue
			}
			all, err := io.ReadAll(io.NewSectionReader(s, 0, int64(size)))
			if err != nil || !bytes.Equal(all, body) {
				t.Errorf("%d bytes, %s: others, %v", size, name, err)
			}
			for range 50 {
				from := source.Uint64() % uint64(size)
				got := make([]byte, min(1000, size-int(from)))
				if _, err := s.ReadAt(got, int64(from)); err != nil ||
					!bytes.Equal(got, body[from:][:len(got)]) {
					t.Errorf("%d bytes, %s: others from %d on, %v", size, name, from, err)
				}
			}
			for _, other := range []int64{int64(size) - 1, int64(size) + 1, 0, -1, 1 << 40} {
				if other > 0 && StoredBody(f, int64(len(before)), int64(len(member)), other) != nil {
					t.Errorf("%d bytes, %s: taken for %d", size, name, other)
				}
			}
		}
		deflated := NewCompressor().Append(nil, append(head, body, []byte(RecordEnd)), -1)
		if size < 1000 && StoredBody(bytes.NewReader(deflated), 0, int64(len(deflated)),
			int64(size)) != nil {
			t.Errorf("%d bytes that are deflated: taken for stored", size)
		}
	}
}

// membersOf makes members of a stored body, in every way.
func membersOf(t *testing.T, head [][]byte, body []byte) map[string][]byte {
	members := map[string][]byte{
		"appended": NewCompressor().Append(nil, append(head, body, []byte(RecordEnd)), len(head)),
		"bare": (&Compressor{NoSkipLengths: true}).Append(nil,
			append(head, body, []byte(RecordEnd)), len(head)),
	}
	for name, inspected := range map[string]bool{"streamed": false, "streamed, inspected": true} {
		c := NewCompressor()
		c.Inspector = new(Inspector)
		c.Exchange(inspected)
		path := filepath.Join(t.TempDir(), "member")
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		_, err = c.Stream(f, 0, head, bytes.NewReader(body), int64(len(body)), true)
		if err != nil {
			t.Fatal(err)
		}
		if members[name], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	return members
}

// TestStoredBodyDamaged: a block in the middle that is none is an error, and not other bytes.
func TestStoredBodyDamaged(t *testing.T) {
	body := make([]byte, 3*maxStored)
	member := NewCompressor().Append(nil, [][]byte{[]byte("WARC/1.1\r\n\r\n"), body,
		[]byte(RecordEnd)}, 1)
	s := StoredBody(bytes.NewReader(member), 0, int64(len(member)), int64(len(body)))
	if s == nil {
		t.Fatal("not found")
	}
	member[s.blocks[0].at+storedHeader+maxStored] ^= 1
	if _, err := s.ReadAt(make([]byte, 10), 100); err != nil {
		t.Error(err)
	}
	if _, err := s.ReadAt(make([]byte, 10), maxStored); err != ErrCorrupt {
		t.Errorf("%v", err)
	}
	if n, err := s.ReadAt(make([]byte, 20), maxStored-10); err != ErrCorrupt || n != 10 {
		t.Errorf("%d, %v", n, err)
	}
}
