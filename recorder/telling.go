package recorder

import (
	"cmp"
	"time"

	"warcorder/recorder/feed"
	"warcorder/recorder/tally"
	"warcorder/store"
)

// telling is what is told of what happens, beside the log: to the feed and the tally. Nobody is
// waited for.
type telling struct {
	feed   *feed.Feed
	tally  *tally.Tally
	sealed chan struct{} // has one when the index has learned of finished files
}

func newTelling() *telling {
	return &telling{feed.New(), tally.New(time.Now()), make(chan struct{}, 1)}
}

// Finished has a value when files were finished, as the index knows, since one was taken.
func (r *Recorder) Finished() <-chan struct{} { return r.telling.sealed }

// TellFile tells whoever follows what has become of a finished file.
func (r *Recorder) TellFile(name, state string, size int64) { r.telling.file(name, state, size) }

// finished tells that files are finished, as the index knows.
func (t *telling) finished() {
	select {
	case t.sealed <- struct{}{}:
	default:
	}
}

// Feed tells what happens, and what has happened lately, to whoever follows.
func (r *Recorder) Feed() *feed.Feed { return r.telling.feed }

// Tally counts what is recorded, as soon as it is on disk.
func (r *Recorder) Tally() *tally.Tally { return r.telling.tally }

// written tells of an exchange, or of a record that is none, which is on disk.
func (t *telling) written(now time.Time, d *done) {
	switch c := &d.capture; {
	case d.captured:
		e := captured(d)
		t.feed.Publish(&e)
		t.tally.Count(now, &tally.Capture{
			Host: feed.HostOf(d.url), MIME: d.mime, Body: d.body, Written: c.Length,
			Revisit: d.isRevisit(), Extra: d.extra,
		})
	case d.extra:
		t.feed.Publish(&feed.Event{
			Kind: feed.Note, Time: now.UnixMicro(), URL: d.url, MIME: d.mime, Size: d.body,
			Stored: d.kind, File: c.File, Offset: c.Offset, Length: c.Length,
		})
	}
}

// captured is the event of what has a line in the index.
func captured(d *done) feed.Event {
	c := &d.capture
	e := feed.Event{
		Kind: feed.Capture, Time: c.Time.UnixMicro(),
		URL: d.url, Method: c.Method, Status: c.Status, MIME: d.mime, Size: d.body,
		MS: d.took.Milliseconds(), Stored: d.kind, Truncated: c.Truncated, Completion: d.follows,
		File: c.File, Offset: c.Offset, Length: c.Length,
	}
	if !d.extra {
		e.Method, e.Stored = cmp.Or(c.Method, "GET"), "response"
	}
	if d.isRevisit() {
		e.Stored = "revisit"
	}
	return e
}

// gap tells of a gap, which may be of a time long past.
func (t *telling) gap(g *store.Gap) {
	t.feed.Publish(&feed.Event{
		Kind: feed.Gap, Time: g.Time.UnixMicro(), Reason: g.Reason, URL: g.URL, Detail: g.Detail,
	})
	t.tally.Gap(time.Now(), g.Reason, 1)
}

// gaps tells of n gaps of which no more is known than their reason. They come by thousands, so the
// feed is told of all that came within a time.
func (t *telling) gaps(reason string, n int64) { t.tally.Gap(time.Now(), reason, n) }

// gapSums tells the feed how many those were.
func (t *telling) gapSums(sums map[string]int64) {
	for reason, n := range sums {
		t.feed.Publish(&feed.Event{
			Kind: feed.Gap, Time: time.Now().UnixMicro(), Reason: reason, Count: n,
		})
	}
}

// file tells what has become of a WARC file: open, finished, undone (nothing was in it),
// missing (it was taken away), away (only object storage has it).
func (t *telling) file(name, state string, size int64) {
	t.feed.Publish(&feed.Event{
		Kind: feed.Files, Time: time.Now().UnixMicro(), File: name, State: state, Length: size,
	})
}
