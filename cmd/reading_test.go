//go:build linux

package cmd

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"warcorder/store"
	"warcorder/store/collection"
)

// atRest makes a collection of n captures below dir that nobody records, and returns its directory.
func atRest(t *testing.T, dir string, n int) collection.Dir {
	t.Helper()
	d := collection.Dir(filepath.Join(dir, "collections", "default"))
	if err := d.Make(0o644); err != nil {
		t.Fatal(err)
	}
	index, err := store.Open(d.Index(), store.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	file, err := index.AddFile("w.warc.gz")
	if err != nil {
		t.Fatal(err)
	}
	captures := make([]store.Capture, n)
	for i := range captures {
		url := fmt.Sprintf("http://example.com/%07d?%s", i, strings.Repeat("x", 200))
		captures[i] = store.Capture{
			URLKey:   strings.Replace(url, "http://example.com", "com,example)", 1),
			URL:      url,
			Time:     time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
			Status:   200,
			Location: store.Location{File: file.Name, Offset: int64(i), Length: 1},
		}
	}
	file.Sealed = true
	if err := index.Commit(captures, []store.File{file}); err != nil {
		t.Fatal(err)
	}
	if err := index.Close(); err != nil {
		t.Fatal(err)
	}
	return d
}

// TestBlockedReader: an export whose reader has stopped reading keeps no recorder from starting;
// when its reader goes on it gets all lines, the rest of them from that recorder, or again from the
// index.
func TestBlockedReader(t *testing.T) {
	const n = 20_000
	for _, dialect := range []string{"pywb", "spec"} {
		for _, stops := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, the recorder stops %t", dialect, stops), func(t *testing.T) {
				dir := t.TempDir()
				atRest(t, dir, n)
				export := command(dir, "export", "-o", "-", "--dialect", dialect)
				var complaint bytes.Buffer
				export.Stderr = &complaint
				out, err := export.StdoutPipe()
				if err != nil {
					t.Fatal(err)
				}
				if err := export.Start(); err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { export.Process.Kill() })
				in := bufio.NewReaderSize(out, 1)
				first, err := in.ReadString('\n')
				if err != nil {
					t.Fatal(err)
				}
				r := launch(t, filepath.Join(dir, "collections"), filepath.Join(dir, "ca"), "")
				if r.address == "" {
					t.Fatalf("no recorder starts: %s", r.tail())
				}
				if stops {
					r.cmd.Process.Signal(syscall.SIGTERM)
					<-r.ended
				}
				rest, err := io.ReadAll(in)
				if err := export.Wait(); err != nil {
					t.Fatalf("%v: %s", err, complaint.String())
				}
				lines := strings.SplitAfter(strings.TrimSuffix(first+string(rest), "\n"), "\n")
				if len(lines) != n || !slices.IsSorted(lines) || err != nil {
					t.Errorf("%d lines, sorted %t, %v", len(lines), slices.IsSorted(lines), err)
				}
			})
		}
	}
}

// TestWhoHoldsIt: a recorder that cannot start since a reader has the index open waits, and names
// it.
func TestWhoHoldsIt(t *testing.T) {
	dir := t.TempDir()
	index, err := os.Open(atRest(t, dir, 10).Index())
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	if err := unix.Flock(int(index.Fd()), unix.LOCK_SH); err != nil {
		t.Fatal(err)
	}
	said, err := command(dir, "record", "--listen", "127.0.0.1:0").CombinedOutput()
	want := fmt.Sprintf("process %d (%s", os.Getpid(), os.Args[0])
	if err == nil || !strings.Contains(string(said), want[:min(len(want), 150)]) {
		t.Errorf("%v, want %q: %s", err, want, said)
	}
}

// TestWaitsForReader: a recorder starts when a reader that has the index open is done.
func TestWaitsForReader(t *testing.T) {
	dir := t.TempDir()
	index, err := os.Open(atRest(t, dir, 10).Index())
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Flock(int(index.Fd()), unix.LOCK_SH); err != nil {
		t.Fatal(err)
	}
	done := time.AfterFunc(time.Second, func() { index.Close() })
	defer done.Stop()
	r := launch(t, filepath.Join(dir, "collections"), filepath.Join(dir, "ca"), "")
	if r.address == "" {
		t.Errorf("it does not start: %s", r.tail())
	}
}

// TestExportsArePrivate: what is exported to a file is for its owner alone.
func TestExportsArePrivate(t *testing.T) {
	old := unix.Umask(0)
	defer unix.Umask(old)
	dir := t.TempDir()
	d := atRest(t, dir, 10)
	elsewhere := filepath.Join(dir, "lines.cdxj")
	for _, args := range [][]string{{"export"}, {"export", "-o", elsewhere}} {
		if said, err := command(dir, args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
	}
	for _, path := range []string{elsewhere, d.CDXJ(), d.Index()} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", path, info, err)
		}
	}
}

// TestOldRecorderKeepsBodies: a recorder that cannot leave request bodies out is not asked for
// lines without them.
func TestOldRecorderKeepsBodies(t *testing.T) {
	dir := t.TempDir()
	d := atRest(t, dir, 10)
	index, err := store.Open(d.Index(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	old := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "com,example)/?password=secret 2026 {}\n")
	}))
	defer old.Close()
	who := collection.Running{PID: os.Getpid(), Addresses: []string{old.Listener.Addr().String()}}
	if err := d.Announce(who, collection.DefaultMode); err != nil {
		t.Fatal(err)
	}
	said, err := command(dir, "export", "--no-request-bodies", "-o", "-").CombinedOutput()
	if err == nil || !strings.Contains(string(said), "older version") ||
		strings.Contains(string(said), "secret") {
		t.Errorf("%v: %s", err, said)
	}
}

// TestCraftedIndexes: an index whose meta pages claim what they like costs no command more memory
// than a sound one does.
func TestCraftedIndexes(t *testing.T) {
	for name, lie := range map[string]func(meta []byte){
		"pages in use":  func(meta []byte) { binary.NativeEndian.PutUint64(meta[40:], 1<<31) },
		"root":          func(meta []byte) { binary.NativeEndian.PutUint64(meta[16:], 1<<31) },
		"free list":     func(meta []byte) { binary.NativeEndian.PutUint64(meta[32:], 1<<31) },
		"no free list":  func(meta []byte) { binary.NativeEndian.PutUint64(meta[32:], 1<<64-1) },
		"transaction":   func(meta []byte) { binary.NativeEndian.PutUint64(meta[48:], 1<<63) },
		"size of pages": func(meta []byte) { binary.NativeEndian.PutUint32(meta[8:], 16<<20) },
	} {
		for _, args := range [][]string{
			{"lookup", "http://example.com/"}, {"gaps"}, {"verify"}, {"recover"}, {"rebuild"},
		} {
			t.Run(name+", "+args[0], func(t *testing.T) {
				dir := t.TempDir()
				path := atRest(t, dir, 1000).Index()
				index, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				for page := range 2 {
					meta := index[page*os.Getpagesize()+16:]
					lie(meta)
					sum := fnv.New64a()
					sum.Write(meta[:56])
					binary.NativeEndian.PutUint64(meta[56:], sum.Sum64())
				}
				if err := os.WriteFile(path, index, 0o600); err != nil {
					t.Fatal(err)
				}
				cmd := command(dir, args...)
				var out bytes.Buffer
				cmd.Stdout, cmd.Stderr = &out, &out
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				peak := watchPeak(t, cmd)
				cmd.Wait() // whatever its status is
				said := out.Bytes()
				if bytes.Contains(said, []byte("goroutine ")) {
					t.Errorf("it panicked: %s", said)
				}
				const limit = 300 << 20 // some 20 MB without the race detector
				if used := peak(); used > limit {
					t.Errorf("it took %d bytes: %s", used, said)
				}
			})
		}
	}
}

// TestCleanEnd: a recorder that has come to its end leaves the mark that lets the next one start at
// once; while one records there is none, and none when it was killed.
func TestCleanEnd(t *testing.T) {
	dir := t.TempDir()
	mark := atRest(t, dir, 10).Index() + collection.ClosedSuffix
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL, syscall.SIGTERM} {
		r := launch(t, filepath.Join(dir, "collections"), filepath.Join(dir, "ca"), "")
		if _, err := os.Stat(mark); err == nil {
			t.Error("it records, and the index is marked as closed")
		}
		r.cmd.Process.Signal(signal)
		<-r.ended
		if _, err := os.Stat(mark); (err == nil) != (signal == syscall.SIGTERM) {
			t.Errorf("after %v: %v", signal, err)
		}
	}
}
