package recorder

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"warcorder/store/collection"
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
const emptyMember = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00"

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

// TestRecoverDamaged recovers files that were being written and were damaged behind what the index
// knows: every exchange that was not touched is kept, and nothing that is not whole.
func TestRecoverDamaged(t *testing.T) {
	c := crash(t)
	last := c.starts[len(c.starts)-1]
	for _, committed := range []int64{c.starts[0], c.starts[1], last} {
		c.makeIndex(t, committed)
	}
	atOnce(c.damages(t), func(d damage) {
		for _, committed := range []int64{-1, c.starts[0], c.starts[1]} {
			if committed <= int64(d.from) {
				d.recoverOpen(t, committed)
			}
		}
	})
	var flips []damage
	for at := 0; at < len(c.bytes); at++ {
		if at%37 == 0 || at >= int(last) && at%3 == 0 {
			flips = append(flips, c.flipped(at))
		}
	}
	atOnce(flips, func(d damage) {
		committed := int64(-1)
		for _, start := range []int64{c.starts[0], c.starts[1], last} {
			if start <= int64(d.from) {
				committed = start
			}
		}
		d.recoverOpen(t, committed)
	})
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

// recoverOpen recovers the file as one that was being written.
func (d *damage) recoverOpen(t *testing.T, committed int64) {
	t.Helper()
	name := fmt.Sprintf("%s, committed %d", d.name, committed)
	dir := d.restore(t, warc.OpenSuffix, committed)
	defer os.RemoveAll(dir)
	found, err := recovered(Config{}, dir, zerolog.Nop(), nil)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	kept := d.checkKept(t, name, dir)
	for _, torn := range found.Torn {
		copied, err := os.ReadFile(torn)
		if err != nil || !bytes.HasSuffix(d.content, copied) || found.Cut > int64(len(copied)) {
			t.Errorf("%s: %v, the copy of %d bytes is not the end of the file, %d were cut", name, err,
				len(copied), found.Cut)
		}
		if err := os.Remove(torn); err != nil {
			t.Error(err)
		}
	}
	// a warcinfo record, if that is damaged
	if made := int64(len(kept)) - int64(len(d.content)) + found.Cut; made < 0 ||
		made > 0 && int64(d.from) > d.starts[0] {
		t.Errorf("%s: %d bytes are %d, and %d were cut", name, len(d.content), len(kept), found.Cut)
	}
	again, err := recovered(Config{}, dir, zerolog.Nop(), nil)
	if err != nil || again.Files+again.Captures+len(again.Torn) > 0 {
		t.Errorf("%s, again: %+v, %v", name, again, err)
	}
	checkIndex(t, dir, readBack(t, dir))
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

// TestFinishedDamaged reads the same files under their final names: they stay as they are, the
// index has what is whole, and the rest is reported.
func TestFinishedDamaged(t *testing.T) {
	c := crash(t)
	c.makeIndex(t, c.starts[1])
	atOnce(c.damages(t), func(d damage) {
		for _, committed := range []int64{-1, c.starts[1]} {
			if committed <= int64(d.from) {
				d.readFinished(t, committed)
			}
		}
	})
}

func (d *damage) readFinished(t *testing.T, committed int64) {
	t.Helper()
	name := fmt.Sprintf("%s, committed %d", d.name, committed)
	dir := d.restore(t, "", committed)
	defer os.RemoveAll(dir)
	found, err := recovered(Config{}, dir, zerolog.Nop(), nil)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	if kept := d.checkKept(t, name, dir); !bytes.Equal(kept, d.content) {
		t.Errorf("%s: the file has changed", name)
	}
	var bad int64
	for _, place := range found.Damaged {
		bad += place.Bytes
		if place.Reason == nil || place.Bytes <= 0 || place.File != d.crashed.name {
			t.Errorf("%s: %+v", name, place)
		}
	}
	if cut := int64(len(d.content)) - bad; bad == 0 && !strings.HasSuffix(d.name, "cut out") ||
		cut < 0 {
		t.Errorf("%s: %+v", name, found.Damaged)
	}
	want := 0
	for _, capture := range d.all {
		for _, at := range d.exchanges() {
			if capture.Offset >= at.from && capture.Offset < at.to &&
				!(at.from < int64(d.to) && int64(d.from) < at.to) {
				want++
			}
		}
	}
	if got := len(captures(t, dir)); got != want && got != want+1 { // what was touched may be whole
		t.Errorf("%s: %d captures, want %d", name, got, want)
	}
	again, err := recovered(Config{}, dir, zerolog.Nop(), nil)
	if err != nil || again.Files+again.Captures+len(again.Torn) > 0 {
		t.Errorf("%s, again: %+v, %v", name, again, err)
	}
}

// TestRecoverWARCInBody cuts and damages a file in the middle of a download of a WARC file, which
// lies in it as it is. What is in that must not be taken for records of ours, whether the file was
// still being written or not.
func TestRecoverWARCInBody(t *testing.T) {
	inner := crash(t)
	for range 20 {
		inner.bytes = append(inner.bytes, inner.bytes[inner.starts[0]:inner.starts[3]]...)
	}
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) { // so that they are written in this order
		c := open(t, dir, Config{})
		c.get("http://example.com/before")
		time.Sleep(time.Second)
		c.commit(
			"http://example.com/x.warc.gz",
			exampleRequest,
			page(200, "application/octet-stream", "gzip", string(inner.bytes)),
		)
		time.Sleep(time.Second)
		c.get("http://example.com/after")
		c.close()
	})
	outer := readCrashed(t, dir)
	from, to := int(outer.starts[1]), int(outer.starts[2])
	at := from + bytes.Index(outer.bytes[from:], inner.bytes[:1000])
	if at < from {
		t.Fatal("the body is not stored as it is")
	}
	before, after := "http://example.com/before", "http://example.com/after"
	torn := outer.splice("torn", from+(to-from)/2, len(outer.bytes), "")
	unwritten := outer.splice("torn, and the lengths not written yet", from+(to-from)/2,
		len(outer.bytes), "")
	copy(unwritten.content[from+16:], make([]byte, 8))
	between := outer.splice("torn between two records of the body", at+int(inner.starts[3]),
		len(outer.bytes), "")
	copy(between.content[from+16:], make([]byte, 8))
	flipped := outer.flipped(at - 5)
	middle := outer.flipped(at + 5000)
	noLengths := outer.flipped(at - 5)
	copy(noLengths.content[from+16:], make([]byte, 8))
	for _, test := range []struct {
		damage
		urls []string
	}{
		{torn, []string{before}},
		{unwritten, []string{before}},
		{between, []string{before}},
		{flipped, []string{after, before}},
		{middle, []string{after, before}},
		{noLengths, []string{after, before}},
	} {
		for _, suffix := range []string{"", warc.OpenSuffix} {
			dir := test.restore(t, suffix, -1)
			if _, err := recovered(Config{}, dir, zerolog.Nop(), nil); err != nil {
				t.Error(err)
			}
			var urls []string
			for _, capture := range captures(t, dir) {
				urls = append(urls, capture.URL)
			}
			if !slices.Equal(urls, test.urls) {
				t.Errorf("%s, %q: %q", test.name, suffix, urls)
			}
		}
	}
}

// FuzzRecover damages a recorded file at random behind what the index knows.
func FuzzRecover(f *testing.F) {
	for seed := range uint64(10) {
		f.Add(seed, seed%3)
	}
	var c *crashed
	f.Fuzz(func(t *testing.T, seed, start uint64) {
		if c == nil {
			c = crash(t)
		}
		random := rand.New(rand.NewPCG(seed, start))
		committed := c.starts[start%uint64(len(c.starts))]
		content := slices.Clone(c.bytes)
		for range 1 + random.IntN(6) {
			at := int(committed) + random.IntN(len(content)-int(committed)+1)
			part := content[at:min(len(content), at+random.IntN(200))]
			switch random.IntN(4) {
			case 0:
				for i := range part {
					part[i] ^= byte(random.Uint32())
				}
			case 1:
				content = slices.Delete(content, at, at+len(part))
			case 2:
				content = slices.Insert(content, at, slices.Clone(part)...)
			case 3:
				content = slices.Insert(
					content,
					at,
					[]byte(strings.Repeat("\x1f\x8b\x08\x04\x00", random.IntN(20)))...)
			}
		}
		d := damage{crashed: c, name: "fuzzed", content: content}
		dir := d.restore(t, warc.OpenSuffix, committed)
		if _, err := recovered(Config{}, dir, zerolog.Nop(), nil); err != nil {
			t.Fatal(err)
		}
		removeTorn(t, dir)
		checkIndex(t, dir, readBack(t, dir))
	})
}

// removeTorn removes the copies of what was cut.
func removeTorn(t *testing.T, dir string) {
	t.Helper()
	torn, _ := filepath.Glob(filepath.Join(dir, "archive", "*"+collection.TornSuffix+"*"))
	for _, path := range torn {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRecoverKeepsOldCopies: a copy that is there already and is of something else stays, and what
// is missing is reported.
func TestRecoverKeepsOldCopies(t *testing.T) {
	c := crash(t)
	dir := t.TempDir()
	size := int64(len(c.bytes))
	c.restore(t, dir, size-5, c.starts[1])
	torn := filepath.Join(dir, "archive", c.name+collection.TornSuffix)
	write(t, torn, []byte("of an earlier recovery"))
	write(t, torn+".2", []byte("and another"))
	found, err := recovered(Config{}, dir, zerolog.Nop(), nil)
	if err != nil || !slices.Equal(found.Torn, []string{torn + ".3"}) ||
		found.Cut != size-5-c.exchangesEnd(t, size-5) {
		t.Errorf("%+v, %v", found, err)
	}
	for path, want := range map[string]string{
		torn: "of an earlier recovery", torn + ".2": "and another",
		torn + ".3": string(c.bytes[c.exchangesEnd(t, size-5) : size-5]),
	} {
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", path, got, err)
		}
	}
	path := filepath.Join(dir, "archive", c.name)
	if err := os.Truncate(path, c.starts[1]); err != nil {
		t.Fatal(err)
	}
	if found, err = recovered(Config{}, dir, zerolog.Nop(), nil); err != nil ||
		!slices.Equal(found.Short, []string{c.name}) {
		t.Errorf("%+v, %v", found, err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if found, err = recovered(Config{}, dir, zerolog.Nop(), nil); err != nil ||
		!slices.Equal(found.Missing, []string{c.name}) {
		t.Errorf("%+v, %v", found, err)
	}
	made, err := rebuilt(Config{}, dir, zerolog.Nop(), nil)
	if err != nil || !slices.Equal(made.Missing, []string{c.name}) || !made.Rebuilt {
		t.Errorf("%+v, %v", made, err)
	}
}
