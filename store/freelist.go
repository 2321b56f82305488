package store

import "io"

// writeFreelist writes the list of the pages of an index that nothing leads to, as a transaction of
// bbolt that changes nothing else does: first the list, behind all pages, and when that is on disk
// the older one of the meta pages. So bbolt need not go through all pages to find out the same, one
// by one and each as it is led to. used are the pages that something leads to; sync makes what was
// written durable. An index that has a list stays as it is.
func writeFreelist(file interface {
	io.ReaderAt
	io.WriterAt
}, size int64, used []uint64, sync func() error) error {
	meta, err := readMeta(file, size)
	if err != nil || meta.freelist != noFreelist {
		return err
	}
	list := freelistOf(meta, used)
	if _, err := file.WriteAt(list, int64(meta.inUse)*meta.pageSize); err != nil {
		return err
	}
	if err := sync(); err != nil {
		return err
	}
	next := meta.after(meta.inUse, uint64(int64(len(list))/meta.pageSize))
	if _, err := file.WriteAt(next, int64((meta.txnID+1)%2)*meta.pageSize); err != nil {
		return err
	}
	return sync()
}

// freelistOf returns the pages of the list.
func freelistOf(meta boltMeta, used []uint64) []byte {
	var free []byte
	count := uint64(0)
	for id := uint64(2); id < meta.inUse; id++ {
		if used[id/64]&(1<<(id%64)) == 0 {
			free = pageOrder.AppendUint64(free, id)
			count++
		}
	}
	if count >= manyFree {
		free = append(pageOrder.AppendUint64(nil, count), free...)
	}
	pages := (pageHeader + int64(len(free)) + meta.pageSize - 1) / meta.pageSize
	list := make([]byte, pages*meta.pageSize)
	pageOrder.PutUint64(list, meta.inUse)
	pageOrder.PutUint16(list[8:], freelistPage)
	pageOrder.PutUint16(list[10:], uint16(min(count, manyFree)))
	pageOrder.PutUint32(list[12:], uint32(pages-1))
	copy(list[pageHeader:], free)
	return list
}

// after returns the meta page of the next transaction, which has added a list of free pages at the
// end.
func (m boltMeta) after(freelist, pages uint64) []byte {
	page := make([]byte, m.pageSize)
	meta := page[pageHeader:]
	copy(meta, m.bytes[pageHeader:])
	pageOrder.PutUint64(page, (m.txnID+1)%2)
	pageOrder.PutUint16(page[8:], metaPage)
	pageOrder.PutUint64(meta[32:], freelist)
	pageOrder.PutUint64(meta[40:], m.inUse+pages)
	pageOrder.PutUint64(meta[48:], m.txnID+1)
	pageOrder.PutUint64(meta[56:], metaSum(meta))
	return page
}
