package uploading

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"warcorder/store"
	"warcorder/store/fault"
	"warcorder/store/objects"
)

// noted is what away/NAME.json says: where the copy is, and whether the lines of the file lie beside it.
type noted struct {
	store.Remote
	Lines bool `json:"cdxj,omitempty"`
}

// errOther says that a file was written anew while it was sent.
var errOther = errors.New("the file was written anew while it was sent: what is there now is sent next")

// note notes where a file has its copy: in the index, and then beside it. If the file is another one by
// now, it notes that the copy is not what the file is.
func (r *round) note(ctx context.Context, f *store.File, was fs.FileInfo, remote *store.Remote) error {
	err := r.index.SetRemoteWhile(f.Name, remote, func() error { return r.isStill(f, was) })
	if errors.Is(err, errOther) {
		err = errors.Join(err, r.dir.WriteNote(r.dir.StaleNote(f.Name), r.Mode, noted{Remote: *remote}))
		return errors.Join(err, r.dir.DropNote(r.dir.UploadNote(f.Name)))
	}
	if err == nil {
		err = fault.At(fault.UploadNoted)
	}
	if err == nil {
		err = r.noteBeside(f.Name, noted{Remote: *remote})
	}
	if err == nil {
		err = fault.At(fault.UploadAway)
	}
	if err != nil {
		return err
	}
	return errors.Join(r.dir.DropNote(r.dir.UploadNote(f.Name)), r.dropReplaced(ctx, f.Name, remote))
}

// isStill returns an error unless a file is what it was when it was opened.
func (r *round) isStill(f *store.File, was fs.FileInfo) error {
	is, err := os.Stat(r.dir.WARC(f.Name))
	if err != nil {
		return err // what was sent is what it was, if it comes back
	}
	if !os.SameFile(is, was) || is.Size() != f.Committed || !is.ModTime().Equal(was.ModTime()) {
		return errOther
	}
	return nil
}

// noteBeside writes away/NAME.json. A removal may have come between: then it is the note of what is not
// the file any more.
func (r *round) noteBeside(name string, n noted) error {
	if err := r.dir.WriteNote(r.dir.AwayNote(name), r.Mode, n); err != nil {
		return err
	}
	if f, known := r.index.File(name); !known || f.Remote == nil || !f.Remote.IsSame(&n.Remote) {
		return r.dir.MarkStale(name)
	}
	r.noted[name] = n
	return nil
}

// dropReplaced drops the note of a former copy that is written over.
func (r *round) dropReplaced(ctx context.Context, name string, remote *store.Remote) error {
	former := new(noted)
	err := r.dir.ReadNote(r.dir.StaleNote(name), former)
	if err != nil || former.Bucket != remote.Bucket || former.Key != remote.Key {
		return nil // none, or settle sees to it
	}
	return r.replaced(ctx, name, former)
}

// forget takes back that a file has a copy, durably. The lines that were sent with that go, where the storage
// lets them: what keeps them there keeps no file from being sent anew.
func (r *round) forget(ctx context.Context, f *store.File) error {
	err := r.deleteLines(ctx, &noted{Remote: *f.Remote})
	if err != nil && !errors.Is(err, objects.ErrRefused) && !errors.Is(err, objects.ErrChanged) {
		return err
	}
	delete(r.noted, f.Name)
	if err := r.index.SetRemote(f.Name, nil); err != nil {
		return err
	}
	return r.dir.DropNote(r.dir.AwayNote(f.Name))
}
