package spill

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"warcorder/store/collection"
	"warcorder/store/fault"
)

// MaxChunk is the size of the largest chunk of memory: it has room for a body of 1 MiB and its
// head.
const MaxChunk = 1<<20 + 64<<10

// chunkSizes are the size classes of memory.
var chunkSizes = [...]int{4 << 10, 16 << 10, 64 << 10, 128 << 10, 256 << 10, 512 << 10, MaxChunk}

// Memory is what the buffers of one recorder share: pooled chunks, the count of what they hold
// together, and where they spill. A buffer whose bytes fit the smallest chunk never spills, so that
// no shortage makes a file of every request. Its methods are safe for concurrent use; a nil Memory
// is for buffers that never spill.
type Memory struct {
	// Limit is how many bytes may be held in memory, not counting smallest chunks.
	Limit atomic.Int64

	// Held is how many bytes the chunks have that are in use.
	Held atomic.Int64

	// Room is the free space of the disk that buffers spill to.
	Room Room

	dir    string      // where buffers spill
	failed func(error) // called when a buffer cannot spill
	pools  [len(chunkSizes)]sync.Pool
	hurry  <-chan struct{} // closed when nothing is read from there any more
}

// inFlightMemory is what buffers of unfinished exchanges may hold together in memory, beyond the
// queue, before they spill.
const inFlightMemory = 32 << 20

// NewMemory returns the memory of a recorder whose queue holds that many bytes, beside which there
// are 32 MiB for exchanges in flight. Its buffers spill to the folder dir, as long as floor bytes
// stay free on its disk; 0 does not look. When hurry is closed what has spilled is not read any
// more. failed is called with each error for which the disk is to blame, from the goroutine that
// writes or notes; it must not wait for a buffer.
func NewMemory(dir string, queue, floor int64, hurry <-chan struct{}, failed func(error)) *Memory {
	m := &Memory{dir: dir, failed: failed, hurry: hurry, Room: Room{dir: dir}}
	m.Adopt(queue, floor)
	return m
}

// Adopt lets other limits count, as NewMemory has them. What is in memory stays there.
func (m *Memory) Adopt(queue, floor int64) {
	m.Limit.Store(inFlightMemory + queue)
	m.Room.floor.Store(floor)
}

// take returns an empty chunk with room for size bytes, or nil if so many bytes must go to disk.
func (m *Memory) take(size int64) *[]byte {
	class := 0
	for class < len(chunkSizes) && int64(chunkSizes[class]) < size {
		class++
	}
	if m == nil {
		chunk := make([]byte, 0, 2*size)
		return &chunk
	}
	if class == len(chunkSizes) || class > 0 && m.Held.Load()+int64(chunkSizes[class]) > m.Limit.Load() {
		return nil
	}
	m.Held.Add(int64(chunkSizes[class]))
	if chunk, ok := m.pools[class].Get().(*[]byte); ok {
		return chunk
	}
	chunk := make([]byte, 0, chunkSizes[class])
	return &chunk
}

// give takes a chunk back; nil is none.
func (m *Memory) give(chunk *[]byte) {
	if m == nil || chunk == nil {
		return
	}
	for class, size := range chunkSizes {
		if size == cap(*chunk) {
			m.Held.Add(-int64(size))
			*chunk = (*chunk)[:0]
			m.pools[class].Put(chunk)
			return
		}
	}
}

// file makes the file that a side of an exchange spills to. What has its name goes, and is not
// written to: it may be a link.
func (m *Memory) file(path string) (*os.File, error) {
	if err := fault.At(fault.Spill); err != nil {
		return nil, err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
}

// Tidy removes the folder, unless something is in it, or the folder is a link to where its owner
// wants it.
func (m *Memory) Tidy() {
	if info, err := os.Lstat(m.dir); err == nil && info.IsDir() {
		_ = os.Remove(m.dir)
	}
}

// Probe finds out whether a body could be spilled, by writing one of a little above 1 MiB. It
// returns why not.
func (m *Memory) Probe() error {
	if err := m.tryToSpill(); err != nil {
		return fmt.Errorf("spill: %w", err)
	}
	return nil
}

func (m *Memory) tryToSpill() error {
	if err := collection.MakeDir(m.dir, 0o700); err != nil {
		return err
	}
	f, err := m.file(filepath.Join(m.dir, probeName))
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, MaxChunk))
	return errors.Join(err, f.Close(), os.Remove(f.Name()))
}

// probeName is the file that shows whether a body could be spilled.
const probeName = "probe"
