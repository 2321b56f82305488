package recorder

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// losesBatch lets go of a batch that is lost, for that reason.
func (c *committer) losesBatch(b *batch, why error) {
	for i := range b.done {
		d := &b.done[i]
		if d.original != nil {
			d.original.lost = true
		}
		c.lost(d, why)
	}
	c.batches.spare(b)
	c.batches.recycle(b)
}

var errOrphan = errors.New("what it refers to could not be written")

// dropOrphans takes out of the batches that are still to be written what refers to a response that
// is lost by now. Their content is lost with it.
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
	for _, b := range c.unindexed {
		b.output.unindexed = true
		b.output.lanes.abandon(b.output)
		c.gap(GapWrite, b.file.Name, fmt.Sprintf(
			"%d exchanges of this file are not in the index until the next start: %v", len(b.done), err))
		c.log.Error().Err(err).Str("file", b.file.Name).Int("exchanges", len(b.done)).
			Msg("captures are not in the index: the next start puts them there")
		c.batches.recycle(b)
	}
	clear(c.unindexed)
	c.unindexed, c.number, c.text, c.oldest = c.unindexed[:0], 0, 0, time.Time{}
}
