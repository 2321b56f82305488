package shared

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"warcorder/store"
	"warcorder/store/collection"
)

// Withdrawn is the list of the originals that have been removed from a collection, and that the server
// may still have. It is a file in the collection, since a removal may come while the server does not
// answer, or while nobody records:
//
//	hash(32) id(16)    of each
//
// The file is there from the first time on that the collection is recorded with a server; a collection
// without it has told nobody of anything. It is written before the removal is decided: what is taken
// back, and was not removed in the end, somebody stores again. An end that is no whole row is of a write
// that broke off, of a removal that was then not decided.
type Withdrawn struct {
	dir  collection.Dir
	path string

	mu sync.Mutex // held while the file is written to
}

// Row is an original that has been removed.
type Row struct {
	Key store.OriginalKey
	ID  [16]byte
}

const rowSize = 32 + 16

// NewWithdrawn returns the list of a collection.
func NewWithdrawn(dir collection.Dir) *Withdrawn { return &Withdrawn{dir: dir, path: dir.Withdrawn()} }

// Begin makes the file, durably, if it is not there.
func (w *Withdrawn) Begin(mode collection.Mode) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	file, err := os.OpenFile(w.path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(mode.Set(w.path), file.Close(), w.dir.Sync())
}

// IsBegun reports whether the server may have something of the collection.
func (w *Withdrawn) IsBegun() bool {
	info, err := os.Lstat(w.path)
	return err == nil && info.Mode().IsRegular()
}

// Add writes rows down, durably.
func (w *Withdrawn) Add(rows []Row) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	file, err := os.OpenFile(w.path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	end, err := file.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = file.WriteAt(appendRows(nil, rows), end-end%rowSize)
	}
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

func appendRows(dst []byte, rows []Row) []byte {
	for i := range rows {
		dst = append(append(dst, rows[i].Key[:]...), rows[i].ID[:]...)
	}
	return dst
}

// size is how many bytes the list has.
func (w *Withdrawn) size() int64 {
	info, err := os.Lstat(w.path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// each calls do with the rows, some at a time, and empties the list when all of them are done, and sure
// says that they are.
func (w *Withdrawn) each(do func([]Row) error, sure func() bool) error {
	file, err := collection.OpenRegular(w.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	buf, done := make([]byte, atOnce*rowSize), int64(0)
	for {
		n, err := io.ReadFull(file, buf)
		if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			return err
		}
		if n < rowSize {
			if !sure() {
				return nil
			}
			return w.empty(done)
		}
		if err := do(rowsIn(buf[:n])); err != nil {
			return err
		}
		done += int64(n)
	}
}

// empty empties the list, unless something has come behind what is done: that is left for the next
// time, with all before.
func (w *Withdrawn) empty(done int64) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.size()/rowSize > done/rowSize || w.size() == 0 {
		return nil
	}
	return os.Truncate(w.path, 0)
}

func rowsIn(b []byte) (rows []Row) {
	for ; len(b) >= rowSize; b = b[rowSize:] {
		rows = append(rows, Row{store.OriginalKey(b[:32]), [16]byte(b[32:rowSize])})
	}
	return rows
}

// takeBack is what the server does for an original that has been removed: its key goes if the value
// names that record, and not one of somebody else. What somebody has put there that is no text names
// nothing; an error of it would keep all others from being taken back.
const takeBack = `local v = redis.pcall('GET', KEYS[1])
if type(v) == 'string' and string.sub(v, 3, 18) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`

// withdraw takes back what the list has. What waits to be told is told by before, or is not told at all.
// That is done once rows have been read: an original waits before its row is written down, so that
// nothing that went comes behind. What was sent before, and not answered, may come behind, by another
// connection: so the list is gone through again, when that must have come.
//
// Once the line is to end, it ends between two batches: a list may have millions of rows. All of them stay
// written down for the next start, also what has been taken back: to do that twice is no harm.
func (p *publishing) withdraw(before func() error) error {
	return p.withdrawn.each(func(rows []Row) error {
		if err := p.ctx.Err(); err != nil {
			return err
		}
		if err := before(); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(context.Background(), connecting)
		defer cancel()
		_, err := p.client.Pipelined(ctx, func(pipe redis.Pipeliner) error {
			for i := range rows {
				for _, kind := range []byte(kinds) { // the settings may have been others
					pipe.Eval(ctx, takeBack, []string{keyOf(kind, &rows[i].Key)}, rows[i].ID[:])
				}
			}
			return nil
		})
		return err
	}, p.isSure)
}

// isSure reports whether nothing that was told can come behind what has been taken back now.
func (p *publishing) isSure() bool {
	now := time.Now()
	if p.doubt && p.sure.IsZero() {
		p.sure = now.Add(underWay)
	}
	p.doubt = p.doubt && now.Before(p.sure)
	return !p.doubt
}
