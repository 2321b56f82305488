package store

import (
	"bytes"
	"sort"
)

// tree is an index that nobody writes, as it lies in a file. It is read without bbolt: nothing but
// its meta pages need have been checked, since each page is checked as it is come to, against what
// led there. So its keys come in order whatever the pages say, none comes twice, and no more is
// read than the file holds. After an error all that it gives is empty.
type tree struct {
	bytes   []byte // of the file
	meta    boltMeta
	err     error
	checked map[uint64]bounds // pages
}

// bounds are those that the keys of a page were checked with.
type bounds struct{ first, high []byte }

func newTree(file []byte, meta boltMeta) *tree {
	return &tree{bytes: file, meta: meta, checked: make(map[uint64]bounds)}
}

// bucket returns the bucket of that name.
func (t *tree) bucket(name []byte) table {
	root := &treeCursor{tree: t, root: t.meta.root, buckets: true}
	root.Seek(name)
	e, found := root.element()
	if !found || !bytes.Equal(e.key, name) {
		return empty{}
	}
	id, inside, err := bucketRoot(e)
	if err != nil {
		t.fail(err)
		return empty{}
	}
	return &treeBucket{tree: t, root: id, inside: inside}
}

func (t *tree) fail(err error) {
	if t.err == nil {
		t.err = err
	}
}

// page returns a page whose keys are within bounds; no other place than that of these leads to it.
func (t *tree) page(id uint64, within bounds) (page, error) {
	size := uint64(t.meta.pageSize)
	if id < 2 || id >= t.meta.inUse {
		return page{}, damaged("page %d of %d", id, t.meta.inUse)
	}
	start := t.bytes[id*size:]
	overflow := pageOverflow(start)
	if got := pageOrder.Uint64(start); got != id || overflow >= t.meta.inUse-id {
		return page{}, damaged("page %d says that it is page %d and %d more", id, got, overflow)
	}
	n := pageOf(start[: (overflow+1)*size : (overflow+1)*size])
	if before, done := t.checked[id]; done && before.equal(within) {
		return n, nil
	}
	if err := n.check(within.first, within.high); err != nil {
		return page{}, err
	}
	t.checked[id] = within
	return n, nil
}

func (b bounds) equal(other bounds) bool {
	return (b.first == nil) == (other.first == nil) && (b.high == nil) == (other.high == nil) &&
		bytes.Equal(b.first, other.first) && bytes.Equal(b.high, other.high)
}

// treeBucket is a bucket of a tree.
type treeBucket struct {
	tree   *tree
	root   uint64
	inside page // the whole of it, if root is 0
}

func (b *treeBucket) walk() walker {
	return &treeCursor{tree: b.tree, root: b.root, inside: b.inside}
}

func (b *treeBucket) Get(key []byte) []byte {
	if k, v := b.walk().Seek(key); bytes.Equal(k, key) {
		return v
	}
	return nil
}

// treeCursor goes through the keys of a bucket, or with buckets through those of the root.
type treeCursor struct {
	tree    *tree
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

func (c *treeCursor) leaf() *step { return &c.stack[len(c.stack)-1] }

// begin puts the root on the stack.
func (c *treeCursor) begin() bool {
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

func (c *treeCursor) push(id uint64, within bounds) bool {
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
func (c *treeCursor) down(choose func(*step) int) bool {
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
func (c *treeCursor) Seek(key []byte) (k, v []byte) {
	if !c.begin() || !c.down(func(s *step) int { return s.search(key) }) {
		return nil, nil
	}
	if s := c.leaf(); s.index >= s.count {
		return c.Next()
	}
	return c.current()
}

// search returns the number of the element with that key or, if there is none, in a leaf that of
// the next, and in a branch that of the one before.
func (s *step) search(key []byte) int {
	i := sort.Search(s.count, func(i int) bool { return bytes.Compare(s.element(i).key, key) >= 0 })
	if s.flags == branchPage && i > 0 && (i == s.count || !bytes.Equal(s.element(i).key, key)) {
		i--
	}
	return i
}

// First goes to the first key.
func (c *treeCursor) First() (k, v []byte) {
	if !c.begin() || !c.down(first) {
		return nil, nil
	}
	return c.current()
}

// Last goes to the last key.
func (c *treeCursor) Last() (k, v []byte) {
	if !c.begin() || !c.down(last) {
		return nil, nil
	}
	return c.current()
}

// Next goes to the key that follows. At the end it stays.
func (c *treeCursor) Next() (k, v []byte) {
	for i := len(c.stack) - 1; i >= 0; i-- {
		if c.stack[i].index+1 < c.stack[i].count {
			c.stack[i].index++
			return c.branchOff(i, first)
		}
	}
	return nil, nil
}

// Prev goes to the key before. At the beginning it stays.
func (c *treeCursor) Prev() (k, v []byte) {
	for i := len(c.stack) - 1; i >= 0; i-- {
		if c.stack[i].index > 0 {
			c.stack[i].index--
			return c.branchOff(i, last)
		}
	}
	return nil, nil
}

// branchOff goes down from the page of that number in the stack, by its index.
func (c *treeCursor) branchOff(i int, choose func(*step) int) (k, v []byte) {
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
func (c *treeCursor) element() (e element, found bool) {
	if len(c.stack) == 0 || c.tree.err != nil {
		return e, false
	}
	s := c.leaf()
	if s.flags != leafPage || s.index < 0 || s.index >= s.count {
		return e, false
	}
	return s.page.element(s.index), true
}

func (c *treeCursor) current() (k, v []byte) {
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
