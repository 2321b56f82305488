package cmd

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"warcorder/certs/stores"
	"warcorder/proxy/http1"
	"warcorder/recorder"
	"warcorder/recorder/recovery"
	"warcorder/store"
	"warcorder/store/collection"
)

// summary is what one recording has come to, or a part of it.
type summary struct {
	dir                           collection.Dir
	page                          string // that a browser was opened with, or another; "" is none
	took                          time.Duration
	exchanges, captures, revisits int64
	lost, bytes                   int64
	gaps                          map[string]int64 // by reason
	some                          []store.Gap      // of them, the first few of each reason
}

// farewell says what was recorded between two states of one recorder, what was not, and what to do
// next; page is what a browser was opened with, "" if none was.
func farewell(w io.Writer, dir collection.Dir, page string, before, after status) {
	s := summaryOf(dir, before, after)
	s.page = page
	s.choosePage(after.At)
	io.WriteString(w, s.text())
}

// farewell says the same of all of a recording that has ended, on the log.
func (s *serving) farewell() {
	if s.proxy == nil { // it has not begun
		return
	}
	all := summaryOf(s.dir, status{}, s.status())
	if s.person {
		all.choosePage(time.Now())
		io.WriteString(s.out, all.text())
		return
	}
	log := always(s.log)
	log.Info().Int64("exchanges", all.exchanges).Int64("captures", all.captures).
		Int64("revisits", all.revisits).Int64("bytes", all.bytes).Int64("lost", all.lost).
		Float64("seconds", all.took.Seconds()).Any("gaps", all.gaps).Msg("ended")
}

// summaryOf is the difference between two states of one recorder; the first may be none.
func summaryOf(dir collection.Dir, before, after status) summary {
	s := summary{
		dir:       dir,
		exchanges: after.Exchanges - before.Exchanges,
		captures:  after.Captures - before.Captures,
		revisits:  after.Revisits - before.Revisits,
		lost:      after.Lost - before.Lost,
		bytes:     after.Bytes - before.Bytes,
		took:      after.At.Sub(cmp.Or(before.At, after.Started)),
		gaps:      maps.Clone(after.Gaps),
	}
	for reason, n := range before.Gaps {
		s.gaps[reason] -= n
	}
	maps.DeleteFunc(s.gaps, func(_ string, n int64) bool { return n <= 0 })
	if len(s.reasons()) > 0 {
		s.find(after.At.Add(-s.took))
	}
	return s
}

// choosePage looks for a page to show, in what was recorded until then, if none was opened.
func (s *summary) choosePage(until time.Time) {
	if s.page == "" && s.captures > 0 {
		s.page = exampleOf(s.dir, until.Add(-s.took))
	}
}

const (
	someGaps     = 3           // of a reason are told
	gapsPatience = time.Second // for a disk, or a recorder, that may not answer
)

// find looks for some of the gaps since then. That they cannot be read is told by others.
func (s *summary) find(since time.Time) {
	read := make(chan store.Gaps, 1)
	go func() {
		all, _ := gapsOf(s.dir)
		read <- all
	}()
	select {
	case all := <-read:
		s.choose(all.Latest, since)
	case <-time.After(gapsPatience):
	}
}

// choose takes the first few of each reason.
func (s *summary) choose(latest []store.Gap, since time.Time) {
	chosen := make(map[string]int)
	for _, g := range slices.Backward(latest) { // the oldest first
		if g.Time.Before(since) || s.gaps[g.Reason] == 0 || g.URL == "" ||
			chosen[g.Reason] == someGaps {
			continue
		}
		chosen[g.Reason]++
		s.some = append(s.some, g)
	}
}

// gapWords are the reasons of gaps in words.
var gapWords = map[string]string{
	recorder.GapUpstream:   "no answer, or a certificate that is not valid",
	recorder.GapCut:        "broke off; what came is recorded",
	recorder.GapRefused:    "the proxy turned it away",
	recorder.GapBlocked:    "may not be reached (deny, allow)",
	recorder.GapTunnelled:  "passed in a WebSocket or a tunnel",
	recorder.GapWrite:      "could not be written",
	recorder.GapCoding:     "recorded, in a coding that others cannot read",
	recorder.GapPaused:     "recording was paused, and something passed",
	recorder.GapUnrecorded: "passed unrecorded, as was wished",
	recovery.GapMissing:    "a WARC file is missing",
	recovery.GapCrash:      "a recorder broke off",
}

// text is the summary as people read it.
func (s *summary) text() string {
	var l labelled
	if s.captures == 0 {
		l.WriteString("Nothing was captured.\n")
	} else {
		l.WriteString(cut(s.came(), screen) + "\n")
		if n := s.captures - s.exchanges; n > 0 {
			l.line("of them", "%s of no exchange: certificates, pictures, texts", count(int(n), "capture"))
		}
		l.path("in", s.dir.Archive())
	}
	for _, reason := range s.reasons() {
		l.line(count(int(s.gaps[reason]), "gap"), "%s: %s", reason, gapWords[reason])
		for _, g := range s.some {
			if g.Reason == reason {
				l.line("", "%s", cutMiddle(ascii(g.URL), screen-15))
			}
		}
	}
	if n := s.gaps[recorder.GapUnrecorded]; n > 0 {
		l.line("unrecorded", "%s passed, as was wished", count(int(n), "exchange"))
	}
	if len(s.reasons()) > 0 {
		l.path("why", commandFor(s.dir, "gaps"))
	}
	if s.captures > 0 {
		l.path("see it", commandFor(s.dir, "replay "+urlWord(s.page)))
		l.path("index", commandFor(s.dir, "export"))
	}
	return l.String()
}

// urlWord is a URL as a word of a command, without a password; without one the word stands for what a
// person puts there.
func urlWord(url string) string {
	if url == "" {
		return "URL"
	}
	return stores.Quoted(http1.WithoutUserinfo(url))
}

// came is what there is now that was not before.
func (s *summary) came() string {
	captures := count(int(s.captures), "capture")
	if s.revisits > 0 {
		captures += " (" + count(int(s.revisits), "revisit") + ")"
	}
	return fmt.Sprintf("%s in %s: %s, %s", count(int(s.exchanges), "exchange"), lasting(s.took),
		captures, bytesText(s.bytes))
}

// reasons are those of the gaps but for what passed unrecorded on purpose, the most frequent first.
func (s *summary) reasons() []string {
	reasons := slices.Sorted(maps.Keys(s.gaps))
	reasons = slices.DeleteFunc(reasons, func(r string) bool { return r == recorder.GapUnrecorded })
	slices.SortStableFunc(reasons, func(a, b string) int { return cmp.Compare(s.gaps[b], s.gaps[a]) })
	return reasons
}
