package v09

import "io"

// Record is one record of a file. It is valid until the next call of Next.
type Record struct {
	Header
	File string // the Reader's name for it
	// in the file: of the record or, if the file is gzipped, of the member that it begins in
	Offset int64
	Inside int64     // bytes of text in that member before the record
	Size   int64     // of the block, in bytes
	Block  io.Reader // the block; its error is the Reader's

	reader *Reader
	left   int64 // of the block
	done   bool
}

// Close leaves out the rest of the record and looks at what follows it: whether data-length can be
// right. In a gzipped file it inflates the rest, and notices a checksum that is wrong. The error is
// a *warc.Damage, or that of reading the file.
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
