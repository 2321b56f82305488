package recorder

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"warcorder/store/collection"
)

// A panic is a fault of our own, and must not take along what is not concerned: it ends in the
// exchange whose records are being made (maker.guarded), or in the step of the committer. Each
// rescue undoes what the panic has left half done, and names what is lost. All locks are released
// by deferred calls on the way here.
//
// What a panic of the committer leaves, and what becomes of it:
//
//	writing   bytes behind what is synced: archive.append has poisoned the file, which is opened anew
//	          and cut. The batch is still the first of its group, and is written again; lost when it
//	          panics twice
//	indexing  a transaction that bbolt has rolled back. The same captures are committed again; when
//	          that panics twice they stay for the next start, and their file gets no more exchanges
//	sealing   a file that may be half closed. It is poisoned and finished anew; when that panics
//	          twice the file keeps the ending .open for the next start
//
// A panic between two exchanges of a batch that is on disk repeats nothing: batch.told says how
// many have been let go.

// step is what the committer is doing.
type step int

const (
	writing step = iota
	indexing
	sealing
)

// guarded is commit with an end for its panics. What panics twice is given up, and the rest of the
// group goes on.
func (c *committer) guarded(g *group) error {
	for {
		err, whole := c.try(g)
		if whole {
			return err
		}
	}
}

// try is commit; whole says that it did not panic.
func (c *committer) try(g *group) (err error, whole bool) {
	defer func() {
		if value := recover(); value != nil {
			c.rescue(g, c.panics.Caught(value, c.place(g)))
		}
	}()
	c.step = writing
	return c.commit(g), true
}

// place is what the committer is working on.
func (c *committer) place(g *group) string {
	switch {
	case c.step == writing && len(g.batches) > 0:
		return g.batches[0].output.name
	case c.step == sealing && len(g.retired) > 0:
		return g.retired[0].name
	}
	return collection.IndexName
}

// rescue gives up what has panicked twice.
func (c *committer) rescue(g *group, err error) {
	switch c.step {
	case writing:
		if len(g.batches) == 0 || g.batches[0].written {
			return // onDisk goes on behind the last exchange that it let go
		}
		b := g.batches[0]
		if b.panics++; b.panics > 1 {
			g.batches = g.batches[1:]
			c.losesBatch(b, err)
		}
	case indexing:
		if c.panicked++; c.panicked > 1 {
			c.panicked = 0
			c.leaveUnindexed(err)
		}
	case sealing:
		if len(g.retired) == 0 {
			return
		}
		out := g.retired[0]
		out.poison() // it is opened anew to be finished
		if out.panics++; out.panics > 1 {
			g.retired = g.retired[1:]
			c.archive.noteOpen(out.name, false)
			c.gaps.note(GapWrite, out.name, "the file is not finished until the next start: "+err.Error())
		}
	}
}

// losesBatch lets go of a batch that is lost, for that reason.
func (c *committer) losesBatch(b *batch, why error) {
	for i := range b.done {
		d := &b.done[i]
		if d.original != nil {
			d.original.lost = true
		}
		c.queue.loses(d, why)
	}
	c.batches.spare(b)
	c.batches.recycle(b)
}

var errOrphan = errors.New("what it refers to could not be written")

// dropOrphans takes out of the batches that are still to be written the revisits that refer to a
// response that is lost by now: the content of such a revisit is lost with the response. The
// records of a batch lie one behind another in chunks, so the others move up, and their offsets
// with them.
func (c *committer) dropOrphans(g *group) {
	isOrphan := func(d done) bool { return d.refers != nil && d.refers.lost }
	g.batches = slices.DeleteFunc(g.batches, func(b *batch) bool {
		if b.written || !slices.ContainsFunc(b.done, isOrphan) {
			return false
		}
		orphans := &batch{output: b.output}
		all, records := b.done, slices.Concat(b.chunks...)
		b.done, b.chunks, b.size = nil, nil, 0
		for _, d := range all {
			if isOrphan(d) {
				if d.original != nil {
					d.original.lost = true // for what refers to it further on in this batch
				}
				orphans.keep(d)
				continue
			}
			d.capture.Offset += b.size - d.at.from
			c.batches.copy(b, records[d.at.from:d.at.to])
			d.at = span{b.size, b.size + d.at.to - d.at.from}
			b.size = d.at.to
			b.done = append(b.done, d)
		}
		b.keys -= orphans.keys
		c.losesBatch(orphans, errOrphan)
		return len(b.done) == 0
	})
}

// giveUp ends a group that could not be committed before the recorder closed. What is in its file
// but not in the index the next start puts there; the rest is lost.
func (c *committer) giveUp(g *group, err error) {
	for _, b := range g.batches {
		if !b.written {
			c.losesBatch(b, err)
			continue
		}
		c.onDisk(b)
	}
	c.pending.clear()
	for _, b := range c.unindexed {
		b.output.unindexed = true
		c.log.Error().Err(err).Str("file", b.file.Name).Int("exchanges", len(b.done)).
			Msg("captures are not in the index: the next start puts them there")
		c.batches.recycle(b)
	}
	c.unindexed, c.number, c.text = nil, 0, 0
	for _, out := range g.retired {
		c.log.Error().Err(err).Str("file", out.name).Msg("file is not finished: the next start does that")
	}
	c.failed = errors.Join(c.failed, err)
}

// leaveUnindexed gives up to put what is on disk into the index. The next start does it.
func (c *committer) leaveUnindexed(err error) {
	c.pending.clear()
	for _, b := range c.unindexed {
		b.output.unindexed = true
		b.output.lanes.abandon(b.output)
		c.gaps.note(GapWrite, b.file.Name, fmt.Sprintf(
			"%d exchanges of this file are not in the index until the next start: %v", len(b.done), err))
		c.log.Error().Err(err).Str("file", b.file.Name).Int("exchanges", len(b.done)).
			Msg("captures are not in the index: the next start puts them there")
		c.batches.recycle(b)
	}
	clear(c.unindexed)
	c.unindexed, c.number, c.text, c.oldest = c.unindexed[:0], 0, 0, time.Time{}
}
