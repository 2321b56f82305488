package deflate

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var corpusFlag = flag.String("corpus", "",
	"folder of a folder of samples for each preset: tables.go is made from them")

// presetNames are those of the folders, too. The head comes first: choose relies on it.
var presetNames = []string{"head", "html", "script", "json"}

// TestTrain makes tables.go. Each sample counts the same, whatever its size; of a long one, several
// pieces count.
func TestTrain(t *testing.T) {
	if *corpusFlag == "" {
		t.Skip("no -corpus")
	}
	var b strings.Builder
	b.WriteString(
		"// Made by TestTrain; DO NOT EDIT.\n\npackage deflate\n\n// trained are the presets, made " +
			"from what a recorder meets: heads of records of its own, pages, scripts and style sheets, " +
			"JSON.\nvar trained = [...]preset{\n",
	)
	for _, name := range presetNames {
		l := train(t, filepath.Join(*corpusFlag, name))
		fmt.Fprintf(&b, "\t{\n\t\t%q,\n\t\t%s,\n\t\t%s,\n\t},\n", name, text(l.literals[:]),
			text(l.distances[:]))
	}
	b.WriteString("}\n")
	if err := os.WriteFile("tables.go", []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

func train(t *testing.T, folder string) *lengths {
	names, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no samples in %s: %v", folder, err)
	}
	const sampleSize = 16 << 10
	var sum histogram
	var f finder
	for _, name := range names {
		sample, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for range 4 {
			piece := sample[:min(len(sample), sampleSize)]
			var h histogram
			f.reset()
			rest := f.find(piece, 0, len(piece), paceOf(piece))
			h.sample(piece, f.sequences, rest, 1)
			sum.add(&h)
			if sample = sample[len(piece):]; len(sample) == 0 {
				break
			}
		}
	}
	l := new(lengths)
	build(l.literals[:], floor(sum.literals[:]), maxCode)
	build(l.distances[:], floor(sum.distances[:]), maxCode)
	return l
}

// add adds the shares of h, in millionths, not its counts.
func (s *histogram) add(h *histogram) {
	add(s.literals[:], h.literals[:])
	add(s.distances[:], h.distances[:])
}

func add(sum, counts []uint32) {
	total := uint64(1)
	for _, n := range counts {
		total += uint64(n)
	}
	for i, n := range counts {
		sum[i] += uint32(uint64(n) * 1_000_000 / total)
	}
}

// floor gives what is rare the same small share, so that it is encodable, and its lengths are
// declared in few bits.
func floor(counts []uint32) []uint32 {
	total := uint64(0)
	for _, n := range counts {
		total += uint64(n)
	}
	for i := range counts {
		counts[i] = max(counts[i], uint32(total>>13))
	}
	return counts
}

func text(lengths []uint8) string {
	var b strings.Builder
	for i, n := range lengths {
		if i > 0 && i%96 == 0 {
			b.WriteString("\" +\n\t\t\t\"")
		}
		b.WriteByte(digits[n])
	}
	return `"` + b.String() + `"`
}
