package spill

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"sync"
)

// Buffer keeps the bytes of one message: in one contiguous piece of pooled memory up to a little
// above 1 MiB, beyond that, or when all buffers together hold too much, in a file, and what came
// last in memory until it is worth a write. It is not safe for concurrent use. The zero Buffer
// works and never spills; those of a [Holder] do, from [Files.Begin] on.
type Buffer struct {
	memory *Memory
	spill  *Files // of the exchange

	// mu is held while what follows is looked at or changed: when the other side of the exchange
	// spills, its goroutine writes down what this one has in memory.
	mu sync.Mutex
	// what was written and is not in file; nil before the first byte, and when memory is short
	chunk   *[]byte
	file    *os.File // once it has spilled
	spilled int64    // bytes in file
	crc     uint32   // of them
	size    int64
	held    *held // what it has of the room on disk; nil until it takes some
	err     error // why nothing more can be kept
	refused bool  // something was not kept for that reason

	leaving *[]byte // is being written to file, before chunk; nil if nothing is
	left    chan leave
}

// leave is what became of a chunk that was written to a file.
type leave struct {
	n   int
	crc uint32 // of the file
	err error
}

// ErrNoTime says that the recorder had to end before it came to what is asked for.
var ErrNoTime = errors.New("the recorder had to end")

// gathered is how many bytes are written to a file at once, while others come: a body that comes in
// records of TLS would take a system call for each 16 KiB, and wait for it.
const gathered = 256 << 10

// Write keeps p. An error says that p, or a part of it, cannot be kept: the disk is full, say.
// Whoever passes the bytes on must then stop doing so, for nothing may pass unrecorded; Commit
// records what came before as truncated.
func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	if b.hasRoom(p) {
		b.take(p)
		b.mu.Unlock()
		return len(p), nil
	}
	defer b.mu.Unlock()
	n, err := b.writeSlowly(p)
	b.refused = b.refused || err != nil
	return n, err
}

// hasRoom reports whether p can go into memory as it is.
func (b *Buffer) hasRoom(p []byte) bool {
	return b.chunk != nil && b.err == nil && len(p) <= cap(*b.chunk)-len(*b.chunk) &&
		!(b.held != nil && b.held.cut.Load())
}

// take keeps p in memory, where there is room for it.
func (b *Buffer) take(p []byte) {
	*b.chunk = append(*b.chunk, p...)
	b.size += int64(len(p))
}

func (b *Buffer) writeSlowly(p []byte) (int, error) {
	b.noteCut()
	if b.err != nil {
		return 0, b.err
	}
	if b.file == nil && b.grow(b.size+int64(len(p))) {
		b.take(p)
		return len(p), nil
	}
	if b.file == nil {
		if b.err = b.leaveMemory(); b.err != nil {
			return 0, b.err
		}
	} else if err := b.flush(); err != nil {
		return 0, err
	}
	if b.hasRoom(p) {
		b.take(p)
		return len(p), nil
	}
	if err := b.settle(); err != nil {
		return 0, err
	}
	if err := b.mayWrite(len(p)); err != nil {
		return 0, err
	}
	n, err := b.file.Write(p)
	b.note(p[:n])
	b.size += int64(n)
	b.err = b.unkept(err)
	return n, b.err
}

// WasCut is why the room on disk of this buffer went to others, and its source was closed; nil if
// that has not happened. It may be called while the buffer is written to.
func (b *Buffer) WasCut() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.held.wasCut()
}

// noteCut notes that the room on disk went to others.
func (b *Buffer) noteCut() {
	if err := b.held.wasCut(); err != nil && b.err == nil {
		b.err, b.refused = fmt.Errorf("spill: %w", err), true
	}
}

// mayWrite reports whether there is room on disk for n bytes more.
func (b *Buffer) mayWrite(n int) error {
	if err := b.memory.Room.await(b, int64(n)); err != nil {
		b.err = fmt.Errorf("spill: %w", err)
	}
	return b.err
}

// note notes what has been written to the file.
func (b *Buffer) note(p []byte) {
	b.spilled += int64(len(p))
	b.crc = crc32.Update(b.crc, crc32.IEEETable, p)
}

// flush lets the chunk in memory go to the file, and takes another one for what comes. The chunk is
// written by a goroutine, one at a time for each buffer: the origin's next bytes are read
// meanwhile. Until landed has heard from that goroutine the chunk, leaving, belongs to it. If there
// is no memory for a second chunk, flush waits for the write.
func (b *Buffer) flush() error {
	free, err := b.landed()
	if err != nil || b.chunk == nil {
		b.memory.give(free)
		return err
	}
	if err := b.mayWrite(len(*b.chunk)); err != nil {
		b.memory.give(free)
		return err
	}
	if b.left == nil {
		b.left = make(chan leave, 1)
	}
	if free == nil {
		free = b.memory.take(gathered)
	}
	b.leaving, b.chunk = b.chunk, free
	go func(file *os.File, chunk []byte, crc uint32, left chan<- leave) {
		n, err := file.Write(chunk)
		left <- leave{n, crc32.Update(crc, crc32.IEEETable, chunk[:n]), err}
	}(b.file, *b.leaving, b.crc, b.left)
	if b.chunk == nil { // memory is short
		return b.settle()
	}
	return nil
}

// flushAll brings to the file of a buffer that has spilled whatever is still in memory. What could
// not be written stays in memory. An earlier noRoomError does not keep flushAll from writing: what
// is in memory then was accepted before it.
func (b *Buffer) flushAll() error {
	if err := b.settle(); err != nil && !errors.As(err, new(*noRoomError)) || b.chunk == nil {
		return err
	}
	n, err := b.file.Write(*b.chunk)
	b.note((*b.chunk)[:n])
	*b.chunk = append((*b.chunk)[:0], (*b.chunk)[n:]...)
	if err != nil {
		b.err = b.unkept(err)
	}
	return err
}

// LeaveToFile gives back the memory of a buffer that is in its file as a whole, as it is after
// [Files.Note]; of another it keeps the memory.
func (b *Buffer) LeaveToFile() {
	if b.file != nil && b.spilled == b.size {
		b.drop()
	}
}

// InFile reports whether the buffer has spilled: its bytes are to be had from Reader then, and
// Bytes has none.
func (b *Buffer) InFile() bool { return b.file != nil }

// Unsaved is why a part of what came could not be brought to the file of a buffer that has spilled,
// and would be lost with the process; nil if nothing failed, or the buffer has not spilled. What is
// still coming, of an upload that the origin has answered early, say, may be in memory for a while:
// that is no failure.
func (b *Buffer) Unsaved() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.file == nil {
		return nil
	}
	if err := b.settle(); err != nil && b.spilled < b.size {
		return fmt.Errorf("not all of it is on disk: %w", err)
	}
	return nil
}

// Lacks waits until nothing is being written to the file, and returns why not all that came was
// kept; nil if it was, be it in memory because the file failed.
func (b *Buffer) Lacks() error {
	b.noteCut()
	if err := b.settle(); b.refused {
		return err
	}
	return nil
}

// settle waits until nothing is being written to the file. What could not be written stays in
// memory.
func (b *Buffer) settle() error {
	free, err := b.landed()
	b.memory.give(free)
	return err
}

// landed is settle, and returns the chunk that has been written, if it can be used again.
func (b *Buffer) landed() (free *[]byte, err error) {
	if b.leaving == nil {
		return nil, b.err
	}
	l := <-b.left
	b.spilled, b.crc = b.spilled+int64(l.n), l.crc
	chunk := b.leaving
	b.leaving = nil
	if l.err == nil {
		*chunk = (*chunk)[:0]
		return chunk, b.err
	}
	// of no size class: it goes to no pool
	rest := append(make([]byte, 0, 2*gathered+1), (*chunk)[l.n:]...)
	b.memory.give(chunk)
	if b.chunk != nil {
		rest = append(rest, *b.chunk...)
		b.drop()
	}
	b.chunk = &rest
	b.err = b.unkept(l.err)
	return nil, b.err
}

// unkept makes an error of the file one of the buffer's.
func (b *Buffer) unkept(err error) error {
	if err == nil {
		return nil
	}
	own := IsOwnLength(err)
	err = fmt.Errorf("spill: %w", err)
	if !own {
		b.memory.failed(err)
	}
	return err
}

// IsOwnLength reports an error for which only the length of the body is to blame, and not the disk.
func IsOwnLength(err error) bool {
	return errors.As(err, new(*noRoomError)) || IsOversize(err)
}

// Len is the number of bytes that have been written to the buffer, and kept.
func (b *Buffer) Len() int64 { return b.size }

// Reset forgets what was written and gives back what it took. A file that was written stays, until
// that of the exchange goes.
func (b *Buffer) Reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	_ = b.settle() // what it could not keep nobody wants
	b.drop()
	if b.file != nil {
		b.file.Close() // what was written to it is not asked for any more
		b.memory.Room.drop(b)
	}
	b.file, b.held, b.spilled, b.crc, b.size, b.err, b.refused = nil, nil, 0, 0, 0, nil, false
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

// leaveMemory moves what was written into a file. On error the bytes stay where they were.
func (b *Buffer) leaveMemory() error {
	b.mu.Unlock() // the other side may be about to do the same
	err := b.spill.start(b)
	b.mu.Lock()
	var file *os.File
	if err == nil {
		err = b.memory.Room.await(b, b.size)
	}
	if err == nil {
		file, err = b.memory.file(b.spill.fileOf(b))
	}
	if err == nil && b.chunk != nil {
		_, err = file.Write(*b.chunk)
	}
	if err != nil {
		if file != nil {
			file.Close()
		}
		b.memory.Room.drop(b)
		return b.unkept(err)
	}
	b.file = file
	if b.chunk != nil {
		b.note(*b.chunk)
	}
	b.drop()
	b.chunk = b.memory.take(gathered)
	return nil
}

func (b *Buffer) drop() {
	if b.chunk != nil {
		b.memory.give(b.chunk)
		b.chunk = nil
	}
}

// Bytes is what was written, if none of it is in a file; else nil. It holds until the next call of
// Write or Reset.
func (b *Buffer) Bytes() []byte {
	if b.chunk == nil || b.file != nil {
		return nil
	}
	return *b.chunk
}

// Reader reads what was written from its start. Several may read at once, while nothing is written.
func (b *Buffer) Reader() *io.SectionReader {
	return io.NewSectionReader(b, 0, b.size)
}

// ReadAt reads what was written, as an [io.ReaderAt] does. When the recorder must end, what has
// spilled is not read any more: the error is ErrNoTime.
func (b *Buffer) ReadAt(p []byte, off int64) (n int, err error) {
	if off < b.spilled {
		select {
		case <-b.memory.hurry:
			return 0, ErrNoTime
		default:
		}
		n, err = b.file.ReadAt(p[:min(int64(len(p)), b.spilled-off)], off)
		if err != nil {
			return n, err
		}
	}
	if b.chunk != nil {
		n += copy(p[n:], (*b.chunk)[min(max(off-b.spilled, 0), int64(len(*b.chunk))):])
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}
