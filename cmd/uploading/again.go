package uploading

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"warcorder/store"
	"warcorder/store/holdings"
)

// errNotThere says that a copy in object storage is not what it was.
var errNotThere = errors.New("verify --remote has found that its object is not what was uploaded: it is sent anew " +
	"first")

// settleAgain has files sent anew of which a verify has found that their object is not what was uploaded:
// they have no copy until then.
func (r *round) settleAgain(ctx context.Context, files map[string]*store.File) error {
	names, err := r.dir.Again()
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := r.each(name, func() error { return r.again(ctx, name, files[name]) }); err != nil {
			return err
		}
	}
	return nil
}

// again has a file sent anew, if it is what was uploaded, and its object is still the one that was found.
func (r *round) again(ctx context.Context, name string, f *store.File) error {
	note, found := r.dir.AgainNote(name), new(store.Remote)
	err := r.dir.ReadNote(note, found)
	if err == nil && f != nil && f.Remote != nil && f.Remote.IsSame(found) && !f.Remote.Released {
		if err := r.isWhole(ctx, f); err != nil {
			return err
		}
		r.log.Warn().Str("file", name).Str("at", f.Remote.URL()).
			Msg("the object is not what was uploaded, as verify has found: the file is sent anew")
		if !f.Remote.Found {
			next := begun{Bucket: f.Remote.Bucket, Key: f.Remote.Key, Size: f.Committed, Over: f.Remote.ETag, Anew: true}
			if err := r.dir.WriteNote(r.dir.UploadNote(name), r.Mode, next); err != nil {
				return err
			}
		}
		if err := r.forget(ctx, f); err != nil {
			return err
		}
		f.Remote = nil
	}
	return r.dir.DropNote(note)
}

// isWhole returns an error unless a file here is what was uploaded.
func (r *round) isWhole(ctx context.Context, f *store.File) error {
	file, err := holdings.OpenFollowing(r.dir.WARC(f.Name))
	if err != nil {
		return err
	}
	defer file.Close()
	hash := sha256.New()
	_, err = io.Copy(hash, io.NewSectionReader(ending{ctx, file}, 0, f.Committed))
	if err == nil && store.Sum(hash.Sum(nil)) != f.Remote.SHA256 {
		err = fmt.Errorf("neither %s nor %s is what was uploaded, and nothing is sent: put the file back from a "+
			"backup", r.dir.WARC(f.Name), f.Remote.URL())
	}
	return err
}

// ending reads until its context ends.
type ending struct {
	ctx context.Context
	io.ReaderAt
}

func (e ending) ReadAt(p []byte, offset int64) (int, error) {
	if e.ctx.Err() != nil {
		return 0, context.Cause(e.ctx)
	}
	return e.ReaderAt.ReadAt(p, offset)
}

// isToBeSentAnew reports whether a verify has found that the object of a file is not what was uploaded.
func (r *round) isToBeSentAnew(name string) bool {
	_, err := os.Lstat(r.dir.AgainNote(name))
	return !errors.Is(err, fs.ErrNotExist)
}
