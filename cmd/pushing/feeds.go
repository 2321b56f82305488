package pushing

import (
	"context"
	"sync"
	"time"

	"warcorder/store/delta"
)

// Feeds are the pushes that go on beside a recording, each at its own pace. A target that is named again
// goes on as it is.
type Feeds struct {
	// Make returns what is pushed to a target; Sent and Stale are the feed's to set.
	Make func(Target) *Push

	// IsEmpty reports whether nothing has come since a token. Oldest is when the first capture of the
	// collection was made; zero if it is not known.
	IsEmpty func(context.Context, delta.Ask) (bool, error)
	Oldest  func(context.Context) time.Time

	// Guard does the work, and makes a panic of it an error.
	Guard func(work func() error) error

	// Told is told when a feed begins to fail, when it is well again, and when its target has what is not
	// there any more.
	Told func(Event)

	mu    sync.Mutex
	feeds []*Feed
	ended bool
	runs  sync.WaitGroup
}

// Event is what is told of a feed.
type Event struct {
	To    string // the target, without what is secret
	Err   error  // it fails; nil: it is well again
	Stale string // why the target has what is not there any more; "" if that is not it
}

// Set has the feeds go on to these targets, at that pace. It waits for nothing.
func (f *Feeds) Set(targets []Target, every time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ended {
		return
	}
	before := map[string]*Feed{}
	for _, feed := range f.feeds {
		before[feed.to] = feed
	}
	f.feeds = nil
	for _, target := range targets {
		to := target.key()
		feed := before[to]
		if delete(before, to); feed == nil {
			feed = f.begin(target, every)
		}
		feed.setPace(every)
		f.feeds = append(f.feeds, feed)
	}
	for _, feed := range before {
		feed.stop()
	}
}

// begin begins a feed.
func (f *Feeds) begin(target Target, every time.Duration) *Feed {
	ctx, stop := context.WithCancel(context.Background())
	feed := &Feed{feeds: f, target: target, to: target.key(), every: every, stop: stop,
		paced: make(chan struct{}, 1)}
	feed.state.To, feed.state.Up = target.String(), true
	f.runs.Go(func() { feed.run(ctx) })
	return feed
}

// States are those of the feeds, in the order of their targets.
func (f *Feeds) States() (all []State) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, feed := range f.feeds {
		all = append(all, feed.now())
	}
	return all
}

// Close ends the feeds, and returns when none is at work. What is not given is given another time.
func (f *Feeds) Close() {
	f.mu.Lock()
	f.ended = true
	for _, feed := range f.feeds {
		feed.stop()
	}
	f.mu.Unlock()
	f.runs.Wait()
}
