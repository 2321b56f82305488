package objects

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"warcorder/store"
)

// mostTag is how many bytes of an ETag or a version are kept; S3 writes some ten.
const mostTag = 1024

// Object is what the storage says of an object.
type Object struct {
	Bucket, Key string
	Size        int64 // in bytes
	ETag        string
	Version     string    // empty where the bucket keeps no versions
	Modified    time.Time // as the storage has it
	Mark        string    // of the upload; empty if it has none, and in lists

	sha256 string // of the whole or of the parts, as S3 writes it; empty if it tells none
}

// Head asks for an object. Its error wraps fs.ErrNotExist if there is none, and ErrRefused if there is
// no such bucket either: then nothing is known of the object.
func (s *Storage) Head(ctx context.Context, bucket, key string) (*Object, error) {
	found, err := s.head(ctx, bucket, key)
	if errors.Is(err, fs.ErrNotExist) { // which is all that the answer to a head can say
		_, ofBucket := s.client.HeadBucket(ctx, &s3.HeadBucketInput{Bucket: &bucket})
		if errors.Is(explain(ctx, ofBucket), fs.ErrNotExist) {
			err = byCode("NoSuchBucket")
		}
	}
	return found, about("look at", bucket, key, err)
}

func (s *Storage) head(ctx context.Context, bucket, key string) (*Object, error) {
	in, plain := &s3.HeadObjectInput{Bucket: &bucket, Key: &key}, s.plain.Load()
	if !plain {
		in.ChecksumMode = types.ChecksumModeEnabled
	}
	out, err := s.client.HeadObject(ctx, in)
	if mustBePlain(&s.plain, plain, err) {
		return s.head(ctx, bucket, key)
	}
	if err != nil {
		return nil, explain(ctx, err)
	}
	found := &Object{Bucket: bucket, Key: key, Size: aws.ToInt64(out.ContentLength),
		ETag: etagText(aws.ToString(out.ETag)), Version: aws.ToString(out.VersionId),
		Modified: aws.ToTime(out.LastModified), sha256: aws.ToString(out.ChecksumSHA256)}
	if mark := out.Metadata[markName]; len(mark) <= mostTag {
		found.Mark = mark
	}
	if found.Version == "null" {
		found.Version = ""
	}
	if out.ContentLength == nil || found.Size < 0 || found.ETag == "" || len(found.ETag) > mostTag ||
		len(found.Version) > mostTag {
		return nil, fmt.Errorf("%w: its answer has no size, no ETag, or too long ones", ErrUnreachable)
	}
	return found, nil
}

// about says of which object an error is.
func about(step, bucket, key string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s%s/%.*s: %w", step, scheme, bucket, mostKey, key, err)
}

// isSame reports whether an object has the content that the sums are of. An ETag that is the MD5 of
// it says that it has; one that is not may be no MD5.
func (s *Storage) isSame(ctx context.Context, found *Object, sums *sums) (bool, error) {
	if found.Size != sums.size {
		return false, nil
	}
	if same, known := agrees(found.sha256, sums.whole, sums.shaParts()); known {
		return same, nil
	}
	if found.ETag == sums.etag() {
		return true, nil
	}
	err := s.readBack(ctx, found, sums.whole)
	if errors.Is(err, errOther) {
		return false, nil
	}
	return err == nil, err
}

// errOther says that an object which was read has other bytes.
var errOther = fmt.Errorf("%w: its bytes have another SHA-256", ErrChanged)

// readBack reads the whole of an object, and compares its SHA-256.
func (s *Storage) readBack(ctx context.Context, found *Object, want store.Sum) error {
	body := s.stream(ctx, &store.Remote{Bucket: found.Bucket, Key: found.Key, Size: found.Size,
		ETag: found.ETag}, 0)
	hash := sha256.New()
	_, err := io.CopyBuffer(hash, body, make([]byte, readSize))
	if err = errors.Join(err, body.Close()); err == nil && store.Sum(hash.Sum(nil)) != want {
		err = errOther
	}
	return err
}

// Delete removes an object, if its ETag is still that one. One that is not there is no error;
// another one is ErrChanged, and stays. It wraps ErrRefused if there is no such bucket.
func (s *Storage) Delete(ctx context.Context, bucket, key, etag string) error {
	err := s.delete(ctx, bucket, key, etag)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err = s.Head(ctx, bucket, key); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
	}
	return about("delete", bucket, key, err)
}

// delete looks before it deletes: not all know the condition, and some that do not say nothing of
// it.
func (s *Storage) delete(ctx context.Context, bucket, key, etag string) error {
	found, err := s.head(ctx, bucket, key)
	if err == nil && found.ETag != etagText(etag) {
		err = fmt.Errorf("%w: its ETag is another one", ErrChanged)
	}
	if err != nil {
		return err
	}
	in, plain := &s3.DeleteObjectInput{Bucket: &bucket, Key: &key}, s.plainDelete.Load()
	if !plain {
		in.IfMatch = aws.String(quoted(etag))
	}
	_, err = s.client.DeleteObject(ctx, in)
	if mustBePlain(&s.plainDelete, plain, err) {
		return s.delete(ctx, bucket, key, etag)
	}
	return explain(ctx, err)
}

// quoted is an ETag as it is sent.
func quoted(etag string) string { return `"` + etagText(etag) + `"` }
