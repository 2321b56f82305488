//go:build faults

package store

import (
	"errors"
	"path/filepath"
	"reflect"
	"syscall"
	"testing"

	"warcorder/store/fault"
)

// TestFaultsOfTransactions lets transactions fail: the index, its files and its gaps stay as they
// were, in memory and on disk, and the next transaction does what that one should have done.
func TestFaultsOfTransactions(t *testing.T) {
	later := captureOf("http://example.com/later", testTime, "a.warc.gz", 2000)
	for _, test := range []struct {
		name  string
		point fault.Point
		do    func(*Bolt) error
	}{
		{"AddFile", fault.IndexAddFile,
			func(b *Bolt) error { _, err := b.AddFile("b.warc.gz"); return err }},
		{"AddFile, its transaction", fault.IndexCommit,
			func(b *Bolt) error { _, err := b.AddFile("b.warc.gz"); return err }},
		{"Commit", fault.IndexCommit, func(b *Bolt) error {
			return b.Commit([]Capture{later}, []File{{ID: 1, Committed: 3000, Sealed: true}})
		}},
		{"Commit of what is there", fault.IndexCommit, func(b *Bolt) error {
			again := captureOf("http://example.com/", testTime, "a.warc.gz", 0)
			again.Method, again.FormKey = "POST", "key"
			return b.Commit([]Capture{again}, nil)
		}},
		{"AddGaps", fault.IndexCommit,
			func(b *Bolt) error { return b.AddGaps(manyGaps(3), map[string]int64{"x": 5}) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "index.bolt")
			b, err := openToWrite(path)
			if err != nil {
				t.Fatal(err)
			}
			file := addFile(t, b, "a.warc.gz")
			file.Committed = 1000
			commit(t, b, []Capture{captureOf("http://example.com/", testTime, file.Name, 0)}, file)
			before := stateOf(t, b)
			t.Cleanup(func() { fault.Set(nil) })
			fault.Set(func(p fault.Point) error {
				if p == test.point {
					return syscall.ENOSPC
				}
				return nil
			})
			if err := test.do(b); !errors.Is(err, syscall.ENOSPC) {
				t.Errorf("got %v", err)
			}
			fault.Set(nil)
			if after := stateOf(t, b); !reflect.DeepEqual(after, before) {
				t.Errorf("before %+v\nafter  %+v", before, after)
			}
			b.Close()
			if b, err = openToWrite(path); err != nil {
				t.Fatal(err)
			}
			defer b.Close()
			if after := stateOf(t, b); !reflect.DeepEqual(after, before) {
				t.Errorf("before %+v\nand opened again %+v", before, after)
			}
			if err := test.do(b); err != nil {
				t.Fatal(err)
			}
			if after := stateOf(t, b); reflect.DeepEqual(after, before) {
				t.Error("and then it does nothing")
			}
		})
	}
}

// TestFaultAfterTransaction: what has been committed cannot fail any more.
func TestFaultAfterTransaction(t *testing.T) {
	b := newIndex(t)
	passed := 0
	t.Cleanup(func() { fault.Set(nil) })
	fault.Set(func(p fault.Point) error {
		if p == fault.IndexCommitted {
			passed++
			return syscall.ENOSPC
		}
		return nil
	})
	file := addFile(t, b, "a.warc.gz")
	commit(t, b, []Capture{captureOf("http://example.com/", testTime, file.Name, 0)}, file)
	if err := b.AddGaps(manyGaps(1), nil); err != nil {
		t.Fatal(err)
	}
	if passed != 3 {
		t.Errorf("passed %d times, want 3", passed)
	}
}

// state is all that an index holds.
type state struct {
	captures, byForm []Capture
	files            []File
	count            int64
	gaps             Gaps
}

func stateOf(t *testing.T, b *Bolt) (s state) {
	t.Helper()
	s.captures, s.byForm = allOf(t, b, Query{}), allOf(t, b, Query{Key: FormKey})
	var errs [3]error
	s.files, errs[0] = b.Files()
	s.count, errs[1] = b.Count()
	s.gaps, errs[2] = b.Gaps(0)
	if err := errors.Join(errs[:]...); err != nil {
		t.Fatal(err)
	}
	return s
}
