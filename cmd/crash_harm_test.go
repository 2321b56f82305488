//go:build faults

package cmd

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"warcorder/store"
	"warcorder/store/fault"
	"warcorder/store/warc"
)

// harm does to a collection what a point at the start needs to be come to, and sometimes what a
// power cut or a bad disk does.
func (c *crash) harm(point fault.Point) {
	c.t.Helper()
	if point == fault.RecoverCopy || point == fault.RecoverCut || c.chance(4) {
		c.tear()
	} else if c.chance(3) {
		c.cutPower()
	}
	c.noteWhole()
	switch {
	case strings.HasPrefix(string(point), "recover-spill"):
		c.leaveInSpill()
	case point == fault.RecoverRewrite:
		c.removeIndex() // for with an index nobody reads again what is committed
		c.insert()
	case strings.HasPrefix(string(point), "rebuild-") || c.chance(10):
		c.indexed = c.parse(c.export()) // which the new index must have too
		c.breakIndex()
	}
}

// leaveInSpill leaves an exchange that was under way.
func (c *crash) leaveInSpill() {
	c.t.Helper()
	n := c.serial.Add(1)
	url := fmt.Sprintf("%s/bytes/%d/3000000", c.site.plain.URL, n)
	dir := filepath.Join(c.dir, "spill")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		c.t.Fatal(err)
	}
	request := base64.StdEncoding.EncodeToString([]byte("GET / HTTP/1.1\r\nHost: a\r\n\r\n"))
	id := func(kind int) string {
		return fmt.Sprintf("<urn:uuid:00000000-0000-4000-800%d-%012x>", kind, n)
	}
	sidecar := fmt.Appendf(nil, `{"format":1,"url":%q,"started":%q,`+
		`"ids":{"response":%q,"request":%q,"metadata":%q},"request":{"bytes":%q}}`+"\n",
		url, time.Now().Format(time.RFC3339Nano), id(0), id(1), id(2), request)
	c.write(filepath.Join(dir, fmt.Sprintf("20260101000000.000-%012x.jsonl", n)), sidecar)
	c.write(filepath.Join(dir, fmt.Sprintf("20260101000000.000-%012x.response", n)),
		[]byte("HTTP/1.1 200 OK\r\nContent-Length: 3000000\r\n\r\nThis is"))
}

// noteWhole takes down which exchanges are whole in the files being written: they must be there
// afterwards, even if no index knows them yet.
func (c *crash) noteWhole() {
	for _, path := range c.openFiles() {
		members, _ := membersOf(path) // up to what is torn
		for i, m := range members {
			if m.kind == "request" && i > 0 && members[i-1].kind == "response" &&
				m.concurrent == members[i-1].id {
				c.captured[m.uri] = true
			}
		}
	}
}

// tear puts bytes behind the end of the files being written that are no whole record.
func (c *crash) tear() {
	c.t.Helper()
	for _, path := range c.openFiles() {
		b, err := os.ReadFile(path)
		if err != nil {
			c.t.Fatal(err)
		}
		torn := make([]byte, 1+c.random.IntN(5000)) // zeros
		switch c.random.IntN(3) {
		case 0:
			copy(torn, "neither a member nor zeros")
		case 1:
			// less than the warcinfo record that the file begins with
			torn = b[:min(len(b), 1+c.random.IntN(200))]
		}
		c.write(path, append(b, torn...))
	}
}

// insert puts bytes between two exchanges of the files being written. Where the lines lead will
// change.
func (c *crash) insert() {
	c.t.Helper()
	for _, path := range c.openFiles() {
		b, err := os.ReadFile(path)
		if err != nil {
			c.t.Fatal(err)
		}
		members, _ := membersOf(path) // of a torn file those before
		at := 0
		for _, m := range members[:c.random.IntN(len(members)+1)] {
			if m.kind != "response" {
				at = int(m.offset + m.length)
			}
		}
		c.write(path, slices.Concat(b[:at], []byte("not from us"), b[at:]))
	}
	c.indexed = nil
}

// cutPower takes from the files being written what nobody has forced to disk, or a part of that,
// and may leave zeros in its place.
func (c *crash) cutPower() {
	c.t.Helper()
	safe := c.synced()
	for _, path := range c.openFiles() {
		b, err := os.ReadFile(path)
		if err != nil {
			c.t.Fatal(err)
		}
		safe := safe[path]
		if safe > int64(len(b)) {
			c.t.Errorf("%s has %d bytes, of which %d are on disk", path, len(b), safe)
			continue
		}
		left := safe + c.random.Int64N(int64(len(b))-safe+1)
		if c.chance(2) {
			clear(b[left:])
			left = int64(len(b))
		}
		c.write(path, b[:left])
	}
}

// openFiles are the files that were being written when the recorder ended.
func (c *crash) openFiles() []string {
	paths, _ := filepath.Glob(filepath.Join(c.dir, "archive", "*"+warc.OpenSuffix))
	return paths
}

// synced is how much of each file that was being written is on disk: what the index knows, and what
// the log names, with the request behind it.
func (c *crash) synced() map[string]int64 {
	c.t.Helper()
	safe, committed := map[string]int64{}, c.committed()
	for _, path := range c.openFiles() {
		name := strings.TrimSuffix(filepath.Base(path), warc.OpenSuffix)
		safe[path] = max(committed[name], c.logged[name])
		members, _ := membersOf(path) // what cannot be read is not on disk
		for _, m := range members {
			if m.offset == c.logged[name] && (m.kind == "request" || m.kind == "metadata") {
				c.logged[name] += m.length
				safe[path] = max(safe[path], c.logged[name])
			}
		}
	}
	return safe
}

// committed is how much of each file the index knows.
func (c *crash) committed() map[string]int64 {
	c.t.Helper()
	index, err := store.OpenReadOnly(filepath.Join(c.dir, "index.bolt"))
	if err != nil {
		c.t.Fatal(err)
	}
	defer index.Close()
	files, err := index.Files()
	if err != nil {
		c.t.Fatal(err)
	}
	committed := map[string]int64{}
	for _, f := range files {
		committed[f.Name] = f.Committed
	}
	return committed
}

func (c *crash) write(path string, b []byte) {
	c.t.Helper()
	if err := os.WriteFile(path, b, 0o600); err != nil {
		c.t.Fatal(err)
	}
}

// breakIndex removes the index, or damages it. One that is cut may still be whole: a part of the
// file is unused.
func (c *crash) breakIndex() {
	c.t.Helper()
	path := filepath.Join(c.dir, "index.bolt")
	b, err := os.ReadFile(path)
	if err != nil {
		c.t.Fatal(err)
	}
	switch c.random.IntN(5) {
	case 0:
		c.removeIndex()
	case 1:
		c.write(path, nil)
	case 2:
		c.write(path, b[:c.random.IntN(len(b))])
	case 3:
		clear(b[:2*os.Getpagesize()]) // both meta pages
		c.write(path, b)
	case 4:
		page := os.Getpagesize()
		for range 1 + len(b)/page/4 { // among them some that are in use
			at := c.random.IntN(len(b)/page) * page
			clear(b[at : at+page])
		}
		c.write(path, b)
	}
}

func (c *crash) removeIndex() {
	c.t.Helper()
	if err := os.Remove(filepath.Join(c.dir, "index.bolt")); err != nil {
		c.t.Fatal(err)
	}
}
