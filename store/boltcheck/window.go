package boltcheck

import "io"

// leafRef is a leaf that is still to be read. Its bounds lie in the keys of its pageCheck, one
// behind the other.
type leafRef struct {
	id                uint64
	first, high, end  int
	hasFirst, hasHigh bool
}

// window is a part of the file that is read at once, since several of its pages will be asked for.
type window struct {
	file io.ReaderAt
	buf  []byte
	from int64 // where buf begins in the file
	size int64 // of what buf holds
}

const (
	windowSize = 1 << 20
	windowGap  = 128 << 10 // bytes that nobody asks for, and that are read rather than passed over
)

// plan reads the part of the file that begins at offset and ends with one of the next leaves,
// unless that page has been read.
func (w *window) plan(at int64, next []leafRef, pageSize int64) {
	if at >= w.from && at+pageSize <= w.from+w.size {
		return
	}
	end := at + pageSize
	for _, ref := range next {
		begin := int64(ref.id) * pageSize
		if begin-end > windowGap || begin+pageSize-at > windowSize {
			break
		}
		end = begin + pageSize
	}
	w.read(at, end-at)
}

// read reads a part of the file.
func (w *window) read(from, size int64) error {
	if int64(len(w.buf)) < size {
		w.buf = make([]byte, size)
	}
	w.from, w.size = from, 0
	if err := readFull(w.file, w.buf[:size], from); err != nil {
		return err
	}
	w.size = size
	return nil
}

// bytes returns a part of the file, good until the next call.
func (w *window) bytes(from, size int64) ([]byte, error) {
	if from < w.from || from+size > w.from+w.size {
		if err := w.read(from, size); err != nil {
			return nil, err
		}
	}
	return w.buf[from-w.from:][:size], nil
}
