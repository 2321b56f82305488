package recorder

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/warc"
)

// crashed is a WARC file as a crash may leave it.
type crashed struct {
	name  string          // final base name
	bytes []byte          // of the file
	all   []store.Capture // in the order of the file
	// where the exchanges begin, with a capture or without; the first one begins where the warcinfo
	// record ends
	starts []int64

	indexes   map[int64][]byte // index.bolt, by how far it goes, without the zeros at its end
	indexSize int64            // with them
}

// crash records exchanges of all kinds into one file.
func crash(t *testing.T) *crashed {
	t.Helper()
	c := open(t, t.TempDir(), Config{})
	c.get("http://example.com/1")
	c.commit("http://example.com/2?a[]=ä", "POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\na=b",
		page(404, "image/png", "", randomBytes(1000)))
	c.commit("http://example.com/3", exampleRequest, "HTTP/1.1 200 OK\nContent-Type: té\xe9xt/x\n\nx")
	x := c.begin("http://example.com/fault", exampleRequest, "")
	x.Fault = "connection refused"
	x.Commit()
	x = c.begin("http://example.com/4", exampleRequest, exampleResponse)
	x.Unverified = "expired"
	x.Commit()
	x = c.begin("http://example.com/5", exampleRequest, "HTTP/1.1 200 OK\r\nContent-Ty")
	x.Truncated = "disconnect"
	x.Commit()
	c.commit("http://example.com/6", "HEAD / HTTP/1.1\r\n\r\n",
		"HTTP/1.1 301 Moved\r\nContent-Length: 5\r\n\r\n")
	c.commit("http://example.com/7", exampleRequest,
		"HTTP/1.1 206 P\r\nETag: \"a\"\r\nContent-Range: bytes 0-0/1\r\n\r\nx")
	c.close()
	return readCrashed(t, c.dir)
}

// readCrashed reads the only file of a collection, and what its index has of the file.
func readCrashed(t *testing.T, dir string) *crashed {
	t.Helper()
	names, _ := filepath.Glob(filepath.Join(dir, "archive", "*.warc.gz"))
	if len(names) != 1 {
		t.Fatal(names)
	}
	content, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	c := &crashed{
		name:    filepath.Base(names[0]),
		bytes:   content,
		all:     captures(t, dir),
		indexes: make(map[int64][]byte),
	}
	slices.SortFunc(c.all, func(a, b store.Capture) int { return int(a.Offset - b.Offset) })
	r, err := warc.NewReader(bytes.NewReader(content), c.name, 0)
	if err != nil {
		t.Fatal(err)
	}
	for {
		rec, err := r.Next()
		if err == io.EOF {
			return c
		}
		if err != nil {
			t.Fatal(err)
		}
		if rec.Type() == "response" ||
			rec.Type() == "request" && rec.Header.Get("WARC-Concurrent-To") == "" {
			c.starts = append(c.starts, rec.Offset)
		}
	}
}

// restore makes a collection in which the file has size bytes, under its name while it was written,
// and the index ends at committed, or knows nothing of the file if that is negative.
func (c *crashed) restore(t *testing.T, dir string, size, committed int64) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(dir, "archive"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "archive", c.name+warc.OpenSuffix), c.bytes[:size])
	if committed < 0 {
		return
	}
	if c.indexes[committed] == nil {
		c.makeIndex(t, committed)
	}
	path := filepath.Join(dir, "index.bolt")
	write(t, path, c.indexes[committed])
	if err := os.Truncate(path, c.indexSize); err != nil { // most of it is a hole
		t.Fatal(err)
	}
}

// makeIndex makes the index that ends at committed.
func (c *crashed) makeIndex(t *testing.T, committed int64) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "index.bolt")
	index, err := store.Open(path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	file, err := index.AddFile(c.name)
	if err != nil {
		t.Fatal(err)
	}
	file.Committed = committed
	if err := index.Commit(c.before(committed), []store.File{file}); err != nil {
		t.Fatal(err)
	}
	if err := index.Close(); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c.indexSize = int64(len(content))
	c.indexes[committed] = bytes.TrimRight(content, "\x00")
}

// before are the captures of exchanges that begin before offset.
func (c *crashed) before(offset int64) []store.Capture {
	n := 0
	for n < len(c.all) && c.all[n].Offset < offset {
		n++
	}
	return c.all[:n]
}

// exchangesEnd is the end of the last exchange that is whole in the first size bytes. An exchange
// with a metadata record is whole without it if it has a response.
func (c *crashed) exchangesEnd(t *testing.T, size int64) int64 {
	t.Helper()
	r, err := warc.NewReader(bytes.NewReader(c.bytes[:size]), c.name, 0)
	if err != nil {
		t.Fatal(err)
	}
	var end int64
	for {
		rec, err := r.Next()
		if err != nil {
			return end
		}
		kind, named := rec.Type(), rec.Header.Get("WARC-Concurrent-To") != ""
		if err := rec.Close(); err != nil {
			return end
		}
		if kind == "warcinfo" || kind == "metadata" || kind == "request" && named {
			end = rec.Offset + rec.Length
		}
	}
}

// checkRecovered checks what a recovery of the first size bytes has left.
func (c *crashed) checkRecovered(t *testing.T, dir string, size int64) {
	t.Helper()
	end := c.exchangesEnd(t, size)
	want := c.before(end)
	got := captures(t, dir)
	slices.SortFunc(got, func(a, b store.Capture) int { return int(a.Offset - b.Offset) })
	if !slices.Equal(got, want) {
		t.Errorf("cut at %d: captures\n%+v\nwant\n%+v", size, got, want)
	}
	kept, err := os.ReadFile(filepath.Join(dir, "archive", c.name))
	if end == 0 && os.IsNotExist(err) {
		err = nil
	}
	if err != nil || !bytes.Equal(kept, c.bytes[:end]) {
		t.Errorf("cut at %d: %v, %d bytes kept, want %d", size, err, len(kept), end)
	}
	torn, err := os.ReadFile(filepath.Join(dir, "archive", c.name+collection.TornSuffix))
	if end == size && os.IsNotExist(err) {
		err = nil
	}
	if err != nil || !bytes.Equal(torn, c.bytes[end:size]) {
		t.Errorf("cut at %d: %v, %d bytes in the copy, want %d", size, err, len(torn), size-end)
	}
	if _, err := os.Stat(filepath.Join(dir, "archive", c.name+warc.OpenSuffix)); !os.IsNotExist(err) {
		t.Errorf("cut at %d: the file still has its name from before: %v", size, err)
	}
}

// recoverAt recovers the first size bytes with an index that ends at committed.
func (c *crashed) recoverAt(t *testing.T, size, committed int64) {
	t.Helper()
	dir := t.TempDir()
	defer os.RemoveAll(dir)
	c.restore(t, dir, size, committed)
	recoverOnly(t, dir)
	c.checkRecovered(t, dir, size)
	index, err := store.OpenReadOnly(filepath.Join(dir, "index.bolt"))
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	files, err := index.Files()
	if err != nil || size > 0 &&
		(len(files) != 1 || !files[0].Sealed || files[0].Committed != c.exchangesEnd(t, size)) {
		t.Errorf("cut at %d: %+v, %v", size, files, err)
	}
}
