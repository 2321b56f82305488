package extsort

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
	"sort"
	"strings"
	"testing"
)

// sortedBy returns what a sorter with that much memory makes of lines. It checks what the sorter
// has in memory.
func sortedBy(t *testing.T, memory int, lines []string) string {
	t.Helper()
	s := Sorter{Dir: t.TempDir(), Memory: memory}
	for _, line := range lines {
		if err := s.Add([]byte(line)); err != nil {
			t.Fatal(err)
		}
		if len(s.buf) > memory && len(s.rows) > 1 {
			t.Fatalf("%d bytes and %d lines in memory", len(s.buf), len(s.rows))
		}
	}
	if left, err := os.ReadDir(s.Dir); err != nil || len(left) > 0 && runtime.GOOS != "windows" {
		t.Errorf("whoever is killed now leaves %v, %v", left, err)
	}
	m, err := s.Sorted()
	if err != nil {
		t.Fatal(err)
	}
	if len(m.sources.all) > maxRuns+1 {
		t.Errorf("%d runs are merged at once", len(m.sources.all))
	}
	var out strings.Builder
	w := bufio.NewWriter(&out)
	for m.More() {
		if len(m.Head()) > maxHead {
			t.Fatalf("%d bytes of a line in memory", len(m.Head()))
		}
		before := out.Len() + w.Buffered()
		text, err := m.Text()
		if err := errors.Join(err, m.Write(w), w.Flush()); err != nil {
			t.Fatal(err)
		}
		if out.String()[before:] != string(text)+"\n" {
			t.Fatalf("a line of %d bytes has a text of %d", out.Len()-before, len(text))
		}
		if err := m.Next(); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Flush(), s.Close()); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(s.Dir); err != nil || len(left) > 0 {
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
		{"as long as a head", []string{head, head[1:], head + "a", head, head + "A",
			head[1:] + "i", head[1:] + "g"}},
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
	s := Sorter{Dir: filepath.Join(t.TempDir(), "missing"), Memory: 10}
	if err := errors.Join(s.Add([]byte("short")), s.Add([]byte("too much"))); !errors.Is(
		err,
		os.ErrNotExist,
	) {
		t.Errorf("got %v", err)
	}
	if err := s.Add(make([]byte, maxHead+1)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	long := strings.Repeat("h", maxHead+1)
	for _, lines := range [][]string{{"first", "second"}, {long, long + "h"}} {
		s := Sorter{Dir: t.TempDir(), Memory: 10}
		for _, line := range lines {
			if err := s.Add([]byte(line)); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.temp.file.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Sorted(); !errors.Is(err, os.ErrClosed) {
			t.Errorf("got %v", err)
		}
	}
}

// TestSorterOfTornRun cuts the file at every byte of a run.
func TestSorterOfTornRun(t *testing.T) {
	run := line{
		head:   []byte("second"),
		length: 300,
		offset: 1000,
	}.append(line{head: []byte("first")}.append(nil))
	for n := range run {
		r := source{file: bufio.NewReader(strings.NewReader(string(run[:n])))}
		var err error
		for err == nil {
			err = r.next()
		}
		if clean := n == 0 || n == len("first")+2; clean != (err == io.EOF) ||
			!clean && err != io.ErrUnexpectedEOF {
			t.Errorf("%d bytes of a run: %v", n, err)
		}
	}
}

// FuzzSorter sorts what text holds between its newlines as sort.Strings does. A line that begins
// with "L" becomes longer than a head.
func FuzzSorter(f *testing.F) {
	f.Add("b\na\n\nab\na", uint16(3))
	f.Add("Lz\nLa\nL\nx\nL\xff", uint16(0))
	f.Add("Laa\nLa", uint16(1<<15))
	f.Fuzz(func(t *testing.T, text string, memory uint16) {
		lines := strings.Split(text, "\n")
		if len(lines) > 200 {
			return
		}
		for i, line := range lines {
			if rest, long := strings.CutPrefix(line, "L"); long && i < 20 {
				lines[i] = strings.Repeat("h", maxHead-1) + rest
			}
		}
		got := sortedBy(t, 1+int(memory), lines)
		sort.Strings(lines)
		if got != strings.Join(append(lines, ""), "\n") {
			t.Errorf("not the %d lines, sorted", len(lines))
		}
	})
}

func BenchmarkSorter(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	var lines [][]byte
	for i := range 200_000 {
		lines = append(lines, fmt.Appendf(nil, "com,example,%d)/%x %d %0200d", random.IntN(1000),
			random.Uint64(), 20260102030405, i))
	}
	for _, memory := range []int{defaultMemory, 4 << 20} {
		b.Run(fmt.Sprint(memory>>20), func(b *testing.B) {
			for b.Loop() {
				s := Sorter{Dir: b.TempDir(), Memory: memory}
				for _, line := range lines {
					if err := s.Add(line); err != nil {
						b.Fatal(err)
					}
				}
				m, err := s.Sorted()
				for err == nil && m.More() {
					err = m.Next()
				}
				if err = errors.Join(err, s.Close()); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N*len(lines))/b.Elapsed().Seconds(), "lines/s")
		})
	}
}
