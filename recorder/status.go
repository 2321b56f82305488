package recorder

import (
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/dustin/go-humanize"

	"warcorder/recorder/outside"
	"warcorder/recorder/shared"
	"warcorder/store"
	"warcorder/store/collection"
)

// Status is a snapshot of a recorder, for people and monitors.
type Status struct {
	Recording bool   `json:"recording"`
	Reason    string `json:"reason,omitempty"` // why it is off
	Exchanges int64  `json:"exchanges"`        // recorded since the start
	InFlight  int64  `json:"inFlight"`         // exchanges that go on
	// exchanges that could not be recorded; each one is in the log
	Lost  int64 `json:"lost"`
	Bytes int64 `json:"bytes"` // written to WARC files since the start
	// bytes of exchanges that wait to be recorded, without those on disk
	Queued int64 `json:"queued"`
	// exchanges above 1 MiB that wait on disk to be recorded
	Large int64 `json:"large"`
	// base names of the WARC files being written, the final ones
	OpenFiles []string `json:"openFiles"`

	// why klauspost/compress makes the members of WARC files, in place of the faster encoder
	Compression string `json:"compression,omitempty"`

	// what the other side refused since the start, by host; it is recorded as it came
	Refusals Refusals `json:"refusals"`

	// the other archives that originals are looked for in
	DedupFrom []outside.Status `json:"dedupFrom,omitempty"`

	// the server by which recorders share their originals; nil if there is none
	DedupShared *shared.Status `json:"dedupShared,omitempty"`

	// what could not be recorded since the start, by reason
	Gaps map[string]int64 `json:"gaps"`

	Started  time.Time `json:"started"`
	Captures int64     `json:"captures"` // since the start, of exchanges and of other records
	Revisits int64     `json:"revisits"` // of the captures, those that refer to another one
	Rates    Rates     `json:"rates"`
	Totals   Totals    `json:"totals"` // of the collection, over all its recordings
	Disk     Disk      `json:"disk"`

	// of the whole process: a number that only grows is a fault
	Goroutines int `json:"goroutines"`
}

// Totals are what the collection holds, and what it lacks.
type Totals struct {
	store.Totals
	Gaps map[string]int64 `json:"gaps"` // by reason
}

// Disk is the room for the collection.
type Disk struct {
	Free *int64 `json:"free,omitempty"` // bytes; nil if it is not known
	// until no more than min-free-space is free, if as much is recorded as in the last day; nil if
	// nothing is
	UntilFull *int64 `json:"secondsUntilFull,omitempty"`
	MinFree   int64  `json:"minFree"` // min-free-space
}

// Status tells how recording goes.
func (r *Recorder) Status() Status { return r.status(r.committer.refusals.status()) }

func (r *Recorder) status(refusals Refusals) Status {
	recorded, written := r.committer.recorded.Load(), r.archive.bytes.Load()
	rates := r.rates.look(time.Now(), recorded, written)
	s := Status{
		Recording:  true,
		Exchanges:  recorded,
		InFlight:   r.queue.inFlight.Load(),
		Lost:       r.queue.lost.Load(),
		Bytes:      written,
		Queued:     r.queue.queued.Load(),
		Large:      r.queue.waitingLarge.Load(),
		Refusals:   refusals,
		DedupFrom:  r.outside.Status(),
		Gaps:       r.gaps.totals(),
		OpenFiles:  r.archive.openFiles(),
		Goroutines: runtime.NumGoroutine(),

		DedupShared: r.shared.Status(),

		Started:  r.session.Started,
		Captures: r.committer.captured.Load(),
		Revisits: r.committer.revisits.Load(),
		Rates:    Rates{rates[0], rates[1], rates[2]},
		Totals:   r.totals(),
		Disk:     r.disk(rates[3].Bytes),
	}
	if err := r.Ready(); err != nil {
		s.Recording, s.Reason = false, err.Error()
	}
	if err := r.inspector.Err(); err != nil {
		s.Compression = err.Error()
	}
	return s
}

// totals are the collection's. No disk is asked for them, so that they are to be had when that does
// not answer.
func (r *Recorder) totals() Totals {
	of, _ := r.index.Totals() // fails only of an index that is read from its file
	return Totals{of, r.gaps.all()}
}

// NewestFiles are the WARC files that the index came to know last, the newest first, no more than most,
// and how many it knows. Nothing is waited for.
func (r *Recorder) NewestFiles(most int) (files []store.File, all int) {
	return r.index.NewestFiles(most)
}

// disk is the room there is, while WARC files grow by rate bytes a second.
func (r *Recorder) disk(rate float64) (d Disk) {
	free := r.free.Load()
	d.MinFree = r.MinFreeSpace()
	if free < 0 {
		return d
	}
	d.Free = &free
	if rate >= 1 {
		until := int64(max(0, float64(free-d.MinFree)/rate))
		d.UntilFull = &until
	}
	return d
}

// watch turns recording off while something is wrong with the collection that no write would tell:
// less than min-free-space is free (a full disk harms whatever else writes to it, and leaves no room
// for the index), or the index was taken away, so that what goes into it is lost.
func (r *Recorder) watch(dir collection.Dir) {
	path := dir.Index()
	if index, err := os.Stat(path); err == nil {
		r.watched.Store(&index)
	}
	look := func() {
		r.lookAtSpace(dir)
		r.rates.look(time.Now(), r.committer.recorded.Load(), r.archive.bytes.Load())
		if index := r.watched.Load(); index != nil && !r.swapping.Load() {
			err := checkSame(path, *index)
			if r.watched.Load() == index && !r.swapping.Load() {
				r.health.set(indexed, err)
			}
		}
	}
	look()
	r.watcher.Go(func() {
		ticker := time.NewTicker(watchEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				look()
			case <-r.closing:
				return
			}
		}
	})
}

// lookAtSpace asks the disk how much is free.
func (r *Recorder) lookAtSpace(dir collection.Dir) {
	free, err := collection.FreeSpace(string(dir))
	if err != nil {
		err, free = fmt.Errorf("free space of %s: %w", dir, err), -1
	}
	r.free.Store(free)
	r.judgeSpace(free, err)
}

// judgeSpace turns recording off while less than min-free-space is free, or that is not known, unless
// it is 0.
func (r *Recorder) judgeSpace(free int64, err error) {
	switch floor := r.MinFreeSpace(); {
	case floor == 0:
		err = nil
	case err == nil && free < floor:
		err = fmt.Errorf("only %s are free in %s, less than min-free-space (%s)",
			humanize.Bytes(uint64(free)), r.dir, humanize.Bytes(uint64(floor)))
	}
	r.health.set(roomy, err)
}
