package store

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode"
)

// Bounds of what a Remote says, in bytes: S3 has a bucket's name of 63 and keys of 1024.
const (
	maxBucket = 255
	maxKey    = 1024
	maxTag    = 1024 // of an ETag, and of a version
)

// Check returns an error unless a file of that base name may have this copy. A Remote that was read
// from elsewhere than an index is to be checked before anything is done by it.
func (r *Remote) Check(name string) error {
	switch {
	case r.Bucket == "" || len(r.Bucket) > maxBucket || strings.Contains(r.Bucket, "/") || !isPlain(r.Bucket):
		return fmt.Errorf("%.80q is no name of a bucket", r.Bucket)
	case len(r.Key) > maxKey || !isPlain(r.Key) || path.Base(r.Key) != name:
		return fmt.Errorf("%.200q is no key of %.100q", r.Key, name)
	case r.Size <= 0:
		return fmt.Errorf("its size is said to be %d", r.Size)
	case len(r.ETag) > maxTag || !isPlain(r.ETag) || len(r.Version) > maxTag || !isPlain(r.Version):
		return errors.New("its ETag or its version is none")
	case len(r.Mark) > maxTag || !isPlain(r.Mark):
		return errors.New("its mark is none")
	}
	return r.checkParts()
}

// checkParts returns an error unless the parts are those of the whole. There are no parts of a length
// without their sums: who sums up a file keeps one for each, as many as the length makes.
func (r *Remote) checkParts() error {
	switch {
	case r.PartSize < 0:
		return fmt.Errorf("its parts are said to have %d bytes", r.PartSize)
	case r.PartSize == 0 && len(r.Parts) == 0:
		return nil
	case r.PartSize == 0 || int64(len(r.Parts)) != (r.Size-1)/r.PartSize+1:
		return fmt.Errorf("%d parts of %d bytes do not make %d", len(r.Parts), r.PartSize, r.Size)
	}
	return nil
}

// HasParts reports whether the sums of its parts are known, of each of them. An index that is damaged
// may say of a part what no note does.
func (r *Remote) HasParts() bool { return len(r.Parts) > 0 && r.checkParts() == nil }

// isPlain reports whether a text is one line that can be shown.
func isPlain(text string) bool {
	return !strings.ContainsFunc(text, func(c rune) bool {
		return !unicode.IsPrint(c) || c == unicode.ReplacementChar
	})
}
