package recorder

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestWatchedTwice: a video that is asked for in the same parts twice, small ones and large ones,
// takes the room of one. Its parts are no whole: a whole that comes is stored as well.
func TestWatchedTwice(t *testing.T) {
	t.Parallel()
	const url = "http://example.com/video.mp4"
	body := randomBytes(8 << 20)
	c := open(t, t.TempDir(), Config{})
	n := 0
	for round := range 2 {
		for from, size := 0, 64<<10; from < len(body); from, size = from+size, min(2*size, 2<<20) {
			until := min(from+size, len(body))
			c.commit(url, exampleRequest, answerOf(206, fmt.Sprintf(
				"Date: %d\r\nETag: \"v\"\r\nContent-Type: video/mp4\r\nContent-Range: bytes %d-%d/%d\r\n",
				round, from, until-1, len(body)), body[from:until]))
			n++
		}
		eventually(t, "all is in the index", func() bool { return len(c.urls()) == n })
	}
	c.commit(url, exampleRequest, answerOf(200, "ETag: \"v\"\r\n", body))
	c.close()
	records := readBack(t, c.dir)
	checkIndex(t, c.dir, records)
	size := archiveSize(t, c.dir)
	if got := checkRevisits(t, records); got != n/2 || size > 2*int64(len(body))+100<<10 {
		t.Errorf("%d revisits of %d parts, %d bytes", got, n, size)
	}
	t.Logf("%d bytes, twice in %d parts and once whole, take %d", len(body), n, size)
	checkRebuild(t, c.dir, Config{})
}

// archiveSize is how many bytes the WARC files of a collection have.
func archiveSize(t *testing.T, dir string) (size int64) {
	t.Helper()
	names, _ := filepath.Glob(filepath.Join(dir, "archive", "*.warc.gz"))
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		size += info.Size()
	}
	return size
}
