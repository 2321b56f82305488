package uploading

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/dustin/go-humanize"

	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/fault"
	"warcorder/store/objects"
	"warcorder/store/warc"
)

// release lets local copies go: what keep-local does not keep, and while less than twice min-free-space is
// free the oldest, whatever it keeps. With keep-local empty none goes.
func (r *round) release(ctx context.Context) (err error) {
	if r.Keep.Some && !r.stays {
		r.stays, err = r.apart(ctx, r.releaseAll)
	}
	return err
}

func (r *round) releaseAll(ctx context.Context) error {
	files, total, err := r.copies()
	if err != nil {
		return err
	}
	for i := range files {
		f := &files[i]
		goes, early := r.goes(f, total)
		if !goes {
			continue
		}
		freed, err := r.let(ctx, f)
		if err != nil {
			if err := r.fail(f.Name, err); err != nil {
				return err
			}
			continue
		}
		r.silent = 0
		if total -= freed; freed > 0 && early {
			r.log.Warn().Str("file", f.Name).Str("size", humanize.Bytes(uint64(freed))).
				Msg("the disk is filling: a local copy has gone earlier than keep-local says")
		}
	}
	return nil
}

// copies are the files that are here and in object storage, the oldest first, and how many bytes they have.
// The file to which a link leads is somebody else's, and stays.
func (r *round) copies() (files []store.File, total int64, err error) {
	all, err := r.index.Files()
	if err != nil {
		return nil, 0, err
	}
	sizes, err := r.dir.Sizes()
	for i := range all {
		f := &all[i]
		if _, here := sizes[f.Name]; !here || f.Remote == nil || !f.Sealed {
			continue
		}
		if place, err := warc.Look(r.dir.WARC(f.Name)); err == nil && place.IsLink() {
			r.keeps(place.Path + " is a link: the file that it leads to is somebody else's, and stays")
			continue
		}
		if f.Remote.Found {
			r.keeps(f.Name + " stays: " + f.Remote.URL() + " was there before it was sent, and may go with another " +
				"collection. Give this one a prefix of its own")
			continue
		}
		files = append(files, *f)
		total += f.Committed
	}
	return files, total, err
}

// keeps tells, once a round, why a local copy stays.
func (r *round) keeps(why string) {
	if !slices.Contains(r.done.Kept, why) && len(r.done.Kept) < mostKept {
		r.done.Kept = append(r.done.Kept, why)
	}
}

// mostKept is of how many local copies is told why they stay.
const mostKept = 100

// goes reports whether the oldest of local copies, which have total bytes, is to go, and whether that is
// earlier than it should.
func (r *round) goes(f *store.File, total int64) (goes, early bool) {
	if !r.all && r.tries.waits(f.Name, time.Now()) {
		return false, false
	}
	switch {
	case r.Keep.Bytes >= 0 && total > r.Keep.Bytes:
		return true, false
	case r.Keep.Bytes < 0 && time.Since(f.Remote.Uploaded) >= r.Keep.For:
		return true, false
	}
	free, err := collection.FreeSpace(r.dir.Archive())
	early = err == nil && r.MinFree > 0 && free/2 < r.MinFree
	return early, early
}

// let lets a local copy go, and returns how many bytes that has freed. Before that the other side is asked
// once more whether it has the file.
func (r *round) let(ctx context.Context, f *store.File) (freed int64, err error) {
	path := r.dir.WARC(f.Name)
	place, err := warc.Look(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	if place.IsLink() || r.isToBeSentAnew(f.Name) {
		return 0, nil
	}
	if place.File.Size() != f.Remote.Size {
		return 0, fmt.Errorf("%s has %d bytes, and its copy in object storage %d: let warcorder recover run", path,
			place.File.Size(), f.Remote.Size)
	}
	if there, err := r.isThere(ctx, f); err != nil || !there {
		return 0, err
	}
	done, err := r.holding(func() error {
		if err := r.mark(f, place); err != nil {
			return err
		}
		return errors.Join(place.Remove(), r.dir.SyncArchive(), fault.At(fault.ReleaseGone))
	})
	if err != nil || !done {
		return 0, err
	}
	r.done.Released++
	r.done.Freed += f.Committed
	r.log.Info().Str("file", f.Name).Str("at", f.Remote.URL()).Int64("bytes", f.Committed).
		Msg("a local copy has gone: the WARC file is away")
	r.told(f.Name, "away", f.Committed)
	return f.Committed, nil
}

// holding calls work while nobody else has the finished files for himself.
func (u *Uploader) holding(work func() error) (bool, error) {
	if u.Hold == nil {
		return true, work()
	}
	return u.Hold(work)
}

// isThere reports whether the object is what it was when it was verified. If it is not, the file counts as
// one that has no copy, and stays.
func (r *round) isThere(ctx context.Context, f *store.File) (bool, error) {
	there, err := r.storage.Head(ctx, f.Remote.Bucket, f.Remote.Key)
	switch {
	case err == nil && there.Size == f.Remote.Size && there.ETag == f.Remote.ETag:
		return true, nil
	case err == nil:
		err = objects.ErrChanged
	case !errors.Is(err, fs.ErrNotExist):
		return false, err
	}
	r.log.Error().Err(err).Str("file", f.Name).Str("at", f.Remote.URL()).
		Msg("the copy of a WARC file is not in object storage any more: the file stays here, and is sent anew")
	return false, r.forget(ctx, f)
}

// mark notes, durably, that a local copy may go: in the layout, so that no older version looks for it, in
// the note and in the index.
func (r *round) mark(f *store.File, place warc.Place) error {
	n, known := r.noted[f.Name]
	if !known || !n.IsSame(f.Remote) {
		n = noted{}
		if r.dir.ReadNote(r.dir.AwayNote(f.Name), &n) != nil || !n.IsSame(f.Remote) {
			if err := r.noteBeside(f.Name, noted{Remote: *f.Remote}); err != nil {
				return err
			}
		}
	}
	if !r.raised {
		if err := r.dir.RaiseLayout(r.Mode); err != nil {
			return err
		}
		r.raised = true
	}
	if err := fault.At(fault.ReleaseMark); err != nil {
		return err
	}
	released := *f.Remote
	released.Released = true
	err := r.index.SetRemoteWhile(f.Name, &released, func() error {
		if now, _ := r.index.File(f.Name); now.Remote == nil || !now.Remote.IsSame(f.Remote) {
			return errOther
		}
		if r.isToBeSentAnew(f.Name) {
			return errNotThere
		}
		return place.Still()
	})
	if err != nil {
		return err
	}
	return fault.At(fault.ReleaseMarked)
}
