package boltcheck

import (
	"io"
	"slices"
)

// pageCheck is the check of a whole file. Nearly all of it are leaves of trees: they are read in
// the order of the file, which a disk gives many times faster than the order of their keys.
type pageCheck struct {
	file     io.ReaderAt
	meta     Meta
	used     Pages    // to which something leads
	buffers  [][]byte // one for each level of a tree above its leaves
	progress func(done, total int64)
	done     int64 // pages

	leafLevel int // of the tree that is read; 0 if its leaves are read as they come
	leaves    []leafRef
	keys      []byte // the bounds of leaves
	window    window

	bucket []byte // the one whose keys are being read
	key    KeyCheck
}

// KeyCheck is told each key of each bucket, and its value, and returns an error unless they belong
// there. It keeps none of them.
type KeyCheck func(bucket, key, value []byte) error

// leafKeys is how many bytes of bounds are kept before their leaves are read, some 200,000 of them.
const leafKeys = 16 << 20

// Check returns the pages of a file of that size to which something leads, or a Damage unless it is
// a file of bbolt in which every page that is needed is there, once, with its keys in order and
// within its bounds. Each key is given to key, whose error Check returns. progress, if it is not
// nil, is told how many bytes have been read. Check keeps no more of the file than its longest
// pages, and 32 MB.
func Check(file io.ReaderAt, size int64, key KeyCheck,
	progress func(done, total int64)) (Pages, error) {
	meta, err := ReadMeta(file, size)
	if err != nil {
		return nil, err
	}
	c := &pageCheck{file: file, meta: meta, used: make(Pages, meta.InUse/64+1),
		progress: progress, key: key, window: window{file: file}}
	if err := c.checkFreelist(); err != nil {
		return nil, err
	}
	if err := c.checkTree(meta.Root, bounds{}, 0, c.checkBucket); err != nil {
		return nil, err
	}
	c.done = int64(meta.InUse)
	c.report(0)
	return c.used, nil
}

// Pages is a set of pages: a bit for each.
type Pages []uint64

// Has reports whether the set has page id.
func (p Pages) Has(id uint64) bool { return p[id/64]&(1<<(id%64)) != 0 }

func (p Pages) add(id uint64) { p[id/64] |= 1 << (id % 64) }

// report tells that the check has come so many pages further.
func (c *pageCheck) report(pages int64) {
	const step = 1 << 10
	before := c.done / step
	c.done += pages
	if c.progress != nil && (c.done/step != before || pages == 0) {
		c.progress(c.done*c.meta.PageSize, int64(c.meta.InUse)*c.meta.PageSize)
	}
}

// use notes that something leads to page first, and to as many pages behind it as more says.
func (c *pageCheck) use(first, more uint64) error {
	limit := c.meta.InUse
	if first < 2 || first >= limit || more >= limit-first {
		return damaged("page %d and %d behind it, of %d", first, more, limit)
	}
	for id := first; id <= first+more; id++ {
		if c.used.Has(id) {
			return damaged("page %d is in two places", id)
		}
		c.used.add(id)
	}
	return nil
}

// read reads a page that nothing else leads to, with a buffer for that level of the tree.
func (c *pageCheck) read(id uint64, level int) (page, error) {
	if level >= maxDepth {
		return page{}, damaged("page %d is %d levels deep", id, level)
	}
	if err := c.use(id, 0); err != nil {
		return page{}, err
	}
	for len(c.buffers) <= level {
		c.buffers = append(c.buffers, make([]byte, c.meta.PageSize))
	}
	return c.whole(id, func(size int64) ([]byte, error) {
		if int64(len(c.buffers[level])) < size {
			c.buffers[level] = make([]byte, size)
		}
		b := c.buffers[level][:size]
		return b, readFull(c.file, b, int64(id)*c.meta.PageSize)
	})
}

// whole returns a page with those in which it goes on; bytes gives the beginning of them, of that
// size.
func (c *pageCheck) whole(id uint64, bytes func(size int64) ([]byte, error)) (page, error) {
	b, err := bytes(c.meta.PageSize)
	if err != nil {
		return page{}, err
	}
	overflow := pageOverflow(b)
	if got := pageOrder.Uint64(b); got != id {
		return page{}, damaged("page %d says that it is page %d", id, got)
	}
	if overflow > 0 {
		if err := c.use(id+1, overflow-1); err != nil {
			return page{}, err
		}
		if b, err = bytes(int64(overflow+1) * c.meta.PageSize); err != nil {
			return page{}, err
		}
	}
	c.report(int64(overflow) + 1)
	return pageOf(b), nil
}

// checkFreelist checks the list of free pages, if there is one: it is written when the index is
// closed.
func (c *pageCheck) checkFreelist() error {
	if !c.meta.HasFreelist() {
		return nil
	}
	list, err := c.read(c.meta.Freelist, 0)
	if err != nil {
		return err
	}
	ids, count := list.bytes[pageHeader:], uint64(list.count)
	if count == manyFree {
		count, ids = pageOrder.Uint64(ids), ids[8:]
	}
	if list.flags != freelistPage || count > uint64(len(ids)/8) {
		return damaged("page %d is no list of free pages", list.id)
	}
	for i := range count {
		if err := c.use(pageOrder.Uint64(ids[8*i:]), 0); err != nil {
			return err
		}
	}
	return nil
}

// leafCheck is called with an element of a leaf, and the leaf's level.
type leafCheck func(e element, level int) error

// checkTree checks the tree that begins at page root, or a part of it, and with leaf the elements
// of its leaves.
func (c *pageCheck) checkTree(root uint64, within bounds, level int, leaf leafCheck) error {
	if level == c.leafLevel && level > 0 {
		return c.putOff(root, within)
	}
	node, err := c.read(root, level)
	if err != nil {
		return err
	}
	return c.checkNode(node, within, level, leaf)
}

// checkNode checks a page of a tree and what is below it.
func (c *pageCheck) checkNode(node page, within bounds, level int, leaf leafCheck) error {
	if err := node.check(within.first, within.high); err != nil {
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
		e, high := node.element(i), within.high
		if i+1 < node.count {
			high = node.element(i + 1).key
		}
		if err := c.checkTree(e.child, bounds{e.key, high}, level+1, leaf); err != nil {
			return err
		}
	}
	return nil
}

// checkBucket checks a leaf of the root: a bucket, which has a tree of its own.
func (c *pageCheck) checkBucket(e element, level int) error {
	root, inside, err := bucketRoot(e)
	if err != nil {
		return err
	}
	c.bucket = append(c.bucket[:0], e.key...)
	if root == 0 {
		return c.checkNode(inside, bounds{}, level+1, c.checkLeaf)
	}
	c.leafLevel = level + 1 + c.height(root)
	err = c.checkTree(root, bounds{}, level+1, c.checkLeaf)
	if err == nil {
		err = c.readLeaves()
	}
	c.leafLevel = 0
	return err
}

// height returns how many levels of branches a tree has on its left: on all sides, if bbolt has
// made it. Whether the pages are sound is found out later.
func (c *pageCheck) height(root uint64) int {
	b := make([]byte, pageHeader+elementSize)
	for height := range maxDepth {
		if root >= c.meta.InUse || readFull(c.file, b, int64(root)*c.meta.PageSize) != nil ||
			pageOf(b).flags != branchPage {
			return height
		}
		root = pageOrder.Uint64(b[pageHeader+8:])
	}
	return maxDepth
}

// putOff puts a leaf off until many can be read together.
func (c *pageCheck) putOff(id uint64, within bounds) error {
	if err := c.use(id, 0); err != nil {
		return err
	}
	ref := leafRef{id: id, hasFirst: within.first != nil, hasHigh: within.high != nil}
	ref.first = len(c.keys)
	c.keys = append(c.keys, within.first...)
	ref.high = len(c.keys)
	c.keys = append(c.keys, within.high...)
	ref.end = len(c.keys)
	c.leaves = append(c.leaves, ref)
	if len(c.keys) < leafKeys {
		return nil
	}
	return c.readLeaves()
}

// readLeaves reads the leaves that were put off, in the order of the file.
func (c *pageCheck) readLeaves() error {
	slices.SortFunc(c.leaves, func(a, b leafRef) int { return int(int64(a.id) - int64(b.id)) })
	leaves, keys, level := c.leaves, c.keys, c.leafLevel
	c.leafLevel = 0 // what is a branch after all is read with all that is below it
	for i, ref := range leaves {
		if err := c.readLeaf(ref, keys, leaves[i+1:], level); err != nil {
			return err
		}
	}
	c.leaves, c.keys, c.leafLevel = leaves[:0], keys[:0], level
	return nil
}

// readLeaf reads a leaf that was put off, and checks it. next are those that will be read after it.
func (c *pageCheck) readLeaf(ref leafRef, keys []byte, next []leafRef, level int) error {
	at := int64(ref.id) * c.meta.PageSize
	c.window.plan(at, next, c.meta.PageSize)
	node, err := c.whole(ref.id, func(size int64) ([]byte, error) { return c.window.bytes(at, size) })
	if err != nil {
		return err
	}
	var within bounds
	if ref.hasFirst {
		within.first = keys[ref.first:ref.high]
	}
	if ref.hasHigh {
		within.high = keys[ref.high:ref.end]
	}
	return c.checkNode(node, within, level, c.checkLeaf)
}

// checkLeaf checks a key of a bucket.
func (c *pageCheck) checkLeaf(e element, _ int) error {
	if e.flags != 0 {
		return damaged("a key of bucket %q has the flags %x", c.bucket, e.flags)
	}
	return c.key(c.bucket, e.key, e.value)
}
