package recovery

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"warcorder/store"
	"warcorder/store/objects"
	"warcorder/store/summing"
)

// A finished file may have a copy in object storage, and may be only there: away. What is done, by
// what there is of it:
//
//	here  in the index              a copy is known of   what is done
//	no    all of it                 by index or note     it is away: both say so from now on
//	no    not, or not all of it     by note or bucket    the rest is read from the bucket
//	no    more than the copy has    by note              it is missing
//	yes   with its copy             by index             the note is written, if there is none
//	yes   without a copy            by note              the index gets it, if both are of one content
//	yes   shorter, or longer        by index             a person has to take it away: it is told
//
// Where the bucket cannot be reached, a rebuild ends and changes nothing; who begins to record goes on
// without the captures of the file, and whoever opens the collection next tries again.

// probeWait is how long a recorder that begins waits for object storage to answer at all.
const probeWait = 20 * time.Second

// errOtherSum is the damage of a copy that is whole, and not what was uploaded.
var errOtherSum = errors.New("the object has another SHA-256 than the file that was uploaded")

// recoverAway recovers a file that is not here, and has a copy in object storage.
func (r *recovery) recoverAway(f warcFile, remote *store.Remote) error {
	switch {
	case f.Committed > remote.Size:
		r.log.Error().Str("file", f.Name).Str("object", remote.URL()).Int64("committed", f.Committed).
			Int64("bytes", remote.Size).Msg("the copy of a missing WARC file is shorter than the index says")
		return r.missing(f)
	case f.ID > 0 && f.Committed == remote.Size:
		return r.goneAway(f.File, remote)
	}
	err := r.readAway(f, remote)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, objects.ErrChanged):
		return r.lostAway(f, remote, err)
	case r.must, !errors.Is(err, r.unreachable) && !isOfStorage(err):
		return err
	}
	r.unreachable = err // nobody waits again for what has failed once
	r.unread(f.Name, err)
	return nil
}

// isOfStorage reports whether an error is that of object storage, and not of the index.
func isOfStorage(err error) bool {
	return errors.Is(err, objects.ErrUnreachable) || errors.Is(err, objects.ErrRefused) ||
		errors.Is(err, io.ErrUnexpectedEOF)
}

// goneAway notes in the index, and beside it, that a file is away.
func (r *recovery) goneAway(file store.File, remote *store.Remote) error {
	if file.Missing || !file.Sealed {
		file.Missing = false
		if err := r.sealed(file); err != nil {
			return err
		}
	}
	released := *remote
	released.Released = true
	if !file.IsAway() || !isSameCopy(file.Remote, &released) {
		if err := r.index.SetRemote(file.Name, &released); err != nil {
			return err
		}
		r.log.Info().Str("file", file.Name).Str("object", remote.URL()).
			Msg("a WARC file is away: it is read from object storage")
	}
	r.hasAway = true
	if r.making {
		return nil // the notes follow when the index has its place
	}
	return r.noteOf(file.Name, &released)
}

// readAway reads a file from object storage into the index.
func (r *recovery) readAway(f warcFile, remote *store.Remote) error {
	in, summed, remote, err := r.openAway(remote)
	if err != nil {
		return fmt.Errorf("read %s: %w", remote.URL(), err)
	}
	defer in.Close()
	if err := r.add(&f); err != nil {
		return err
	}
	f.Missing = false
	if err := r.indexFinished(f.File, in); err != nil {
		return err
	}
	sums, err := summed.Sums()
	if err != nil {
		return fmt.Errorf("read %s: %w", remote.URL(), err)
	}
	if err := r.checkTwins(f.Name, sums.Whole); err != nil {
		return err
	}
	if remote, err = r.judgeSum(f.Name, remote, sums.Whole); err != nil {
		return err
	}
	file, _ := r.index.File(f.Name)
	return r.goneAway(file, remote)
}

// judgeSum compares the sum of an object that was read with what is known of the file. It returns
// where the file has its copy.
func (r *recovery) judgeSum(name string, remote *store.Remote, sum store.Sum) (*store.Remote, error) {
	switch {
	case remote.SHA256 == sum:
	case remote.SHA256 == store.Sum{}:
		summed := *remote
		summed.SHA256 = sum
		return &summed, r.checkNoted(name, &summed)
	default:
		r.log.Error().Str("file", name).Str("object", remote.URL()).Err(errOtherSum).
			Msg("the copy of a WARC file is damaged: what of it can be read is in the index")
		r.found.Damaged = append(r.found.Damaged, Damaged{name, 0, remote.Size, errOtherSum, true})
	}
	return remote, nil
}

// openAway opens an object, which is asked for its first byte. The Remote that it returns is set after
// an error, too.
func (r *recovery) openAway(remote *store.Remote) (*source, *summing.File, *store.Remote, error) {
	if r.unreachable != nil {
		return nil, nil, remote, r.unreachable
	}
	storage, err := r.holdings.Storage()
	if err == nil {
		remote, err = r.ask(storage, remote)
	}
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, objects.ErrChanged) {
			r.unreachable = err
		}
		return nil, nil, remote, err
	}
	object := summing.Of(context.Background(), storage, remote)
	summed := summing.New(object, remote.Size, 0)
	return &source{summed, remote.URL(), remote.Size, object.Close}, summed, remote, nil
}

// ask asks whether an object is there. Of one that was only listed it takes down what it is.
func (r *recovery) ask(storage *objects.Storage, remote *store.Remote) (*store.Remote, error) {
	ctx := context.Background()
	if !r.must {
		bound, cancel := context.WithTimeout(ctx, probeWait)
		defer cancel()
		ctx = bound
	}
	there, err := storage.Head(ctx, remote.Bucket, remote.Key)
	switch {
	case err != nil:
		return remote, err
	case there.Size != remote.Size || remote.ETag != "" && there.ETag != remote.ETag:
		return remote, fmt.Errorf("%w: it has %d bytes, and had %d", objects.ErrChanged, there.Size,
			remote.Size)
	case remote.ETag == "" || remote.SHA256 == store.Sum{}:
		asked := *remote
		asked.ETag, asked.Version, asked.Mark = there.ETag, there.Version, there.Mark
		return &asked, nil
	}
	return remote, nil
}

// lostAway deals with a file whose copy is gone, or another one.
func (r *recovery) lostAway(f warcFile, remote *store.Remote, why error) (err error) {
	r.found.Missing = append(r.found.Missing, f.Name)
	r.log.Error().Str("file", f.Name).Str("object", remote.URL()).Err(why).
		Msg("a WARC file was away, and its copy is not there any more: put the object back")
	if f.ID == 0 {
		if known, is := r.index.File(f.Name); is {
			f.File = known
		} else if f.File, err = r.index.AddFile(f.Name); err != nil {
			return err
		}
	}
	return r.noteGone(f.File, fmt.Sprintf("the WARC file was away, and is not at %s", remote.URL()))
}

// unread takes down that the captures of a file are not in the index, since object storage cannot be
// read.
func (r *recovery) unread(name string, why error) {
	r.found.Unread = append(r.found.Unread, name)
	r.unreadWhy = why
}

// tellUnread tells of the files whose captures are not in the index.
func (r *recovery) tellUnread() {
	if n := len(r.found.Unread); n > 0 {
		r.log.Error().Int("files", n).Str("file", r.found.Unread[0]).AnErr("why", r.unreadWhy).
			Msg("WARC files are away in object storage, which cannot be read: their captures are not in " +
				"the index until warcorder recover or warcorder rebuild has read them")
	}
}

// isBlind reports whether a file may have originals of which this recovery does not know: nothing may
// be cut for want of them.
func (r *recovery) isBlind() bool {
	return len(r.found.Unread) > 0 || len(r.found.Missing) > 0 && r.making
}
