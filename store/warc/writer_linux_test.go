package warc

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
)

// limitFiles makes writes beyond size fail with EFBIG, after what fits has been written: as a full
// disk does.
func limitFiles(t *testing.T, size uint64) (lift func()) {
	t.Helper()
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
		t.Skip(err)
	}
	signal.Ignore(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE,
		&syscall.Rlimit{Cur: size, Max: old.Max}); err != nil {
		t.Skip(err)
	}
	lift = func() {
		syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old)
		signal.Reset(syscall.SIGXFSZ)
	}
	t.Cleanup(lift)
	return lift
}

// TestFailedAppendIsCutOff runs in a process of its own, since the limit holds for all files of a
// process: that in which the go command has tests note what they open, too.
func TestFailedAppendIsCutOff(t *testing.T) {
	if os.Getenv("WARC_TEST_LIMIT") != "" {
		testFailedAppendIsCutOff(t)
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestFailedAppendIsCutOff$")
	cmd.Env = append(os.Environ(), "WARC_TEST_LIMIT=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v:\n%s", err, out)
	}
}

func testFailedAppendIsCutOff(t *testing.T) {
	large := encodedBody(gather + 1)
	record := newRecord(1, encodedBody(300_000))
	for _, test := range []struct {
		name   string
		append func(*Writer) (int64, error)
	}{
		{"one write",
			func(w *Writer) (int64, error) { return w.Append(large[:125_000], large[:125_000]) }},
		{"second write", func(w *Writer) (int64, error) { return w.Append([]byte("x"), large) }},
		{"stream", func(w *Writer) (int64, error) {
			return w.AppendStream(func(tail *Tail) error {
				_, err := tail.Write(record.member(true))
				return err
			})
		}},
		{"copy from a file", func(w *Writer) (int64, error) {
			return w.AppendStream(func(tail *Tail) error {
				f, err := os.Open("/dev/zero")
				if err != nil {
					return err
				}
				defer f.Close()
				_, err = tail.ReadFrom(f)
				return err
			})
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			w, dir := create(t)
			path := filepath.Join(dir, testName+OpenSuffix)
			if _, err := w.Append([]byte("before")); err != nil {
				t.Fatal(err)
			}
			lift := limitFiles(t, 200_000)
			if _, err := test.append(w); !errors.Is(err, syscall.EFBIG) {
				t.Errorf("got %v, want EFBIG", err)
			}
			checkFile(t, path, "before")
			if w.Size() != 6 {
				t.Errorf("size is %d", w.Size())
			}
			lift()
			if offset, err := w.Append([]byte("after")); err != nil || offset != 6 {
				t.Errorf("appended at %d, %v", offset, err)
			}
			checkFile(t, path, "beforeafter")
		})
	}
}

// TestPoisonedWriter writes to a device that is full and cannot be cut.
func TestPoisonedWriter(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Skip(err)
	}
	w := &Writer{dir: t.TempDir(), name: testName, file: full}
	_, first := w.Append([]byte("x"))
	if !errors.Is(first, syscall.ENOSPC) || !errors.Is(first, syscall.EINVAL) {
		t.Errorf("got %v, want ENOSPC and the EINVAL of the cut", first)
	}
	if _, err := w.Append(); !errors.Is(err, first) {
		t.Errorf("the next append gives %v", err)
	}
	if err := w.Close(); err == nil {
		t.Error("closed as if nothing had been")
	}
}

func TestFailedSync(t *testing.T) {
	device, err := os.OpenFile("/dev/null", os.O_RDWR, 0) // takes every write, but no sync
	if err != nil {
		t.Skip(err)
	}
	w := &Writer{dir: t.TempDir(), name: testName, file: device}
	if _, err := w.Append([]byte("x")); err != nil {
		t.Fatal(err)
	}
	failed := w.Sync()
	if failed == nil {
		t.Skip("this system syncs /dev/null")
	}
	if _, err := w.Append([]byte("x")); !errors.Is(err, failed) {
		t.Errorf("append after a failed sync: %v", err)
	}
	if err := w.Close(); !errors.Is(err, failed) {
		t.Errorf("close after a failed sync: %v", err)
	}
}
