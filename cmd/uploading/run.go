package uploading

import (
	"context"
	"math/rand/v2"
	"time"
)

// Times between rounds.
const (
	lookEvery  = time.Minute     // while nothing tells that there is something to do
	firstPause = 5 * time.Second // after a round that could not go on
	lastPause  = time.Minute
)

// Run does rounds until ctx ends: at once, when a file is finished, when something was removed, and each
// minute. config says what is wanted, and whether anything is. While the storage cannot be reached it is
// asked later and later, which is said once.
func (u *Uploader) Run(ctx context.Context, finished <-chan struct{}, config func() (Config, bool)) {
	failing := 0
	for ctx.Err() == nil {
		cfg, on := config()
		if !on {
			failing = 0
			u.wait(ctx, nil, 0)
			continue
		}
		_, err := u.Round(ctx, cfg, false, nil)
		if ctx.Err() != nil {
			return
		}
		if failing = u.say(cfg, failing, err); failing > 0 {
			u.wait(ctx, nil, pauseOf(failing))
			continue
		}
		u.wait(ctx, finished, lookEvery)
	}
}

// say says when it begins to fail, and when it works again. It returns how often it has failed in a row.
func (u *Uploader) say(cfg Config, failing int, err error) int {
	switch {
	case err != nil && failing == 0:
		u.log.Error().Err(err).Str("to", cfg.Place.String()).Msg("finished WARC files cannot be brought " +
			"into object storage: they stay here, recording goes on, and it is tried again and again")
	case err == nil && failing > 0:
		u.log.Info().Str("to", cfg.Place.String()).Msg("finished WARC files can be brought into object storage again")
	}
	if err == nil {
		return 0
	}
	return failing + 1
}

// pauseOf is how long to wait after so many rounds that failed: not all who wait for a storage ask it at
// the same moment when it is back.
func pauseOf(failing int) time.Duration {
	pause := min(firstPause<<min(failing-1, 10), lastPause)
	return pause - rand.N(pause/4)
}

// wait waits: for Wake, for a file, or for a time, if it is not 0.
func (u *Uploader) wait(ctx context.Context, finished <-chan struct{}, most time.Duration) {
	var over <-chan time.Time
	if most > 0 {
		timer := time.NewTimer(most)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case <-ctx.Done():
	case <-u.wake:
	case <-finished:
	case <-over:
	}
}

// Wake says that there may be something to do, whatever has failed.
func (u *Uploader) Wake() {
	select {
	case u.wake <- struct{}{}:
	default:
	}
}

// told tells whoever follows what has become of a file.
func (u *Uploader) told(name, state string, size int64) {
	if u.Tell != nil {
		u.Tell(name, state, size)
	}
}
