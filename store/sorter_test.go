package store

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// sortedBy returns what a sorter with that much memory makes of lines. It checks what the sorter
// has in memory.
func sortedBy(t *testing.T, memory int, lines []string) string {
	t.Helper()
	s := sorter{dir: t.TempDir(), memory: memory}
	for _, line := range lines {
		if err := s.add([]byte(line)); err != nil {
			t.Fatal(err)
		}
		if len(s.buf) > memory && len(s.rows) > 1 {
			t.Fatalf("%d bytes and %d lines in memory", len(s.buf), len(s.rows))
		}
	}
	if left, err := os.ReadDir(s.dir); err != nil || len(left) > 0 && runtime.GOOS != "windows" {
		t.Errorf("whoever is killed now leaves %v, %v", left, err)
	}
	m, err := s.merged()
	if err != nil {
		t.Fatal(err)
	}
	if len(m.sources) > maxRuns+1 {
		t.Errorf("%d runs are merged at once", len(m.sources))
	}
	var out strings.Builder
	w := bufio.NewWriter(&out)
	for m.more() {
		if len(m.head().head) > maxHead {
			t.Fatalf("%d bytes of a line in memory", len(m.head().head))
		}
		if err := errors.Join(s.writeLine(w, m.head()), m.next()); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Flush(), s.close()); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(s.dir); err != nil || len(left) > 0 {
		t.Errorf("left in the temporary folder: %v, %v", left, err)
	}
	return out.String()
}

func TestSorter(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	var short, mixed []string
	for range 3 * maxRuns {
		short = append(short, fmt.Sprint(random.IntN(200)))
	}
	head := strings.Repeat("h", maxHead)
	for i := range 60 {
		mixed = append(
			mixed,
			head[random.IntN(3):]+strings.Repeat("r",
				random.IntN(3)*40_000)+[]string{"", "a", "z", "\xff"}[random.IntN(4)],
			fmt.Sprint(i),
		)
	}
	for _, test := range []struct {
		name  string
		lines []string
	}{
		{"none", nil},
		{"empty", []string{"", ""}},
		{"one", []string{"a"}},
		{"prefixes", []string{"aa", "a", "", "ab", "a\xff", "a\x01", "a"}},
		{"as long as a head", []string{head, head[1:], head + "a", head, head + "A", head[1:] + "i", head[1:] + "g"}},
		{"short", short},
		{"mixed", mixed},
	} {
		want := slices.Clone(test.lines)
		slices.Sort(want)
		// 1: a run for each line, and more than are merged at once
		for _, memory := range []int{1, 1000, 200_000, 1 << 30} {
			t.Run(fmt.Sprintf("%s/%d", test.name, memory), func(t *testing.T) {
				if got := sortedBy(t, memory, test.lines); got != strings.Join(append(want, ""), "\n") {
					t.Errorf("not the %d lines, sorted", len(want))
				}
			})
		}
	}
}

// TestSorterWithoutItsFile: what cannot be written, or be read again, is an error and no wrong
// order.
func TestSorterWithoutItsFile(t *testing.T) {
	s := sorter{dir: filepath.Join(t.TempDir(), "missing"), memory: 10}
	if err := errors.Join(s.add([]byte("short")), s.add([]byte("too much"))); !errors.Is(
		err,
		os.ErrNotExist,
	) {
		t.Errorf("got %v", err)
	}
	if err := s.add(make([]byte, maxHead+1)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	for _, lines := range [][]string{{"first", "second"}, {strings.Repeat("h", maxHead+1), strings.Repeat("h", maxHead+2)}} {
		s := sorter{dir: t.TempDir(), memory: 10}
		for _, line := range lines {
			if err := s.add([]byte(line)); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.temp.file.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := s.merged(); !errors.Is(err, os.ErrClosed) {
			t.Errorf("got %v", err)
		}
	}
}

// TestSorterOfTornRun cuts the file at every byte of a run.
func TestSorterOfTornRun(t *testing.T) {
	run := sortedLine{
		head:   []byte("second"),
		length: 300,
		offset: 1000,
	}.append(sortedLine{head: []byte("first")}.append(nil))
	for n := range run {
		r := source{file: bufio.NewReader(strings.NewReader(string(run[:n])))}
		var err error
		for err == nil {
			err = r.next(nil)
		}
		if clean := n == 0 || n == len("first")+2; clean != (err == io.EOF) ||
			!clean && err != io.ErrUnexpectedEOF {
			t.Errorf("%d bytes of a run: %v", n, err)
		}
	}
}

func BenchmarkSorter(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	var lines [][]byte
	for i := range 200_000 {
		c := benchCapture(random, i)
		lines = append(lines, c.AppendCDXJ(nil))
	}
	for _, memory := range []int{sortMemory, 4 << 20} {
		b.Run(fmt.Sprint(memory>>20), func(b *testing.B) {
			for b.Loop() {
				s := sorter{dir: b.TempDir(), memory: memory}
				for _, line := range lines {
					if err := s.add(line); err != nil {
						b.Fatal(err)
					}
				}
				m, err := s.merged()
				for err == nil && m.more() {
					err = m.next()
				}
				if err = errors.Join(err, s.close()); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N*len(lines))/b.Elapsed().Seconds(), "lines/s")
		})
	}
}
