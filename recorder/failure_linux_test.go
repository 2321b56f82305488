package recorder

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"

	"warcorder/store/warc"
)

// TestDescriptorFails puts another file in the place of the WARC file's descriptor: one that takes
// no bytes and cannot be cut either, and one that swallows them but cannot be synced. What was safe
// before must stay, and the rest must come to be in the same file or the next.
func TestDescriptorFails(t *testing.T) {
	for _, c := range []struct {
		name  string
		flags int
		files int
	}{
		{"append fails and cannot be undone", unix.O_RDONLY, 2},
		{"sync fails", unix.O_RDWR, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				col := open(t, t.TempDir(), Config{})
				var want []string
				get := func() {
					want = append(want, fmt.Sprintf("http://example.com/%d", len(want)))
					col.get(want[len(want)-1])
				}
				get()
				time.Sleep(time.Second)
				synctest.Wait()
				replaceDescriptor(t,
					filepath.Join(col.dir, "archive", col.Status().OpenFiles[0]+warc.OpenSuffix), c.flags)
				get()
				get()
				time.Sleep(100 * time.Millisecond)
				synctest.Wait()
				if col.Ready() == nil {
					t.Error("ready")
				}
				time.Sleep(time.Minute)
				synctest.Wait()
				if err := col.Ready(); err != nil {
					t.Error(err)
				}
				get()
				time.Sleep(time.Second)
				synctest.Wait()
				if got := col.urls(); !slices.Equal(got, want) {
					t.Errorf("captures %v, want %v", got, want)
				}
				col.close()
				var records []storedRecord
				names, _ := filepath.Glob(filepath.Join(col.dir, "archive", "*"))
				for _, name := range names {
					records = append(records, readFile(t, name)...)
				}
				checkIndex(t, col.dir, records)
				if len(names) != c.files || len(records) != 2*len(want)+c.files {
					t.Errorf("%d records in %v", len(records), names)
				}
			})
		})
	}
}

// replaceDescriptor makes the descriptor of the open file at path one of /dev/null.
func replaceDescriptor(t *testing.T, path string, flags int) {
	t.Helper()
	null, err := unix.Open("/dev/null", flags|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(null)
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if target, _ := os.Readlink("/proc/self/fd/" + entry.Name()); target == path {
			fd, _ := strconv.Atoi(entry.Name())
			if err := unix.Dup3(null, fd, unix.O_CLOEXEC); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatalf("%s is not open", path)
}

// TestFileSizeLimit lets the kernel refuse writes: first those to the WARC file, then, when they
// reach no further than the limit, those to the index. It runs in a process of its own, since the
// limit holds for all files.
func TestFileSizeLimit(t *testing.T) {
	if os.Getenv("RECORDER_TEST_LIMIT") != "" {
		testFileSizeLimit(t)
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestFileSizeLimit$")
	cmd.Env = append(os.Environ(), "RECORDER_TEST_LIMIT=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v:\n%s", err, out)
	}
}

func testFileSizeLimit(t *testing.T) {
	signal.Ignore(unix.SIGXFSZ)
	all := []string{"http://example.com/1", "http://example.com/2", "http://example.com/3"}
	for _, c := range []struct {
		name   string
		limit  uint64
		reason string
		kept   map[string][]string // URLs of what is not lost, by how it ends
	}{
		// after a first exchange and within the second
		{"WARC file", 1500, ".warc.gz", map[string][]string{
			"lifted": all, "closed": all[:1], "lifted while closing": {all[0], all[2]},
		}},
		// the index has pages behind it, the WARC file ends before
		{"index", 8192, "index", map[string][]string{
			"lifted": all, "closed": all, "lifted while closing": all,
		}},
	} {
		for _, end := range []string{"lifted", "closed", "lifted while closing"} {
			t.Run(c.name+" "+end, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					col := open(t, t.TempDir(), Config{QueueSize: 3000}) // one exchange
					col.commit("http://example.com/1", exampleRequest, exampleResponse)
					time.Sleep(2 * time.Second) // until it is in the index
					synctest.Wait()
					limit(t, c.limit)
					col.commit("http://example.com/2", exampleRequest, exampleResponse)
					third := make(chan struct{})
					go func() { // waits for the second one to leave the queue
						col.commit("http://example.com/3", exampleRequest, exampleResponse)
						close(third)
					}()
					time.Sleep(time.Minute)
					synctest.Wait()
					if err := col.Ready(); err == nil || !strings.Contains(err.Error(), c.reason) ||
						!errors.Is(err, unix.EFBIG) {
						t.Errorf("Ready: %v", err)
					}
					if got := len(col.urls()); got != 1 {
						t.Errorf("%d captures in the index", got)
					}
					switch end {
					case "lifted":
						limit(t, unix.RLIM_INFINITY)
						<-third
						time.Sleep(time.Minute)
						synctest.Wait()
						if err := col.Ready(); err != nil {
							t.Error(err)
						}
						col.close()
					// behind the last try for the second one: the third, and what there is to finish, succeed
					case "lifted while closing":
						col.log.onLine = func(line string) {
							if strings.Contains(line, "exchange lost") ||
								strings.Contains(line, "captures are not in the index") {
								limit(t, unix.RLIM_INFINITY)
							}
						}
						fallthrough
					case "closed":
						if err := col.Close(); !errors.Is(err, unix.EFBIG) {
							t.Errorf("Close: %v", err)
						}
						limit(t, unix.RLIM_INFINITY)
					}
					if n := col.log.count("exchange lost"); n != 3-len(c.kept[end]) {
						t.Errorf("%d exchanges lost: %s", n, &col.log.b)
					}
					again := open(t, col.dir, Config{})
					if got := again.urls(); !slices.Equal(got, c.kept[end]) {
						t.Errorf("captures %v, want %v", got, c.kept[end])
					}
					again.close()
					var records []storedRecord
					names, _ := filepath.Glob(filepath.Join(col.dir, "archive", "*.warc.gz"))
					for _, name := range names {
						records = append(records, readFile(t, name)...)
					}
					checkIndex(t, col.dir, records)
				})
			})
		}
	}
}

func limit(t *testing.T, bytes uint64) {
	t.Helper()
	most := unix.Rlimit{Cur: bytes, Max: unix.RLIM_INFINITY}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &most); err != nil {
		t.Fatal(err)
	}
}

// TestFewDescriptors: more files at once than the process may have open are written all the same,
// since those that are full are closed.
func TestFewDescriptors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, t.TempDir(), Config{WARCMaxSize: 1})
		var before unix.Rlimit
		if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &before); err != nil {
			t.Fatal(err)
		}
		few := unix.Rlimit{Cur: uint64(openDescriptors() + 20), Max: before.Max}
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &few); err != nil {
			t.Fatal(err)
		}
		for n := range 100 {
			c.get(fmt.Sprint("http://example.com/", n))
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if err := c.Ready(); err != nil {
			t.Error(err)
		}
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &before); err != nil {
			t.Fatal(err)
		}
		c.close()
		if got := len(readBack(t, c.dir)); got != 100*3 {
			t.Errorf("%d records", got)
		}
	})
}
