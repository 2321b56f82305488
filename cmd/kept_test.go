package cmd

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha1"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warcorder/store"
	"warcorder/store/warc"
)

// kept holds what a collection has on disk against what clients got and what the recorder said:
// nothing lost, no line without its bytes, no response without its line.
type kept struct {
	t        *testing.T
	dir      string // of the collection
	got      *received
	captured map[string]bool // URLs that the log called captures
	// by name of the WARC file, where the last capture ends that the log named
	logged  map[string]int64
	indexed map[string]*capture // by URL, as the last check has found them
	files   map[string]*walked  // by name, as the last check has found them
	unkept  int                 // answers that clients got just before an end, and that are not there
}

// capture is a line of the index.
type capture struct {
	text           string
	url            string
	file           string
	offset, length int64
}

// walked is a file whose records have all been read.
type walked struct {
	size    int64
	members []member
}

type member struct {
	offset, length            int64
	kind, uri, id, concurrent string
}

func newKept(t *testing.T, dir string, got *received) *kept {
	return &kept{
		t:        t,
		dir:      dir,
		got:      got,
		captured: map[string]bool{},
		logged:   map[string]int64{},
		indexed:  map[string]*capture{},
		files:    map[string]*walked{},
	}
}

// note takes what a process said that has ended or is still running.
func (k *kept) note(r *recording) {
	for _, line := range r.lines("capture") {
		k.captured[line.URL] = true
		k.logged[line.File] = max(k.logged[line.File], line.Offset+line.Length)
	}
}

// export reads the index of a collection that nobody records.
func (k *kept) export() string {
	k.t.Helper()
	index, err := store.OpenReadOnly(filepath.Join(k.dir, "index.bolt"))
	if err != nil {
		k.t.Fatal(err)
	}
	defer index.Close()
	var lines strings.Builder
	if _, err := index.Export(&lines, store.Query{All: true}, nil); err != nil {
		k.t.Fatal(err)
	}
	return lines.String()
}

// check checks a collection in which nothing is being written, after recovery. Whatever a client
// had two seconds before the moment alive must be there. What was checked before is read again only
// if all is.
func (k *kept) check(lines string, alive time.Time, all bool) {
	k.t.Helper()
	indexed := k.parse(lines)
	k.compare(indexed, alive)
	k.indexed = indexed
	before := k.files
	if all {
		before = nil
	}
	k.walk(before)
	at := k.places()
	for name, file := range k.files {
		if before[name] == nil || before[name].size != file.size {
			k.checkFile(name, file, at[name])
		}
	}
	for name, lines := range at {
		if k.files[name] == nil {
			k.t.Errorf("%d lines are for a file that is not there: %s", len(lines), name)
		}
	}
}

// parse reads lines, each for a URL of its own.
func (k *kept) parse(lines string) map[string]*capture {
	k.t.Helper()
	indexed := map[string]*capture{}
	for text := range strings.Lines(lines) {
		parts := strings.SplitN(text, " ", 3)
		var fields struct {
			URL, Filename  string
			Offset, Length int64 `json:",string"`
		}
		if err := json.Unmarshal([]byte(parts[len(parts)-1]), &fields); err != nil {
			k.t.Fatalf("line %q: %v", text, err)
		}
		c := &capture{text, fields.URL, fields.Filename, fields.Offset, fields.Length}
		if twice := indexed[c.url]; twice != nil {
			k.t.Errorf("two captures of one exchange:\n%s%s", twice.text, text)
		}
		indexed[c.url] = c
	}
	return indexed
}

// compare looks for what is missing in the index. What may be missing is forgotten.
func (k *kept) compare(indexed map[string]*capture, alive time.Time) {
	k.t.Helper()
	for url, c := range k.indexed {
		if now := indexed[url]; now == nil || now.text != c.text {
			k.t.Errorf("a line has gone or changed: %q, now %v", c.text, now)
		}
	}
	for url := range k.captured {
		if indexed[url] == nil {
			k.t.Errorf("in the log and not in the index: %s", url)
		}
	}
	k.got.mu.Lock()
	defer k.got.mu.Unlock()
	for url, got := range k.got.got {
		if indexed[url] != nil {
			continue
		}
		if got.at.Before(alive.Add(-2 * time.Second)) {
			k.t.Errorf("lost: %s, which its client had %v before the end", url, alive.Sub(got.at))
		}
		k.unkept++
		delete(k.got.got, url)
	}
}

// places is the index by file and offset.
func (k *kept) places() map[string]map[int64]*capture {
	at := map[string]map[int64]*capture{}
	for _, c := range k.indexed {
		if at[c.file] == nil {
			at[c.file] = map[int64]*capture{}
		}
		at[c.file][c.offset] = c
	}
	return at
}

// walk reads all files that are not in before, or have another size, from end to end.
func (k *kept) walk(before map[string]*walked) {
	k.t.Helper()
	k.files = map[string]*walked{}
	paths, _ := filepath.Glob(filepath.Join(k.dir, "archive", "*"+warc.Suffix+"*"))
	for _, path := range paths {
		name, _ := strings.CutSuffix(filepath.Base(path), warc.OpenSuffix)
		if !strings.HasSuffix(name, warc.Suffix) { // a copy of what was cut off
			continue
		}
		info, err := os.Stat(path)
		if err != nil {
			k.t.Fatal(err)
		}
		if known := before[name]; known != nil && known.size == info.Size() {
			k.files[name] = known
			continue
		}
		members, err := membersOf(path)
		if err != nil {
			k.t.Errorf("%s: %v", path, err)
		}
		k.files[name] = &walked{info.Size(), members}
	}
}

// membersOf reads a file strictly: an error says where it holds something else than whole records.
func membersOf(path string) (members []member, err error) {
	reader, err := warc.Open(path, 0)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	for {
		record, err := reader.Next()
		if err == io.EOF {
			return members, nil
		}
		if err == nil {
			err = record.Close()
		}
		if err != nil {
			return members, err
		}
		h := record.Header
		members = append(members, member{
			offset:     record.Offset,
			length:     record.Length,
			kind:       record.Type(),
			uri:        h.Get("WARC-Target-URI"),
			id:         h.Get("WARC-Record-ID"),
			concurrent: h.Get("WARC-Concurrent-To"),
		})
	}
}

// checkFile: each response has its line and is what its client got, and its request follows.
func (k *kept) checkFile(name string, file *walked, at map[int64]*capture) {
	k.t.Helper()
	found := 0
	for i, m := range file.members {
		c := at[m.offset]
		if m.kind == "resource" && c != nil && c.length == m.length && c.url == m.uri {
			found++ // certificates, which no client asked for
		}
		if m.kind != "response" && m.kind != "revisit" {
			continue
		}
		switch {
		case c == nil:
			k.t.Errorf("%s: the response of %s at %d has no line", name, m.uri, m.offset)
			continue
		case c.length != m.length || c.url != m.uri:
			k.t.Errorf("%s: %d bytes of %s at %d, but the line says: %s", name, m.length, m.uri, m.offset,
				c.text)
		case i+1 == len(file.members) || file.members[i+1].kind != "request" ||
			file.members[i+1].concurrent != m.id || file.members[i+1].uri != m.uri:
			k.t.Errorf("%s: the response of %s at %d is not followed by its request", name, m.uri, m.offset)
		}
		found++
		if err := k.checkCapture(c); err != nil {
			k.t.Errorf("%s: %v", strings.TrimSpace(c.text), err)
		}
	}
	if found != len(at) {
		k.t.Errorf("%s: %d of %d lines do not lead to a response or resource", name, len(at)-found,
			len(at))
	}
}

// checkCapture reads a capture as anybody else would: from offset and length alone, with another
// gzip.
func (k *kept) checkCapture(c *capture) error {
	f, err := k.open(c.file)
	if err != nil {
		return err
	}
	defer f.Close()
	unzip, err := gzip.NewReader(io.NewSectionReader(f, c.offset, c.length))
	if err != nil {
		return err
	}
	record, err := io.ReadAll(unzip)
	if err != nil {
		return err
	}
	head, rest, _ := bytes.Cut(record, []byte("\r\n\r\n"))
	block, whole := bytes.CutSuffix(rest, []byte("\r\n\r\n"))
	if !whole || !bytes.Contains(head, fmt.Appendf(nil, "\r\nContent-Length: %d", len(block))) {
		return errors.New("no whole record")
	}
	k.got.mu.Lock()
	got, known := k.got.got[c.url]
	k.got.mu.Unlock()
	if known && got.wire != sha1.Sum(block) {
		return errors.New("the client got something else")
	}
	if known || bytes.Contains(head, []byte("\r\nWARC-Truncated: ")) {
		return nil
	}
	return checkContent(c.url, block)
}

// open opens a WARC file, whether it is still written or not.
func (k *kept) open(name string) (*os.File, error) {
	path := filepath.Join(k.dir, "archive", name)
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return os.Open(path + warc.OpenSuffix)
	}
	return f, err
}

// checkContent: the client of this response was cut off, but the origin's answer is known.
func checkContent(target string, block []byte) error {
	to, err := url.Parse(target)
	if err != nil {
		return err
	}
	res, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(block)), nil)
	if err != nil {
		return err
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if !bytes.Equal(body, content(to.Path)) {
		return errors.New("not what the origin answered")
	}
	return nil
}

// checkNames: nothing is left unfinished.
func (k *kept) checkNames() {
	k.t.Helper()
	if left, _ := filepath.Glob(filepath.Join(k.dir, "archive", "*"+warc.OpenSuffix)); len(left) > 0 {
		k.t.Errorf("not finished: %v", left)
	}
}
