package objects

import (
	"context"
	"fmt"
	"iter"
	"net/url"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

const (
	// pageSize is how many objects or parts are asked for at once, and mostObjects how many there are
	// below a place at most: a list without an end ends there.
	pageSize    = 1000
	mostObjects = 50_000_000
)

// errNoList says that an answer is none of S3, such as the page of some other server.
var errNoList = fmt.Errorf("%w: its answer is no list", ErrUnreachable)

// errNoEnd says that a list goes on where it has been.
var errNoEnd = fmt.Errorf("%w: its list does not come to an end", ErrUnreachable)

// List are the objects below a place, in the order that the storage gives. Memory is that of a
// page. Keys are asked for in the form of URLs: no XML can have all characters that a key can.
func (s *Storage) List(ctx context.Context, p Place) iter.Seq2[Object, error] {
	return func(yield func(Object, error) bool) {
		if err := s.list(ctx, p, func(o Object) bool { return yield(o, nil) }); err != nil {
			yield(Object{}, fmt.Errorf("list %s: %w", p, err))
		}
	}
}

// list calls take with each object until it returns false.
func (s *Storage) list(ctx context.Context, p Place, take func(Object) bool) error {
	in := &s3.ListObjectsV2Input{Bucket: &p.Bucket, MaxKeys: aws.Int32(pageSize),
		EncodingType: types.EncodingTypeUrl}
	if p.Prefix != "" {
		in.Prefix = aws.String(p.Prefix + "/")
	}
	for seen := 0; ; {
		out, err := s.client.ListObjectsV2(ctx, in)
		if err != nil {
			return explain(ctx, err)
		}
		if out.Name == nil && out.IsTruncated == nil {
			return errNoList
		}
		for _, found := range out.Contents {
			o, err := p.listed(found, out.EncodingType)
			if err != nil {
				return err
			}
			if !take(o) {
				return nil
			}
		}
		if !aws.ToBool(out.IsTruncated) {
			return nil
		}
		next := aws.ToString(out.NextContinuationToken)
		if seen += len(out.Contents); next == "" || next == aws.ToString(in.ContinuationToken) ||
			len(out.Contents) == 0 || seen > mostObjects {
			return errNoEnd
		}
		in.ContinuationToken = &next
	}
}

// listed is an object of a list, whose keys are encoded if the list says so.
func (p Place) listed(found types.Object, encoding types.EncodingType) (Object, error) {
	if encoding == types.EncodingTypeUrl {
		key, err := url.QueryUnescape(aws.ToString(found.Key))
		if err != nil {
			return Object{}, errNoList
		}
		found.Key = &key
	}
	o := Object{Bucket: p.Bucket, Key: aws.ToString(found.Key), Size: aws.ToInt64(found.Size),
		ETag: etagText(aws.ToString(found.ETag)), Modified: aws.ToTime(found.LastModified)}
	is := o.Size >= 0 && o.Key != "" && len(o.Key) <= mostKey && len(o.ETag) <= mostTag &&
		strings.HasPrefix(o.Key, p.Key(""))
	if !is {
		return o, fmt.Errorf("%w: its list has what was not asked for", ErrUnreachable)
	}
	return o, nil
}

// place is what the storage says of a part: its ETag, and its size in bytes.
type place struct {
	etag string
	size int64
}

// parts are the parts that the other side has of an upload, by number.
func (s *Storage) parts(ctx context.Context, begun *Begun) (map[int32]place, error) {
	in := &s3.ListPartsInput{Bucket: &begun.Bucket, Key: &begun.Key, UploadId: &begun.UploadID,
		MaxParts: aws.Int32(pageSize)}
	there := make(map[int32]place)
	for seen := 0; ; { // also those that were listed before
		out, err := s.client.ListParts(ctx, in)
		if err != nil {
			return nil, explain(ctx, err)
		}
		if out.UploadId == nil && out.IsTruncated == nil {
			return nil, errNoList
		}
		for _, p := range out.Parts {
			there[aws.ToInt32(p.PartNumber)] = place{etagText(aws.ToString(p.ETag)), aws.ToInt64(p.Size)}
		}
		if !aws.ToBool(out.IsTruncated) {
			return there, nil
		}
		next := aws.ToString(out.NextPartNumberMarker)
		if seen += len(out.Parts); next == "" || next == aws.ToString(in.PartNumberMarker) ||
			len(out.Parts) == 0 || seen > mostParts {
			return nil, errNoEnd
		}
		in.PartNumberMarker = &next
	}
}
