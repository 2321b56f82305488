// Package uploading brings the finished files of a collection into object storage, and lets their local
// copies go. Start with [New]; [Uploader.Round] does once what is to be done, and [Uploader.Run] does it
// beside a recording.
//
//	finished ─► sent, and verified at the other side        uploads/NAME.json says how far that is
//	         ─► stored: the index has where its copy is, and then away/NAME.json
//	         ─► away: the index says that the local copy may go, and then it goes (keep-local)
//	         ─► sent anew, if a removal has written it anew: away/NAME.stale says what its copy was
//
// Invariant: a local copy goes only when index and note say, durably, where the other one is, and the
// storage has said a moment ago that it is there. Wherever the process ends, the next round goes on from
// there; an object that is not known to be of this collection is never written over and never deleted.
package uploading

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/rs/zerolog"

	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/holdings"
	"warcorder/store/objects"
)

// Config is what is wanted.
type Config struct {
	Place   objects.Place // where files go
	CDXJ    bool          // the lines of each file lie beside it there
	Keep    Keep
	Mode    collection.Mode // of notes
	MinFree int64           // min-free-space
}

// Uploader brings the files of a collection into object storage. Its methods are safe for concurrent use.
type Uploader struct {
	// Tell is told what has become of a file; nil: nobody is.
	Tell func(name, state string, size int64)

	// Hold calls work, which takes a finished file away, unless somebody else has them for himself; nil:
	// nobody ever has.
	Hold func(work func() error) (done bool, err error)

	dir   collection.Dir
	index func() *store.Bolt
	files *holdings.Holdings
	log   zerolog.Logger

	partSize int64 // of objects, in bytes; 0: as long as package objects makes them

	one   chan struct{} // has one while a round goes on
	ended chan struct{} // closed by Close
	wake  chan struct{} // has one when there may be something to do
	noted map[string]noted
	tries tries
	state state
}

// New returns what uploads the files of a collection. index is asked at each round for the index, with all
// that is on disk.
func New(dir collection.Dir, index func() *store.Bolt, log zerolog.Logger) *Uploader {
	return &Uploader{
		dir: dir, index: index, files: holdings.New(dir), log: log,
		one: make(chan struct{}, 1), ended: make(chan struct{}), wake: make(chan struct{}, 1),
		noted: map[string]noted{}, tries: tries{},
	}
}

// ErrEnding is the error of a round that was ended by Close: the next one goes on from there.
var ErrEnding = errors.New("the recorder is ending: what is not sent is sent when it is started again, or by " +
	"warcorder upload")

// Close ends what goes on, and waits for that. It may be called once.
func (u *Uploader) Close() {
	close(u.ended)
	u.one <- struct{}{} // no round begins any more
}

// Progress is how far a round has come.
type Progress struct {
	File  string `json:"file"`  // that is sent; "" if none is
	Bytes int64  `json:"bytes"` // of all files of the round, that were sent
	Of    int64  `json:"of"`    // that are to be sent
}

// Done is what a round has done.
type Done struct {
	Files    int      `json:"files"`    // that were sent, and verified
	Bytes    int64    `json:"bytes"`    // of them
	Released int      `json:"released"` // files whose local copy has gone
	Freed    int64    `json:"freed"`    // bytes of those
	Deleted  int      `json:"deleted"`  // objects of files that are no more
	Failed   []Failed `json:"failed,omitempty"`
	Kept     []string `json:"kept,omitempty"` // why local copies stay that might go
}

// Failed is a file with which something could not be done.
type Failed struct {
	File string `json:"file"` // base name; "" if it is none that is the matter
	Why  string `json:"why"`
}

// round is one round.
type round struct {
	*Uploader
	Config
	index   *store.Bolt
	storage *objects.Storage
	all     bool // also what has failed lately
	show    func(Progress)
	done    Done
	sent    Progress
	raised  bool // the layout says that files may be away

	silent  int   // how often in a row the storage has given no answer
	refused int   // how often in a row it has refused to take a file
	why     error // the last time of either
	stays   bool  // no local copy goes any more in this round: it has refused to tell of their objects

	unreached error // why a step ended in which nothing was sent
}

// mostSilent is how often in a row the storage may give no answer, or refuse, before a round ends: one file
// alone may be at fault, several are the storage.
const mostSilent = 2

// Round does once what is to be done: what a removal has left is sent anew or deleted, finished files are
// sent, the oldest first, and local copies go. What fails of one file does not keep others from it, and
// stands in Failed; the error is what ends all, as when the storage cannot be reached. all is whether what
// has failed lately is tried too.
func (u *Uploader) Round(ctx context.Context, cfg Config, all bool, show func(Progress)) (Done, error) {
	select {
	case u.one <- struct{}{}:
	case <-u.ended:
		return Done{}, ErrEnding
	case <-ctx.Done():
		return Done{}, context.Cause(ctx)
	}
	defer func() { <-u.one }()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-u.ended:
			cancel(ErrEnding)
		case <-ctx.Done():
		}
	}()
	r := &round{Uploader: u, Config: cfg, index: u.index(), all: all, show: show}
	err := r.run(ctx)
	if isOfStorage(err) {
		u.tries.again()
	}
	u.state.after(&r.done, err)
	r.count()
	return r.done, err
}

func (r *round) run(ctx context.Context) (err error) {
	r.count()
	if r.storage, err = r.files.Storage(); err != nil {
		return err
	}
	for _, step := range []func(context.Context) error{
		r.settle, r.release, r.sendAll, r.sendLines, r.release,
	} {
		if err := step(ctx); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	switch {
	case r.done.Files > 0:
		return nil
	case r.silent+r.refused > 0:
		return r.why
	}
	return r.unreached
}

// apart does a step of which the sending does not depend: what is refused there, such as to delete, or has no
// answer, ends that step alone.
func (r *round) apart(ctx context.Context, step func(context.Context) error) (ended bool, err error) {
	refused, silent := r.refused, r.silent
	err = step(ctx)
	r.refused, r.silent = refused, silent
	if ended = isOfStorage(err) && ctx.Err() == nil; ended {
		if errors.Is(err, objects.ErrUnreachable) {
			r.unreached = err
		}
		err = nil
	}
	return ended, err
}

// fail notes what could not be done with a file, and returns the error if nothing else can be done either.
func (r *round) fail(file string, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrEnding) {
		return err
	}
	why := explain(err)
	if failed := (Failed{file, why.Error()}); !slices.Contains(r.done.Failed, failed) {
		r.done.Failed = append(r.done.Failed, failed)
	}
	if r.tries.failed(file, why.Error(), isOfStorage(err), time.Now()) {
		r.log.Error().Err(why).Str("file", file).Msg("a file cannot be brought into object storage, or " +
			"something of it there cannot be put right: it is tried again, and stays where it is")
	}
	switch {
	case errors.Is(err, objects.ErrRefused):
		r.refused++
	case errors.Is(err, objects.ErrUnreachable):
		r.silent++
	default:
		return nil
	}
	if r.why = why; max(r.refused, r.silent) >= mostSilent {
		return why
	}
	return nil
}

// isOfStorage reports whether an error may be one of the storage as a whole.
func isOfStorage(err error) bool {
	return errors.Is(err, objects.ErrUnreachable) || errors.Is(err, objects.ErrRefused)
}

// explain says what to do about an error, where package objects does not.
func explain(err error) error {
	if errors.Is(err, objects.ErrChanged) && !isOfStorage(err) {
		return fmt.Errorf("%w: somebody else has written it, and it stays. If it has what was removed, delete "+
			"it, and then its note in away/", err)
	}
	return err
}
