package cmd

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"warcorder/recorder"
)

// screen is how many columns what people read may take.
const screen = 80

// labelColumns is how many columns a label has.
const labelColumns = 12

// labelled is text in lines, each behind a label.
type labelled struct{ strings.Builder }

// line adds a line; an empty label goes on with what is above.
func (l *labelled) line(label, format string, args ...any) {
	text := fmt.Sprintf("  %-*s %s", labelColumns, label, fmt.Sprintf(format, args...))
	l.WriteString(cut(strings.TrimRight(text, " "), screen) + "\n")
}

// wrap adds a text in as many lines as it takes; a word that is longer than a line is cut.
func (l *labelled) wrap(label, text string) {
	line := ""
	for word := range strings.FieldsSeq(text) {
		switch {
		case line == "":
			line = word
		case len(line)+1+len(word) <= screen-len("  ")-labelColumns-len(" "):
			line += " " + word
		default:
			l.line(label, "%s", line)
			label, line = "", word
		}
	}
	l.line(label, "%s", line)
}

// path adds a line that is not cut: a path is to be copied.
func (l *labelled) path(label, path string) {
	fmt.Fprintf(l, "  %-*s %s\n", labelColumns, label, printable(path))
}

// text is the state of a recorder as people read it.
func (s status) text() string {
	var l labelled
	fmt.Fprintf(&l, "warcorder %s %s\n", cut(ascii(s.Version), 20), s.doing())
	l.path("collection", string(s.Dir))
	l.line("recorder", "process %d at %s, since %s (%s)", s.PID, cut(ascii(s.Address), 40),
		moment(s.Started), lasting(time.Since(s.Started)))
	if s.Replay != nil {
		l.line("replay", "at %s: %s answered, %s missing", cut(ascii(s.Replay.Address), 40),
			humanize.Comma(s.Replay.Answered), humanize.Comma(s.Replay.Missing))
	}
	if s.Debug != "" {
		l.line("profiles", "at http://%s%s", cut(ascii(s.Debug), 40), profilesPath)
	}
	if s.Paused && s.Since != nil {
		l.line("paused", "since %s: what passes is not recorded", moment(*s.Since))
	}
	if s.Reason != "" { // whole: it says what to do
		l.path("off", s.Reason)
	}
	if s.Compression != "" {
		l.path("slower", "warcorder's own compression was wrong, see the log: "+s.Compression)
	}
	l.line("in flight", "%s", count(int(s.InFlight), "exchange"))
	l.WriteByte('\n')
	l.line("per second", "%12s %12s %12s", "1 min", "5 min", "15 min")
	r := s.Rates
	l.line("  exchanges", "%12.1f %12.1f %12.1f", r.Minute.Exchanges, r.Minutes5.Exchanges,
		r.Minutes15.Exchanges)
	l.line("  bytes", "%12s %12s %12s", rateText(r.Minute.Bytes), rateText(r.Minutes5.Bytes),
		rateText(r.Minutes15.Bytes))
	l.WriteByte('\n')
	l.line("", "%12s %12s", "this run", "collection")
	l.line("captures", "%12s %12s", humanize.Comma(s.Captures), humanize.Comma(s.Totals.Captures))
	l.line("revisits", "%12s %12s", humanize.Comma(s.Revisits), optional(s.Totals.Revisits))
	l.line("bytes", "%12s %12s", bytesText(s.Bytes), bytesText(s.Totals.Bytes))
	l.line("files", "%12s %12d", fmt.Sprintf("%d open", len(s.OpenFiles)), s.Totals.Files)
	l.gaps(s.Gaps, s.Totals.Gaps)
	l.WriteByte('\n')
	l.line("disk", "%s", s.diskText())
	l.wrap("verified", s.LastVerify.text())
	l.refusals(s)
	return l.String()
}

// doing is what the recorder does.
func (s *status) doing() string {
	into := " into " + cut(printable(s.Collection), 30)
	switch {
	case s.Paused:
		return "has paused recording" + into
	case !s.Recording:
		return "cannot record" + into + ", and refuses clients"
	}
	return "is recording" + into
}

// gaps adds a line for each reason.
func (l *labelled) gaps(run, all map[string]int64) {
	l.line("gaps", "%12s %12s", humanize.Comma(sum(run)), humanize.Comma(sum(all)))
	for _, reason := range slices.Sorted(maps.Keys(all)) {
		l.line("  "+cut(ascii(reason), 10), "%12s %12s", humanize.Comma(run[reason]),
			humanize.Comma(all[reason]))
	}
}

// sum is how many there are of all reasons.
func sum(counts map[string]int64) (n int64) {
	for _, one := range counts {
		n += one
	}
	return n
}

// refusals adds who refuses, if anybody does.
func (l *labelled) refusals(s status) {
	for i, host := range s.Refusals.Hosts {
		if i == 5 {
			l.line("", "and others: curl http://%s/status", s.Address)
			return
		}
		label := ""
		if i == 0 {
			label = "refused by"
		}
		l.line(label, "%s: %s", cut(ascii(host.Host), 40), refusalText(&host.RefusalCounts))
	}
}

// refusalText is how often somebody refused, by kind.
func refusalText(c *recorder.RefusalCounts) string {
	var kinds []string
	for _, kind := range []struct {
		name string
		n    int64
	}{
		{"forbidden", c.Forbidden}, {"too many requests", c.TooMany},
		{"unavailable", c.Unavailable}, {"challenge", c.Challenge},
	} {
		if kind.n > 0 {
			kinds = append(kinds, fmt.Sprintf("%s %s", humanize.Comma(kind.n), kind.name))
		}
	}
	return strings.Join(kinds, ", ")
}

// diskText says how much room there is.
func (s *status) diskText() string {
	switch {
	case s.Disk.Free == nil:
		return "free space is not known"
	case s.Disk.UntilFull == nil:
		return bytesText(*s.Disk.Free) + " free"
	}
	until := time.Duration(min(*s.Disk.UntilFull, int64(maxUntil/time.Second))) * time.Second
	if until >= maxUntil {
		return bytesText(*s.Disk.Free) + " free"
	}
	return bytesText(*s.Disk.Free) + " free, full in " + lasting(until) + " at the rate of the last day"
}

// maxUntil is further than anybody looks ahead.
const maxUntil = 10 * 365 * 24 * time.Hour

// text is the state of a collection that nobody records as people read it.
func (r resting) text() string {
	var l labelled
	fmt.Fprintf(&l, "warcorder %s: nobody is recording into %s\n", version, cut(printable(r.Collection), 30))
	l.path("collection", string(r.Dir))
	if last := r.Last; last != nil {
		end := "ended"
		if !last.Clean {
			end = "broke off; last trace"
		}
		l.line("last run", "%s (%s), %s %s", moment(last.Started),
			lasting(last.Ended.Sub(last.Started)), end, moment(last.Ended))
	}
	l.line("captures", "%12s", humanize.Comma(r.Totals.Captures))
	l.line("revisits", "%12s", optional(r.Totals.Revisits))
	l.line("bytes", "%12s", bytesText(r.Totals.Bytes))
	l.line("files", "%12d", r.Totals.Files)
	l.line("gaps", "%12s", humanize.Comma(sum(r.Totals.Gaps)))
	for _, reason := range slices.Sorted(maps.Keys(r.Totals.Gaps)) {
		l.line("  "+cut(ascii(reason), 10), "%12s", humanize.Comma(r.Totals.Gaps[reason]))
	}
	if r.Free != nil {
		l.line("disk", "%s free", bytesText(*r.Free))
	}
	l.wrap("verified", r.LastVerify.text())
	l.WriteString("\n" + r.next() + "\n")
	return l.String()
}

// next says what to do.
func (r *resting) next() string {
	switch {
	case len(r.OpenFiles)+r.Spilled > 0 || r.Unindexed > 0 || r.Last != nil && !r.Last.Clean:
		return "Not all is in order. The next recording sees to that, or now:\n  " +
			commandFor(r.Dir, "recover")
	case r.Totals.Captures == 0:
		return "Nothing is recorded yet. Next:\n  " + commandFor(r.Dir, "browser URL")
	}
	return "Next:\n  " + commandFor(r.Dir, "replay "+urlWord(r.example)) + "\n  " + commandFor(r.Dir, "export")
}

// optional is a number that may not be known.
func optional(n *int64) string {
	if n == nil {
		return "not counted"
	}
	return humanize.Comma(*n)
}

func rateText(bytes float64) string { return bytesText(int64(bytes)) }

// moment is a time as people read it, in their own zone.
func moment(t time.Time) string { return t.Local().Format("2006-01-02 15:04") }

// lasting is a duration in one unit, or two small ones.
func lasting(d time.Duration) string {
	switch {
	case d < time.Second:
		return "under 1 s"
	case d < time.Minute:
		return fmt.Sprintf("%d s", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%d min", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h %d min", d/time.Hour, d%time.Hour/time.Minute)
	}
	return count(int(d/(24*time.Hour)), "day")
}
