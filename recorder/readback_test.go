package recorder

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nlnwa/gowarc"
	"github.com/rs/zerolog"

	"warcorder/recorder/record"
	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/warc"
)

// record is a record as gowarc reads it.
type storedRecord struct {
	file   string
	offset int64
	header *gowarc.WarcFields
	block  string
	faults string // what gowarc's validation says
}

func (r *storedRecord) get(name string) string { return r.header.Get(name) }

// readBack reads all WARC files of a collection with gowarc, and checks what must hold for each of
// them.
func readBack(t *testing.T, dir string) []storedRecord {
	t.Helper()
	var all []storedRecord
	names, _ := filepath.Glob(filepath.Join(dir, "archive", "*"))
	for _, name := range names {
		if !strings.HasSuffix(name, ".warc.gz") {
			t.Errorf("in archive/: %s", name)
			continue
		}
		records := readFile(t, name)
		checkFile(t, records)
		all = append(all, records...)
	}
	return all
}

func readFile(t *testing.T, path string) []storedRecord {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	in := &countingReader{r: f}
	buffered := bufio.NewReader(in)
	record.GowarcLock.Lock() // it writes the variable that a record builder writes
	u := gowarc.NewUnmarshaler(gowarc.WithFixSyntaxErrors(false), gowarc.WithFixDigest(false),
		gowarc.WithFixContentLength(false))
	record.GowarcLock.Unlock()
	var records []storedRecord
	for {
		offset := in.n - int64(buffered.Buffered())
		r, skipped, validation, err := u.Unmarshal(buffered)
		if errors.Is(err, io.EOF) {
			return records
		}
		if err != nil || skipped != 0 {
			t.Fatalf("%s at %d: %v, %d bytes skipped", path, offset, err, skipped)
		}
		raw, err := r.Block().RawBytes()
		if err != nil {
			t.Fatal(err)
		}
		block, err := io.ReadAll(raw)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Close(); err != nil {
			t.Fatalf("%s at %d: %v", path, offset, err)
		}
		records = append(records,
			storedRecord{filepath.Base(path), offset, r.WarcHeader(), string(block), validation.String()})
	}
}

type countingReader struct {
	r io.Reader
	n int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// checkFile checks the order of a file's records: warcinfo first and named by all others, each
// request right behind its response.
func checkFile(t *testing.T, records []storedRecord) {
	t.Helper()
	if len(records) == 0 || records[0].get("WARC-Type") != "warcinfo" ||
		records[0].get("WARC-Filename") != records[0].file {
		t.Errorf("the file does not begin with its warcinfo: %v", records)
		return
	}
	for i, r := range records[1:] {
		before := records[i]
		if r.get("WARC-Warcinfo-ID") != records[0].get("WARC-Record-ID") {
			t.Errorf("%s at %d: WARC-Warcinfo-ID is not that of the file", r.file, r.offset)
		}
		if before.get("WARC-Type") != "response" && before.get("WARC-Type") != "revisit" {
			continue
		}
		if r.get("WARC-Type") != "request" ||
			r.get("WARC-Concurrent-To") != before.get("WARC-Record-ID") ||
			r.get("WARC-Target-URI") != before.get("WARC-Target-URI") ||
			r.get("WARC-Date") != before.get("WARC-Date") {
			t.Errorf("%s at %d: not the request of the response before it: %v", r.file, r.offset, r.header)
		}
	}
	if last := records[len(records)-1]; last.get("WARC-Type") == "response" {
		t.Errorf("%s ends with a response", last.file)
	}
}

// checkIndex checks that there is one capture for each response, that each one leads to its record,
// and that all files are sealed at their size.
func checkIndex(t *testing.T, dir string, records []storedRecord) {
	t.Helper()
	index, err := store.OpenReadOnly(filepath.Join(dir, "index.bolt"))
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	responses := make(map[string]storedRecord)
	for _, r := range records {
		if r.get("WARC-Type") == "response" || r.get("WARC-Type") == "revisit" {
			responses[fmt.Sprint(r.file, r.offset)] = r
		}
	}
	lengths := make(map[string]map[int64]int64)
	index.Captures(store.Query{}, func(c *store.Capture) bool {
		r, ok := responses[fmt.Sprint(c.File, c.Offset)]
		if !ok || r.get("WARC-Target-URI") != c.URL || r.get("WARC-Payload-Digest") != c.Digest {
			t.Errorf("capture without its record, or a second one: %+v", c)
			return true
		}
		delete(responses, fmt.Sprint(c.File, c.Offset))
		if lengths[c.File] == nil {
			lengths[c.File] = recordLengths(t, filepath.Join(dir, "archive", c.File))
		}
		if got := lengths[c.File][c.Offset]; got != c.Length {
			t.Errorf("%s at %d has length %d, the capture says %d", c.File, c.Offset, got, c.Length)
		}
		return true
	})
	for _, r := range responses {
		t.Errorf("%s at %d: response without capture: %v", r.file, r.offset, r.header)
	}
	files, err := index.Files()
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		info, err := os.Stat(filepath.Join(dir, "archive", file.Name))
		if file.Committed == 0 && file.Sealed && errors.Is(err, fs.ErrNotExist) {
			continue // planned when its recorder was killed: nothing came of it
		}
		if err != nil || info.Size() != file.Committed || !file.Sealed {
			t.Errorf("%+v: %v", file, err)
		}
	}
}

// recordLengths are the lengths of the records of a file, by their offsets.
func recordLengths(t *testing.T, path string) map[int64]int64 {
	t.Helper()
	r, err := warc.Open(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	lengths := make(map[int64]int64)
	for {
		rec, err := r.Next()
		if err == io.EOF {
			return lengths
		}
		if err == nil {
			err = rec.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		lengths[rec.Offset] = rec.Length
	}
}

// captures are the captures of a collection that is closed.
func captures(t *testing.T, dir string) []store.Capture {
	t.Helper()
	index, err := store.OpenReadOnly(filepath.Join(dir, "index.bolt"))
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	var all []store.Capture
	if err := index.Captures(store.Query{}, func(c *store.Capture) bool {
		all = append(all, *c)
		return true
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

// checkRevisits checks that each revisit says what there is of its original, which is before it if
// it is in the same file. It returns how many there are.
func checkRevisits(t *testing.T, records []storedRecord) (n int) {
	t.Helper()
	responses := make(map[string]int)
	for i, r := range records {
		if r.get("WARC-Type") == "response" {
			responses[r.get("WARC-Record-ID")] = i
		}
	}
	for i, r := range records {
		if r.get("WARC-Type") != "revisit" {
			continue
		}
		n++
		at, ok := responses[r.get("WARC-Refers-To")]
		if !ok {
			t.Errorf("%s at %d refers to no response: %v", r.file, r.offset, r.header)
			continue
		}
		o := records[at]
		if o.file == r.file && at > i {
			t.Errorf("%s at %d: its original is behind it", r.file, r.offset)
		}
		if r.get("WARC-Refers-To-Target-URI") != o.get("WARC-Target-URI") ||
			r.get("WARC-Refers-To-Date") != o.get("WARC-Date") ||
			r.get("WARC-Payload-Digest") != o.get("WARC-Payload-Digest") ||
			r.get("Content-Type") != "application/http; msgtype=response" {
			t.Errorf("%s at %d: %v\nof %v", r.file, r.offset, r.header, o.header)
		}
		if r.faults != "" || !strings.HasPrefix(r.block, "HTTP/1.1 ") ||
			!strings.HasSuffix(r.block, "\r\n\r\n") {
			t.Errorf("%s at %d: %s %q", r.file, r.offset, r.faults, r.block)
		}
		profile, truncated := "identical-payload-digest", "length"
		if strings.HasPrefix(r.block, "HTTP/1.1 304") {
			profile, truncated = "server-not-modified", ""
		}
		if !strings.HasSuffix(r.get("WARC-Profile"), "/revisit/"+profile) ||
			r.get("WARC-Truncated") != truncated {
			t.Errorf("%s at %d: %v", r.file, r.offset, r.header)
		}
	}
	return n
}

// checkRebuild checks that an index made from the files alone is the same, also in what no line
// shows, and that the same is known of originals.
func checkRebuild(t *testing.T, dir string, cfg Config) {
	t.Helper()
	want, all, originals := export(t, dir), captures(t, dir), originalsOf(t, dir, cfg)
	if _, err := rebuilt(cfg, dir, zerolog.Nop(), nil); err != nil {
		t.Fatal(err)
	}
	if got := export(t, dir); got != want {
		t.Errorf("rebuilt:\n%s\nwas:\n%s", got, want)
	}
	if got := captures(t, dir); !slices.Equal(got, all) {
		t.Errorf("rebuilt: %+v, was: %+v", got, all)
	}
	if got := originalsOf(t, dir, cfg); !slices.Equal(got, originals) {
		t.Errorf("rebuilt: %v, was: %v", got, originals)
	}
}

// originalsOf makes the content key of each response of a collection that may be an original, and
// returns what the index knows under it.
func originalsOf(t *testing.T, dir string, cfg Config) (all []store.Original) {
	t.Helper()
	index, err := store.OpenReadOnly(filepath.Join(dir, collection.IndexName))
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	dedup, err := cfg.Dedup.WithDefaults()
	if err != nil {
		t.Fatal(err)
	}
	records := readBack(t, dir)
	for i, r := range records {
		if r.get("WARC-Type") != "response" || r.get("WARC-Truncated") != "" || i+1 == len(records) {
			continue
		}
		head := record.ParseHead([]byte(r.block))
		body, method := r.block[head.Size:], strings.Fields(records[i+1].block)[0]
		if !dedup.MayBeOriginal([]byte(method), &head, int64(len(body))) {
			continue
		}
		var content record.Content
		content.Reset(&head, int64(len(body)))
		content.Write([]byte(body))
		uri := r.get("WARC-Target-URI")
		key, ok := content.Key(&head, []byte(r.block[:head.Size]), dedup.ScopeOf(uri, &head))
		if !ok {
			continue
		}
		o, found, err := index.Original(key)
		if !found || err != nil {
			t.Errorf("the index does not know the original %s: %v", uri, err)
		}
		all = append(all, o)
	}
	return all
}
