package store

import (
	"bytes"
	"encoding/binary"
	"hash/fnv"
	"testing"

	"warcorder/store/boltcheck"
)

// What tests must know of a page of bbolt to change it; package boltcheck draws one.
const (
	testPage    = 4096
	pageHeader  = 16
	elementSize = 16
	metaSize    = 64

	branchPage = 0x01
	leafPage   = 0x02
	manyFree   = 0xffff
)

var pageOrder = binary.NativeEndian

// metaOf returns the meta page of an index.
func metaOf(t testing.TB, index []byte) boltcheck.Meta {
	t.Helper()
	meta, err := boltcheck.ReadMeta(bytes.NewReader(index), int64(len(index)))
	if err != nil {
		t.Fatal(err)
	}
	return meta
}

// sealMeta makes the checksums of the meta pages right.
func sealMeta(index []byte) {
	for page := range 2 {
		meta := index[page*testPage+pageHeader:]
		sum := fnv.New64a()
		sum.Write(meta[:metaSize-8])
		pageOrder.PutUint64(meta[metaSize-8:], sum.Sum64())
	}
}

// pageAt returns the bytes of a page, and all behind it.
func pageAt(index []byte, id uint64) []byte { return index[id*testPage:] }

func isLeaf(page []byte) bool { return pageOrder.Uint16(page[8:]) == leafPage }

func elementCount(page []byte) int { return int(pageOrder.Uint16(page[10:])) }

// elementOf returns the key of an element of a page, and what lies behind it: in a leaf its value.
func elementOf(page []byte, i int) (key, behind []byte) {
	head := page[pageHeader+elementSize*i:]
	at, size := pageOrder.Uint32(head), pageOrder.Uint32(head[4:])
	if isLeaf(page) {
		at, size = size, pageOrder.Uint32(head[8:])
	}
	return head[at:][:size], head[at+size:]
}

// children returns the pages to which a branch leads.
func children(page []byte) (ids []uint64) {
	for i := range elementCount(page) {
		ids = append(ids, pageOrder.Uint64(page[pageHeader+elementSize*i+8:]))
	}
	return ids
}

// bucketValue returns the value of a bucket, which begins with its root page.
func bucketValue(t testing.TB, index []byte, meta boltcheck.Meta, bucket []byte) []byte {
	t.Helper()
	root := pageAt(index, meta.Root)
	for i := range elementCount(root) {
		if key, value := elementOf(root, i); bytes.Equal(key, bucket) {
			return value
		}
	}
	t.Fatalf("no bucket %s", bucket)
	return nil
}

// leavesOf returns the leaves of a tree, in the order of their keys.
func leavesOf(index []byte, root uint64) (leaves []uint64) {
	page := pageAt(index, root)
	if isLeaf(page) {
		return []uint64{root}
	}
	for _, child := range children(page) {
		leaves = append(leaves, leavesOf(index, child)...)
	}
	return leaves
}
