package store

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// nastyCaptures returns n captures in a random order, whose keys begin like one another, are the
// same but for the time, the milliseconds, the file or the end of a long SURT, or are no SURTs at
// all.
func nastyCaptures(n int, files []File) []Capture {
	random := rand.New(rand.NewPCG(3, 4))
	ends := []string{
		"", "a", "ab", "a/b", "a?b=1", "a!", "a~", "a b", "a\x00", "a\x7f", "aä", "a 20261121054512 {",
		"A",
	}
	longs := []string{
		strings.Repeat("l", maxURLKey-20), strings.Repeat("l", maxURLKey),
		strings.Repeat("l", maxURLKey+10), strings.Repeat("l", 3*maxURLKey),
	}
	captures := make([]Capture, n)
	for i := range captures {
		path := ends[random.IntN(len(ends))]
		if i%100 == 0 {
			path = longs[random.IntN(len(longs))] + path
		}
		key := []string{"com,example)/", "com,example,a)/", "http://exa mple/", ""}[random.IntN(4)] + path
		at := testTime.Add(time.Duration(random.IntN(4000)) * time.Millisecond)
		captures[i] = Capture{
			URLKey: key,
			Time:   at,
			URL:    []string{"http", "https"}[random.IntN(2)] + "://example.com/" + path,
			Status: 200 + random.IntN(3),
			Location: Location{
				files[random.IntN(len(files))].Name,
				int64(random.IntN(1 << 20)),
				int64(random.IntN(1000)),
			},
		}
	}
	return captures
}

// linesOf returns the lines that captures become, as `LC_ALL=C sort` sorts them.
func linesOf(captures []Capture) string {
	lines := make([]string, len(captures))
	for i := range captures {
		lines[i] = string(captures[i].AppendCDXJ(nil)) + "\n"
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

func TestExport(t *testing.T) {
	b := newIndex(t)
	files := []File{addFile(t, b, "a.warc.gz"), addFile(t, b, "b.warc.gz"), addFile(t, b, "c.warc.gz")}
	captures := nastyCaptures(4*sliceKeys, files)
	open := 0
	for i := range captures {
		if captures[i].File == "b.warc.gz" {
			open++
		}
	}
	for batch := range slices.Chunk(captures, 1000) {
		commit(t, b, batch)
	}
	files[0].Sealed, files[2].Sealed = true, true
	commit(t, b, nil, files...)

	var out bytes.Buffer
	progress := []int64{0}
	done, err := b.Export(&out, Query{}, func(lines int64) { progress = append(progress, lines) })
	if err != nil {
		t.Fatal(err)
	}
	if got, want := out.String(), linesOf(captures); got != want {
		t.Errorf("%d lines are not the %d sorted lines of the captures", strings.Count(got, "\n"),
			len(captures))
	}
	if done.Lines != int64(len(captures)) || done.InOpenFiles != int64(open) {
		t.Errorf("exported %+v, want %d lines, %d in open files", done, len(captures), open)
	}
	if !slices.IsSorted(progress) || progress[len(progress)-1] != done.Lines || len(progress) < 4 {
		t.Errorf("progress %v", progress)
	}
	checkSorted(t, out.Bytes())
}

// checkSorted asks the program itself.
func checkSorted(t *testing.T, lines []byte) {
	t.Helper()
	program, err := exec.LookPath("sort")
	if err != nil {
		t.Skip(err)
	}
	command := exec.Command(program, "-c")
	command.Env = append(os.Environ(), "LC_ALL=C")
	command.Stdin = bytes.NewReader(lines)
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("LC_ALL=C sort -c: %v %.200s", err, out)
	}
}

// TestExportOfVeryLongURLs has a run of long SURTs that is larger than a slice, committed in the
// wrong order.
func TestExportOfVeryLongURLs(t *testing.T) {
	b := newIndex(t)
	file := addFile(t, b, "a.warc.gz")
	long := "http://example.com/?" + strings.Repeat("z", 1<<20)
	var captures []Capture
	for i := range 12 {
		captures = append(captures, captureOf(fmt.Sprint(long, (i*7)%4),
			testTime.Add(time.Duration((i*5)%3)*time.Second), file.Name, int64(i)))
	}
	captures = append(captures, captureOf("http://example.com/a", testTime, file.Name, 20),
		captureOf("http://example.com/zz", testTime, file.Name, 21))
	commit(t, b, captures)
	var out bytes.Buffer
	if _, err := b.Export(&out, Query{}, nil); err != nil {
		t.Fatal(err)
	}
	if out.String() != linesOf(captures) {
		t.Error("not the sorted lines of the captures")
	}
	got := allOf(t, b, Query{URL: long + "2"})
	if len(got) != 3 || got[0].URL != long+"2" {
		t.Errorf("exact match gives %d captures", len(got))
	}
}

func TestExportStopsAtAnError(t *testing.T) {
	b := newIndex(t)
	file := addFile(t, b, "a.warc.gz")
	commit(t, b, nastyCaptures(2*sliceKeys, []File{file}))
	broken := errors.New("broken")
	if _, err := b.Export(failing{broken}, Query{}, nil); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	if done, err := b.Export(io.Discard, Query{URL: "http://nothing.example/"}, nil); err != nil ||
		done != (Exported{}) {
		t.Errorf("export of nothing: %+v, %v", done, err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestCapturesStops(t *testing.T) {
	b := newIndex(t)
	file := addFile(t, b, "a.warc.gz")
	commit(t, b, nastyCaptures(2*sliceKeys, []File{file}))
	n := 0
	if err := b.Captures(Query{}, func(*Capture) bool { n++; return n < 10 }); err != nil || n != 10 {
		t.Errorf("%d captures, %v", n, err)
	}
}

// TestExportHoldsNothingUp has an export wait for its reader while captures are committed and the
// index is read.
func TestExportHoldsNothingUp(t *testing.T) {
	b := newIndex(t)
	file := addFile(t, b, "a.warc.gz")
	captures := nastyCaptures(3*sliceKeys, []File{file})
	commit(t, b, captures[:2*sliceKeys])
	out, in := io.Pipe()
	exported := make(chan error)
	go func() {
		_, err := b.Export(in, Query{}, nil)
		in.Close()
		exported <- err
	}()
	first := make([]byte, 1)
	if _, err := io.ReadFull(out, first); err != nil { // now it is in the middle of a Write
		t.Fatal(err)
	}
	commit(t, b, captures[2*sliceKeys:], File{ID: file.ID, Committed: 1, Sealed: true})
	if got := allOf(t, b, Query{}); len(got) != len(captures) {
		t.Errorf("%d captures, want %d", len(got), len(captures))
	}
	rest, err := io.ReadAll(out)
	if err != nil {
		t.Fatal(err)
	}
	if err := <-exported; err != nil {
		t.Fatal(err)
	}
	checkSorted(t, append(first, rest...))
}

// TestExportsBesideCommits is for the race detector; every export is sorted, and has all that was
// committed before it began.
func TestExportsBesideCommits(t *testing.T) {
	b := newIndex(t)
	file := addFile(t, b, "a.warc.gz")
	captures := nastyCaptures(20_000, []File{file})
	before := len(captures) / 2
	commit(t, b, captures[:before])
	var wg sync.WaitGroup
	wg.Go(func() {
		for batch := range slices.Chunk(captures[before:], 500) {
			file.Committed++
			commit(t, b, batch, file)
		}
	})
	for range 2 {
		wg.Go(func() {
			for range 2 {
				var out bytes.Buffer
				done, err := b.Export(&out, Query{}, nil)
				if err != nil {
					t.Error(err)
				}
				if done.Lines < int64(before) {
					t.Errorf("%d lines, %d had been committed", done.Lines, before)
				}
				lines := strings.SplitAfter(out.String(), "\n")
				if !slices.IsSorted(lines[:len(lines)-1]) {
					t.Error("not sorted")
				}
				if _, err := b.Files(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}
