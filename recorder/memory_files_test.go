package recorder

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"warcorder/proxy/raced"
	"warcorder/recorder/recovery/foreign"
	"warcorder/store/warc"
)

// liveHeap is what is in the heap, with what is not collected yet.
func liveHeap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// peakHeap is how much the heap grows at most while work goes on.
func peakHeap(work func()) uint64 {
	defer debug.SetGCPercent(debug.SetGCPercent(10)) // so that little of it is garbage
	debug.FreeOSMemory()
	before, peak := liveHeap(), uint64(0)
	done := make(chan struct{})
	go func() {
		defer close(done)
		work()
	}()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		peak = max(peak, liveHeap())
		select {
		case <-done:
			return max(peak, before) - before
		case <-tick.C:
		}
	}
}

// TestHostileFilesInMemory: whatever stands in the headers of a file, recover, rebuild and index
// take no more memory than recording does. A command takes half of the bound for one header of
// 8 MB, and would break the bound if it held nine; what is shorter breaks it only with CI_LONG.
func TestHostileFilesInMemory(t *testing.T) {
	long := os.Getenv("CI_LONG") != ""
	records := func(few, many int) int {
		if long {
			return many
		}
		return raced.Of(few)
	}
	const bound = 100 << 20
	junk := strings.Repeat("j", 8<<20-1000)
	for _, test := range []struct {
		name    string
		records int
		make    func(i int) [][2]string
		end     string // of the file
	}{
		{"long URLs", records(100, 19_800), func(i int) [][2]string {
			url := fmt.Sprintf("http://example.com/%d/%s", i, strings.Repeat("u", 100_000))
			return foreign.Exchange(i, url, "")
		}, ""},
		{"long headers", records(9, 990), func(i int) [][2]string {
			return foreign.Exchange(i, fmt.Sprintf("http://example.com/%d", i), "X: "+junk+"\r\n")
		}, ""},
		{"long IDs", records(9, 990), func(i int) [][2]string {
			return foreign.Exchange(i, fmt.Sprintf("http://example.com/%d", i),
				"WARC-Concurrent-To: <urn:x:"+junk+">\r\n")
		}, ""},
		{"warcinfo records of many", records(9, 990), func(i int) [][2]string {
			return foreign.Exchange(i, fmt.Sprintf("http://example.com/%d", i),
				fmt.Sprintf("WARC-Warcinfo-ID: <urn:x:%d%s>\r\n", i, junk))
		}, ""},
		{"revisits of long URLs", records(100, 19_800), func(i int) [][2]string {
			more := fmt.Sprintf("WARC-Refers-To: <urn:uuid:00000003-0000-4000-8000-%012d>\r\n"+
				"WARC-Refers-To-Target-URI: http://example.com/%s\r\n"+
				"WARC-Refers-To-Date: 2026-01-01T00:00:00.000000Z\r\n",
				i, strings.Repeat("u", 100_000))
			e := foreign.Exchange(i, fmt.Sprintf("http://example.com/%d", i), more)
			e[0][0] = strings.Replace(e[0][0], "response", "revisit", 1)
			return e
		}, "torn"},
		{"many lines", records(10, 1320), func(i int) [][2]string {
			return foreign.Exchange(i, fmt.Sprintf("http://example.com/%d", i),
				strings.Repeat("a:\r\n", 1<<16-50))
		}, ""},
	} {
		for _, own := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, own %v", test.name, own), func(t *testing.T) {
				dir, elsewhere := t.TempDir(), t.TempDir()
				archive := filepath.Join(dir, "archive")
				if err := os.Mkdir(archive, 0o700); err != nil {
					t.Fatal(err)
				}
				path := filepath.Join(elsewhere, "x.warc.gz")
				makeWARC(t, path, own, test.records, test.make, test.end)
				captures := 0
				work := map[string]func() error{
					"index": func() error {
						paths := []string{path}
						files, err := added(Config{}, dir, paths, false, zerolog.Nop(), nil)
						if err == nil {
							captures = files[0].Captures
						}
						return err
					},
					"rebuild": func() error {
						found, err := rebuilt(Config{}, dir, zerolog.Nop(), nil)
						captures = found.Captures
						return err
					},
					"recover": func() error {
						if own {
							if err := os.Rename(filepath.Join(archive, "x.warc.gz"),
								filepath.Join(archive, "x.warc.gz"+warc.OpenSuffix)); err != nil {
								return err
							}
						}
						if err := os.Remove(filepath.Join(dir, "index.bolt")); err != nil {
							return err
						}
						found, err := recovered(Config{}, dir, zerolog.Nop(), nil)
						captures = found.Captures
						return err
					},
				}
				for _, name := range []string{"index", "rebuild", "recover"} {
					var err error
					captures = 0
					peak := peakHeap(func() { err = work[name]() })
					t.Logf("%s: %d captures, %d MB", name, captures, peak>>20)
					if err != nil || captures < test.records {
						t.Errorf("%s: %d captures, %v", name, captures, err)
					}
					if peak > bound {
						t.Errorf("%s: %d MB", name, peak>>20)
					}
				}
			})
		}
	}
}

// makeWARC writes a file of n exchanges, which begins with our warcinfo record if it is to count as
// our own, and ends with end.
func makeWARC(
	t *testing.T, path string, own bool, n int, make func(i int) [][2]string, end string,
) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	out := bufio.NewWriter(f)
	c := warc.NewCompressor()
	write := func(records [][2]string) {
		for _, r := range records {
			head := fmt.Sprintf("WARC/1.1\r\n%sContent-Length: %d\r\n\r\n", r[0], len(r[1]))
			record := [][]byte{[]byte(head), []byte(r[1]), []byte(warc.RecordEnd)}
			out.Write(c.Append(nil, record, -1)) // Flush tells
		}
	}
	if own {
		err = foreign.Own(out)
	}
	for i := range n {
		write(make(i))
	}
	_, err2 := io.WriteString(out, end)
	for _, err := range []error{err, err2, out.Flush(), f.Close()} {
		if err != nil {
			t.Fatal(err)
		}
	}
}
