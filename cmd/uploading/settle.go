package uploading

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"warcorder/store"
)

// settle puts right what removals, crashes and people have left: objects of what is not there any more,
// uploads with which nobody goes on, and notes that are missing.
func (r *round) settle(ctx context.Context) error {
	_, err := r.apart(ctx, r.settleAll)
	return err
}

func (r *round) settleAll(ctx context.Context) error {
	files, err := r.byName()
	if err != nil {
		return err
	}
	away, stale, err := r.dir.Away()
	if err != nil {
		return err
	}
	if err := r.settleAgain(ctx, files); err != nil {
		return err
	}
	for _, name := range stale {
		if err := r.each(name, func() error { return r.settleStale(ctx, name, files[name]) }); err != nil {
			return err
		}
	}
	has := make(map[string]bool, len(away))
	for _, name := range away {
		has[name] = true
	}
	for name, f := range files {
		if f.Remote == nil || has[name] {
			continue
		}
		if err := r.each(name, func() error { return r.noteBeside(name, noted{Remote: *f.Remote}) }); err != nil {
			return err
		}
	}
	return r.settleUploads(ctx, files)
}

// byName are the files of the index.
func (r *round) byName() (map[string]*store.File, error) {
	all, err := r.index.Files()
	files := make(map[string]*store.File, len(all))
	for i := range all {
		files[all[i].Name] = &all[i]
	}
	return files, err
}

// each does something with a file, unless it has failed lately. It returns an error if nothing else can be
// done either.
func (r *round) each(name string, do func() error) error {
	if !r.all && r.tries.waits(name, time.Now()) {
		return nil
	}
	if err := do(); err != nil {
		return r.fail(name, err)
	}
	r.silent = 0
	return nil
}

// settleStale deletes a copy that is not what the file is, unless the file is to be written over it.
func (r *round) settleStale(ctx context.Context, name string, f *store.File) error {
	path := r.dir.StaleNote(name)
	former := new(noted)
	err := r.dir.ReadNote(path, former)
	if err == nil {
		err = former.Check(name)
	}
	if err != nil {
		return fmt.Errorf("%w: it says what is to be deleted in object storage. Delete that yourself, and then "+
			"%s", err, path)
	}
	target := r.Place.Bucket == former.Bucket && r.Place.Key(name) == former.Key
	switch {
	case f != nil && isWanted(f) && target:
		return nil // sendAll writes over it
	case f != nil && f.Remote != nil && f.Remote.Bucket == former.Bucket && f.Remote.Key == former.Key:
		return r.replaced(ctx, name, former)
	case former.Found:
		return fmt.Errorf("%s has what was removed from %s, and was there before anything was sent: delete it, if "+
			"it is of no other collection, and then %s", former.URL(), name, path)
	case r.isUnknown(f):
		return fmt.Errorf("%s is not in archive/, and %s is what it was before something was removed from it: put "+
			"the file back, and it is sent there; or delete the object, and then %s", name, former.URL(), path)
	}
	if err := r.delete(ctx, former); err != nil {
		return err
	}
	r.done.Deleted++
	r.log.Info().Str("file", name).Str("at", former.URL()).
		Msg("the copy of what was removed is deleted in object storage")
	return r.dir.DropNote(path)
}

// isUnknown reports whether nobody can tell what a file is: an object may be all that is left of it. The
// index knows that it is missing since the last start; it may have gone after that.
func (r *round) isUnknown(f *store.File) bool {
	if f == nil || f.Missing {
		return true
	}
	_, err := os.Stat(r.dir.WARC(f.Name))
	return f.Remote == nil && err != nil
}

// replaced drops the note of a former copy that is written over. Its lines go, unless others have taken
// their place: they name what was removed.
func (r *round) replaced(ctx context.Context, name string, former *noted) error {
	now := new(noted)
	if err := r.dir.ReadNote(r.dir.AwayNote(name), now); err != nil || !now.Lines {
		if err := r.deleteLines(ctx, former); err != nil {
			return err
		}
	}
	return r.dir.DropNote(r.dir.StaleNote(name))
}

// linesSuffix ends the key of a file's lines, behind the key of the file.
const linesSuffix = ".cdxj"

// delete deletes an object, and the lines beside it.
func (r *round) delete(ctx context.Context, former *noted) error {
	if err := r.storage.Delete(ctx, former.Bucket, former.Key, former.ETag); err != nil {
		return err
	}
	return r.deleteLines(ctx, former)
}

// settleUploads ends the uploads of files that are not to be sent any more, or to elsewhere.
func (r *round) settleUploads(ctx context.Context, files map[string]*store.File) error {
	names, err := r.dir.Uploads()
	if err != nil {
		return err
	}
	for _, name := range names {
		f := files[name]
		last := new(begun)
		if err := r.dir.ReadNote(r.dir.UploadNote(name), last); err != nil || !last.isOf(name) {
			last = &begun{} // of which nothing is known: the bucket's own rule for old uploads has them
		}
		if f != nil && isWanted(f) && last.isAt(r.Place.Bucket, r.Place.Key(name)) {
			continue
		}
		if err := r.each(name, func() error { return r.abandon(ctx, name, f, last) }); err != nil {
			return err
		}
	}
	return nil
}

// abandon ends an upload with which nobody goes on. An object that may have come of it stays: in a copy of
// the collection's directory, such as a backup, the note of the upload is there too, and the object may be
// all that the collection itself has.
func (r *round) abandon(ctx context.Context, name string, f *store.File, last *begun) error {
	if r.isUnknown(f) {
		return nil
	}
	if last.Begun != nil {
		if err := r.storage.Abort(ctx, last.Begun); err != nil {
			return err
		}
	}
	is := f.Remote != nil && last.isAt(f.Remote.Bucket, f.Remote.Key)
	if last.Mark != "" && !is {
		there, err := r.storage.Head(ctx, last.Bucket, last.Key)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err == nil && last.made(there.Mark, "") {
			r.log.Warn().Str("file", name).Str("at", "s3://"+last.Bucket+"/"+last.Key).Msg("files do not go there " +
				"any more, and an upload that was cut off may have left this: delete it, if it is of no other collection")
		}
	}
	return r.dir.DropNote(r.dir.UploadNote(name))
}
