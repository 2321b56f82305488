package summing

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"warcorder/store"
)

// TestSums: the sums are those of the bytes, in whatever order they are read.
func TestSums(t *testing.T) {
	content := make([]byte, 700_001)
	rand.NewChaCha8([32]byte{1}).Read(content)
	for _, c := range []struct {
		name     string
		partSize int64
		reads    [][2]int64 // offset and length
	}{
		{"nothing is read", 0, nil},
		{"in order", 1 << 10, [][2]int64{{0, 10}, {10, 300_000}, {300_010, 399_991}}},
		{"again and back", 65536, [][2]int64{{0, 1000}, {0, 1000}, {500, 1000}, {0, 3}, {1400, 9}}},
		{"passed over", 100_000, [][2]int64{{600_000, 10}, {5, 10}, {610_000, 90_001}}},
		{"to the last byte of a part", 700_001, [][2]int64{{0, 700_001}}},
		{"over the end", 4096, [][2]int64{{0, 800_000}, {700_001, 5}, {900_000, 5}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := New(bytes.NewReader(content), int64(len(content)), c.partSize)
			for _, read := range c.reads {
				p := make([]byte, read[1])
				n, err := f.ReadAt(p, read[0])
				want := content[min(read[0], int64(len(content))):min(read[0]+read[1], int64(len(content)))]
				if !bytes.Equal(p[:n], want) || err != nil && !errors.Is(err, io.EOF) {
					t.Errorf("%v: %d bytes, %v", read, n, err)
				}
			}
			var parts []store.Sum
			if c.partSize > 0 {
				for part := range slices.Chunk(content, int(c.partSize)) {
					parts = append(parts, sha256.Sum256(part))
				}
			}
			got, err := f.Sums()
			if err != nil || got.Whole != sha256.Sum256(content) || !slices.Equal(got.Parts, parts) {
				t.Errorf("%v, %d parts and not %d", err, len(got.Parts), len(parts))
			}
		})
	}
}

// TestSumsShort: a file that ends before its size has no sums.
func TestSumsShort(t *testing.T) {
	f := New(bytes.NewReader(make([]byte, 10)), 11, 0)
	if _, err := f.Sums(); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
}
