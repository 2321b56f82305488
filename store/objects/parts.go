package objects

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"golang.org/x/sync/errgroup"

	"warcorder/store"
)

// mostSends is how many parts of an object are on their way at a time.
const mostSends = 3

// Begun is an upload in parts that is not complete. It is meant to be kept as JSON.
type Begun struct {
	Bucket   string      `json:"bucket"`
	Key      string      `json:"key"`
	UploadID string      `json:"uploadID"`
	Size     int64       `json:"size"`     // of the whole, in bytes
	SHA256   store.Sum   `json:"sha256"`   // of the whole
	PartSize int64       `json:"partSize"` // in bytes; the last part has what is left
	Parts    []BegunPart `json:"parts,omitempty"`
}

// BegunPart is a part that the other side has.
type BegunPart struct {
	Number int32     `json:"number"` // from 1
	Size   int64     `json:"size"`   // in bytes
	ETag   string    `json:"etag"`
	SHA256 store.Sum `json:"sha256"`
}

// sending is an upload in parts while it goes on.
type sending struct {
	storage *Storage
	up      *Upload
	sums    *sums

	mu    sync.Mutex
	begun Begun
}

// putParts sends an object in parts, those that are not there yet, and completes it.
func (s *Storage) putParts(ctx context.Context, up *Upload, sums *sums) error {
	j := &sending{storage: s, up: up, sums: sums}
	if err := j.begin(ctx); err != nil {
		return err
	}
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(mostSends)
	for i := range sums.parts {
		if j.has(i) || inner.Err() != nil {
			continue
		}
		group.Go(func() error { return j.send(inner, i) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return j.complete(ctx)
}

// begin goes on with what was begun, or begins anew.
func (j *sending) begin(ctx context.Context) error {
	if old := j.up.Begun; old != nil && old.UploadID != "" {
		is, err := j.resume(ctx, old)
		if is || err != nil {
			return err
		}
	}
	plain := j.storage.plain.Load()
	in := &s3.CreateMultipartUploadInput{Bucket: &j.up.Bucket, Key: &j.up.Key,
		ContentType: j.up.contentType(), Metadata: j.up.metadata()}
	if !plain {
		in.ChecksumAlgorithm = types.ChecksumAlgorithmSha256
	}
	out, err := j.storage.client.CreateMultipartUpload(ctx, in)
	if mustBePlain(&j.storage.plain, plain, err) {
		return j.begin(ctx)
	}
	if err != nil {
		return explain(ctx, err)
	}
	id := aws.ToString(out.UploadId)
	if id == "" || len(id) > mostTag {
		return fmt.Errorf("%w: its answer has no ID of an upload, or too long a one", ErrUnreachable)
	}
	j.begun = Begun{Bucket: j.up.Bucket, Key: j.up.Key, UploadID: id, Size: j.sums.size,
		SHA256: j.sums.whole, PartSize: j.sums.partSize}
	return j.keep()
}

// resume takes over what the other side has of an earlier try, if it is one of the same content.
func (j *sending) resume(ctx context.Context, old *Begun) (is bool, err error) {
	if old.Bucket != j.up.Bucket || old.Key != j.up.Key || old.Size != j.sums.size ||
		old.SHA256 != j.sums.whole || old.PartSize != j.sums.partSize {
		return false, j.storage.Abort(ctx, old)
	}
	there, err := j.storage.parts(ctx, old)
	if errors.Is(err, errNoUpload) || errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	j.begun = *old
	j.begun.Parts = slices.DeleteFunc(slices.Clone(old.Parts), func(p BegunPart) bool {
		return !j.fits(p) || there[p.Number] != place{etagText(p.ETag), p.Size}
	})
	return true, j.keep()
}

// fits reports whether a part is one of this object.
func (j *sending) fits(p BegunPart) bool {
	i := int(p.Number) - 1
	if i < 0 || i >= len(j.sums.parts) {
		return false
	}
	_, size := j.sums.part(i)
	return p.Size == size && p.SHA256 == j.sums.parts[i].sha256
}

// keep tells the caller how far it has come.
func (j *sending) keep() error {
	if j.up.Keep == nil {
		return nil
	}
	told := j.begun
	told.Parts = slices.Clone(j.begun.Parts)
	return j.up.Keep(&told)
}

// has reports whether the other side has a part.
func (j *sending) has(i int) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.ContainsFunc(j.begun.Parts, func(p BegunPart) bool { return p.Number == int32(i+1) })
}

// send sends a part.
func (j *sending) send(ctx context.Context, i int) error {
	plain := j.storage.plain.Load()
	from, size := j.sums.part(i)
	in := &s3.UploadPartInput{Bucket: &j.up.Bucket, Key: &j.up.Key, UploadId: &j.begun.UploadID,
		PartNumber: aws.Int32(int32(i + 1)), Body: io.NewSectionReader(j.up.Body, from, size)}
	if !plain {
		in.ChecksumSHA256 = aws.String(sumText(j.sums.parts[i].sha256))
	}
	out, err := j.storage.client.UploadPart(ctx, in, signed(j.sums.parts[i].sha256))
	if mustBePlain(&j.storage.plain, plain, err) {
		return j.send(ctx, i)
	}
	if err != nil {
		return fmt.Errorf("part %d of %d: %w", i+1, len(j.sums.parts), explain(ctx, err))
	}
	etag := etagText(aws.ToString(out.ETag))
	if etag == "" || len(etag) > mostTag {
		return fmt.Errorf("%w: it gives part %d no ETag, or too long a one", ErrUnreachable, i+1)
	}
	j.up.sent(size)
	return j.took(BegunPart{Number: int32(i + 1), Size: size, ETag: etag,
		SHA256: j.sums.parts[i].sha256})
}

// took notes that the other side has a part.
func (j *sending) took(p BegunPart) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.begun.Parts = append(j.begun.Parts, p)
	return j.keep()
}

// complete makes the object of its parts, unless another one has come while they were sent: not all
// servers look for that.
func (j *sending) complete(ctx context.Context) error {
	if err := j.storage.isFree(ctx, j.up); err != nil {
		return err
	}
	plain := j.storage.plain.Load()
	in := &s3.CompleteMultipartUploadInput{Bucket: &j.up.Bucket, Key: &j.up.Key,
		UploadId:        &j.begun.UploadID,
		MultipartUpload: &types.CompletedMultipartUpload{Parts: j.completed(!plain)}}
	if !plain {
		in.IfNoneMatch, in.IfMatch = j.up.conditions()
	}
	_, err := j.storage.client.CompleteMultipartUpload(ctx, in)
	if mustBePlain(&j.storage.plain, plain, err) {
		return j.complete(ctx)
	}
	return explain(ctx, err)
}

// completed is the list of the parts, in order.
func (j *sending) completed(summed bool) (parts []types.CompletedPart) {
	slices.SortFunc(j.begun.Parts, func(a, b BegunPart) int { return int(a.Number - b.Number) })
	for _, p := range j.begun.Parts {
		part := types.CompletedPart{PartNumber: aws.Int32(p.Number), ETag: aws.String(quoted(p.ETag))}
		if summed {
			part.ChecksumSHA256 = aws.String(sumText(p.SHA256))
		}
		parts = append(parts, part)
	}
	return parts
}

// Abort has the other side forget an upload, and its parts. One that is not known there is no
// error.
func (s *Storage) Abort(ctx context.Context, begun *Begun) error {
	_, err := s.client.AbortMultipartUpload(ctx, &s3.AbortMultipartUploadInput{Bucket: &begun.Bucket,
		Key: &begun.Key, UploadId: &begun.UploadID})
	if err = explain(ctx, err); errors.Is(err, errNoUpload) || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return about("abort the upload of", begun.Bucket, begun.Key, err)
}
