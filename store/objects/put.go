package objects

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go/middleware"

	"warcorder/store"
)

// anyType is the type of an object of which none is told.
const anyType = "application/octet-stream"

// Upload is one object that is to be written.
type Upload struct {
	Bucket, Key string
	Body        io.ReaderAt // is read twice: for its sums, and when it is sent
	Size        int64       // of Body, in bytes
	ContentType string      // empty: application/octet-stream

	// Begun is what an earlier try has told Keep; nil if there was none. What does not fit Body is
	// aborted there, and not gone on with.
	Begun *Begun

	// Keep is told how far the upload has come, before more is sent: at its begin and after each part,
	// never two at a time. An error of it ends the upload. It may be nil. One that is sent as a whole
	// tells nothing.
	Keep func(*Begun) error

	// Sent, if it is not nil, is told how many bytes the other side has taken more, by any goroutine.
	Sent func(bytes int64)

	// Replaces says that another object of the key may be written over; Over that one with this ETag may,
	// and no other.
	Replaces bool
	Over     string

	// Anew has it sent although the storage says that it has the same content.
	Anew bool

	// Mark, if it is not empty, is kept with the object, and tells whose it is: one that is there with the
	// same content may be another's.
	Mark string

	// PartSize is how long parts are, in bytes; 0: 64 MiB, or more if there would be too many. No
	// storage takes parts below 5 MiB.
	PartSize int64
}

// Put writes an object, in parts if it is long, and verifies it at the other side. One that is
// there with the same content is success; with other content it is ErrTaken, unless the upload
// replaces it. After any error but ErrTaken and ErrRefused it may be tried again, with what Keep
// was told last.
func (s *Storage) Put(ctx context.Context, up Upload) (*store.Remote, error) {
	remote, err := s.put(ctx, &up)
	return remote, about("upload", up.Bucket, up.Key, err)
}

func (s *Storage) put(ctx context.Context, up *Upload) (*store.Remote, error) {
	if up.PartSize == 0 {
		up.PartSize = wholeSize
	}
	sums, err := sum(ctx, up.Body, up.Size, partSizeOf(up.Size, up.PartSize))
	if err != nil {
		return nil, fmt.Errorf("read what is to be sent: %w", err)
	}
	// It may be there already: the last try was cut off before its caller could note that it was done.
	remote, err := s.settled(ctx, up, sums)
	if old := up.Begun; err == nil && old != nil && old.UploadID != "" && (remote != nil || sums.isWhole()) {
		err = s.Abort(ctx, old) // nobody goes on with it
	}
	if remote != nil || err != nil {
		return remote, err
	}
	if sums.isWhole() {
		err = s.putWhole(ctx, up, sums)
	} else {
		err = s.putParts(ctx, up, sums)
	}
	if err != nil && !errors.Is(err, ErrChanged) && !errors.Is(err, errNoUpload) {
		return nil, err
	}
	return s.ended(ctx, up, sums, err)
}

// ended looks whether the object is there now. sent is what the last request has come to: one of
// which the answer was lost is made twice, and the second one finds what the first has done.
func (s *Storage) ended(ctx context.Context, up *Upload, sums *sums, sent error) (
	*store.Remote, error) {

	remote, etag, err := s.found(ctx, up, sums)
	switch {
	case remote != nil && up.Anew && sent != nil && up.mayReplace(etag):
		return nil, fmt.Errorf("%w: %w", ErrUnreachable, sent)
	case remote != nil || err != nil && !errors.Is(err, errDiffers):
		return remote, err
	case sent != nil && errors.Is(err, errDiffers) && !up.mayReplace(etag):
		return nil, ErrTaken
	case sent != nil:
		return nil, fmt.Errorf("%w: %w", ErrUnreachable, sent)
	case err != nil:
		return nil, fmt.Errorf("%w: what it has after the upload is not what was sent", ErrUnreachable)
	}
	return nil, fmt.Errorf("%w: it took the object, and does not have it", ErrUnreachable)
}

// errDiffers says that an object is there, of other content.
var errDiffers = errors.New("it differs")

// settled returns what is there already; nil if it is to be sent.
func (s *Storage) settled(ctx context.Context, up *Upload, sums *sums) (*store.Remote, error) {
	remote, etag, err := s.found(ctx, up, sums)
	if etag == "" && err == nil {
		up.Over = "" // it is free
	}
	if up.mayReplace(etag) && (errors.Is(err, errDiffers) || err == nil && up.Anew) {
		return nil, nil
	}
	if !errors.Is(err, errDiffers) {
		return remote, err
	}
	return nil, fmt.Errorf("%w, and is not written over: give each recorder a warc-prefix, or a prefix in "+
		"the bucket, of its own", ErrTaken)
}

// found returns what is there, if it is what the upload is of, and the ETag of whatever is there; nil and
// none if nothing is there.
func (s *Storage) found(ctx context.Context, up *Upload, sums *sums) (remote *store.Remote, etag string, err error) {
	object, err := s.head(ctx, up.Bucket, up.Key)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", nil
	}
	if err != nil {
		return nil, "", err
	}
	same, err := s.isSame(ctx, object, sums)
	if err == nil && !same {
		err = errDiffers
	}
	if err != nil {
		return nil, object.ETag, err
	}
	return sums.remote(object), object.ETag, nil
}

// remote is what is noted of an object that has the content of the sums.
func (s *sums) remote(object *Object) *store.Remote {
	r := &store.Remote{Bucket: object.Bucket, Key: object.Key, Size: s.size, SHA256: s.whole,
		ETag: object.ETag, Version: object.Version, Mark: object.Mark, Uploaded: time.Now().UTC().Truncate(time.Second)}
	if !s.isWhole() {
		r.PartSize, r.Parts = s.partSize, s.shaParts()
	}
	return r
}

// putWhole sends an object as one.
func (s *Storage) putWhole(ctx context.Context, up *Upload, sums *sums) error {
	in := &s3.PutObjectInput{Bucket: &up.Bucket, Key: &up.Key,
		Body:        io.NewSectionReader(up.Body, 0, up.Size),
		ContentType: up.contentType(), Metadata: up.metadata()}
	plain := s.plain.Load()
	if !plain {
		in.ChecksumSHA256 = aws.String(sumText(sums.whole))
		in.IfNoneMatch, in.IfMatch = up.conditions()
	}
	_, err := s.client.PutObject(ctx, in, signed(sums.whole))
	if mustBePlain(&s.plain, plain, err) {
		return s.putWhole(ctx, up, sums)
	}
	if err == nil {
		up.sent(up.Size)
	}
	return explain(ctx, err)
}

// isFree returns ErrChanged if something is there over which is not to be written.
func (s *Storage) isFree(ctx context.Context, up *Upload) error {
	if up.Replaces {
		return nil
	}
	there, err := s.head(ctx, up.Bucket, up.Key)
	switch {
	case errors.Is(err, fs.ErrNotExist) && up.Over == "":
		return nil
	case err == nil && up.mayReplace(there.ETag):
		return nil
	case err == nil || errors.Is(err, fs.ErrNotExist):
		err = ErrChanged
	}
	return err
}

// contentType is the type that the storage is told.
func (up *Upload) contentType() *string {
	if up.ContentType == "" {
		return aws.String(anyType)
	}
	return &up.ContentType
}

// markName is the metadata of an object that has its mark.
const markName = "warcorder-upload"

// metadata is what is kept with the object.
func (up *Upload) metadata() map[string]string {
	if up.Mark == "" {
		return nil
	}
	return map[string]string{markName: up.Mark}
}

// mayReplace reports whether what has that ETag may be written over.
func (up *Upload) mayReplace(etag string) bool {
	return etag != "" && (up.Replaces || etag == etagText(up.Over))
}

// conditions keep an upload from what is there.
func (up *Upload) conditions() (ifNone, ifMatch *string) {
	switch {
	case up.Replaces:
		return nil, nil
	case up.Over != "":
		return nil, aws.String(quoted(up.Over))
	}
	return aws.String("*"), nil
}

func (up *Upload) sent(bytes int64) {
	if up.Sent != nil {
		up.Sent(bytes)
	}
}

// signed has the SHA-256 of a body signed that is known, so that the other side refuses other
// bytes, and no body is read once more for it.
func signed(sum store.Sum) func(*s3.Options) {
	return s3.WithAPIOptions(func(stack *middleware.Stack) error {
		return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("SumIsKnown",
			func(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (
				middleware.InitializeOutput, middleware.Metadata, error) {
				return next.HandleInitialize(v4.SetPayloadHash(ctx, hex.EncodeToString(sum[:])), in)
			}), middleware.Before)
	})
}

// mustBePlain reports whether a server has refused the fields of checksums and conditions, which
// not all know, so that the request is to be made without them. From then on they are not sent, and
// what they say is asked by HEAD, or by reading back.
func mustBePlain(all *atomic.Bool, plain bool, err error) bool {
	if err == nil || plain {
		return false
	}
	status, code := answered(err)
	refused := status == http.StatusNotImplemented || code == "NotImplemented" ||
		status == http.StatusBadRequest && (code == "InvalidArgument" || code == "InvalidRequest")
	if refused {
		all.Store(true)
	}
	return refused
}
