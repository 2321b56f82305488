package readback

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"warcorder/store/chunks"
	"warcorder/store/warc"
)

// Section returns n bytes of the entity, from an offset on. It is read instead of Body, and of what
// Section has returned before. Where the body lies in stored blocks or is not compressed, what is
// before is not read, nor is a checksum checked. Elsewhere it is, until ctx is done.
func (r *Response) Section(ctx context.Context, from, n int64) (io.Reader, error) {
	if size, known := r.EntitySize(); from < 0 || n < 0 || known && from > size {
		return nil, fmt.Errorf("%d bytes from %d on of an entity of %d", n, from, size)
	}
	if raw := r.raw(); raw != nil && from > passed {
		if !r.Chunked {
			return io.NewSectionReader(raw, from, min(n, r.Size-from)), nil
		}
		return r.behindChunks(ctx, raw, from, n)
	}
	if err := r.again(); err != nil {
		return nil, err
	}
	if err := discard(ctx, r.Entity(), from); err != nil {
		return nil, fmt.Errorf("go to byte %d of the entity: %w", from, err)
	}
	return io.LimitReader(r.Entity(), n), nil
}

// InPlace reports whether Section comes to any byte of the body without reading what is before.
func (r *Response) InPlace() bool { return r.raw() != nil }

// passed is how much of an entity is rather read than passed over.
const passed = 128 << 10

// discard reads n bytes, unless ctx is done before.
func discard(ctx context.Context, in io.Reader, n int64) error {
	for n > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		m, err := io.CopyN(io.Discard, in, min(n, 1<<20))
		if n -= m; err != nil {
			return err
		}
	}
	return nil
}

// again goes back to the beginning of the body.
func (r *Response) again() error {
	if err := r.record.again(); err != nil {
		return err
	}
	if _, err := io.CopyN(io.Discard, r.record.Block, r.record.Size-r.Size); err != nil {
		return err
	}
	r.content = body{record: r.record}
	r.Body, r.entity = &r.content, nil
	return nil
}

// raw returns the body as it lies in the file; nil if it does not lie there as it is.
func (r *Response) raw() io.ReaderAt {
	record := r.record
	if record.member == nil {
		return nil
	}
	offset := record.record.Offset
	switch record.file.layout {
	case warc.Plain:
		begin := offset + record.header + record.Size - r.Size
		return io.NewSectionReader(record.file, begin, min(r.Size, record.until-begin))
	case warc.GzipMembers:
		if s := warc.StoredBody(record.file, offset, record.until-offset, r.Size); s != nil {
			return s
		}
	}
	return nil
}

// behindChunks is Section of a body in chunks: it goes from one chunk's size to the next. Those that
// are small, as an origin may have sent very many, are passed many at a time.
func (r *Response) behindChunks(ctx context.Context, raw io.ReaderAt, from, n int64) (io.Reader,
	error) {
	var coding chunks.Decoder
	var buf [1 << 10]byte
	var window []byte // of the body, from at on
	for at := int64(0); ; {
		if skipped := min(coding.Left(), from); skipped > 0 {
			coding.Skip(skipped)
			at, from = at+skipped, from-skipped
			window = window[min(skipped, int64(len(window))):]
		}
		if from == 0 {
			rest := io.NewSectionReader(raw, at, r.Size-at)
			return io.LimitReader(coding.Reader(rest), n), nil
		}
		if len(window) == 0 {
			m, err := raw.ReadAt(buf[:min(int64(len(buf)), r.Size-at)], at)
			if window = buf[:m]; m == 0 || ctx.Err() != nil {
				return nil, fmt.Errorf("%d bytes before that of the entity: %w", from,
					cmp.Or(ctx.Err(), cutOr(err)))
			}
		}
		_, rest := coding.Next(window)
		at, window = at+int64(len(window)-len(rest)), rest
		if coding.Broken() || coding.HasData() {
			return nil, fmt.Errorf("%d bytes before that of the entity: %w", from,
				io.ErrUnexpectedEOF)
		}
	}
}

// cutOr is what ends a body whose chunks break off, unless it cannot be read.
func cutOr(err error) error {
	if err == nil || err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
