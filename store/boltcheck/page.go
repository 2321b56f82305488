// Package boltcheck reads a file of bbolt as bytes: it says whether all of it is sound (Check), and
// finds keys in one that nobody writes (Tree). bbolt itself panics, in goroutines of its own, when
// it comes to a page that is not.
//
// Invariant: whatever the bytes are, nothing panics, nothing is read twice or beyond the file, and
// memory is bounded: by the longest pages and 32 MB for a Check.
//
// The file, as far as it must be known here. Numbers are in the byte order of the machine:
//
//	page     id(8) flags(2) count(2) overflow(4), count elements, and what they point to; it goes on
//	         in as many pages as overflow says
//	meta     pages 0 and 1: magic(4) version(4) page size(4) flags(4) root page(8) sequence(8)
//	         free list(8) pages in use(8) transaction(8) checksum(8)
//	branch   position(4) size of the key(4) page(8)
//	leaf     flags(4) position(4) size of the key(4) size of the value(4)
//	free     page(8), in ascending order; with a count of 65535 their number(8) comes first
//
// A position counts from the element. What the elements of a page point to lies behind them, one
// behind another. A leaf with the flag 1 is a bucket, whose value is its root page(8) and a
// sequence(8); if the root is 0, the page follows in the value. The one of the two meta pages that
// counts is that of the later transaction, if its checksum is right: the other one is how the file
// was before.
package boltcheck

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
)

const (
	pageHeader  = 16
	elementSize = 16
	metaSize    = 64
	bucketSize  = 16

	branchPage   = 0x01
	leafPage     = 0x02
	metaPage     = 0x04
	freelistPage = 0x10
	bucketLeaf   = 0x01

	boltMagic   = 0xED0CDAED
	boltVersion = 2

	noFreelist  = 1<<64 - 1
	manyFree    = 0xffff
	minPageSize = 1 << 10
	maxPageSize = 16 << 20
	maxDepth    = 64 // of the tree: a page has two children at least
)

var pageOrder = binary.NativeEndian

// Damage says what is wrong with a file.
type Damage string

func (d Damage) Error() string { return string(d) }

// damaged returns a Damage.
func damaged(format string, args ...any) error { return Damage(fmt.Sprintf(format, args...)) }

// Meta is a meta page: the state of a file.
type Meta struct {
	PageSize int64  // bytes
	Root     uint64 // page of the bucket that holds all others
	Freelist uint64 // page of the list of free pages; HasFreelist says whether there is one
	InUse    uint64 // pages that were ever used
	TxnID    uint64 // of the transaction that wrote the state

	bytes [pageHeader + metaSize]byte
}

// ReadMeta finds the meta page that counts in a file of that size. All pages that it says are in
// use are within the file.
func ReadMeta(file io.ReaderAt, size int64) (Meta, error) {
	m, err := laterMeta(file)
	switch {
	case err != nil:
		return m, err
	case m.InUse > uint64(size/m.PageSize):
		return m, damaged("it says that %d pages are in use, and has %d", m.InUse, size/m.PageSize)
	}
	return m, nil
}

// laterMeta returns the meta page of the later transaction.
func laterMeta(file io.ReaderAt) (Meta, error) {
	first, found, err := metaAt(file, 0)
	if err != nil {
		return first, err
	}
	if found {
		second, ok, err := metaAt(file, first.PageSize)
		if ok && second.PageSize == first.PageSize && second.TxnID > first.TxnID {
			return second, err
		}
		return first, err
	}
	for size := int64(minPageSize); size <= maxPageSize; size *= 2 {
		second, ok, err := metaAt(file, size)
		if err != nil || ok && second.PageSize == size {
			return second, err
		}
	}
	return first, damaged("both of its meta pages")
}

// metaAt returns the meta page at offset; ok reports whether it is whole.
func metaAt(file io.ReaderAt, offset int64) (m Meta, ok bool, err error) {
	if _, err := file.ReadAt(m.bytes[:], offset); errors.Is(err, io.EOF) {
		return m, false, nil
	} else if err != nil {
		return m, false, err
	}
	meta := m.bytes[pageHeader:]
	m.PageSize = int64(pageOrder.Uint32(meta[8:]))
	m.Root = pageOrder.Uint64(meta[16:])
	m.Freelist = pageOrder.Uint64(meta[32:])
	m.InUse = pageOrder.Uint64(meta[40:])
	m.TxnID = pageOrder.Uint64(meta[48:])
	return m, pageOrder.Uint32(meta) == boltMagic && pageOrder.Uint32(meta[4:]) == boltVersion &&
		metaSum(meta) == pageOrder.Uint64(meta[56:]) && isPageSize(m.PageSize), nil
}

func isPageSize(size int64) bool {
	return size >= minPageSize && size <= maxPageSize && size&(size-1) == 0
}

// HasFreelist reports whether the file has a list of free pages. bbolt is told to write none while
// an index is open.
func (m Meta) HasFreelist() bool { return m.Freelist != noFreelist }

// metaSum is the checksum of a meta page.
func metaSum(meta []byte) uint64 {
	sum := fnv.New64a()
	sum.Write(meta[:metaSize-8])
	return sum.Sum64()
}

// readFull fills b with what lies at offset.
func readFull(file io.ReaderAt, b []byte, offset int64) error {
	_, err := file.ReadAt(b, offset)
	if errors.Is(err, io.EOF) {
		return damaged("the file ends before offset %d", offset+int64(len(b)))
	}
	return err
}

// page is a page with those in which it goes on; or the page in the value of a bucket.
type page struct {
	id    uint64
	flags uint16
	count int
	bytes []byte
}

// pageOf returns the page of these bytes.
func pageOf(b []byte) page {
	return page{
		id:    pageOrder.Uint64(b),
		flags: pageOrder.Uint16(b[8:]),
		count: int(pageOrder.Uint16(b[10:])),
		bytes: b,
	}
}

// pageOverflow returns in how many more pages a page goes on that begins with b.
func pageOverflow(b []byte) uint64 { return uint64(pageOrder.Uint32(b[12:])) }

// check checks the kind of a page, and the order and the places of its keys and values. The first
// key must be first, and all keys below high, unless these are nil.
func (n *page) check(first, high []byte) error {
	if n.flags != leafPage && n.flags != branchPage ||
		pageHeader+elementSize*n.count > len(n.bytes) {
		return damaged("page %d has the flags %x and %d elements", n.id, n.flags, n.count)
	}
	if n.count == 0 && (n.flags == branchPage || first != nil) {
		return damaged("page %d is empty", n.id)
	}
	previous, end := first, uint64(pageHeader+elementSize*n.count)
	for i := range n.count {
		from, until := n.place(i)
		key, want := n.element(i).key, -1
		if i == 0 && first != nil {
			want = 0 // bbolt finds what leads to a page by the page's first key
		}
		if len(key) == 0 || from != end || bytes.Compare(previous, key) != want {
			return damaged("key %d of page %d", i, n.id)
		}
		previous, end = key, until
	}
	if high != nil && bytes.Compare(previous, high) >= 0 {
		return damaged("page %d has keys of the next", n.id)
	}
	return nil
}

// bounds are those of the keys of a page: the first of them, and what is above them all. nil is no
// bound.
type bounds struct{ first, high []byte }

// equal reports whether the bounds are the same.
func (b bounds) equal(other bounds) bool {
	return (b.first == nil) == (other.first == nil) && (b.high == nil) == (other.high == nil) &&
		bytes.Equal(b.first, other.first) && bytes.Equal(b.high, other.high)
}

// element is a key of a page, and what it leads to.
type element struct {
	key   []byte
	child uint64 // of a branch
	flags uint32 // of a leaf
	value []byte
}

// element returns the element of that number. It has no key if it does not lie within the page.
func (n *page) element(i int) element {
	from, end := n.place(i)
	if end > uint64(len(n.bytes)) || from < uint64(pageHeader+elementSize*n.count) {
		return element{}
	}
	head := n.bytes[pageHeader+elementSize*i:]
	if n.flags == branchPage {
		return element{key: n.bytes[from:end:end], child: pageOrder.Uint64(head[8:])}
	}
	middle := from + uint64(pageOrder.Uint32(head[8:]))
	return element{
		key: n.bytes[from:middle:middle], value: n.bytes[middle:end:end],
		flags: pageOrder.Uint32(head),
	}
}

// place says where in the page the key of an element, and its value, should lie.
func (n *page) place(i int) (from, end uint64) {
	start := pageHeader + elementSize*i
	head := n.bytes[start:]
	if n.flags == branchPage {
		from = uint64(start) + uint64(pageOrder.Uint32(head))
		return from, from + uint64(pageOrder.Uint32(head[4:]))
	}
	from = uint64(start) + uint64(pageOrder.Uint32(head[4:]))
	return from, from + uint64(pageOrder.Uint32(head[8:])) + uint64(pageOrder.Uint32(head[12:]))
}

// bucketRoot returns the root page of a bucket, or else the page that lies in its value.
func bucketRoot(e element) (root uint64, inside page, err error) {
	if e.flags != bucketLeaf || len(e.value) < bucketSize {
		return 0, page{}, damaged("%q is no bucket", e.key)
	}
	if root = pageOrder.Uint64(e.value); root != 0 {
		return root, page{}, nil
	}
	if len(e.value) < bucketSize+pageHeader {
		return 0, page{}, damaged("bucket %q has %d bytes", e.key, len(e.value))
	}
	inside = pageOf(e.value[bucketSize:])
	if inside.id != 0 || inside.flags != leafPage || pageOverflow(inside.bytes) != 0 {
		return 0, page{}, damaged("the page in bucket %q", e.key)
	}
	return 0, inside, nil
}
