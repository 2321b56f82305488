package objects

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"warcorder/store"
)

// mostBreaks is how often a connection may break off before any byte came.
const mostBreaks = 4

// Stream reads an object in order, from an offset to its end. A connection that breaks off is made
// anew. No more bytes come than the Remote has, and an end before that is an error.
func (s *Storage) Stream(ctx context.Context, r *store.Remote, from int64) (io.ReadCloser, error) {
	if from < 0 || from > r.Size {
		return nil, about("read", r.Bucket, r.Key, fmt.Errorf("it has no byte %d", from))
	}
	body := s.stream(ctx, r, from)
	if err := body.open(); err != nil {
		return nil, about("read", r.Bucket, r.Key, err)
	}
	return body, nil
}

func (s *Storage) stream(ctx context.Context, r *store.Remote, from int64) *stream {
	return &stream{storage: s, ctx: ctx, remote: r, at: from, end: r.Size}
}

// stream is the bytes of an object between two offsets.
type stream struct {
	storage *Storage
	ctx     context.Context
	remote  *store.Remote
	at, end int64         // in bytes
	body    io.ReadCloser // nil where it is to be asked for
	breaks  int           // since a byte came
}

// Read implements io.Reader.
func (b *stream) Read(p []byte) (int, error) {
	for {
		if b.at >= b.end {
			return 0, io.EOF
		}
		if err := b.open(); err != nil {
			return 0, about("read", b.remote.Bucket, b.remote.Key, err)
		}
		n, err := b.body.Read(p[:min(int64(len(p)), b.end-b.at)])
		b.at += int64(n)
		if n > 0 {
			b.breaks = 0
		}
		if err != nil {
			b.Close()
		}
		if n > 0 || len(p) == 0 {
			return n, nil
		}
		if err = b.broke(err); err != nil {
			return 0, about("read", b.remote.Bucket, b.remote.Key, err)
		}
	}
}

// broke judges an end that came too early; nil if it is worth another try.
func (b *stream) broke(err error) error {
	if err == nil {
		return nil
	}
	if b.breaks++; b.breaks < mostBreaks && b.ctx.Err() == nil {
		return nil
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return explain(b.ctx, err)
}

// open asks for what is left, if nothing is open.
func (b *stream) open() error {
	if b.body != nil || b.at >= b.end {
		return nil
	}
	in := &s3.GetObjectInput{Bucket: &b.remote.Bucket, Key: &b.remote.Key,
		Range: aws.String(fmt.Sprintf("bytes=%d-%d", b.at, b.end-1))}
	if b.remote.ETag != "" {
		in.IfMatch = aws.String(quoted(b.remote.ETag))
	}
	out, err := b.storage.client.GetObject(asObject(b.ctx), in)
	if err != nil {
		return explain(b.ctx, err)
	}
	if err := b.check(out); err != nil {
		return errors.Join(err, out.Body.Close())
	}
	b.body = out.Body
	return nil
}

// check refuses an answer of other bytes than those that were asked for.
func (b *stream) check(out *s3.GetObjectOutput) error {
	want := fmt.Sprintf("bytes %d-%d/%d", b.at, b.end-1, b.remote.Size)
	told := aws.ToString(out.ContentRange)
	isAll := told == "" && b.at == 0 && b.end == b.remote.Size
	switch {
	case b.remote.ETag != "" && etagText(aws.ToString(out.ETag)) != etagText(b.remote.ETag):
		return fmt.Errorf("%w: its ETag is another one", ErrChanged)
	case told == want || isAll:
	case told == "":
		return fmt.Errorf("%w: it does not give parts of an object (Range)", ErrRefused)
	default:
		return fmt.Errorf("%w: it gives other bytes than those that were asked for", ErrChanged)
	}
	if length := out.ContentLength; length != nil && *length >= 0 && *length != b.end-b.at {
		return fmt.Errorf("%w: it has %d bytes from %d on, and had %d", ErrChanged, *length, b.at, b.end-b.at)
	}
	return nil
}

// Close implements io.Closer.
func (b *stream) Close() error {
	if b.body == nil {
		return nil
	}
	body := b.body
	b.body = nil
	return body.Close()
}
