package objects

import (
	"context"
	"errors"
	"io"
	"sync"

	"warcorder/store"
)

// Reader reads anywhere in an object. Any number of goroutines may use it; it needs no closing. Who
// reads in order is read ahead for.
type Reader struct {
	storage *Storage
	remote  *store.Remote
	ctx     context.Context

	mu   sync.Mutex
	next int64 // the block that who reads in order wants next
	run  int64 // how many blocks are asked for then
}

// Reader returns what reads an object. No request is made.
func (s *Storage) Reader(r *store.Remote) *Reader {
	return &Reader{storage: s, remote: r, ctx: context.Background(), next: -1}
}

// WithContext returns a reader of the same object whose reads end with ctx.
func (r *Reader) WithContext(ctx context.Context) *Reader {
	return &Reader{storage: r.storage, remote: r.remote, ctx: ctx, next: -1}
}

// Size is how long the object is, in bytes.
func (r *Reader) Size() int64 { return r.remote.Size }

// ReadAt implements io.ReaderAt. Its error wraps fs.ErrNotExist if the object is gone, ErrChanged
// if another one is in its place, ErrUnreachable if the storage gives no answer, ErrRefused if it
// refuses.
func (r *Reader) ReadAt(p []byte, offset int64) (n int, err error) {
	if offset < 0 {
		return 0, errors.New("an offset below 0")
	}
	for n < len(p) {
		at := offset + int64(n)
		if at >= r.remote.Size {
			return n, io.EOF
		}
		bytes, err := r.block(at / blockSize)
		if err != nil {
			return n, err
		}
		n += copy(p[n:], bytes[at%blockSize:])
	}
	return n, nil
}

// block returns the bytes of a block, once they are there.
func (r *Reader) block(number int64) ([]byte, error) {
	run, inOrder := r.turn(number)
	b := r.ask(number, run)
	if inOrder {
		r.ahead(number, run)
	}
	select {
	case <-b.done:
		return b.bytes, b.err
	case <-r.ctx.Done():
		return nil, about("read", r.remote.Bucket, r.remote.Key, context.Cause(r.ctx))
	}
}

// turn notes that a block is read, and returns how many are to be asked for if it is not there.
func (r *Reader) turn(number int64) (run int64, inOrder bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch number {
	case r.next:
		r.run = min(2*max(r.run, 1), mostAhead)
	case r.next - 1: // the same once more
	default:
		r.run = 1
	}
	r.next = number + 1
	return max(r.run, 1), r.run > 1
}

// ask returns a block, which is fetched if it is not there.
func (r *Reader) ask(number, run int64) *block {
	b, fetch := r.storage.cache.get(r.id(number), run, r.blocks())
	if len(fetch) > 0 {
		go r.storage.fetch(r.remote, fetch, false)
	}
	return b
}

// ahead fetches what follows a block before somebody waits for it, if nobody else waits for
// anything.
func (r *Reader) ahead(number, run int64) {
	first, lacks := r.storage.cache.lacks(r.id(number+1), (run+1)/2, r.blocks())
	if !lacks || !r.storage.cache.fetches.TryAcquire(1) {
		return
	}
	_, fetch := r.storage.cache.get(r.id(first), run, r.blocks())
	if len(fetch) == 0 {
		r.storage.cache.fetches.Release(1)
		return
	}
	go r.storage.fetch(r.remote, fetch, true)
}

// blocks is how many blocks the object has.
func (r *Reader) blocks() int64 { return (r.remote.Size + blockSize - 1) / blockSize }

func (r *Reader) id(number int64) blockID {
	return blockID{r.remote.Bucket, r.remote.Key, r.remote.ETag, number}
}
