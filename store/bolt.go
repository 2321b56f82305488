package store

import (
	"encoding/binary"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"go.etcd.io/bbolt"

	"warcorder/store/fault"
)

// Bolt is the index of one collection, in one bbolt file. Its methods are safe for concurrent use:
// one Commit at a time, and any number of readers beside it.
type Bolt struct {
	// TempDir is where Export, Captures and Timeline sort what does not fit into memory; "" is
	// os.TempDir. It may be changed only before the first of them.
	TempDir string

	// Busy, if it is not nil, reports whether whoever writes the index has something to write. Then
	// those who read more than a few thousand captures stand back between two transactions: turn.go. It
	// must be safe for concurrent use, and may be set only before the first of them reads.
	Busy func() bool

	swap    sync.RWMutex // held for reading by who reads an index that is open for writing
	writing *writing     // nil of an index that is read only; a Renewal puts another in its place
	options Options      // that it was opened with
	resting *resting     // nil of an index that is open for writing
	turns   turns        // of those who read much

	commit  sync.Mutex // held by who writes
	renewal *Renewal   // that is told of each Commit; nil if there is none
	batch   batch      // of the Commit that goes on
	session Session    // whose last transaction is noted; the zero Session if nobody records
	files   fileTable
	tally   atomic.Pointer[tally] // as the last Commit has left it; nil of an index that is read only

	sortMemory     int // of Export, Captures and Timeline, in bytes; 0 is the usual
	stretchMoments int // of Timeline, as maxStretch; 0 is that
}

// Files returns all files in the order in which they were added.
func (b *Bolt) Files() ([]File, error) { return b.files.all(), nil }

// File returns the file of that name, if the index knows it.
func (b *Bolt) File(name string) (f File, known bool) { return b.files.named(name) }

// FileNow is File for who has just found a capture in the file. Commit lets captures be found some
// microseconds before File knows how far their files are committed.
func (b *Bolt) FileNow(name string) (f File, known bool, err error) {
	err = b.read(func(s snapshot) (err error) {
		if f, known = b.files.named(name); !known {
			return nil
		}
		key := binary.BigEndian.AppendUint32(nil, f.ID)
		if f, err = decodeFile(key, s.bucket(bucketFiles).Get(key)); err != nil {
			return err
		}
		f.Remote, err = readRemote(s.bucket(bucketRemotes), key)
		return err
	})
	return f, known, err
}

// AddFile makes a file known to the index, before its first byte is committed; the transaction is
// synced. The name must be the final base name. A File that is known already is returned as it is.
func (b *Bolt) AddFile(name string) (File, error) {
	if name == "" || name != filepath.Base(name) {
		return File{}, fmt.Errorf("add file %q: no base name", name)
	}
	b.commit.Lock()
	defer b.commit.Unlock()
	f, known := b.files.named(name)
	if known {
		return f, nil
	}
	if err := fault.At(fault.IndexAddFile); err != nil {
		return File{}, fmt.Errorf("add file %s: %w", name, err)
	}
	if err := b.update(func(tx *bbolt.Tx) error { return putFiles(tx, []File{f}) }); err != nil {
		return File{}, fmt.Errorf("add file %s: %w", name, err)
	}
	return f, b.files.add(f)
}

// Commit stores captures and the state of files (Committed and Sealed, by ID) in one synced
// transaction: all of it is durable when Commit returns nil, none of it is visible before. The
// bytes of the captures must be on disk. Committing a capture (its URLKey, Time, File and Offset)
// again replaces it, and its secondary keys. Commit keeps neither slice.
func (b *Bolt) Commit(captures []Capture, files []File) error {
	if len(captures) == 0 && len(files) == 0 {
		return nil
	}
	b.commit.Lock()
	defer b.commit.Unlock()
	files, err := b.files.changed(files)
	if err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	defer b.batch.release()
	if err := b.batch.fill(captures, &b.files); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	var now tally
	err = b.update(func(tx *bbolt.Tx) error {
		if err := putFiles(tx, files); err != nil {
			return err
		}
		now, err = putCaptures(tx, &b.batch)
		return err
	})
	if err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	b.files.put(files)
	b.tally.Store(&now)
	b.renewal.note(captures)
	return nil
}

// Count returns how many captures the index holds.
func (b *Bolt) Count() (n int64, err error) {
	err = b.read(func(s snapshot) error {
		n = count(s)
		return nil
	})
	return n, err
}

// NoteFiles stores the state of files (Committed, Sealed and Missing, by ID), and the gaps that tell
// of it, in one synced transaction.
func (b *Bolt) NoteFiles(files []File, gaps ...Gap) error {
	b.commit.Lock()
	defer b.commit.Unlock()
	files, err := b.files.changed(files)
	if err != nil {
		return fmt.Errorf("note files: %w", err)
	}
	err = b.update(func(tx *bbolt.Tx) error {
		if err := putFiles(tx, files); err != nil {
			return err
		}
		return putGaps(tx, gaps, nil)
	})
	if err != nil {
		return fmt.Errorf("note files: %w", err)
	}
	b.files.put(files)
	return nil
}

// Original returns the original with that key, if there is one.
func (b *Bolt) Original(key OriginalKey) (o Original, found bool, err error) {
	var buf [512]byte
	value, err := b.get(bucketDedup, key[:], buf[:0])
	if err != nil || value == nil {
		return Original{}, false, err
	}
	o, id, err := decodeOriginal(key, value)
	if err != nil {
		return Original{}, true, err
	}
	file, err := b.files.get(id)
	o.File = file.Name
	return o, true, err
}

// get appends the value of a key to dst; it returns nil if there is none.
func (b *Bolt) get(bucket, key, dst []byte) (value []byte, err error) {
	if b.resting == nil {
		b.swap.RLock()
		defer b.swap.RUnlock()
		return b.writing.get(bucket, key, dst)
	}
	err = b.read(func(s snapshot) error {
		if found := s.bucket(bucket).Get(key); found != nil {
			value = append(dst, found...)
		}
		return nil
	})
	return value, err
}

// Session returns the last session. The zero Session says that there was none, or that the index
// has been made anew since.
func (b *Bolt) Session() (s Session, err error) {
	err = b.read(func(now snapshot) (err error) {
		s, err = decodeSession(now.bucket(bucketMeta).Get(metaSession))
		return err
	})
	return s, err
}

// SetSession stores a session, and gaps, in one synced transaction. If the session is open, every
// later transaction notes its time in it.
func (b *Bolt) SetSession(s Session, gaps ...Gap) error {
	b.commit.Lock()
	defer b.commit.Unlock()
	s.Started, s.Last = FourDigitYear(s.Started), FourDigitYear(s.Last)
	was := b.session
	b.session = Session{} // so that update does not note its own time
	err := b.update(func(tx *bbolt.Tx) error {
		if err := putGaps(tx, gaps, nil); err != nil {
			return err
		}
		return putSession(tx, &s)
	})
	if err != nil {
		b.session = was
		return fmt.Errorf("note the session: %w", err)
	}
	if s.Open {
		b.session = s
	}
	return nil
}

// AddGaps stores gaps, the newest last, in one synced transaction. All of them are counted; of all
// that the index then has, the newest MaxGaps are kept. more adds to the counts those of which
// nothing but the reason is known. A reason that is empty, or that comes when 64 others are counted
// already, is counted as "other". Texts are cut: a reason to 64 bytes, a URL to 2 KiB, a detail to
// 1 KiB.
func (b *Bolt) AddGaps(gaps []Gap, more map[string]int64) error {
	if len(countGaps(gaps, more)) == 0 {
		return nil
	}
	b.commit.Lock()
	defer b.commit.Unlock()
	err := b.update(func(tx *bbolt.Tx) error { return putGaps(tx, gaps, more) })
	if err != nil {
		return fmt.Errorf("add gaps: %w", err)
	}
	return nil
}

// Gaps returns how many gaps there were and the newest of those that are kept, at most limit of
// them; 0 is all.
func (b *Bolt) Gaps(limit int) (g Gaps, err error) {
	err = b.read(func(s snapshot) error {
		g, err = readGaps(s, limit)
		return err
	})
	return g, err
}

// read calls f with the index as it is at present.
func (b *Bolt) read(f func(snapshot) error) error {
	if b.resting != nil {
		return b.resting.read(&b.files, f)
	}
	b.swap.RLock()
	defer b.swap.RUnlock()
	return b.writing.read(f)
}

// readSame is read, and fails with ErrReplaced if a Renewal has put another index in the place of
// the one that was read first; seen is nil before that.
func (b *Bolt) readSame(seen **writing, f func(snapshot) error) error {
	return b.read(func(s snapshot) error {
		switch {
		case *seen == nil:
			*seen = b.writing
		case *seen != b.writing:
			return ErrReplaced
		}
		return f(s)
	})
}

// view calls read with a cursor over the keys of that name: what the cursor gives is good until
// read returns.
func (b *Bolt) view(name Key, read func(cursor) error) error {
	var seen *writing
	return b.viewSame(&seen, name, read)
}

// viewSame is view of the index that was seen first, as readSame has it.
func (b *Bolt) viewSame(seen **writing, name Key, read func(cursor) error) error {
	return b.readSame(seen, func(s snapshot) error {
		c := cursor{name: name, captures: s.bucket(bucketCaptures), extras: s.bucket(bucketExtras)}
		c.keys = c.captures
		if !name.primary() {
			c.keys = s.bucket([]byte(name))
		}
		c.walker = c.keys.walk()
		return read(c)
	})
}

// update calls write in a transaction, which is durable when update returns nil. It notes the time
// if somebody records.
func (b *Bolt) update(write func(*bbolt.Tx) error) error {
	if b.resting != nil {
		return ErrReadOnly
	}
	return b.writing.update(func(tx *bbolt.Tx) error {
		if err := write(tx); err != nil || !b.session.Open {
			return err
		}
		b.session.Last = FourDigitYear(time.Now())
		return putSession(tx, &b.session)
	})
}
