package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"warcorder/store/boltcheck"
)

// crafted is an index whose pages lie: the checksums of its meta pages are right.
type crafted struct {
	t     *testing.T
	bytes []byte
	meta  boltcheck.Meta
}

func craft(t *testing.T, index []byte) *crafted {
	t.Helper()
	return &crafted{t: t, bytes: bytes.Clone(index), meta: metaOf(t, index)}
}

// setMeta sets a field of both meta pages.
func (c *crafted) setMeta(offset int, value uint64) {
	for page := range 2 {
		pageOrder.PutUint64(c.bytes[page*testPage+pageHeader+offset:], value)
	}
	sealMeta(c.bytes)
}

// page returns the bytes of a page.
func (c *crafted) page(id uint64) []byte { return pageAt(c.bytes, id) }

// first returns the leftmost page of a bucket at a level of its tree.
func (c *crafted) first(bucket []byte, level int) (id uint64) {
	id = pageOrder.Uint64(bucketValue(c.t, c.bytes, c.meta, bucket))
	for range level {
		if isLeaf(c.page(id)) {
			c.t.Fatalf("the tree of %s has not %d levels", bucket, level)
		}
		id = children(c.page(id))[0]
	}
	return id
}

// addPages appends pages to the file, and returns the id of the first.
func (c *crafted) addPages(n int) uint64 {
	id := uint64(len(c.bytes) / testPage)
	c.bytes = append(c.bytes, make([]byte, n*testPage)...)
	pageOrder.PutUint64(c.page(id), id)
	pageOrder.PutUint32(c.page(id)[12:], uint32(n-1))
	c.setMeta(40, id+uint64(n))
	return id
}

// craftedIndexes are indexes that lie, by what they lie about.
var craftedIndexes = map[string]func(*crafted){
	"pages in use":              func(c *crafted) { c.setMeta(40, 1<<31) },
	"pages in use, beyond int":  func(c *crafted) { c.setMeta(40, 1<<63) },
	"pages in use, nearly none": func(c *crafted) { c.setMeta(40, 3) },
	"root":                      func(c *crafted) { c.setMeta(16, 1<<40) },
	"root is a meta page":       func(c *crafted) { c.setMeta(16, 1) },
	"transaction":               func(c *crafted) { c.setMeta(48, 1<<64-1) },
	"where the free list is":    func(c *crafted) { c.setMeta(32, 1<<50) },
	"count of the free list": func(c *crafted) {
		list := c.page(c.meta.Freelist)
		pageOrder.PutUint16(list[10:], manyFree)
		pageOrder.PutUint64(list[pageHeader:], 1<<40)
	},
	"free pages that are in use": func(c *crafted) {
		list := c.page(c.meta.Freelist)
		pageOrder.PutUint16(list[10:], 1)
		pageOrder.PutUint64(list[pageHeader:], c.first(bucketCaptures, 0))
	},
	"free pages beyond the file": func(c *crafted) {
		list := c.page(c.meta.Freelist)
		pageOrder.PutUint16(list[10:], 1)
		pageOrder.PutUint64(list[pageHeader:], 1<<45)
	},
	"overflow of the free list": func(c *crafted) {
		pageOrder.PutUint32(c.page(c.meta.Freelist)[12:], 1<<32-1)
	},
	"overflow of a leaf": func(c *crafted) {
		pageOrder.PutUint32(c.page(c.first(bucketCaptures, 1))[12:], 1<<32-1)
	},
	"overflow over other pages": func(c *crafted) {
		pageOrder.PutUint32(c.page(c.first(bucketCaptures, 1))[12:], 5)
	},
	"count of a leaf": func(c *crafted) {
		pageOrder.PutUint16(c.page(c.first(bucketCaptures, 1))[10:], 0xffff)
	},
	"count of a branch": func(c *crafted) {
		pageOrder.PutUint16(c.page(c.first(bucketCaptures, 0))[10:], 0xffff)
	},
	"a branch that leads to itself": func(c *crafted) {
		id := c.first(bucketCaptures, 0)
		pageOrder.PutUint64(c.page(id)[pageHeader+8:], id)
	},
	"a branch of one that leads to itself": func(c *crafted) {
		id := c.first(bucketCaptures, 0)
		head := c.page(id)
		pageOrder.PutUint64(head[pageHeader+8:], id)
		key, _ := elementOf(head, 0)
		key = bytes.Clone(key)
		pageOrder.PutUint16(head[10:], 1)
		pageOrder.PutUint32(head[pageHeader:], elementSize)
		copy(head[pageHeader+elementSize:], key)
	},
	"a leaf as a branch": func(c *crafted) {
		pageOrder.PutUint16(c.page(c.first(bucketCaptures, 1))[8:], branchPage)
	},
	"keys out of order": func(c *crafted) {
		key, _ := elementOf(c.page(c.first(bucketCaptures, 1)), 3)
		copy(key, "zzzz")
	},
	"the length of a value": func(c *crafted) {
		pageOrder.PutUint32(c.page(c.first(bucketCaptures, 1))[pageHeader+12:], 1<<31)
	},
	"values that lie in one place": func(c *crafted) {
		n := c.page(c.first(bucketCaptures, 1))
		pageOrder.PutUint32(n[pageHeader+elementSize+12:],
			pageOrder.Uint32(n[pageHeader+elementSize+12:])+40)
	},
	"many values in one place": func(c *crafted) { c.overlapping(2000) },
	"a text of zeros":          func(c *crafted) { c.bomb() },
}

// overlapping puts a leaf of a megabyte in the place of another, whose values are nearly all of it
// each.
func (c *crafted) overlapping(n int) {
	const pages = 256
	id := c.addPages(pages)
	leaf := c.page(id)
	pageOrder.PutUint16(leaf[8:], leafPage)
	pageOrder.PutUint16(leaf[10:], uint16(n))
	keys := uint32(pageHeader + elementSize*n)
	for i := range uint32(n) {
		at := pageHeader + elementSize*i
		key := appendKey(nil, []byte("com,a)/"), testTime.Add(time.Duration(i)*time.Second), 1, 0)
		pageOrder.PutUint32(leaf[at+4:], keys-at)
		pageOrder.PutUint32(leaf[at+8:], uint32(len(key)))
		copy(leaf[keys:], key)
		keys += uint32(len(key))
		pageOrder.PutUint32(leaf[at+12:], pages*testPage-keys)
	}
	c.setBucketRoot(bucketExtras, id)
}

// setBucketRoot lets a bucket begin at another page.
func (c *crafted) setBucketRoot(bucket []byte, id uint64) {
	pageOrder.PutUint64(bucketValue(c.t, c.bytes, c.meta, bucket), id)
}

// bomb makes the extras of a capture much longer than the file, once they are inflated.
func (c *crafted) bomb() {
	const zeros = 256 << 20
	w := extrasWriter{plain: appendText([]byte{0}, make([]byte, zeros))}
	if err := w.compress(); err != nil {
		c.t.Fatal(err)
	}
	value := binary.AppendUvarint([]byte{extrasVersion, flagDeflated}, uint64(len(w.plain)))
	value = append(value, w.deflated.Bytes()...)
	pages := len(value)/testPage + 2
	id := c.addPages(pages)
	leaf := c.page(id)
	pageOrder.PutUint16(leaf[8:], leafPage)
	pageOrder.PutUint16(leaf[10:], 1)
	key := appendLocation(nil, 1, 0)
	pageOrder.PutUint32(leaf[pageHeader+4:], elementSize)
	pageOrder.PutUint32(leaf[pageHeader+8:], uint32(len(key)))
	pageOrder.PutUint32(leaf[pageHeader+12:], uint32(len(value)))
	copy(leaf[pageHeader+elementSize:], append(key, value...))
	c.setBucketRoot(bucketExtras, id)
}

// TestCraftedIndex: whatever the pages say, an index is opened and read with memory for a few
// copies of its file, and found to be damaged, or read as it is.
func TestCraftedIndex(t *testing.T) {
	sound := soundIndex(t)
	for name, lie := range craftedIndexes {
		t.Run(name, func(t *testing.T) {
			c := craft(t, sound)
			lie(c)
			useCrafted(t, c.bytes)
		})
	}
}

// FuzzIndex changes bytes of an index, and makes the checksums of its meta pages right: each change
// is an offset of three bytes and a byte.
func FuzzIndex(f *testing.F) {
	sound := soundIndex(f)
	f.Add([]byte{0, 0, pageHeader + 40 + 3, 0x7f})
	f.Add([]byte{0, 0x40, 8, branchPage, 0, 0x40, 10, 2})
	f.Add([]byte{0, 0x30, 12, 0xff, 0, 0x30, 10, 0xff})
	f.Fuzz(func(t *testing.T, changes []byte) {
		index := bytes.Clone(sound)
		for ; len(changes) >= 4; changes = changes[4:] {
			at := int(changes[0])<<16 | int(changes[1])<<8 | int(changes[2])
			index[at%len(index)] = changes[3]
		}
		sealMeta(index)
		useCrafted(t, index)
	})
}

// useCrafted reads an index and opens it for writing. It must be found to be damaged, or be read as
// it is.
func useCrafted(t *testing.T, index []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "index.bolt")
	if err := os.WriteFile(path, index, 0o600); err != nil {
		t.Fatal(err)
	}
	limit := uint64(128<<20 + 20*len(index)) // the rest is for what is read as it is
	began := time.Now()
	if got := allocated(func() { readCrafted(t, path) }); got > limit {
		t.Errorf("reading a file of %d bytes took %d", len(index), got)
	}
	if got := allocated(func() { writeCrafted(t, path) }); got > limit {
		t.Errorf("opening a file of %d bytes took %d", len(index), got)
	}
	if took := time.Since(began); took > time.Minute { // some 20 ms
		t.Errorf("it took %v", took)
	}
}

func readCrafted(t *testing.T, path string) {
	b, err := OpenReadOnly(path)
	if err == nil {
		err = readAll(b)
	}
	if err != nil && !errors.Is(err, ErrDamaged) {
		t.Errorf("read: %v", err)
	}
}

func writeCrafted(t *testing.T, path string) {
	b, err := Open(path, Options{})
	if err == nil {
		err = errors.Join(readAll(b), b.Close())
	}
	if err != nil && !errors.Is(err, ErrDamaged) {
		t.Errorf("open: %v", err)
	}
}

// allocated returns how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestCutWhileRead: an index that becomes shorter while it is read is an error, and not the end of
// the process.
func TestCutWhileRead(t *testing.T) {
	path := closedIndex(t, 20_000)
	b, err := OpenReadOnly(path)
	if err != nil {
		t.Fatal(err)
	}
	err = b.read(func(s snapshot) error {
		if err := os.Truncate(path, 8*testPage); err != nil {
			t.Fatal(err)
		}
		w := s.bucket(bucketCaptures).walk()
		for k, _ := w.First(); k != nil; k, _ = w.Next() {
		}
		return nil
	})
	if err == nil {
		t.Error("no error")
	}
	if err := b.Captures(Query{}, func(*Capture) bool { return true }); !errors.Is(err, ErrDamaged) {
		t.Errorf("after it: %v", err)
	}
}
