package objects

import (
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"strings"

	"warcorder/store"
)

const (
	// wholeSize is up to how many bytes an object is sent as one, and how long the parts of a longer
	// one are; mostParts is how many parts there are at most: the parts of what is longer yet are
	// longer.
	wholeSize = 64 << 20
	mostParts = 10_000

	readSize = 1 << 20 // in bytes: what is read at once, to be summed
)

// sums are what identifies the content of an object: ours, and those that a storage may tell.
type sums struct {
	size, partSize int64 // in bytes
	whole          store.Sum
	md5            [md5.Size]byte // of the whole
	parts          []partSum      // of one that is sent as a whole: that one
}

// partSum is what identifies a part.
type partSum struct {
	sha256 store.Sum
	md5    [md5.Size]byte
}

// partSizeOf is how long the parts of an object are, in bytes.
func partSizeOf(size, whole int64) int64 {
	least := (size + mostParts - 1) / mostParts
	return max(whole, (least+readSize-1)/readSize*readSize)
}

// sum reads a body once.
func sum(ctx context.Context, body io.ReaderAt, size, partSize int64) (*sums, error) {
	s := &sums{size: size, partSize: partSize}
	whole, wholeMD5, buffer := sha256.New(), md5.New(), make([]byte, min(readSize, max(size, 1)))
	for from := int64(0); from == 0 || from < size; from += partSize {
		if len(s.parts) == mostParts {
			return nil, fmt.Errorf("more than %d parts", mostParts)
		}
		part, partMD5 := sha256.New(), md5.New()
		section := readerOf(ctx, io.NewSectionReader(body, from, min(partSize, size-from)))
		n, err := io.CopyBuffer(io.MultiWriter(whole, wholeMD5, part, partMD5), section, buffer)
		if err == nil && n < min(partSize, size-from) {
			err = fmt.Errorf("at %d: %w", from+n, io.ErrUnexpectedEOF)
		}
		if err != nil {
			return nil, err
		}
		s.parts = append(s.parts, partSum{store.Sum(part.Sum(nil)), [md5.Size]byte(partMD5.Sum(nil))})
	}
	s.whole, s.md5 = store.Sum(whole.Sum(nil)), [md5.Size]byte(wholeMD5.Sum(nil))
	return s, nil
}

// isWhole reports whether the object is sent as one.
func (s *sums) isWhole() bool { return s.size <= s.partSize }

// part is where part i is, and how long, in bytes.
func (s *sums) part(i int) (from, size int64) {
	from = int64(i) * s.partSize
	return from, min(s.partSize, s.size-from)
}

// shaParts are the SHA-256 of the parts, as a Remote has them.
func (s *sums) shaParts() (parts []store.Sum) {
	for _, p := range s.parts {
		parts = append(parts, p.sha256)
	}
	return parts
}

// etag is what a storage that takes MD5 for it says of the object.
func (s *sums) etag() string {
	if s.isWhole() {
		return hex.EncodeToString(s.md5[:])
	}
	all := md5.New()
	for _, p := range s.parts {
		all.Write(p.md5[:])
	}
	return fmt.Sprintf("%x-%d", all.Sum(nil), len(s.parts))
}

// sumText is a SHA-256 as S3 writes it.
func sumText(sum store.Sum) string { return base64.StdEncoding.EncodeToString(sum[:]) }

// composite is what S3 says of an object in parts: the SHA-256 of their SHA-256, and how many they
// are.
func composite(parts []store.Sum) string {
	all := sha256.New()
	for _, p := range parts {
		all.Write(p[:])
	}
	return fmt.Sprintf("%s-%d", base64.StdEncoding.EncodeToString(all.Sum(nil)), len(parts))
}

// agrees compares a SHA-256 that the storage tells with ours. What it tells of other parts than
// ours, or does not tell, is not known.
func agrees(told string, whole store.Sum, parts []store.Sum) (same, known bool) {
	switch {
	case told == "":
		return false, false
	case !strings.Contains(told, "-"):
		return told == sumText(whole), true
	default:
		same = len(parts) > 0 && told == composite(parts)
		return same, same
	}
}

// etagText is an ETag without its quotes.
func etagText(etag string) string { return strings.Trim(etag, `"`) }

// readerOf is a reader that ends with ctx.
func readerOf(ctx context.Context, r io.Reader) io.Reader { return &bound{ctx, r} }

type bound struct {
	ctx context.Context
	io.Reader
}

// Read implements io.Reader.
func (b *bound) Read(p []byte) (int, error) {
	if b.ctx.Err() != nil {
		return 0, context.Cause(b.ctx)
	}
	return b.Reader.Read(p)
}
