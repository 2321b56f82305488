package recorder

import (
	"fmt"
	"io"
	"os"
)

// Buffer keeps the bytes of one message: in one contiguous piece of pooled memory up to a little above 1 MiB, beyond that,
// or when all buffers together hold too much, in a file without a name. It is not safe for concurrent use. The zero Buffer
// works and never spills; those of an [Exchange] do.
type Buffer struct {
	memory *memory
	chunk  *[]byte  // what was written; nil before the first byte and after a spill
	file   *os.File // what was written, once it has spilled
	size   int64
	err    error // why nothing more can be kept
}

// Write keeps p. An error says that p, or a part of it, cannot be kept, now or later: the disk is full, say. Whoever passes
// the bytes on must then stop doing so, for nothing may pass unrecorded; Commit records what came before as truncated.
func (b *Buffer) Write(p []byte) (int, error) {
	if b.chunk != nil && b.err == nil && len(p) <= cap(*b.chunk)-len(*b.chunk) {
		*b.chunk = append(*b.chunk, p...)
		b.size += int64(len(p))
		return len(p), nil
	}
	return b.writeSlowly(p)
}

func (b *Buffer) writeSlowly(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	if b.file == nil && b.grow(b.size+int64(len(p))) {
		*b.chunk = append(*b.chunk, p...)
		b.size += int64(len(p))
		return len(p), nil
	}
	if b.file == nil {
		if b.err = b.spill(); b.err != nil {
			return 0, b.err
		}
	}
	n, err := b.file.Write(p)
	b.size += int64(n)
	if err != nil {
		b.err = fmt.Errorf("spill: %w", err)
		b.memory.failed(b.err)
	}
	return n, b.err
}

// Len is the number of bytes written.
func (b *Buffer) Len() int64 { return b.size }

// Reset forgets what was written and gives back what it took.
func (b *Buffer) Reset() {
	b.drop()
	if b.file != nil {
		b.file.Close() // nothing is left of it: it has no name
	}
	*b = Buffer{memory: b.memory}
}

// grow makes room for size bytes in memory. It is false if they must go to disk.
func (b *Buffer) grow(size int64) bool {
	chunk := b.memory.take(size)
	if chunk == nil {
		return false
	}
	if b.chunk != nil {
		*chunk = append(*chunk, *b.chunk...)
	}
	b.drop()
	b.chunk = chunk
	return true
}

// spill moves what was written into a file. On error the bytes stay where they were.
func (b *Buffer) spill() error {
	file, err := b.memory.file()
	if err == nil && b.chunk != nil {
		_, err = file.Write(*b.chunk)
	}
	if err != nil {
		if file != nil {
			file.Close()
		}
		err = fmt.Errorf("spill: %w", err)
		b.memory.failed(err)
		return err
	}
	b.drop()
	b.file = file
	return nil
}

func (b *Buffer) drop() {
	if b.chunk != nil {
		b.memory.give(b.chunk)
		b.chunk = nil
	}
}

// bytes is what was written, if it is in memory.
func (b *Buffer) bytes() []byte {
	if b.chunk == nil {
		return nil
	}
	return *b.chunk
}

// reader reads what was written from its start; several may read at once.
func (b *Buffer) reader() *io.SectionReader {
	return io.NewSectionReader(b, 0, b.size)
}

// ReadAt reads what was written.
func (b *Buffer) ReadAt(p []byte, off int64) (int, error) {
	if b.file != nil {
		return b.file.ReadAt(p, off)
	}
	n := copy(p, b.bytes()[min(off, b.size):])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}
