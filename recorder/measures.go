package recorder

import "warcorder/recorder/latency"

// Measures are what a monitor follows over time: Status without the hosts that refuse, whose number
// others choose, and what is of no use without a time before.
type Measures struct {
	Status
	QueueSize int64 // bytes that Queued has at most
	// bytes of bodies, as they came, that revisits did not store again, since the start
	Saved  int64
	Panics int64 // that were caught, since the start

	Write, Sync Lanes            // what one batch, or one large exchange, takes in its file
	Index       latency.Snapshot // one transaction of the index, for captures
	Commit      latency.Snapshot // from an exchange's end until it is on disk
}

// Lanes are times by the chain of files that they were spent on.
type Lanes struct{ Small, Large latency.Snapshot }

// latencies are what Measures has of them, while they are counted.
type latencies struct {
	write, sync   [2]latency.Histogram // by lane
	index, commit latency.Histogram
}

// Measures tells how recording goes. As for Status no disk is asked, and no lock is waited for that is
// held while one is written to.
func (r *Recorder) Measures() Measures {
	l := &r.archive.took
	return Measures{
		Status:    r.status(Refusals{Total: r.committer.refusals.sums()}),
		QueueSize: r.queue.bytes.now(),
		Saved:     r.committer.saved.Load(),
		Panics:    r.panics.Number(),
		Write:     Lanes{l.write[small].Snapshot(), l.write[large].Snapshot()},
		Sync:      Lanes{l.sync[small].Snapshot(), l.sync[large].Snapshot()},
		Index:     l.index.Snapshot(),
		Commit:    l.commit.Snapshot(),
	}
}
