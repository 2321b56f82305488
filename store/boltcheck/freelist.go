package boltcheck

import (
	"errors"
	"io"
)

var errNoFreelist = errors.New("there is no list of free pages")

// WriteState writes to w what any transaction of bbolt changes: the meta pages, and the list of
// free pages. A file without a list is an error: it was not closed, or not well.
func (m Meta) WriteState(w io.Writer, file io.ReaderAt) error {
	for page := range int64(2) {
		head := io.NewSectionReader(file, page*m.PageSize, pageHeader+metaSize)
		if _, err := io.Copy(w, head); err != nil {
			return err
		}
	}
	if m.Freelist < 2 || m.Freelist >= m.InUse {
		return errNoFreelist
	}
	var head [pageHeader]byte
	at := int64(m.Freelist) * m.PageSize
	if err := readFull(file, head[:], at); err != nil {
		return err
	}
	overflow := pageOverflow(head[:])
	if overflow >= m.InUse-m.Freelist {
		return errNoFreelist
	}
	_, err := io.Copy(w, io.NewSectionReader(file, at, int64(overflow+1)*m.PageSize))
	return err
}

// WriteFreelist writes the list of the pages to which nothing leads, as a transaction of bbolt does
// that changes nothing else: first the list, behind all pages, and when that is on disk the older
// one of the meta pages. So bbolt need not go through all pages, in the order of their keys, to
// find out the same. used are the pages to which something leads; sync makes durable what was
// written. A file that has a list stays as it is.
func WriteFreelist(file interface {
	io.ReaderAt
	io.WriterAt
}, size int64, used Pages, sync func() error) error {
	meta, err := ReadMeta(file, size)
	if err != nil || meta.HasFreelist() {
		return err
	}
	list := freelistOf(meta, used)
	if _, err := file.WriteAt(list, int64(meta.InUse)*meta.PageSize); err != nil {
		return err
	}
	if err := sync(); err != nil {
		return err
	}
	next := meta.after(meta.InUse, uint64(int64(len(list))/meta.PageSize))
	if _, err := file.WriteAt(next, int64((meta.TxnID+1)%2)*meta.PageSize); err != nil {
		return err
	}
	return sync()
}

// freelistOf returns the pages of the list.
func freelistOf(meta Meta, used Pages) []byte {
	var free []byte
	count := uint64(0)
	for id := uint64(2); id < meta.InUse; id++ {
		if !used.Has(id) {
			free = pageOrder.AppendUint64(free, id)
			count++
		}
	}
	if count >= manyFree {
		free = append(pageOrder.AppendUint64(nil, count), free...)
	}
	pages := (pageHeader + int64(len(free)) + meta.PageSize - 1) / meta.PageSize
	list := make([]byte, pages*meta.PageSize)
	pageOrder.PutUint64(list, meta.InUse)
	pageOrder.PutUint16(list[8:], freelistPage)
	pageOrder.PutUint16(list[10:], uint16(min(count, manyFree)))
	pageOrder.PutUint32(list[12:], uint32(pages-1))
	copy(list[pageHeader:], free)
	return list
}

// after returns the meta page of the next transaction, which has added a list of free pages at the
// end.
func (m Meta) after(freelist, pages uint64) []byte {
	page := make([]byte, m.PageSize)
	meta := page[pageHeader:]
	copy(meta, m.bytes[pageHeader:])
	pageOrder.PutUint64(page, (m.TxnID+1)%2)
	pageOrder.PutUint16(page[8:], metaPage)
	pageOrder.PutUint64(meta[32:], freelist)
	pageOrder.PutUint64(meta[40:], m.InUse+pages)
	pageOrder.PutUint64(meta[48:], m.TxnID+1)
	pageOrder.PutUint64(meta[56:], metaSum(meta))
	return page
}
