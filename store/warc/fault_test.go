//go:build faults

package warc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"warcorder/store/fault"
)

// failPoint makes the passes of a point numbered from first to last fail, and counts all.
func failPoint(t *testing.T, point fault.Point, first, last int) (passed *int) {
	t.Helper()
	passed = new(int)
	fault.Set(func(p fault.Point) error {
		if p != point {
			return nil
		}
		if *passed++; *passed >= first && *passed <= last {
			return syscall.ENOSPC
		}
		return nil
	})
	t.Cleanup(func() { fault.Set(nil) })
	return passed
}

// members are what a session appends: each is made once.
var members = sync.OnceValue(func() (m struct {
	text, large, empty []byte
	record             testRecord
}) {
	m.text, m.large, m.empty = numbered(1, textBody(5000)), numbered(2, encodedBody(gather)), numbered(
		3, nil)
	m.record = newRecord(4, textBody(300_000))
	return m
})

// session is the life of one file, as a recorder leads it: what fails is tried again, and given up
// if that fails too.
type session struct {
	t       *testing.T
	dir     string
	w       *Writer
	want    []byte // what was appended
	poison  error  // the first error after which the Writer has refused
	renamed bool
}

func (s *session) run() {
	var err error
	if s.w, err = Create(s.dir, testName); err != nil {
		if s.w, err = Create(s.dir, testName); err != nil {
			return // and nothing may be left
		}
	}
	m := members()
	for i := range 2 {
		s.append(m.text, m.empty)
		s.append(m.large, m.empty)
		s.stream(m.record, i == 1)
		s.copy(m.text)
		if err := s.w.Sync(); err != nil && s.poison == nil {
			s.poison = err
		}
	}
	s.renamed = s.w.Close() == nil
}

// do appends twice, if it fails the first time.
func (s *session) do(append func() (int64, error), member func() []byte) {
	for range 2 {
		size := s.w.Size()
		offset, err := append()
		switch {
		case err == nil && s.poison != nil:
			s.t.Fatalf("appended after %v", s.poison)
		case err == nil && offset != int64(len(s.want)):
			s.t.Fatalf("appended at %d, want %d", offset, len(s.want))
		case err == nil:
			s.want = bytes.Join([][]byte{s.want, member()}, nil)
			return
		case s.w.Size() != size:
			s.t.Fatalf("size %d became %d: %v", size, s.w.Size(), err)
		}
		if info, err := s.w.file.Stat(); err != nil || info.Size() != size && s.poison == nil {
			if s.poison = s.w.broken; s.poison == nil {
				s.t.Fatalf("the file has %d bytes, want %d, and takes more", info.Size(), size)
			}
		}
	}
}

func (s *session) append(members ...[]byte) {
	s.do(func() (int64, error) { return s.w.Append(members...) },
		func() []byte { return join(members...) })
}

func (s *session) stream(record testRecord, stored bool) {
	s.do(func() (int64, error) {
		return s.w.AppendStream(func(tail *Tail) error {
			_, err := NewCompressor().Stream(tail, tail.Offset(), [][]byte{record.warc, record.http},
				bytes.NewReader(record.body), int64(len(record.body)), stored)
			return err
		})
	}, func() []byte {
		var out memory
		NewCompressor().Stream(&out, 0, [][]byte{record.warc, record.http}, bytes.NewReader(record.body),
			int64(len(record.body)), stored)
		return out.b
	})
}

func (s *session) copy(member []byte) {
	path := writeFile(s.t, member)
	s.do(func() (int64, error) {
		return s.w.AppendStream(func(tail *Tail) error {
			f, err := os.Open(path)
			if err != nil {
				return err
			}
			defer f.Close()
			_, err = io.Copy(tail, f)
			return err
		})
	}, func() []byte { return member })
}

// memory is a file in memory.
type memory struct{ b []byte }

func (m *memory) Write(p []byte) (int, error) { m.b = append(m.b, p...); return len(p), nil }
func (m *memory) WriteAt(p []byte, off int64) (int, error) {
	return copy(m.b[off:], p), nil
}

// check looks at what the session has left.
func (s *session) check() {
	path := filepath.Join(s.dir, testName)
	if !s.renamed {
		path += OpenSuffix
	}
	got, err := os.ReadFile(path)
	if s.w == nil {
		if !errors.Is(err, fs.ErrNotExist) {
			s.t.Fatalf("nothing was made, and it is there: %v", err)
		}
		return
	}
	if err != nil { // renamed, and not known to be for ever
		if got, err = os.ReadFile(filepath.Join(s.dir, testName)); err != nil {
			s.t.Fatal(err)
		}
	}
	if s.w.Size() != int64(len(s.want)) || s.renamed && len(got) != len(s.want) ||
		!bytes.HasPrefix(got, s.want) {
		s.t.Fatalf("%d bytes, size %d, want %d", len(got), s.w.Size(), len(s.want))
	}
	if len(got) > len(s.want) && s.poison == nil {
		s.t.Fatalf("%d bytes of a failed append are left, and the Writer takes more",
			len(got)-len(s.want))
	}
	if _, skipped := walkOn(s.t, got[:s.w.Size()]); skipped != nil {
		s.t.Fatalf("damaged: %v", skipped)
	}
}

// TestFaults lets each passing of each point fail, once or from then on.
func TestFaults(t *testing.T) {
	for _, point := range []fault.Point{
		fault.WARCCreate, fault.WARCCreated, fault.WARCWrite, fault.WARCSync, fault.WARCSynced,
		fault.WARCTruncate, fault.WARCRename, fault.WARCRenamed,
	} {
		for _, length := range []int{1, 2, 1 << 30} {
			for n, all := 1, 1; n <= all; n++ {
				t.Run(fmt.Sprintf("%s/%d to %d", point, n, n+length-1), func(t *testing.T) {
					passed := failPoint(t, point, n, n+length-1)
					s := &session{t: t, dir: t.TempDir()}
					s.run()
					s.check()
					all = max(all, *passed)
				})
			}
			if point != fault.WARCTruncate && length == 1 && *passedOf(t, point) == 0 {
				t.Errorf("%s is never passed", point)
			}
		}
	}
}

// passedOf counts how often a session passes a point.
func passedOf(t *testing.T, point fault.Point) *int {
	passed := failPoint(t, point, 0, -1)
	s := &session{t: t, dir: t.TempDir()}
	s.run()
	s.check()
	return passed
}

// TestFaultsTogether lets writes fail and the cuts that would undo them.
func TestFaultsTogether(t *testing.T) {
	for n := 1; n <= 30; n++ {
		for cuts := range 3 {
			writes, truncates := 0, 0
			fault.Set(func(p fault.Point) error {
				switch p {
				case fault.WARCWrite:
					if writes++; writes == n {
						return syscall.EIO
					}
				case fault.WARCTruncate:
					if truncates++; truncates <= cuts {
						return syscall.EIO
					}
				}
				return nil
			})
			s := &session{t: t, dir: t.TempDir()}
			s.run()
			fault.Set(nil)
			s.check()
			if cuts > 0 && writes >= n && s.poison == nil {
				t.Fatalf("write %d and its undoing failed, and the Writer takes more", n)
			}
		}
	}
}

// TestFaultsOfResume: a file that cannot be cut is not resumed.
func TestFaultsOfResume(t *testing.T) {
	w, dir := create(t)
	if _, err := w.Append([]byte("whole, torn")); err != nil {
		t.Fatal(err)
	}
	w.file.Close()
	failPoint(t, fault.WARCTruncate, 1, 1)
	if _, err := Resume(dir, testName, 5, w.Opened()); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("got %v", err)
	}
	w, err := Resume(dir, testName, 5, w.Opened())
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	checkFile(t, filepath.Join(dir, testName), "whole")
}
