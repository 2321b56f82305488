package recorder

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"warcorder/store/warc"
)

// damage is a recorded file of which something was changed.
type damage struct {
	*crashed
	name     string
	content  []byte // of the whole file
	from, to int    // where in the recorded file the harm was done
}

// exchanges are the parts of the recorded file that hold one exchange each.
func (c *crashed) exchanges() (all []span) {
	for i, start := range c.starts {
		end := int64(len(c.bytes))
		if i+1 < len(c.starts) {
			end = c.starts[i+1]
		}
		all = append(all, span{start, end})
	}
	return all
}

// records are the members of the recorded file, and their types.
func (c *crashed) records(t *testing.T) (all []span, types []string) {
	t.Helper()
	r, err := warc.NewReader(bytes.NewReader(c.bytes), c.name, 0)
	if err != nil {
		t.Fatal(err)
	}
	for {
		rec, err := r.Next()
		if err != nil {
			return all, types
		}
		if err := rec.Close(); err != nil {
			t.Fatal(err)
		}
		all = append(all, span{rec.Offset, rec.Offset + rec.Length})
		types = append(types, rec.Type())
	}
}

// splice returns the file with a part replaced.
func (c *crashed) splice(name string, from, to int, with string) damage {
	return damage{c, name, slices.Concat(c.bytes[:from], []byte(with), c.bytes[to:]), from, to}
}

// flipped returns the file with the bits of a byte changed.
func (c *crashed) flipped(at int) damage {
	return c.splice(fmt.Sprint("flipped at ", at), at, at+1, string([]byte{c.bytes[at] ^ 0x55}))
}

// emptyMember is a gzip member without content.
const emptyMember = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff" +
	"\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00"

// damages are the nasty cases: at, between and instead of records.
func (c *crashed) damages(t *testing.T) (all []damage) {
	t.Helper()
	records, types := c.records(t)
	for i, at := range records {
		from, to := int(at.from), int(at.to)
		zeros := min(500, (to-from)/2)
		all = append(
			all,
			c.splice(fmt.Sprintf("garbage before record %d", i), from, from, "garbage"),
			c.splice(fmt.Sprintf("zeros before record %d", i), from, from, string(make([]byte, 5000))),
			c.splice(fmt.Sprintf("an empty member before record %d", i), from, from, emptyMember),
			c.splice(fmt.Sprintf("a gzip header before record %d", i), from, from, "\x1f\x8b\x08"),
			c.splice(fmt.Sprintf("record %d twice in one member", i), from, to, c.twice(t, at)),
			c.splice(fmt.Sprintf("the end of record %d cut out", i), to-9, to, ""),
			c.splice(fmt.Sprintf("the beginning of record %d cut out", i), from, from+9, ""),
			c.splice(fmt.Sprintf("zeros in record %d", i), from+5, from+5+zeros,
				string(make([]byte, zeros))),
			c.splice(fmt.Sprintf("record %d is zeros", i), from, to, string(make([]byte, to-from))),
		)
		// without a request, nothing tells that anything is missing
		if types[i] == "response" || types[i] == "metadata" {
			all = append(all, c.splice(fmt.Sprintf("record %d cut out", i), from, to, ""))
		}
	}
	size := len(c.bytes)
	return append(all, c.splice("zeros to the end", size, size, string(make([]byte, 70_000))),
		c.splice("garbage to the end", size, size, "garbage"))
}

// twice is one member that holds a record twice.
func (c *crashed) twice(t *testing.T, at span) string {
	t.Helper()
	r, err := warc.NewReader(bytes.NewReader(c.bytes), c.name, at.from)
	if err != nil {
		t.Fatal(err)
	}
	rec, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	text.WriteString(rec.Version + "\r\n")
	for _, field := range rec.Header {
		text.WriteString(field.Name + ": " + field.Value + "\r\n")
	}
	text.WriteString("\r\n")
	if _, err := text.ReadFrom(rec.Block); err != nil {
		t.Fatal(err)
	}
	text.WriteString(warc.RecordEnd)
	return string(warc.NewCompressor().Append(nil, [][]byte{text.Bytes(), text.Bytes()}, -1))
}

// restore makes a collection with the damaged file.
func (d *damage) restore(t *testing.T, suffix string, committed int64) (dir string) {
	t.Helper()
	dir, err := os.MkdirTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	d.crashed.restore(t, dir, 0, committed)
	archive := filepath.Join(dir, "archive")
	if err := os.Remove(filepath.Join(archive, d.crashed.name+warc.OpenSuffix)); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(archive, d.crashed.name+suffix), d.content)
	return dir
}

// checkKept checks that the file has every exchange that was not touched, in their order, and
// returns it.
func (d *damage) checkKept(t *testing.T, name, dir string) []byte {
	t.Helper()
	kept, err := os.ReadFile(filepath.Join(dir, "archive", d.crashed.name))
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return nil
	}
	rest := kept
	for _, at := range d.exchanges() {
		if at.from < int64(d.to) && int64(d.from) < at.to {
			continue
		}
		_, after, found := bytes.Cut(rest, d.bytes[at.from:at.to])
		if !found && d.from == d.to && at.from < int64(d.from) && int64(d.from) < at.to {
			// something is between its records
			found = bytes.Contains(kept, d.bytes[at.from:d.from]) &&
				bytes.Contains(kept, d.bytes[d.from:at.to])
		}
		if !found {
			t.Errorf("%s: the exchange at %d to %d is gone", name, at.from, at.to)
			continue
		}
		if after != nil {
			rest = after
		}
	}
	return kept
}

// atOnce calls do for all, several at once since they wait for the disk.
func atOnce[T any](all []T, do func(T)) {
	const lanes = 8
	done := make(chan bool, lanes)
	for lane := range lanes {
		go func() {
			for i := lane; i < len(all); i += lanes {
				do(all[i])
			}
			done <- true
		}()
	}
	for range lanes {
		<-done
	}
}
