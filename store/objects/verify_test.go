package objects

import (
	"context"
	"fmt"

	"warcorder/store"
)

// verify asks whether the other side has what r says: its size and its checksum. Where it tells no
// checksum that can be compared, the whole is read. Its error wraps fs.ErrNotExist or ErrChanged if
// it has not.
func (s *Storage) verify(ctx context.Context, r *store.Remote) error {
	found, err := s.head(ctx, r.Bucket, r.Key)
	if err == nil {
		err = s.compare(ctx, found, r)
	}
	return about("verify", r.Bucket, r.Key, err)
}

// compare compares what the storage says of an object with what was noted of it.
func (s *Storage) compare(ctx context.Context, found *Object, r *store.Remote) error {
	switch {
	case found.Size != r.Size:
		return fmt.Errorf("%w: it has %d bytes, and had %d", ErrChanged, found.Size, r.Size)
	case r.ETag != "" && found.ETag != etagText(r.ETag):
		return fmt.Errorf("%w: its ETag is another one", ErrChanged)
	}
	same, known := agrees(found.sha256, r.SHA256, r.Parts)
	if !known {
		return s.readBack(ctx, found, r.SHA256)
	}
	if !same {
		return fmt.Errorf("%w: its SHA-256 is another one", ErrChanged)
	}
	return nil
}
