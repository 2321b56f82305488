package warc

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

const testName = "test-20261121054512123-00000-host" + Suffix

func create(t testing.TB) (*Writer, string) {
	t.Helper()
	dir := t.TempDir()
	w, err := Create(dir, testName)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.file.Close() })
	return w, dir
}

func checkFile(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s has %d bytes, want %d", path, len(got), len(want))
	}
}

func TestWriter(t *testing.T) {
	w, dir := create(t)
	if w.Name() != testName || w.Size() != 0 {
		t.Errorf("new Writer: %s, %d bytes", w.Name(), w.Size())
	}
	large := string(encodedBody(gather))
	want := ""
	for _, bufs := range [][]string{
		{"one"}, {}, {"two", "", "three"}, {"small", large, "small"}, {large[1:], "x"},
	} {
		var in [][]byte
		offset := len(want)
		for _, b := range bufs {
			in = append(in, []byte(b))
			want += b
		}
		got, err := w.Append(in...)
		if err != nil || got != int64(offset) {
			t.Fatalf("appended at %d, %v; want %d", got, err, offset)
		}
		if w.Size() != int64(len(want)) {
			t.Fatalf("size is %d, want %d", w.Size(), len(want))
		}
	}
	checkFile(t, filepath.Join(dir, testName+OpenSuffix), want)
	if err := w.Sync(); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	checkFile(t, filepath.Join(dir, testName), want)
	if _, err := os.Stat(filepath.Join(dir, testName+OpenSuffix)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the open file is still there: %v", err)
	}
	if _, err := w.Append([]byte("x")); err == nil {
		t.Error("a closed Writer takes an append")
	}
}

func TestCreateOnlyNewFiles(t *testing.T) {
	_, dir := create(t)
	if _, err := Create(dir, testName); !errors.Is(err, fs.ErrExist) {
		t.Errorf("got %v, want ErrExist", err)
	}
}

func TestCloseOverwritesNothing(t *testing.T) {
	w, dir := create(t)
	if err := os.WriteFile(filepath.Join(dir, testName), []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); !errors.Is(err, fs.ErrExist) {
		t.Errorf("got %v, want ErrExist", err)
	}
	checkFile(t, filepath.Join(dir, testName), "old")
	checkFile(t, filepath.Join(dir, testName+OpenSuffix), "")
}

func TestDiscard(t *testing.T) {
	w, dir := create(t)
	if err := w.Discard(); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestAppendStream(t *testing.T) {
	w, dir := create(t)
	if _, err := w.Append([]byte("before")); err != nil {
		t.Fatal(err)
	}
	spilled := writeFile(t, []byte("from a file"))
	record := newRecord(1, textBody(200_000))
	var length int64
	offset, err := w.AppendStream(func(tail *Tail) (err error) {
		length, err = NewCompressor().Stream(tail, tail.Offset(), [][]byte{record.warc, record.http},
			bytes.NewReader(record.body), int64(len(record.body)), true)
		if err != nil {
			return err
		}
		f, err := os.Open(spilled)
		if err != nil {
			return err
		}
		defer f.Close()
		if _, err := io.Copy(tail, f); err != nil {
			return err
		}
		_, err = tail.Write([]byte("after"))
		return err
	})
	if err != nil || offset != 6 {
		t.Fatalf("appended at %d, %v", offset, err)
	}
	if w.Size() != 6+length+16 {
		t.Errorf("size is %d with a member of %d", w.Size(), length)
	}
	got, err := os.ReadFile(filepath.Join(dir, testName+OpenSuffix))
	if err != nil {
		t.Fatal(err)
	}
	if string(got[:6]) != "before" || string(got[6+length:]) != "from a fileafter" {
		t.Errorf("around the member: %q, %q", got[:6], got[6+length:])
	}
	checkMember(t, got[6:6+length], record.text())
}

func TestAppendStreamUndoes(t *testing.T) {
	w, dir := create(t)
	if _, err := w.Append([]byte("before")); err != nil {
		t.Fatal(err)
	}
	stop := errors.New("stop")
	for _, test := range []struct {
		name  string
		write func(*Tail) error
		want  error
	}{
		{"after a write", func(tail *Tail) error { tail.Write([]byte("xyz")); return stop }, stop},
		{"after a copy",
			func(tail *Tail) error { io.Copy(tail, bytes.NewReader(encodedBody(100_000))); return stop },
			stop},
		{"unreadable source",
			func(tail *Tail) error { _, err := tail.ReadFrom(failing{stop}); return err }, stop},
		{"patch before the append",
			func(tail *Tail) error { _, err := tail.WriteAt([]byte("x"), 5); return err }, nil},
		{"patch behind the end",
			func(tail *Tail) error {
				tail.Write([]byte("x"))
				_, err := tail.WriteAt([]byte("yy"), 6)
				return err
			}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := w.AppendStream(test.write)
			if err == nil || test.want != nil && !errors.Is(err, test.want) {
				t.Errorf("got %v, want %v", err, test.want)
			}
			checkFile(t, filepath.Join(dir, testName+OpenSuffix), "before")
		})
	}
	if offset, err := w.Append([]byte("after")); err != nil || offset != 6 {
		t.Errorf("appended at %d, %v", offset, err)
	}
	checkFile(t, filepath.Join(dir, testName+OpenSuffix), "beforeafter")
}

func TestResume(t *testing.T) {
	w, dir := create(t)
	if _, err := w.Append([]byte("whole records, torn tail")); err != nil {
		t.Fatal(err)
	}
	w.file.Close() // as a crash would
	if _, err := Resume(dir, testName, 1000, w.Opened()); err == nil {
		t.Error("resumed behind the file's end")
	}
	w, err := Resume(dir, testName, 13, w.Opened())
	if err != nil {
		t.Fatal(err)
	}
	if offset, err := w.Append([]byte("!")); err != nil || offset != 13 {
		t.Errorf("appended at %d, %v", offset, err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	checkFile(t, filepath.Join(dir, testName), "whole records!")
}

func TestConcurrentAppends(t *testing.T) {
	w, dir := create(t)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 100 {
				_, err := w.Append([]byte{'a' + byte(i)}, bytes.Repeat([]byte{'0' + byte(i)}, 99))
				if err != nil {
					t.Error(err)
				}
				if err := w.Sync(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	got, err := os.ReadFile(filepath.Join(dir, testName+OpenSuffix))
	if err != nil || len(got) != 80_000 {
		t.Fatalf("%d bytes, %v", len(got), err)
	}
	for ; len(got) > 0; got = got[100:] {
		i := got[0] - 'a'
		if !bytes.Equal(got[1:100], bytes.Repeat([]byte{'0' + i}, 99)) {
			t.Fatalf("appends are mixed: %q", got[:100])
		}
	}
}
