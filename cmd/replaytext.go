package cmd

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"warcorder/recorder"
	"warcorder/store/replay"
)

// replayGreeting is what a person reads first of a replay. A line that is indented by ten spaces is
// a command that works as it stands.
const replayGreeting = `warcorder %s replays %s
  proxy   http://%s for HTTP and HTTPS
  shows   %s
  trust   http://%s/trust in your browser, or
          %s
  status  http://%s/status
  try     %s, or
          %s
Stop with Ctrl-C.
`

// greet says where the replay listens, what it shows, and what to try.
func (r *replayRun) greet(one *replayer, out io.Writer) {
	if !r.person {
		log := always(r.log)
		log.Info().Str("address", one.address).Str("collection", string(r.dir)).
			Str("version", version).Msg("replaying")
		return
	}
	others, here := typable(one.address)
	fmt.Fprintf(out, replayGreeting, version, printable(string(r.dir)), others, r.shows(), others,
		howToTrust(one.authority, one.address), others, commandFor(r.dir, "replay "+urlWord(r.example)),
		curlLine(here, urlWord(r.example), !r.Proxy.Users.IsEmpty()))
}

// shows is what of the collection is shown.
func (r *replayRun) shows() string {
	what := "the latest capture of each URL"
	if at := r.options.At; !at.IsZero() {
		what = "captures nearest to " + at.Format("2006-01-02 15:04:05 UTC")
	}
	if r.options.Fallback {
		what += "; records what is missing"
	}
	return what
}

// here is what a program on this machine is told of the proxy.
func (r *replayer) here() string {
	_, here := typable(r.address)
	return here
}

// missingMessage is the line of the log that says that something is not in the archive.
const missingMessage = "not in the archive"

// unreadMessage is the line for what is there, and is not as it should be.
const unreadMessage = "captured, and cannot be read"

// missed is told of each miss. One that comes again is no news.
func (r *replayRun) missed(m replay.Miss) {
	if m.Count > 1 {
		return
	}
	line, message := r.log.Info(), missingMessage
	if m.IsFault() {
		line, message = r.log.Warn(), unreadMessage
	}
	line.Str("url", recorder.Logged(m.URL)).Str("method", m.Method).Str("why", m.Why).Msg(message)
}

// farewell says what became of the requests.
func (r *replayRun) farewell(one *replayer, report *replay.Report, out io.Writer) {
	if r.person || r.page != "" && !r.line.Quiet {
		io.WriteString(out, r.summary(time.Since(one.started), report))
		return
	}
	log := always(r.log)
	log.Info().Int64("answered", report.Answered).Int64("missed", report.Missed).
		Int64("fellBack", report.FellBack).Any("rules", report.Rules).
		Float64("seconds", time.Since(one.started).Seconds()).Msg("ended")
}

// someMisses are told at the end; all are in the report.
const someMisses = 5

// summary is a report as people read it.
func (r *replayRun) summary(took time.Duration, report *replay.Report) string {
	var l labelled
	if report.Answered+report.Missed == 0 {
		l.WriteString("Nothing was asked for.\n")
		return l.String()
	}
	fmt.Fprintf(&l, "%s in %s: %s answered, %s missing\n",
		count(int(report.Answered+report.Missed), "request"), lasting(took),
		humanize.Comma(report.Answered), humanize.Comma(report.Missed))
	l.path("from", string(r.dir))
	if by := rulesText(report.Rules); by != "" {
		l.line("found by", "%s", by)
	}
	if report.FellBack > 0 {
		l.line("fetched", "%s that was missing", count(int(report.FellBack), "request"))
	}
	told := 0
	for _, d := range report.Documents {
		for _, m := range d.Misses {
			if told++; told > someMisses {
				continue
			}
			label := ""
			if told == 1 {
				label = "missing"
			}
			l.line(label, "%s %s", cut(ascii(m.Method), 8), cutMiddle(ascii(m.URL), screen-24))
			l.line("", "  %s", ascii(m.Why))
			if n := m.Nearest; n != nil {
				l.line("", "  nearest %s of %s", cutMiddle(ascii(n.URL), screen-46), moment(n.Time))
			}
		}
	}
	if r.Report == "" && (told > someMisses || report.Unlisted > 0) {
		l.line("all of them", "%s", "--report FILE")
	}
	if !r.options.Fallback && lacks(report) {
		l.path("record it", commandFor(r.dir, "browser "+urlWord(r.page)))
	}
	return l.String()
}

// lacks reports that something is missing that could be recorded.
func lacks(report *replay.Report) bool {
	for _, d := range report.Documents {
		for _, m := range d.Misses {
			if m.IsRecordable() {
				return true
			}
		}
	}
	return report.Unlisted > 0
}

// rulesText is how often each rule has found something, the most frequent first.
func rulesText(rules map[string]int64) string {
	names := slices.Sorted(maps.Keys(rules))
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(rules[b], rules[a]) })
	for i, name := range names {
		names[i] = ascii(name) + " " + humanize.Comma(rules[name])
	}
	return strings.Join(names, ", ")
}
