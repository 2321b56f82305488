//go:build faults

package recorder

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/fault"
	"warcorder/store/warc"
)

// TestRecoverKilledAnywhere kills recoveries and rebuilds at every point, each time that they come
// to it. The next one must bring about the same as one that was not killed.
func TestRecoverKilledAnywhere(t *testing.T) {
	if dir := os.Getenv("RECORDER_TEST_RECOVER"); dir != "" {
		var err error
		if os.Getenv("RECORDER_TEST_REBUILD") != "" {
			_, err = rebuilt(Config{}, dir, zerolog.Nop(), nil)
		} else {
			_, err = Recover(Config{}, collection.Dir(dir), zerolog.Nop())
		}
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, c := range []struct {
		name    string
		make    func(t *testing.T, dir string)
		rebuild bool
	}{
		{"torn", func(t *testing.T, dir string) {
			c := crash(t)
			c.restore(t, dir, int64(len(c.bytes))-5, c.starts[2])
		}, false},
		{"nothing whole", func(t *testing.T, dir string) {
			c := crash(t)
			c.restore(t, dir, 100, 0)
		}, false},
		{"damaged", func(t *testing.T, dir string) { makeDamaged(t, dir, 1, warc.OpenSuffix) }, false},
		{"warcinfo damaged", func(t *testing.T, dir string) { makeDamaged(t, dir, -1, warc.OpenSuffix) },
			false},
		{"finished, not known", func(t *testing.T, dir string) { makeDamaged(t, dir, 1, "") }, false},
		{"no index, several files", func(t *testing.T, dir string) { makeSeveral(t, dir) }, false},
		{"index damaged", func(t *testing.T, dir string) {
			makeSeveral(t, dir)
			write(t, filepath.Join(dir, collection.IndexName), []byte("nonsense"))
		}, false},
		{"rebuild", func(t *testing.T, dir string) { makeSeveral(t, dir); recoverOnly(t, dir) }, true},
		{"died, with its index", makeDied, false},
		{"died, with its index, rebuild", makeDied, true},
		{"died, and the index is lost", func(t *testing.T, dir string) {
			makeDied(t, dir)
			if err := os.Remove(filepath.Join(dir, collection.IndexName)); err != nil {
				t.Fatal(err)
			}
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			begin := t.TempDir()
			c.make(t, begin)
			want := recoverCopy(t, begin, "", c.rebuild)
			if died := strings.HasPrefix(c.name, "died"); died != (want["gaps"] == "map[crash:1]") {
				t.Errorf("gaps: %s", want["gaps"])
			}
			kills := 0
			for _, point := range fault.Points {
				for n := 1; ; n++ {
					got := recoverCopy(t, begin, fmt.Sprintf("kill %s %d", point, n), c.rebuild)
					if got == nil {
						break
					}
					kills++
					if !maps.Equal(got, want) {
						t.Errorf("killed at %s, time %d:\n%s", point, n, difference(got, want))
					}
				}
			}
			if kills < 4 {
				t.Errorf("%d kills", kills)
			}
			t.Log(kills, "kills")
		})
	}
}

// makeDamaged makes a collection with a file that is damaged in its exchange n, or in the warcinfo
// record if that is negative.
func makeDamaged(t *testing.T, dir string, n int, suffix string) {
	t.Helper()
	c := crash(t)
	committed, at := int64(-1), 50
	if n >= 0 {
		committed, at = c.starts[n], int(c.starts[n+1])+100
	}
	d := c.flipped(at)
	d.content = append(d.content, "torn"...)
	if err := os.CopyFS(dir, os.DirFS(d.restore(t, suffix, committed))); err != nil {
		t.Fatal(err)
	}
}

// makeDied makes a collection of which the recorder has died, with a torn file.
func makeDied(t *testing.T, dir string) {
	t.Helper()
	if err := os.CopyFS(dir, os.DirFS(died(t))); err != nil {
		t.Fatal(err)
	}
	open, err := filepath.Glob(filepath.Join(dir, "archive", "*"+warc.OpenSuffix))
	if err != nil || len(open) != 1 {
		t.Fatal(open, err)
	}
	content, err := os.ReadFile(open[0])
	if err != nil {
		t.Fatal(err)
	}
	write(t, open[0], append(content, "torn"...))
}

// makeSeveral makes a collection without an index: finished files, one that is torn and one that is
// damaged.
func makeSeveral(t *testing.T, dir string) {
	t.Helper()
	archive := filepath.Join(dir, "archive")
	for i := range 3 {
		c := crash(t)
		name := filepath.Join(archive, fmt.Sprintf("%d-%s", i, c.name))
		if err := os.MkdirAll(archive, 0o755); err != nil {
			t.Fatal(err)
		}
		switch i {
		case 0:
			write(t, name, c.bytes)
		case 1:
			write(t, name+warc.OpenSuffix, c.bytes[:len(c.bytes)-10])
		case 2:
			d := c.flipped(int(c.starts[2]) + 100)
			write(t, name+warc.OpenSuffix, d.content)
		}
	}
}

// recoverCopy recovers a copy of a collection in a process of its own that breaks as told, and once
// more in this one if that was killed. It returns all that is then there; nil if the process was to
// be killed and was not.
func recoverCopy(t *testing.T, begin, breaks string, rebuild bool) map[string]string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "c")
	defer os.RemoveAll(dir)
	if err := os.CopyFS(dir, os.DirFS(begin)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestRecoverKilledAnywhere$")
	cmd.Env = append(os.Environ(), "RECORDER_TEST_RECOVER="+dir, fault.Variable+"="+breaks)
	if rebuild {
		cmd.Env = append(cmd.Env, "RECORDER_TEST_REBUILD=1")
	}
	out, err := cmd.CombinedOutput()
	switch {
	case err == nil && breaks != "":
		return nil
	case err == nil:
	case cmd.ProcessState.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL:
		t.Fatalf("%s: %v\n%s", breaks, err, out)
	default:
		recoverOnly(t, dir)
	}
	return contentOf(t, dir)
}

// contentOf is the export of a collection, and its files but for the index.
func contentOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{"export": export(t, dir)}
	index, err := store.OpenReadOnly(filepath.Join(dir, collection.IndexName))
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	gaps, err := index.Gaps(0)
	if err != nil {
		t.Fatal(err)
	}
	all["gaps"] = fmt.Sprint(gaps.Counts) // one of a crash, however often the recovery was killed
	files, err := index.Files()
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		file.ID = 0
		all["state of "+file.Name] = fmt.Sprint(file)
	}
	if err := fs.WalkDir(os.DirFS(dir), ".", func(path string, entry fs.DirEntry, err error) error {
		// the mark of a closed index, too
		if err != nil || entry.IsDir() || strings.HasPrefix(path, collection.IndexName) {
			return err
		}
		content, err := os.ReadFile(filepath.Join(dir, path))
		all[path] = string(content)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

func difference(got, want map[string]string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if want[name] != got[name] {
			fmt.Fprintf(&b, "%s: %d bytes, want %d\n", name, len(got[name]), len(want[name]))
		}
	}
	for name := range want {
		if _, there := got[name]; !there {
			fmt.Fprintf(&b, "%s: missing\n", name)
		}
	}
	return b.String()
}

// TestDiskFull fills the disk at every step of recording, each time that the recorder comes to it,
// for a while. In the end every exchange is there once.
func TestDiskFull(t *testing.T) {
	for _, point := range []fault.Point{
		fault.WARCCreate, fault.WARCCreated, fault.WARCWrite, fault.WARCSync, fault.WARCTruncate,
		fault.WARCRename, fault.WARCRenamed, fault.IndexAddFile, fault.IndexCommit,
	} {
		t.Run(string(point), func(t *testing.T) {
			came := false
			for n := 1; ; n++ {
				again := false
				for _, length := range []int{1, 7} {
					again = recordOnFullDisk(t, point, n, length) || again
				}
				if !again {
					break
				}
				came = true
			}
			if !came && point != fault.WARCTruncate {
				t.Error("the recorder never came to it")
			}
		})
	}
}

// recordOnFullDisk records while a point fails from the n-th time on, as often as length says. It
// reports whether that came about.
func recordOnFullDisk(t *testing.T, point fault.Point, n, length int) (failed bool) {
	t.Helper()
	name := fmt.Sprintf("%s, time %d to %d", point, n, n+length-1)
	synctest.Test(t, func(t *testing.T) {
		passed := 0
		dir := t.TempDir()
		c := open(t, dir, Config{WARCMaxSize: 20_000, WARCIdle: time.Hour})
		fault.Set(func(p fault.Point) error {
			if p != point {
				return nil
			}
			passed++
			if passed < n || passed >= n+length {
				return nil
			}
			failed = true
			return syscall.ENOSPC
		})
		defer fault.Set(nil)
		var want []string
		for i := range 10 {
			url := fmt.Sprintf("http://example.com/%02d", i)
			want = append(want, url)
			body := randomText(3000)
			if i%4 == 3 {
				body = randomBytes(1200 << 10)
			}
			c.commit(url, exampleRequest, page(200, "text/plain", "", body))
			if i%3 == 0 {
				time.Sleep(100 * time.Millisecond)
				synctest.Wait()
			}
		}
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if err := c.Ready(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := c.urls(); !slices.Equal(got, want) {
			t.Errorf("%s: captures %v", name, got)
		}
		c.Close() // may be what fails
		fault.Set(nil)
		again := open(t, dir, Config{})
		if got := again.urls(); !slices.Equal(got, want) {
			t.Errorf("%s, again: captures %v", name, got)
		}
		again.close()
		records := readAll(t, dir)
		checkIndex(t, dir, records)
		if n := len(slices.DeleteFunc(records,
			func(r storedRecord) bool { return r.get("WARC-Type") != "response" })); n != len(
			want,
		) {
			t.Errorf("%s: %d responses", name, n)
		}
	})
	return failed
}

// readAll is readBack for files whose records may name the warcinfo record of another: the one that
// they were meant for could not be written.
func readAll(t *testing.T, dir string) (all []storedRecord) {
	t.Helper()
	names, _ := filepath.Glob(filepath.Join(dir, "archive", "*"))
	for _, name := range names {
		all = append(all, readFile(t, name)...)
	}
	return all
}

// TestRecoverOnFullDisk: a recovery for which the disk is full anywhere returns an error, and harms
// nothing.
func TestRecoverOnFullDisk(t *testing.T) {
	begin := t.TempDir()
	makeSeveral(t, begin)
	want := recoverCopy(t, begin, "", false)
	failures := 0
	for _, point := range fault.Points {
		for n := 1; ; n++ {
			dir := filepath.Join(t.TempDir(), "c")
			if err := os.CopyFS(dir, os.DirFS(begin)); err != nil {
				t.Fatal(err)
			}
			passed := 0
			fault.Set(func(p fault.Point) error {
				if p == point {
					passed++
				}
				if p == point && passed == n {
					return syscall.ENOSPC
				}
				return nil
			})
			_, err := recovered(Config{}, dir, zerolog.Nop(), nil)
			fault.Set(nil)
			if passed < n {
				break
			}
			failures++
			if err != nil && !errors.Is(err, syscall.ENOSPC) {
				t.Errorf("%s, time %d: %v", point, n, err)
			}
			recoverOnly(t, dir)
			if got := contentOf(t, dir); !maps.Equal(got, want) {
				t.Errorf("full at %s, time %d:\n%s", point, n, difference(got, want))
			}
		}
	}
	if failures < 20 {
		t.Errorf("%d failures", failures)
	}
}
