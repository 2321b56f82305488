package v09

import "io"

// Record is one record of a file. It is valid until the next call of Next.
type Record struct {
	Header
	File string // the Reader's name of the file
	// Offset is that of the record; in a gzipped file, that of the member in which the record begins.
	Offset int64
	Inside int64     // bytes of text in that member before the record
	Size   int64     // of the block, in bytes
	Block  io.Reader // fails with the error that Next then keeps returning

	reader *Reader
	left   int64 // bytes of the block that have not been read
	done   bool  // Close has succeeded
}

// Close skips the rest of the record and looks at what follows, to see whether data-length can be
// right. In a gzipped file the rest is inflated, and a wrong checksum noticed. The error is a
// *warc.Damage or a read error.
func (rec *Record) Close() error {
	if rec.done || rec.reader.err != nil {
		return rec.reader.err
	}
	if err := rec.finish(); err != nil {
		return rec.reader.fail(err)
	}
	rec.done = true
	return nil
}

func (rec *Record) finish() error {
	if err := rec.reader.text.discard(rec.left); err != nil {
		return short(err)
	}
	rec.left = 0
	return rec.reader.landed()
}

// block is the Block of a Record.
type block Record

func (b *block) Read(p []byte) (int, error) {
	rec := (*Record)(b)
	r := rec.reader
	switch {
	case rec.left == 0 || rec.done:
		return 0, io.EOF
	case r.err != nil:
		return 0, r.err
	}
	n, err := r.text.out.Read(p[:min(int64(len(p)), rec.left)])
	rec.left -= int64(n)
	if err != nil && rec.left > 0 {
		return n, r.fail(short(err))
	}
	return n, nil
}
