package v09

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
)

// maxPending bounds the sets of segments that wait for the rest, and the segments that came before
// the one they follow. At one more, the set that has waited longest is written as it is.
const maxPending = 64

// segments are the sets that are not complete, in the order in which they were begun.
type segments []*set

// set is what has been found of the segments of one record (WARC 0.9 section 7.2).
type set struct {
	origin string // WARC-Record-ID of the first segment
	// whole is the first segment, with the blocks of those that follow it without a gap; nil if the
	// first segment has not been found.
	whole   *oldRecord
	number  int                // of the last segment in whole
	total   int64              // bytes that whole will have; -1 unless the last segment is in it
	waiting map[int]*oldRecord // segments behind a gap, by number
}

// number returns the number of a segment; 0 without a Segment-Number, or with one that is no
// number.
func (c *oldRecord) number() int {
	return int(min(number(c.Fields.Get(segmentNumber)), math.MaxInt32))
}

// total returns the length of the whole record, which the last segment says; -1 for other segments.
func (c *oldRecord) total() int64 {
	if c.Fields.Values(endLength) == nil {
		return -1
	}
	return number(c.Fields.Get(endLength))
}

// number parses a number; 0 if s is none.
func number(s string) int64 {
	n, err := strconv.ParseUint(s, 10, 62)
	if err != nil {
		return 0
	}
	return int64(n)
}

// isSegment reports whether the record is a segment: the first one has the number 1, all others are
// continuations of an origin.
func (c *oldRecord) isSegment() bool {
	if c.Type != "continuation" {
		return c.number() == 1
	}
	return c.number() > 1 && c.Fields.Get(segmentOriginID) != ""
}

// origin returns the WARC-Record-ID of the first segment of the set that c belongs to.
func (c *oldRecord) origin() string {
	if c.Type == "continuation" {
		return id11(c.Fields.Get(segmentOriginID))
	}
	return id11(c.ID)
}

// collect keeps a segment until all segments of its set have been found; then the whole is written.
func (im *Importer) collect(c *oldRecord) error {
	s := im.set(c.origin())
	if n := c.number(); n <= s.number || s.waiting[n] != nil {
		im.report(c.finding(
			fmt.Errorf("%w: a second one with the number %d; kept as a record of its own", ErrSegments, n)))
		return im.write(c)
	}
	s.waiting[c.number()] = c
	if err := im.advance(s); err != nil {
		return err
	}
	if s.total >= 0 {
		return im.finish(s)
	}
	if im.waiting() > maxPending {
		return im.finish(im.pending[0])
	}
	return nil
}

// set returns the set of that origin.
func (im *Importer) set(origin string) *set {
	for _, s := range im.pending {
		if s.origin == origin {
			return s
		}
	}
	s := &set{origin: origin, total: -1, waiting: make(map[int]*oldRecord)}
	im.pending = append(im.pending, s)
	return s
}

// waiting counts the sets and segments that are kept.
func (im *Importer) waiting() int {
	n := len(im.pending)
	for _, s := range im.pending {
		n += len(s.waiting)
	}
	return n
}

// advance moves segments from waiting to whole, as long as the next number is there.
func (im *Importer) advance(s *set) error {
	for s.total < 0 {
		c := s.waiting[s.number+1]
		if c == nil {
			return nil
		}
		delete(s.waiting, s.number+1)
		s.number++
		s.total = c.total()
		if s.whole == nil {
			s.whole = c
			continue
		}
		if err := im.append(s.whole, c); err != nil {
			return err
		}
	}
	return nil
}

// append appends the block of a segment to whole, and closes it.
func (im *Importer) append(whole, c *oldRecord) (err error) {
	defer func() { err = errors.Join(err, c.block.Close()) }()
	if c.URI != whole.URI {
		im.report(c.finding(
			fmt.Errorf("%w: the subject-uri is not the first one's, %s", ErrSegments, quote(whole.URI))))
	}
	if whole.isSegment() {
		if err := im.opened(whole); err != nil {
			return err
		}
	}
	if err := im.verifySegment(c); err != nil {
		return err
	}
	if reason := c.Fields.Get(truncated); reason != "" {
		whole.Header = whole.without(truncated).with(truncated, reason)
	}
	_, err = io.Copy(whole.block, c.block.reader())
	return err
}

// opened makes a record of its own of the first segment, to which others can be appended. A digest
// that is right for the segment is not that of the whole.
func (im *Importer) opened(whole *oldRecord) error {
	whole.Header = whole.without(segmentNumber, segmentOriginID, endLength)
	said := whole.Fields.Get(checksum)
	wrong, err := wrongDigest(said, whole.block)
	if err == nil && said != "" && wrong == nil {
		whole.Header = whole.without(checksum)
		whole.resum = true
	}
	return err
}

// verifySegment checks the digest of a continuation, which is not passed on.
func (im *Importer) verifySegment(c *oldRecord) error {
	said := c.Fields.Get(checksum)
	if said == "" {
		return nil
	}
	wrong, err := wrongDigest(said, c.block)
	if wrong != nil {
		im.report(c.finding(fmt.Errorf("%w: of a segment: %w", ErrChecksum, wrong)))
	}
	return err
}

// finish writes a set: the segments up to the first gap as one record, and the others as they are.
func (im *Importer) finish(s *set) error {
	im.pending = slices.DeleteFunc(im.pending, func(other *set) bool { return other == s })
	if s.whole != nil {
		if err := im.finishWhole(s); err != nil {
			return errors.Join(err, s.close())
		}
		s.whole = nil
	}
	for _, n := range slices.Sorted(maps.Keys(s.waiting)) {
		c := s.waiting[n]
		delete(s.waiting, n)
		im.report(c.finding(
			fmt.Errorf("%w: number %d follows none; kept as a continuation record", ErrSegments, n)))
		if err := im.write(c); err != nil {
			return errors.Join(err, s.close())
		}
	}
	return nil
}

// finishWhole writes the segments up to the first gap as one record; if there is a gap, as
// truncated.
func (im *Importer) finishWhole(s *set) error {
	whole := s.whole
	whole.Header = whole.without(segmentNumber, segmentOriginID, endLength)
	if problem := s.problem(); problem != nil {
		im.report(whole.finding(problem))
		if whole.Fields.Get(truncated) == "" {
			whole.Header = whole.without(names[truncated]).with(truncated, "unspecified")
		}
	}
	s.whole = nil
	return im.write(whole)
}

// problem says what is missing of the whole; nil if nothing is.
func (s *set) problem() error {
	switch size := s.whole.block.size; {
	case s.total < 0 && len(s.waiting) > 0:
		return fmt.Errorf("%w: number %d is missing; written up to there, truncated", ErrSegments,
			s.number+1)
	case s.total < 0:
		return fmt.Errorf("%w: the last one is missing; written up to number %d, truncated", ErrSegments,
			s.number)
	case s.total != size:
		return fmt.Errorf("%w: they have %d bytes, not the %d of End-Length; written as truncated",
			ErrSegments, size, s.total)
	}
	return nil
}

// close closes the blocks of the set.
func (s *set) close() error {
	var err error
	if s.whole != nil {
		err = s.whole.block.Close()
	}
	for _, c := range s.waiting {
		err = errors.Join(err, c.block.Close())
	}
	return err
}

// Close writes the records of which segments are missing: the segments up to the first gap as a
// truncated record, all others as continuation records.
func (im *Importer) Close() error {
	for len(im.pending) > 0 {
		if err := im.finish(im.pending[0]); err != nil {
			return errors.Join(err, im.drop())
		}
	}
	return nil
}

// drop closes the blocks of all sets.
func (im *Importer) drop() error {
	var err error
	for _, s := range im.pending {
		err = errors.Join(err, s.close())
	}
	im.pending = nil
	return err
}
