package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
)

// A file of bbolt, as far as its check must know it. Numbers are in the byte order of the machine:
//
//	page     id(8) flags(2) count(2) overflow(4), count elements, and what they point to; it goes on in as many pages as overflow says
//	meta     pages 0 and 1: magic(4) version(4) page size(4) flags(4) root page(8) sequence(8) free list(8) pages in use(8) transaction(8) checksum(8)
//	branch   position(4) size of the key(4) page(8)
//	leaf     flags(4) position(4) size of the key(4) size of the value(4)
//
// A position counts from the element. A leaf with the flag 1 is a bucket, whose value is its root page(8) and a sequence(8); if the root is 0, the page follows
// in the value. The one of the two meta pages that counts is that of the later transaction, if its checksum is right: the other one is how the file was before.
const (
	pageHeader  = 16
	elementSize = 16
	metaSize    = 64
	bucketSize  = 16

	branchPage   = 0x01
	leafPage     = 0x02
	freelistPage = 0x10
	bucketLeaf   = 0x01

	boltMagic   = 0xED0CDAED
	boltVersion = 2

	noFreelist  = 1<<64 - 1
	minPageSize = 1 << 10
	maxPageSize = 16 << 20
	maxDepth    = 64 // of the tree: a page has two children at least
)

var pageOrder = binary.NativeEndian

// pages is the check of a file of bbolt. It reads the file as bytes, so that nothing in it can do harm.
type pages struct {
	file     io.ReaderAt
	size     int64
	pageSize int64
	meta     boltMeta
	used     []uint64 // a bit for each page that something leads to
	buffers  [][]byte // one for each level of the tree

	bucket   string // the one whose keys are being read
	captures int64  // read
	counted  int64  // captures that there are by the index's own count
}

// boltMeta is a meta page.
type boltMeta struct {
	pageSize                     int64
	root, freelist, inUse, txnID uint64
}

// checkPages returns an error that wraps ErrDamaged unless file, of that size, is an index in which every page that is needed is there, once, with its keys in order and
// within its bounds.
func checkPages(file io.ReaderAt, size int64) error {
	p := &pages{file: file, size: size}
	if err := p.readMeta(); err != nil {
		return err
	}
	p.used = make([]uint64, size/p.pageSize/64+1)
	if err := p.checkFreelist(); err != nil {
		return err
	}
	if err := p.checkTree(p.meta.root, nil, nil, 0, p.checkBucket); err != nil {
		return err
	}
	if p.captures != p.counted {
		return damaged("%d captures of %d", p.captures, p.counted)
	}
	return nil
}

// damaged says what is wrong.
func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrDamaged}, args...)...)
}

// readMeta finds the meta page that counts.
func (p *pages) readMeta() error {
	first, found := p.metaAt(0)
	for size := int64(minPageSize); !found && size <= maxPageSize; size *= 2 {
		if second, ok := p.metaAt(size); ok && second.pageSize == size {
			p.meta, p.pageSize = second, size
			return nil
		}
	}
	if !found {
		return damaged("both of its meta pages")
	}
	p.meta, p.pageSize = first, first.pageSize
	if second, ok := p.metaAt(p.pageSize); ok && second.pageSize == p.pageSize && second.txnID > first.txnID {
		p.meta = second
	}
	return nil
}

// metaAt returns the meta page at offset, if it is whole.
func (p *pages) metaAt(offset int64) (m boltMeta, ok bool) {
	var b [pageHeader + metaSize]byte
	if _, err := p.file.ReadAt(b[:], offset); err != nil {
		return m, false
	}
	meta := b[pageHeader:]
	sum := fnv.New64a()
	sum.Write(meta[:metaSize-8])
	m = boltMeta{
		pageSize: int64(pageOrder.Uint32(meta[8:])),
		root:     pageOrder.Uint64(meta[16:]),
		freelist: pageOrder.Uint64(meta[32:]),
		inUse:    pageOrder.Uint64(meta[40:]),
		txnID:    pageOrder.Uint64(meta[48:]),
	}
	return m, pageOrder.Uint32(meta) == boltMagic && pageOrder.Uint32(meta[4:]) == boltVersion && sum.Sum64() == pageOrder.Uint64(meta[56:]) &&
		m.pageSize >= minPageSize && m.pageSize <= maxPageSize && m.pageSize&(m.pageSize-1) == 0
}

// page is a page and those that it goes on in; or the one in the value of a bucket.
type page struct {
	id    uint64
	flags uint16
	count int
	bytes []byte
}

// read reads a page that nothing else leads to, with a buffer for that level of the tree.
func (p *pages) read(id uint64, level int) (page, error) {
	if level >= maxDepth {
		return page{}, damaged("page %d is %d levels deep", id, level)
	}
	if err := p.use(id, 0); err != nil {
		return page{}, err
	}
	for len(p.buffers) <= level {
		p.buffers = append(p.buffers, make([]byte, p.pageSize))
	}
	if err := p.readAt(p.buffers[level][:p.pageSize], id); err != nil {
		return page{}, err
	}
	overflow := pageOrder.Uint32(p.buffers[level][12:])
	if got := pageOrder.Uint64(p.buffers[level]); got != id {
		return page{}, damaged("page %d says that it is page %d", id, got)
	}
	if overflow > 0 {
		if err := p.use(id+1, uint64(overflow)-1); err != nil {
			return page{}, err
		}
		whole := (int64(overflow) + 1) * p.pageSize
		if int64(len(p.buffers[level])) < whole {
			p.buffers[level] = make([]byte, whole)
		}
		if err := p.readAt(p.buffers[level][:whole], id); err != nil {
			return page{}, err
		}
	}
	return pageOf(p.buffers[level][:(int64(overflow)+1)*p.pageSize]), nil
}

func pageOf(b []byte) page {
	return page{pageOrder.Uint64(b), pageOrder.Uint16(b[8:]), int(pageOrder.Uint16(b[10:])), b}
}

// use notes that something leads to page first and the more pages behind it.
func (p *pages) use(first, more uint64) error {
	limit := min(uint64(p.size/p.pageSize), p.meta.inUse)
	if first < 2 || first >= limit || more >= limit-first {
		return damaged("page %d and %d behind it, of %d", first, more, limit)
	}
	for id := first; id <= first+more; id++ {
		if p.used[id/64]&(1<<(id%64)) != 0 {
			return damaged("page %d is in two places", id)
		}
		p.used[id/64] |= 1 << (id % 64)
	}
	return nil
}

func (p *pages) readAt(b []byte, id uint64) error {
	_, err := p.file.ReadAt(b, int64(id)*p.pageSize)
	if errors.Is(err, io.EOF) {
		return damaged("the file ends before page %d", id)
	}
	return err
}

// checkFreelist checks the list of free pages, if there is one: we write none.
func (p *pages) checkFreelist() error {
	if p.meta.freelist == noFreelist {
		return nil
	}
	list, err := p.read(p.meta.freelist, 0)
	if err != nil {
		return err
	}
	ids, count := list.bytes[pageHeader:], uint64(list.count)
	if count == 0xffff { // it does not fit: it comes first
		count, ids = pageOrder.Uint64(ids), ids[8:]
	}
	if list.flags != freelistPage || count > uint64(len(ids)/8) {
		return damaged("page %d is no list of free pages", list.id)
	}
	for i := range count {
		if err := p.use(pageOrder.Uint64(ids[8*i:]), 0); err != nil {
			return err
		}
	}
	return nil
}

// checkTree checks the tree that begins at page root. Its keys must begin with first and end before high, unless these are nil; leaf is called with each element of its leaves, and their
// level.
func (p *pages) checkTree(root uint64, first, high []byte, level int, leaf func(element, int) error) error {
	node, err := p.read(root, level)
	if err != nil {
		return err
	}
	return p.checkNode(node, first, high, level, leaf)
}

// checkNode checks a page of a tree and what is below it.
func (p *pages) checkNode(node page, first, high []byte, level int, leaf func(element, int) error) error {
	if err := node.check(first, high); err != nil {
		return err
	}
	if node.flags == leafPage {
		for i := range node.count {
			if err := leaf(node.element(i), level); err != nil {
				return err
			}
		}
		return nil
	}
	for i := range node.count {
		e, end := node.element(i), high
		if i+1 < node.count {
			end = node.element(i + 1).key
		}
		if err := p.checkTree(e.child, e.key, end, level+1, leaf); err != nil {
			return err
		}
	}
	return nil
}

// check checks the kind of a page and the order of its keys.
func (n *page) check(first, high []byte) error {
	if n.flags != leafPage && n.flags != branchPage || pageHeader+elementSize*n.count > len(n.bytes) {
		return damaged("page %d has the flags %x and %d elements", n.id, n.flags, n.count)
	}
	if n.count == 0 && (n.flags == branchPage || first != nil) {
		return damaged("page %d is empty", n.id)
	}
	previous := first
	for i := range n.count {
		key, want := n.element(i).key, -1
		if i == 0 && first != nil {
			want = 0 // bbolt finds what leads to a page by the page's first key
		}
		if len(key) == 0 || bytes.Compare(previous, key) != want {
			return damaged("key %d of page %d", i, n.id)
		}
		previous = key
	}
	if high != nil && bytes.Compare(previous, high) >= 0 {
		return damaged("page %d has keys of the next", n.id)
	}
	return nil
}

// element is a key of a page, and what it leads to.
type element struct {
	key   []byte
	child uint64 // of a branch
	flags uint32 // of a leaf
	value []byte
}

// element returns the element of that number. Without a key it is one that does not lie in the page.
func (n *page) element(i int) element {
	start := pageHeader + elementSize*i
	head := n.bytes[start:]
	if n.flags == branchPage {
		key, _ := n.cut(start, pageOrder.Uint32(head), pageOrder.Uint32(head[4:]), 0)
		return element{key: key, child: pageOrder.Uint64(head[8:])}
	}
	key, value := n.cut(start, pageOrder.Uint32(head[4:]), pageOrder.Uint32(head[8:]), pageOrder.Uint32(head[12:]))
	return element{key: key, value: value, flags: pageOrder.Uint32(head)}
}

// cut returns the key and the value that lie behind the element at start.
func (n *page) cut(start int, position, keySize, valueSize uint32) (key, value []byte) {
	from := uint64(start) + uint64(position)
	middle := from + uint64(keySize)
	end := middle + uint64(valueSize)
	if end > uint64(len(n.bytes)) || from < uint64(pageHeader+elementSize*n.count) {
		return nil, nil
	}
	return n.bytes[from:middle], n.bytes[middle:end]
}

// checkBucket checks a leaf of the root: a bucket, which has a tree of its own.
func (p *pages) checkBucket(e element, level int) error {
	if e.flags != bucketLeaf || len(e.value) < bucketSize {
		return damaged("%q is no bucket", e.key)
	}
	p.bucket = string(e.key)
	if root := pageOrder.Uint64(e.value); root != 0 {
		return p.checkTree(root, nil, nil, level+1, p.checkLeaf)
	}
	if len(e.value) < bucketSize+pageHeader {
		return damaged("bucket %q has %d bytes", e.key, len(e.value))
	}
	inside := pageOf(e.value[bucketSize:])
	if inside.id != 0 || inside.flags != leafPage || pageOrder.Uint32(inside.bytes[12:]) != 0 {
		return damaged("the page in bucket %q", e.key)
	}
	return p.checkNode(inside, nil, nil, level+1, p.checkLeaf)
}

// checkLeaf checks a key of a bucket.
func (p *pages) checkLeaf(e element, _ int) error {
	if e.flags != 0 {
		return damaged("a key of bucket %q has the flags %x", p.bucket, e.flags)
	}
	switch p.bucket {
	case string(bucketCaptures):
		p.captures++
		return indexKey(e.key).check()
	case string(bucketMeta):
		if string(e.key) == string(metaCaptures) && len(e.value) == 8 {
			p.counted = int64(binary.BigEndian.Uint64(e.value))
		}
	}
	return nil
}
