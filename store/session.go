package store

import (
	"encoding/binary"
	"fmt"
	"time"

	"go.etcd.io/bbolt"
)

// Session is the last recording into a collection, as the index knows it. One that is open when
// nobody records has not come to its end: the process was killed, or the machine died.
type Session struct {
	Started time.Time // microseconds; tells sessions apart
	Last    time.Time // of its last transaction
	Open    bool
}

// The value of meta's "session":
//
//	version(1)   1
//	flags(1)     1: open
//	started(8)   microseconds since 1970
//	last(8)      the same
const (
	sessionVersion = 1
	sessionOpen    = 1 << 0
)

var metaSession = []byte("session")

// Session returns the last session. Its zero value says that there was none, or that the index has
// been made anew since.
func (b *Bolt) Session() (s Session, err error) {
	err = b.read(func(now snapshot) (err error) {
		s, err = decodeSession(now.bucket(bucketMeta).Get(metaSession))
		return err
	})
	return s, err
}

// SetSession stores a session, and gaps, in one synced transaction. With one that is open all
// transactions from then on note their time in it.
func (b *Bolt) SetSession(s Session, gaps ...Gap) error {
	b.commit.Lock()
	defer b.commit.Unlock()
	s.Started, s.Last = FourDigitYear(s.Started), FourDigitYear(s.Last)
	was := b.session
	b.session = Session{} // this transaction's own time is the one given
	err := b.updateGaps(func(t gapTables) error {
		if err := t.addGaps(gaps, nil); err != nil {
			return err
		}
		return t.meta.Put(metaSession, s.appendValue(nil))
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

// NoteFiles stores the state of files (Committed, Sealed and Away, by ID) and gaps that tell of it,
// in one synced transaction.
func (b *Bolt) NoteFiles(files []File, gaps ...Gap) error {
	b.commit.Lock()
	defer b.commit.Unlock()
	files, err := b.files.changed(files)
	if err != nil {
		return fmt.Errorf("note files: %w", err)
	}
	if err = b.updateFiles(files, gaps); err != nil {
		return fmt.Errorf("note files: %w", err)
	}
	b.files.put(files)
	return nil
}

// decodeSession returns the session of that value.
func decodeSession(v []byte) (Session, error) {
	if v == nil {
		return Session{}, nil
	}
	if len(v) != 18 || v[0] != sessionVersion {
		return Session{}, fmt.Errorf("%w: a session %x", ErrDamaged, v)
	}
	return Session{Started: momentOf(v[2:]), Last: momentOf(v[10:]), Open: v[1]&sessionOpen != 0}, nil
}

// updateFiles stores the state of files, and gaps.
func (b *Bolt) updateFiles(files []File, gaps []Gap) error {
	return b.update(func(tx *bbolt.Tx) error {
		for _, f := range files {
			if err := putFile(tx, f); err != nil {
				return err
			}
		}
		t, err := gapTablesOf(tx)
		if err != nil {
			return err
		}
		return t.addGaps(gaps, nil)
	})
}

func momentOf(v []byte) time.Time {
	return FourDigitYear(time.UnixMicro(int64(binary.BigEndian.Uint64(v))))
}

func (s *Session) appendValue(dst []byte) []byte {
	var flags byte
	if s.Open {
		flags |= sessionOpen
	}
	dst = append(dst, sessionVersion, flags)
	dst = binary.BigEndian.AppendUint64(dst, uint64(s.Started.UnixMicro()))
	return binary.BigEndian.AppendUint64(dst, uint64(s.Last.UnixMicro()))
}
