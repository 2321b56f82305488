package store

import (
	"encoding/binary"
	"fmt"
	"time"

	"go.etcd.io/bbolt"
)

// Session is the last recording into a collection, as the index knows it. A session that is open
// when nobody records did not come to its end: the process was killed, or the machine died.
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

// putSession stores the session.
func putSession(tx *bbolt.Tx, s *Session) error {
	return tx.Bucket(bucketMeta).Put(metaSession, s.appendValue(nil))
}

// appendValue appends the value of s.
func (s *Session) appendValue(dst []byte) []byte {
	var flags byte
	if s.Open {
		flags |= sessionOpen
	}
	dst = append(dst, sessionVersion, flags)
	dst = binary.BigEndian.AppendUint64(dst, uint64(s.Started.UnixMicro()))
	return binary.BigEndian.AppendUint64(dst, uint64(s.Last.UnixMicro()))
}
