package store

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"go.etcd.io/bbolt"
)

// Remote is where a finished file has a copy in object storage, of which was verified that it is what
// the file is.
type Remote struct {
	Bucket  string `json:"bucket"`
	Key     string `json:"key"`
	Size    int64  `json:"size"`              // in bytes
	SHA256  Sum    `json:"sha256"`            // of the whole
	ETag    string `json:"etag"`              // of the object, as the storage says it
	Version string `json:"version,omitempty"` // of the object, where the bucket keeps versions
	Mark    string `json:"mark,omitempty"`    // of the upload that it is of, which the object has too

	PartSize int64 `json:"partSize,omitempty"` // in bytes; 0 if it was sent as one
	Parts    []Sum `json:"parts,omitempty"`    // the SHA-256 of each part

	Uploaded time.Time `json:"uploaded"` // when it was verified

	// Found says that it was there before anything was sent, and may be of another collection too: it is
	// neither written over nor deleted, and the copy in the collection stays.
	Found bool `json:"found,omitempty"`

	// Released says that the copy in the collection may go: it is away, or about to be.
	Released bool `json:"released,omitempty"`
}

// URL is the address of the object, s3://BUCKET/KEY.
func (r *Remote) URL() string { return "s3://" + r.Bucket + "/" + r.Key }

// IsSame reports whether both are of one object.
func (r *Remote) IsSame(other *Remote) bool {
	return r.Bucket == other.Bucket && r.Key == other.Key && r.ETag == other.ETag && r.SHA256 == other.SHA256
}

// Sum is a SHA-256, whose text is hexadecimal.
type Sum [32]byte

// MarshalText returns the text.
func (s Sum) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, s[:]), nil }

// UnmarshalText is the inverse of MarshalText.
func (s *Sum) UnmarshalText(text []byte) error {
	if len(text) != hex.EncodedLen(len(s)) {
		return fmt.Errorf("%.100q is no SHA-256 in hexadecimal", text)
	}
	_, err := hex.Decode(s[:], text)
	return err
}

// IsAway reports whether the file is in object storage, and no more in the collection.
func (f *File) IsAway() bool { return f.Remote != nil && f.Remote.Released }

// SetRemote stores where a file has its copy in object storage, in one synced transaction; nil is
// nowhere any more. A file that is not finished, or of another size, has none.
func (b *Bolt) SetRemote(name string, remote *Remote) error {
	return b.SetRemoteWhile(name, remote, func() error { return nil })
}

// setRemote is SetRemote for who holds the commit lock.
func (b *Bolt) setRemote(name string, remote *Remote) error {
	f, known := b.files.named(name)
	switch {
	case !known:
		return fmt.Errorf("the index does not know it")
	case remote != nil && (!f.Sealed || f.Committed != remote.Size):
		return fmt.Errorf("it has %d bytes in the index, and the copy has %d", f.Committed, remote.Size)
	}
	if err := b.update(func(tx *bbolt.Tx) error { return putRemote(tx, f.ID, remote) }); err != nil {
		return err
	}
	b.files.setRemote(f.ID, remote)
	return nil
}

// putRemote stores a Remote, or that there is none.
func putRemote(tx *bbolt.Tx, id uint32, remote *Remote) error {
	bucket, key := tx.Bucket(bucketRemotes), binary.BigEndian.AppendUint32(nil, id)
	if remote == nil {
		return bucket.Delete(key)
	}
	value, err := json.Marshal(remote)
	if err != nil {
		return err
	}
	return bucket.Put(key, value)
}

// readRemote returns the Remote of a file; nil if it has none.
func readRemote(remotes table, key []byte) (*Remote, error) {
	value := remotes.Get(key)
	if value == nil {
		return nil, nil
	}
	r := new(Remote)
	if err := json.Unmarshal(value, r); err != nil {
		return nil, fmt.Errorf("%w: where file %x has a copy: %w", ErrDamaged, key, err)
	}
	return r, nil
}
