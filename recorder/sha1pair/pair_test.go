package sha1pair

import (
	"bytes"
	"crypto/sha1"
	"fmt"
	"math/rand/v2"
	"testing"
)

// random returns n bytes that are the same each time.
func random(n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{1}).Read(b)
	return b
}

// check compares the digests of a message with those of crypto/sha1.
func check(t *testing.T, message []byte, head int) {
	t.Helper()
	whole, body := Sum(message, head)
	if want := sha1.Sum(message); whole != want {
		t.Fatalf("head of %d, body of %d: %x of the whole, want %x", head, len(message)-head, whole, want)
	}
	if want := sha1.Sum(message[head:]); body != want {
		t.Fatalf("head of %d, body of %d: %x of the body, want %x", head, len(message)-head, body, want)
	}
}

func TestSum(t *testing.T) {
	b := random(200 + 300)
	for head := range 200 + 1 {
		for body := range 300 + 1 {
			check(t, b[:head+body], head)
		}
	}
}

func TestSumLarge(t *testing.T) {
	b := random(3*maxRun + 1000)
	for _, body := range []int{
		1 << 10, 10<<10 + 1, maxRun - 1, maxRun, maxRun + 1, maxRun + 63, maxRun + 64, 2*maxRun + 65,
		3 * maxRun,
	} {
		for _, head := range []int{0, 1, 55, 56, 63, 64, 65, 300, 1000} {
			check(t, b[:head+body], head)
		}
	}
	check(t, b, len(b)) // nothing but a head
}

// TestPair cuts messages at random.
func TestPair(t *testing.T) {
	source := rand.New(rand.NewPCG(1, 2))
	b := random(5000)
	for range 5000 {
		head := source.IntN(400)
		message := b[:head+source.IntN(len(b)-head)]
		cut(t, message, head, func(left int) int { return min(left, source.IntN(1<<source.IntN(12))) })
	}
}

// cut writes a message in parts, of sizes that next says, to a Pair of each kind.
func cut(t *testing.T, message []byte, head int, next func(left int) int) {
	t.Helper()
	pairs := []*Pair{newPair(false)}
	if interleaves {
		pairs = append(pairs, newPair(true))
	}
	for at := 0; at < len(message); {
		n := next(len(message) - at)
		inHead := max(0, min(head-at, n))
		for _, p := range pairs {
			p.WriteHead(message[at : at+inHead])
			p.WriteBody(message[at+inHead : at+n])
		}
		at += n
	}
	wantWhole, wantBody := sha1.Sum(message), sha1.Sum(message[head:])
	for i, p := range pairs {
		if whole, body := p.Sums(); whole != wantWhole || body != wantBody {
			t.Fatalf("pair %d, head of %d, body of %d: %x, %x; want %x, %x", i, head, len(message)-head,
				whole, body, wantWhole, wantBody)
		}
	}
}

func FuzzPair(f *testing.F) {
	f.Add([]byte("HTTP/1.1 200 OK\r\n\r\n"), []byte("hello"), uint16(7))
	f.Add(random(64), random(640), uint16(65))
	f.Add([]byte{}, []byte{}, uint16(0))
	f.Fuzz(func(t *testing.T, head, body []byte, part uint16) {
		message := bytes.Join([][]byte{head, body}, nil)
		check(t, message, len(head))
		cut(t, message, len(head), func(left int) int { return min(left, 1+int(part)) })
	})
}

func TestSumAllocates(t *testing.T) {
	b := random(10 << 10)
	if n := testing.AllocsPerRun(10, func() { Sum(b, 300) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkSum(b *testing.B) {
	const head = 300
	for _, kib := range []int{1, 10, 100, 1024} {
		message := random(head + kib<<10)
		b.Run(fmt.Sprintf("%dKiB/pair", kib), func(b *testing.B) {
			b.SetBytes(int64(len(message)))
			b.ReportAllocs()
			for b.Loop() {
				Sum(message, head)
			}
		})
		b.Run(fmt.Sprintf("%dKiB/twice", kib), func(b *testing.B) {
			b.SetBytes(int64(len(message)))
			b.ReportAllocs()
			for b.Loop() {
				sha1.Sum(message)
				sha1.Sum(message[head:])
			}
		})
	}
}
