package cmd

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
)

func commas(n int64) string { return humanize.Comma(n) }

// states is how many recorders do what.
func (f *fleetSum) states() string {
	text := fmt.Sprintf("%d recording", f.Recording)
	for _, other := range []struct {
		n    int
		does string
	}{{f.Paused, "paused"}, {f.Off, "cannot record"}, {f.Down, "down"}, {f.Twice, "named twice"}} {
		if other.n > 0 {
			text += fmt.Sprintf(", %d %s", other.n, other.does)
		}
	}
	return text
}

// fleetLine is the form of a recorder's line: its address, what it does and holds.
const fleetLine = "  %-24s %-9s %12s %9s %9s %9s"

// text is what several recorders do as people read it.
func (f *fleetStatus) text() string {
	var l labelled
	fmt.Fprintf(&l, "%s: %s\n\n", count(f.Sum.Recorders, "recorder"), f.Sum.states())
	l.columns("recorder", "does", "captures", "gaps", "queued", "free")
	for _, o := range f.Recorders {
		l.one(&o)
	}
	l.WriteByte('\n')
	f.Sum.write(&l)
	l.troubles(f.Recorders)
	return l.String()
}

func (l *labelled) columns(texts ...any) {
	l.WriteString(strings.TrimRight(cut(fmt.Sprintf(fleetLine, texts...), screen), " ") + "\n")
}

// one is the line of a recorder.
func (l *labelled) one(o *askedOne) {
	address := cut(ascii(o.Address), 24)
	if o.State == isDown || o.State == isTwice {
		l.columns(address, o.State, "", "", "", "")
		return
	}
	free := "?"
	if o.Status.Disk.Free != nil {
		free = bytesText(*o.Status.Disk.Free)
	}
	l.columns(address, o.State, commas(o.Status.Totals.Captures), commas(sum(o.Status.Totals.Gaps)),
		bytesText(o.Status.Queued), free)
}

// write writes the sum.
func (f *fleetSum) write(l *labelled) {
	l.line("", "%14s %14s", "these runs", "collections")
	l.line("exchanges", "%14s", commas(f.Exchanges))
	l.line("captures", "%14s %14s", commas(f.Captures), commas(f.Totals.Captures))
	l.line("revisits", "%14s %14s", commas(f.Revisits), optional(f.Totals.Revisits))
	l.line("bytes", "%14s %14s", bytesText(f.Bytes), bytesText(f.Totals.Bytes))
	l.line("files", "%14s %14s", "", commas(f.Totals.Files))
	l.line("gaps", "%14s %14s", commas(sum(f.Gaps)), commas(sum(f.Totals.Gaps)))
	for _, reason := range slices.Sorted(maps.Keys(f.Totals.Gaps)) {
		l.line("  "+cut(ascii(reason), 10), "%14s %14s", commas(f.Gaps[reason]), commas(f.Totals.Gaps[reason]))
	}
	l.line("now", "%.1f exchanges a second, %s in flight, %s queued", f.PerSecond, commas(f.InFlight),
		bytesText(f.Queued))
	if f.Free != nil {
		l.line("disk", "at least %s free, at %s", bytesText(*f.Free), cut(ascii(f.FreeAt), 40))
	}
	f.Shared.write(l)
	l.differ("versions", "version", f.Versions)
	l.differ("authorities", "authority", f.Authorities)
}

// write tells of what the recorders share.
func (s sharedSeries) write(l *labelled) {
	if lag := s.worst("upload_lag_seconds"); lag >= 0 {
		l.line("uploads", "%s behind at most, %s failures%s", seconds(lag),
			figure(s.of("upload_failures_total")), down(s["upload_up"]))
	}
	if asked := s.of("dedup_shared_asked_total"); asked >= 0 {
		l.line("dedup", "%s of %s asked for are found elsewhere, %s failures%s",
			figure(s.of("dedup_shared_found_total")), figure(asked),
			figure(s.of("dedup_shared_failed_total")), down(s["dedup_shared_up"]))
	}
	if lag := s.worst("push_lag_seconds"); lag >= 0 {
		l.line("feeds", "%s behind at most, %s failures%s", seconds(lag),
			figure(s.of("push_failures_total")), down(s["push_up"]))
	}
}

// figure is a count that a page has told as a number of any kind.
func figure(n float64) string { return commas(int64(max(0, min(n, 1e18)))) }

// seconds is so long a time.
func seconds(n float64) string { return lasting(time.Duration(max(0, min(n, 1e9))) * time.Second) }

// down says of what is not up at each that it is so.
func down(up float64) string {
	if up == 0 {
		return "; not reached by each"
	}
	return ""
}

// differ tells who differs, where not all have the same.
func (l *labelled) differ(label, what string, has map[string][]string) {
	if len(has) < 2 {
		return
	}
	most := 0
	for _, who := range has {
		most = max(most, len(who))
	}
	l.line(label, "differ: give each recorder the same %s", what)
	shown := 0
	for _, one := range slices.Sorted(maps.Keys(has)) {
		if shown++; shown > 5 {
			l.line("", "and others: --json has all")
			return
		}
		l.line("", "%s: %s", cut(orUnknown(one), 20), cut(ascii(strings.Join(has[one], ", ")), 50))
	}
}

func orUnknown(text string) string {
	if text == "" {
		return "not told"
	}
	return text
}

// troubles says of each that does not record why, whole: it says what to do.
func (l *labelled) troubles(all []askedOne) {
	for _, o := range all {
		if o.Error != "" {
			l.WriteByte('\n')
			l.path(o.State, o.Address)
			l.wrap("", ascii(o.Error))
		}
	}
}
