package deflate

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestEveryCode has each length and each distance in the codes of each preset, and in those of a
// text that has none of them.
func TestEveryCode(t *testing.T) {
	var odd lengths
	odd.build(new(histogram))
	custom := new(codes)
	custom.set(&odd)
	all := []*codes{custom}
	for i := range presets() {
		all = append(all, &presets()[i])
	}
	r := newReader()
	history := random(window)
	for i, c := range all {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			text := bytes.Clone(history)
			sequences := []sequence{}
			literals := len(text)
			for n := 0; n < window; n++ {
				distance, length := n+1, shortest+1+n%(longest-shortest)
				sequences = append(sequences, newSequence(literals, length, distance))
				for range length {
					text = append(text, text[len(text)-distance])
				}
				literals = n % 6
				text = append(text, history[:literals]...)
			}
			sequences = append(sequences, newSequence(literals, shortest, 1))
			last := text[len(text)-1]
			text = append(text, last, last, last, 'x')
			var w writer
			w.putAll(&c.header)
			w.encode(c, text, sequences, 1)
			w.putCode(c.end)
			w.flush()
			w.fixed(nil, true)
			r.check(t, w.out, text)
		})
	}
}

// TestBuild proves that codes are complete, no longer than the limit, and not longer for what is
// more frequent.
func TestBuild(t *testing.T) {
	fibonacci := make([]uint32, 40)
	fibonacci[0], fibonacci[1] = 1, 1
	for i := 2; i < len(fibonacci); i++ {
		fibonacci[i] = fibonacci[i-1] + fibonacci[i-2]
	}
	random := rand.New(rand.NewPCG(4, 4))
	noise := make([]uint32, literalCount)
	for i := range noise {
		noise[i] = random.Uint32() >> random.IntN(32)
	}
	for _, test := range []struct {
		name   string
		counts []uint32
		limit  int
	}{
		{"two", []uint32{7, 0}, 7},
		{"none", make([]uint32, literalCount), maxCode},
		{"one", append(make([]uint32, literalCount-1), 1<<31), maxCode},
		{"Fibonacci", fibonacci[:30], maxCode},
		{"steep", fibonacci, maxCode},
		{"small limit", fibonacci[:19], lengthLimit},
		{"noise", noise, maxCode},
		{"tight", noise[:256], 8},
	} {
		t.Run(test.name, func(t *testing.T) {
			lengths := make([]uint8, len(test.counts))
			build(lengths, test.counts, test.limit)
			sum := 0
			for i, n := range lengths {
				if n == 0 || int(n) > test.limit {
					t.Fatalf("code %d has %d bits", i, n)
				}
				sum += 1 << (test.limit - int(n))
				for j, m := range lengths {
					if m < n && test.counts[j] < test.counts[i]>>countBits {
						t.Errorf("%d has %d bits, but %d, which is rarer, %d", i, n, j, m)
					}
				}
			}
			if sum != 1<<test.limit {
				t.Errorf("the codes fill %d of %d", sum, 1<<test.limit)
			}
		})
	}
}

// TestPresets proves that tables.go holds complete codes that allow for everything.
func TestPresets(t *testing.T) {
	for _, p := range trained {
		l := p.lengths()
		for _, lengths := range [][]uint8{l.literals[:], l.distances[:]} {
			sum := 0
			for i, n := range lengths {
				if n == 0 || n > maxCode {
					t.Fatalf("%s: code %d has %d bits", p.name, i, n)
				}
				sum += 1 << (maxCode - n)
			}
			if sum != 1<<maxCode {
				t.Errorf("%s: the codes fill %d of %d", p.name, sum, 1<<maxCode)
			}
		}
	}
}
