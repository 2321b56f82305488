package boltcheck

import (
	"bytes"
	"sort"
)

// Tree is a file that nobody writes. Nothing but its meta pages need have been checked: each page
// is checked when it is come to, against what led there. So its keys come in order whatever the
// pages say, none comes twice, and no more is read than the file holds. After an error all that a
// Tree gives is empty.
type Tree struct {
	bytes   []byte // of the file
	meta    Meta
	err     error
	checked map[uint64]bounds // pages; some of them
}

// maxChecked is how many pages a Tree keeps in mind as checked. Others are checked again when they
// are come to.
const maxChecked = 16 << 10

// NewTree returns the tree in the bytes of a file with that meta page.
func NewTree(file []byte, meta Meta) *Tree {
	return &Tree{bytes: file, meta: meta, checked: make(map[uint64]bounds)}
}

// Clone returns a tree of the same file, for another reader.
func (t *Tree) Clone() *Tree { return NewTree(t.bytes, t.meta) }

// Err returns why the tree cannot be read any more, or nil.
func (t *Tree) Err() error { return t.err }

// Meta returns the meta page.
func (t *Tree) Meta() Meta { return t.meta }

// Bucket returns the bucket of that name, or nil if there is none.
func (t *Tree) Bucket(name []byte) *Bucket {
	root := &Cursor{tree: t, root: t.meta.Root, buckets: true}
	root.Seek(name)
	e, found := root.element()
	if !found || !bytes.Equal(e.key, name) {
		return nil
	}
	id, inside, err := bucketRoot(e)
	if err != nil {
		t.fail(err)
		return nil
	}
	return &Bucket{tree: t, root: id, inside: inside}
}

// fail notes the first error.
func (t *Tree) fail(err error) {
	if t.err == nil {
		t.err = err
	}
}

// page returns a page, which is checked against the bounds that the branch above it gives.
func (t *Tree) page(id uint64, within bounds) (page, error) {
	size := uint64(t.meta.PageSize)
	if id < 2 || id >= t.meta.InUse {
		return page{}, damaged("page %d of %d", id, t.meta.InUse)
	}
	start := t.bytes[id*size:]
	overflow := pageOverflow(start)
	if got := pageOrder.Uint64(start); got != id || overflow >= t.meta.InUse-id {
		return page{}, damaged("page %d says that it is page %d and %d more", id, got, overflow)
	}
	n := pageOf(start[: (overflow+1)*size : (overflow+1)*size])
	if before, done := t.checked[id]; done && before.equal(within) {
		return n, nil
	}
	if err := n.check(within.first, within.high); err != nil {
		return page{}, err
	}
	if len(t.checked) >= maxChecked {
		clear(t.checked)
	}
	t.checked[id] = within
	return n, nil
}

// Bucket is a bucket of a Tree.
type Bucket struct {
	tree   *Tree
	root   uint64
	inside page // the whole of it, if root is 0
}

// Cursor returns a cursor over the keys of the bucket.
func (b *Bucket) Cursor() *Cursor {
	return &Cursor{tree: b.tree, root: b.root, inside: b.inside}
}

// Get returns the value of a key, or nil if there is none. It is a part of the file.
func (b *Bucket) Get(key []byte) []byte {
	if k, v := b.Cursor().Seek(key); bytes.Equal(k, key) {
		return v
	}
	return nil
}

// Cursor goes through the keys of a Bucket, or with buckets through those of the root. A nil key is
// the end.
type Cursor struct {
	tree    *Tree
	root    uint64
	inside  page
	buckets bool
	stack   []step
}

// step is a page between the root and the present key.
type step struct {
	page
	index int
	high  []byte // the bound of the page
}

// leaf returns the page on top of the stack.
func (c *Cursor) leaf() *step { return &c.stack[len(c.stack)-1] }

// begin puts the root on the stack.
func (c *Cursor) begin() bool {
	c.stack = c.stack[:0]
	if c.root != 0 {
		return c.push(c.root, bounds{})
	}
	if err := c.inside.check(nil, nil); err != nil {
		c.tree.fail(err)
		return false
	}
	c.stack = append(c.stack, step{page: c.inside})
	return true
}

// push puts a page on the stack, unless it is not sound.
func (c *Cursor) push(id uint64, within bounds) bool {
	if c.tree.err != nil {
		return false
	}
	n, err := c.tree.page(id, within)
	if err == nil && len(c.stack) >= maxDepth {
		err = damaged("page %d is %d levels deep", id, len(c.stack))
	}
	if err != nil {
		c.tree.fail(err)
		return false
	}
	c.stack = append(c.stack, step{page: n, high: within.high})
	return true
}

// down goes from the page on top of the stack to a leaf, each time to the child that choose names.
func (c *Cursor) down(choose func(*step) int) bool {
	for {
		s := c.leaf()
		s.index = choose(s)
		if s.flags == leafPage {
			return true
		}
		e, within := s.element(s.index), bounds{high: s.high}
		within.first = e.key
		if s.index+1 < s.count {
			within.high = s.element(s.index + 1).key
		}
		if !c.push(e.child, within) {
			return false
		}
	}
}

func first(*step) int  { return 0 }
func last(s *step) int { return s.count - 1 }

// Seek goes to the key, or else to the next.
func (c *Cursor) Seek(key []byte) (k, v []byte) {
	if !c.begin() || !c.down(func(s *step) int { return s.search(key) }) {
		return nil, nil
	}
	if s := c.leaf(); s.index >= s.count {
		return c.Next()
	}
	return c.current()
}

// search returns the number of the element with that key. If there is none, it is the next element
// of a leaf, and the one before of a branch.
func (s *step) search(key []byte) int {
	i := sort.Search(s.count, func(i int) bool { return bytes.Compare(s.element(i).key, key) >= 0 })
	if s.flags == branchPage && i > 0 && (i == s.count || !bytes.Equal(s.element(i).key, key)) {
		i--
	}
	return i
}

// First goes to the first key.
func (c *Cursor) First() (k, v []byte) {
	if !c.begin() || !c.down(first) {
		return nil, nil
	}
	return c.current()
}

// Last goes to the last key.
func (c *Cursor) Last() (k, v []byte) {
	if !c.begin() || !c.down(last) {
		return nil, nil
	}
	return c.current()
}

// Next goes to the key that follows. At the end it stays.
func (c *Cursor) Next() (k, v []byte) {
	for i := len(c.stack) - 1; i >= 0; i-- {
		if c.stack[i].index+1 < c.stack[i].count {
			c.stack[i].index++
			return c.branchOff(i, first)
		}
	}
	return nil, nil
}

// Prev goes to the key before. At the beginning it stays.
func (c *Cursor) Prev() (k, v []byte) {
	for i := len(c.stack) - 1; i >= 0; i-- {
		if c.stack[i].index > 0 {
			c.stack[i].index--
			return c.branchOff(i, last)
		}
	}
	return nil, nil
}

// branchOff goes down from the page of that number in the stack, by its index.
func (c *Cursor) branchOff(i int, choose func(*step) int) (k, v []byte) {
	c.stack = c.stack[:i+1]
	turn := c.stack[i].index
	chosen := false
	ok := c.down(func(s *step) int {
		if !chosen {
			chosen = true
			return turn
		}
		return choose(s)
	})
	if !ok {
		return nil, nil
	}
	return c.current()
}

// element returns the present element, if there is one.
func (c *Cursor) element() (e element, found bool) {
	if len(c.stack) == 0 || c.tree.err != nil {
		return e, false
	}
	s := c.leaf()
	if s.flags != leafPage || s.index < 0 || s.index >= s.count {
		return e, false
	}
	return s.page.element(s.index), true
}

// current returns the present key and its value.
func (c *Cursor) current() (k, v []byte) {
	e, found := c.element()
	if !found {
		return nil, nil
	}
	if (e.flags != 0) != c.buckets {
		c.tree.fail(damaged("a key %q has the flags %x", e.key[:min(len(e.key), 100)], e.flags))
		return nil, nil
	}
	return e.key, e.value
}
