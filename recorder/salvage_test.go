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

	"warcorder/proxy/raced"
	"warcorder/store/collection"
	"warcorder/store/warc"
)

// TestRecoverDamaged recovers files that were being written and were damaged behind what the index
// knows: every exchange that was not touched is kept, and nothing that is not whole.
func TestRecoverDamaged(t *testing.T) {
	t.Parallel()
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
		if at%raced.Every(37) == 0 || at >= int(last) && at%raced.Every(3) == 0 {
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

// TestFinishedDamaged reads the same files under their final names: they stay as they are, the
// index has what is whole, and the rest is reported.
func TestFinishedDamaged(t *testing.T) {
	t.Parallel()
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

// readFinished recovers a collection that has the file under its final name.
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
		c.commit("http://example.com/x.warc.gz", exampleRequest,
			page(200, "application/octet-stream", "gzip", string(inner.bytes)))
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
