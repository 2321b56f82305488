package pushing

import (
	"context"
	"errors"

	"warcorder/store"
	"warcorder/store/objects"
)

// bucket is a shelf in object storage.
type bucket struct {
	place   objects.Place
	storage *objects.Storage
}

// bucketAt returns the shelf at s3://BUCKET/PREFIX. Nobody is asked for anything yet.
func bucketAt(address string) (shelf, error) {
	place, err := objects.Parse(address)
	if err != nil {
		return nil, err
	}
	storage, err := objects.Open(context.Background())
	if err != nil {
		return nil, err
	}
	return bucket{place, storage}, nil
}

func (b bucket) String() string { return b.place.String() }

func (b bucket) put(ctx context.Context, name string, in part, replaces bool) error {
	_, err := b.storage.Put(ctx, objects.Upload{
		Bucket: b.place.Bucket, Key: b.place.Key(name), Body: in, Size: in.size,
		ContentType: "application/vnd.apache.parquet", Replaces: replaces,
	})
	if errors.Is(err, objects.ErrTaken) {
		return errTaken
	}
	return err
}

func (b bucket) look(ctx context.Context, name string) (in part, done func() error, err error) {
	found, err := b.storage.Head(ctx, b.place.Bucket, b.place.Key(name))
	if err != nil {
		return in, nil, err
	}
	remote := &store.Remote{Bucket: found.Bucket, Key: found.Key, Size: found.Size, ETag: found.ETag,
		Version: found.Version}
	in = part{ReaderAt: b.storage.Reader(remote).WithContext(ctx), size: found.Size}
	return in, func() error { return nil }, nil
}

func (b bucket) drop(ctx context.Context, name string) error {
	key := b.place.Key(name)
	found, err := b.storage.Head(ctx, b.place.Bucket, key)
	if err != nil {
		return err
	}
	return b.storage.Delete(ctx, b.place.Bucket, key, found.ETag)
}
