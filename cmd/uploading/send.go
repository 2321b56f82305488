package uploading

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"time"

	"warcorder/store"
	"warcorder/store/fault"
	"warcorder/store/holdings"
	"warcorder/store/objects"
)

// isWanted reports whether a file is to be sent.
func isWanted(f *store.File) bool {
	return f.Sealed && f.Committed > 0 && !f.Missing && f.Remote == nil
}

// sendAll sends what is to be sent.
func (r *round) sendAll(ctx context.Context) error {
	files, err := r.wanted()
	if err != nil {
		return err
	}
	for i := range files {
		r.sent.Of += files[i].Committed
	}
	for _, f := range files {
		before := r.sent.Bytes
		err := r.send(ctx, f)
		r.sent.Bytes = before + f.Committed // also of what came back, or was there
		r.progress()
		if err == nil {
			r.silent, r.refused = 0, 0
			r.tries.good(f.Name)
			r.count()
			if err := r.release(ctx); err != nil {
				return err
			}
			continue
		}
		if err := r.fail(f.Name, err); err != nil {
			return err
		}
	}
	return nil
}

// wanted are the files that are to be sent: those that never failed first, and of these the oldest.
func (r *round) wanted() (files []store.File, err error) {
	all, err := r.index.Files()
	now := time.Now()
	for i := range all {
		if isWanted(&all[i]) && (r.all || !r.tries.waits(all[i].Name, now)) {
			files = append(files, all[i])
		}
	}
	slices.SortStableFunc(files, func(a, b store.File) int {
		return cmp.Compare(r.tries[a.Name].times, r.tries[b.Name].times)
	})
	return files, err
}

// progress tells how far it is.
func (r *round) progress() {
	r.state.sends(&r.sent)
	if r.show != nil {
		r.show(r.sent)
	}
}

// send sends a file, and notes where its copy is.
func (r *round) send(ctx context.Context, f store.File) (err error) {
	if err := fault.At(fault.UploadBegin); err != nil {
		return err
	}
	opened, was, err := r.open(&f)
	if err != nil {
		return err
	}
	defer opened.Close()
	remote, err := r.put(ctx, &f, opened)
	if err == nil {
		err = fault.At(fault.UploadSent)
	}
	if err == nil {
		err = r.note(ctx, &f, was, remote)
	}
	if err != nil {
		return err
	}
	r.done.Files++
	r.done.Bytes += f.Committed
	r.state.stored(f.Committed, remote.Uploaded)
	r.log.Info().Str("file", f.Name).Str("to", remote.URL()).Int64("bytes", f.Committed).
		Msg("a WARC file is in object storage, as was verified there")
	return nil
}

// open opens a finished file, which must be whole, and says what it is then.
func (r *round) open(f *store.File) (opened *os.File, was fs.FileInfo, err error) {
	opened, err = holdings.OpenFollowing(r.dir.WARC(f.Name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("%s is not in archive/: put it back, or let warcorder recover note that it is "+
			"missing", f.Name)
	}
	if err != nil {
		return nil, nil, err
	}
	was, err = opened.Stat()
	if err == nil && was.Size() != f.Committed {
		err = fmt.Errorf("%s has %d bytes, and %d by the index: let warcorder recover run", f.Name, was.Size(),
			f.Committed)
	}
	if err != nil {
		return nil, nil, errors.Join(err, opened.Close())
	}
	return opened, was, nil
}

// begun is what uploads/NAME.json says of an upload.
type begun struct {
	Bucket string `json:"bucket"`
	Key    string `json:"key"`
	Size   int64  `json:"size"` // of the file

	// Mark is random, and kept with the object: what is there later is of this upload if it has that. Over is
	// the ETag of what was there of this collection.
	Mark string `json:"mark"`
	Over string `json:"over,omitempty"`

	// Anew says that what is there is not what it was, whatever the storage says of it.
	Anew bool `json:"anew,omitempty"`

	Begun *objects.Begun `json:"begun,omitempty"` // of one in parts
}

// isOf reports whether a file of that name has such uploads.
func (b *begun) isOf(name string) bool {
	return path.Base(b.Key) == name && (b.Begun == nil || b.isAt(b.Begun.Bucket, b.Begun.Key))
}

// isAt reports whether it is of an object.
func (b *begun) isAt(bucket, key string) bool { return b.Bucket == bucket && b.Key == key }

// put brings a file to the other side.
func (r *round) put(ctx context.Context, f *store.File, opened *os.File) (*store.Remote, error) {
	bucket, key := r.Place.Bucket, r.Place.Key(f.Name)
	former := new(noted)
	if r.dir.ReadNote(r.dir.StaleNote(f.Name), former) == nil && (former.Bucket != bucket || former.Key != key) {
		return nil, fmt.Errorf("%s is what it was before something was removed from it, and could not be deleted "+
			"yet: it is sent when that is done", former.URL())
	}
	now, err := r.begin(ctx, f, bucket, key)
	if err != nil {
		return nil, err
	}
	note := r.dir.UploadNote(f.Name)
	if err := r.dir.WriteNote(note, r.Mode, now); err != nil {
		return nil, err
	}
	r.sent.File = f.Name
	r.progress()
	remote, err := r.storage.Put(ctx, objects.Upload{
		Bucket: bucket, Key: key, Body: opened, Size: f.Committed, ContentType: "application/warc",
		Begun: now.Begun, Mark: now.Mark, Over: now.Over, Anew: now.Anew, Sent: r.takes(), PartSize: r.partSize,
		Keep: func(b *objects.Begun) error {
			now.Begun = b
			return errors.Join(r.dir.WriteNote(note, r.Mode, now), fault.At(fault.UploadPart))
		},
	})
	if errors.Is(err, objects.ErrTaken) {
		return nil, errors.Join(err, r.taken(ctx, note, now))
	}
	if err == nil {
		remote.Found = !now.made(remote.Mark, remote.ETag)
	}
	return remote, err
}

// taken forgets an upload in whose place another object is: a later try would hold that to be its own. The
// parts that were sent go.
func (r *round) taken(ctx context.Context, note string, now *begun) error {
	if now.Begun != nil {
		if err := r.storage.Abort(ctx, now.Begun); err != nil {
			now.Mark, now.Over = rand.Text(), ""
			return errors.Join(err, r.dir.WriteNote(note, r.Mode, now))
		}
	}
	return r.dir.DropNote(note)
}

// made reports whether an object is of this collection: of this upload, or what that writes over.
func (b *begun) made(mark, etag string) bool {
	return mark != "" && mark == b.Mark || etag != "" && etag == b.Over
}

// begin looks what an earlier try has left, and whether what is at the other side may be written over: what
// this collection has put there may.
func (r *round) begin(ctx context.Context, f *store.File, bucket, key string) (now *begun, err error) {
	now = &begun{Bucket: bucket, Key: key, Size: f.Committed}
	last := new(begun)
	if err := r.dir.ReadNote(r.dir.UploadNote(f.Name), last); err != nil || !last.isOf(f.Name) ||
		!last.isAt(bucket, key) {
		last = &begun{}
	}
	ours := []string{last.Over}
	for _, note := range []string{r.dir.StaleNote(f.Name), r.dir.AwayNote(f.Name)} {
		earlier := new(store.Remote)
		if err := r.dir.ReadNote(note, earlier); err == nil && earlier.Check(f.Name) == nil && !earlier.Found &&
			earlier.Bucket == bucket && earlier.Key == key {
			ours = append(ours, earlier.ETag)
		}
	}
	there, err := r.storage.Head(ctx, bucket, key)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case slices.Contains(ours, there.ETag), last.made(there.Mark, ""):
		now.Over = there.ETag
	}
	now.Begun, now.Anew = last.Begun, last.Anew
	now.Mark = cmp.Or(last.Mark, rand.Text())
	return now, nil
}

// takes returns what is told of bytes that the other side has taken.
func (r *round) takes() func(int64) {
	counts := make(chan int64, 1)
	counts <- 0
	base, last := r.sent, time.Time{}
	return func(n int64) { // by any goroutine
		sum := <-counts + n
		if now := time.Now(); now.Sub(last) > shownEach {
			last = now
			told := base
			told.Bytes += sum
			r.state.sends(&told)
			if r.show != nil {
				r.show(told)
			}
		}
		counts <- sum
	}
}

// shownEach is the time between two looks at how far it is.
const shownEach = 100 * time.Millisecond
