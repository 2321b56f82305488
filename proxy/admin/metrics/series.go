package metrics

import (
	"math"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"warcorder/recorder/latency"
	"warcorder/recorder/outside"
)

// number is a family of counters or gauges.
type number struct {
	kind       prometheus.ValueType
	name, help string // the name without warcorder_
	labels     []string
	tell       tell
}

// tell puts out the series of a family, each with the values of its labels.
type tell func(f *Facts, out func(value float64, labels ...string))

const (
	counter = prometheus.CounterValue
	gauge   = prometheus.GaugeValue
)

// numbers are all of them. Counters count since the start of the process.
func numbers() (all []number) {
	for _, some := range [][]number{
		ofState(), ofExchanges(), ofDedup(), ofShared(), ofGaps(), ofConnections(), ofOthers(), ofDisk(), ofProcess(),
		ofFeeds(), ofUpload(),
	} {
		all = append(all, some...)
	}
	return all
}

// one is a family without labels.
func one[N int | int64](of func(*Facts) N) tell {
	return func(f *Facts, out func(float64, ...string)) { out(float64(of(f))) }
}

// yes is 1 for true.
func yes(of func(*Facts) bool) tell {
	return one(func(f *Facts) int { return bit(of(f)) })
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// value is one series of a family with one label.
type value[N int | int64] struct {
	label string
	n     N
}

// each is a family with one label.
func each[N int | int64](of func(*Facts) []value[N]) tell {
	return func(f *Facts, out func(float64, ...string)) {
		for _, v := range of(f) {
			out(float64(v.n), v.label)
		}
	}
}

func ofState() []number {
	return []number{
		{gauge, "recording", "Whether new exchanges are recorded: neither paused nor kept from it.", nil,
			yes(func(f *Facts) bool { return f.Recording })},
		{gauge, "paused", "Whether the operator lets exchanges pass unrecorded.", nil,
			yes(func(f *Facts) bool { return f.Paused })},
		{gauge, "ready", "Whether clients are served; else they get 503, since nothing can be recorded.", nil,
			yes(func(f *Facts) bool { return f.Ready })},
	}
}

func ofExchanges() []number {
	return []number{
		{counter, "exchanges_total", "Exchanges that have ended, by what became of them.", []string{"result"},
			each(func(f *Facts) []value[int64] {
				return []value[int64]{
					{"recorded", f.Recorder.Exchanges}, {"lost", f.Recorder.Lost}, {"paused", f.Proxy.Paused},
					{"no_record", f.Proxy.NoRecord}, {"unsent", f.Proxy.Unsent},
				}
			})},
		{gauge, "exchanges_in_flight", "Exchanges that go on.", nil,
			one(func(f *Facts) int64 { return f.Recorder.InFlight })},
		{counter, "written_bytes_total", "Bytes that were written to WARC files.", nil,
			one(func(f *Facts) int64 { return f.Recorder.Bytes })},
		{gauge, "warc_files_open", "WARC files that are being written.", nil,
			one(func(f *Facts) int { return len(f.Recorder.OpenFiles) })},
		{gauge, "queue_bytes", "Bytes of exchanges that wait in memory to be recorded.", nil,
			one(func(f *Facts) int64 { return f.Recorder.Queued })},
		{gauge, "queue_limit_bytes", "Bytes at which clients are slowed (queue-size).", nil,
			one(func(f *Facts) int64 { return f.Recorder.QueueSize })},
		{gauge, "queue_large_exchanges", "Exchanges that wait on disk to be recorded.", nil,
			one(func(f *Facts) int64 { return f.Recorder.Large })},
		{gauge, "compression_fallback", "Whether the slower encoder has taken over, after a wrong record.", nil,
			yes(func(f *Facts) bool { return f.Recorder.Compression != "" })},
	}
}

func ofDedup() []number {
	all := []number{
		{counter, "captures_total", "Captures that came into the index, of exchanges and of other records.",
			nil, one(func(f *Facts) int64 { return f.Recorder.Captures })},
		{counter, "revisits_total", "Captures that refer to one that was there.", nil,
			one(func(f *Facts) int64 { return f.Recorder.Revisits })},
		{counter, "dedup_saved_bytes_total", "Bytes of bodies, as they came, that were not stored again.", nil,
			one(func(f *Facts) int64 { return f.Recorder.Saved })},
	}
	for _, of := range []struct {
		kind       prometheus.ValueType
		name, help string
		n          func(*outside.Status) int64
	}{
		{counter, "found_total", "Originals that revisits name in an archive of dedup-from.",
			func(s *outside.Status) int64 { return s.Found }},
		{counter, "asked_total", "Times that an archive of dedup-from was looked at.",
			func(s *outside.Status) int64 { return s.Asked }},
		{counter, "failed_total", "Times that an archive of dedup-from gave no answer.",
			func(s *outside.Status) int64 { return s.Failed }},
		{counter, "refused_total", "URLs that an archive of dedup-from refused.",
			func(s *outside.Status) int64 { return s.Refused }},
		{counter, "passed_total", "Responses for which an archive of dedup-from was passed over.",
			func(s *outside.Status) int64 { return s.Passed }},
		{gauge, "up", "Whether an archive of dedup-from is asked; else it has failed, and is left alone.",
			func(s *outside.Status) int64 { return int64(bit(s.Reason == "")) }},
	} {
		all = append(all, number{of.kind, "dedup_from_" + of.name, of.help, []string{"archive"},
			each(func(f *Facts) (values []value[int64]) {
				for _, s := range f.archives() {
					values = append(values, value[int64]{s.Archive, of.n(&s)})
				}
				return values
			})})
	}
	return all
}

func ofGaps() []number {
	return []number{
		{counter, "gaps_total", "Gaps, by reason.", []string{"reason"},
			func(f *Facts, out func(float64, ...string)) { byReason(f.Recorder.Gaps, out) }},
		{counter, "refusals_total", "Answers in which the other side refused, by kind; they are recorded.",
			[]string{"kind"}, each(func(f *Facts) []value[int64] {
				total := &f.Recorder.Refusals.Total
				return []value[int64]{
					{"forbidden", total.Forbidden}, {"too_many", total.TooMany},
					{"unavailable", total.Unavailable}, {"challenge", total.Challenge},
				}
			})},
	}
}

func ofConnections() []number {
	return []number{
		{gauge, "client_connections", "Connections of clients that are open.", nil,
			one(func(f *Facts) int { return f.Proxy.Clients })},
		{gauge, "client_connections_limit", "How many connections of clients may be open (max-connections).",
			nil, one(func(f *Facts) int { return f.Proxy.ClientsLimit })},
		{counter, "client_connections_taken_total", "Connections of clients that were taken.", nil,
			one(func(f *Facts) int64 { return f.Proxy.Came })},
		{counter, "client_connections_refused_total", "Connections that were not taken, by why.",
			[]string{"reason"}, each(func(f *Facts) []value[int64] {
				return []value[int64]{
					{"room", f.Proxy.TurnedAway}, {"stranger", f.Proxy.Strangers},
					{"system", f.Proxy.NotAccepted},
				}
			})},
		{counter, "client_connections_ended_total",
			"Connections that waited for a request, and were ended to make room for others.", nil,
			one(func(f *Facts) int64 { return f.Proxy.MadeRoom })},
		{counter, "logins_refused_total", "Requests whose name and password were not taken, by why.",
			[]string{"reason"}, each(func(f *Facts) []value[int64] {
				return []value[int64]{
					{"wrong", f.Proxy.WrongPasswords}, {"unchecked", f.Proxy.UncheckedPasswords},
				}
			})},
		{gauge, "origin_connections", "Connections to origins that are open.", nil,
			one(func(f *Facts) int64 { return f.Proxy.Origins })},
		{gauge, "origin_connections_idle", "Those of them that wait for a request.", nil,
			one(func(f *Facts) int { return f.Proxy.Idle })},
		{counter, "origin_dials_total", "Connections to origins that were tried, by how that went.",
			[]string{"result"}, each(func(f *Facts) []value[int64] {
				return []value[int64]{{"opened", f.Proxy.Dialled}, {"failed", f.Proxy.DialFailed}}
			})},
	}
}

func ofOthers() []number {
	return []number{
		{counter, "certificates_signed_total", "Certificates that were made for hosts.", nil,
			one(func(f *Facts) int64 { return f.Leaves })},
		{gauge, "certificates_cached", "Those of them that are kept in memory.", nil,
			one(func(f *Facts) int { return f.LeavesKept })},
		{gauge, "authority_expiry_timestamp_seconds", "When the authority's certificate expires.", nil,
			one(func(f *Facts) int64 { return f.RootEnds.Unix() })},
		{gauge, "completions_pending", "Wholes that are to come, by how far that is.", []string{"state"},
			each(func(f *Facts) []value[int] {
				c := &f.Proxy.Completions
				return []value[int]{{"waiting", c.Waiting}, {"running", c.Running}, {"alone", c.Alone}}
			})},
		{gauge, "completions_waiting_limit", "How many may wait (complete-waiting).", nil,
			one(func(f *Facts) int { return f.Proxy.CompletionsLimit })},
		{counter, "completions_total", "Wholes that were asked for, by whether they came.", []string{"result"},
			each(func(f *Facts) []value[int64] {
				return []value[int64]{{"whole", f.Proxy.Completions.Whole}, {"failed", f.Proxy.Completions.Failed}}
			})},
		{gauge, "event_viewers", "Who follow /events.", nil, one(func(f *Facts) int { return f.Viewers })},
		{gauge, "jobs", "What people have asked the recorder to do, by kind and state.",
			[]string{"kind", "state"}, func(f *Facts, out func(float64, ...string)) {
				for _, j := range f.Jobs {
					out(float64(j.Waiting), j.Kind, "waiting")
					out(float64(j.Running), j.Kind, "running")
				}
			}},
	}
}

func ofDisk() []number {
	return []number{
		{gauge, "disk_free_bytes", "Bytes that are free where the collection is; missing if not known.", nil,
			func(f *Facts, out func(float64, ...string)) {
				if free := f.Recorder.Disk.Free; free != nil {
					out(float64(*free))
				}
			}},
		{gauge, "disk_min_free_bytes", "Free bytes below which recording stops (min-free-space).", nil,
			one(func(f *Facts) int64 { return f.Recorder.Disk.MinFree })},
		{gauge, "disk_until_full_seconds",
			"Until no more than that is free, at the rate of the last day; +Inf if nothing is recorded.", nil,
			untilFull},
		{gauge, "collection_captures", "Captures in the index, of all recordings.", nil,
			one(func(f *Facts) int64 { return f.Recorder.Totals.Captures })},
		{gauge, "collection_revisits", "Those of them that refer to another; missing until counted.", nil,
			func(f *Facts, out func(float64, ...string)) {
				if revisits := f.Recorder.Totals.Revisits; revisits != nil {
					out(float64(*revisits))
				}
			}},
		{gauge, "collection_files", "WARC files that have captures, and are there.", nil,
			one(func(f *Facts) int { return f.Recorder.Totals.Files })},
		{gauge, "collection_bytes", "Bytes of WARC files, as far as they are in the index.", nil,
			one(func(f *Facts) int64 { return f.Recorder.Totals.Bytes })},
		{gauge, "collection_gaps", "Gaps of all recordings, by reason.", []string{"reason"},
			func(f *Facts, out func(float64, ...string)) { byReason(f.Recorder.Totals.Gaps, out) }},
		{gauge, "last_verify_ok", "Whether the last verify found nothing wrong; missing if there was none.", nil,
			func(f *Facts, out func(float64, ...string)) {
				if f.Verified != nil {
					out(float64(bit(f.Verified.OK)))
				}
			}},
		{gauge, "last_verify_timestamp_seconds", "When that was; missing if it is not known.", nil,
			func(f *Facts, out func(float64, ...string)) {
				if f.Verified != nil && !f.Verified.At.IsZero() {
					out(float64(f.Verified.At.Unix()))
				}
			}},
	}
}

// untilFull is nothing if it is not known what is free.
func untilFull(f *Facts, out func(float64, ...string)) {
	switch disk := &f.Recorder.Disk; {
	case disk.UntilFull != nil:
		out(float64(*disk.UntilFull))
	case disk.Free != nil:
		out(math.Inf(1))
	}
}

func ofProcess() []number {
	return []number{
		{counter, "log_dropped_lines_total", "Lines of the log that found no reader.", nil,
			one(func(f *Facts) int64 { return f.LogDropped })},
		{counter, "panics_total", "Faults of warcorder's own that were caught; the log has their stacks.", nil,
			one(func(f *Facts) int64 { return f.Recorder.Panics })},
	}
}

func ofFeeds() (all []number) {
	for _, of := range []struct {
		kind       prometheus.ValueType
		name, help string
		n          func(*Feed) float64
	}{
		{gauge, "lag_seconds", "How long ago a feed of push had given all that there was.",
			func(f *Feed) float64 { return f.Lag }},
		{counter, "lines_total", "Lines that a feed has given.",
			func(f *Feed) float64 { return float64(f.Lines) }},
		{counter, "failures_total", "Tries of a feed that failed; each is followed by another one.",
			func(f *Feed) float64 { return float64(f.Failures) }},
		{gauge, "up", "Whether the last try of a feed did not fail.",
			func(f *Feed) float64 { return float64(bit(f.Up)) }},
	} {
		all = append(all, number{of.kind, "push_" + of.name, of.help, []string{"feed"},
			func(f *Facts, out func(float64, ...string)) {
				for i := range f.Feeds {
					out(of.n(&f.Feeds[i]), strconv.Itoa(i)) // what it is called is not for a label
				}
			}})
	}
	return all
}

// histogram is a family of histograms.
type histogram struct {
	name, help string // the name without warcorder_
	labels     []string
	of         func(*Facts) []labelled
}

// labelled is a histogram with the values of its labels.
type labelled struct {
	latency.Snapshot
	labels []string
}

func histograms() []histogram {
	lane := []string{"lane"}
	return []histogram{
		{"write_duration_seconds", "What one batch of small exchanges, or one large one, took to be written.",
			lane, func(f *Facts) []labelled {
				of := &f.Recorder.Write
				return []labelled{{of.Small, []string{"small"}}, {of.Large, []string{"large"}}}
			}},
		{"sync_duration_seconds", "What it took to be forced to disk then.", lane,
			func(f *Facts) []labelled {
				of := &f.Recorder.Sync
				return []labelled{{of.Small, []string{"small"}}, {of.Large, []string{"large"}}}
			}},
		{"index_duration_seconds", "What a transaction of the index took.", nil,
			func(f *Facts) []labelled { return []labelled{{Snapshot: f.Recorder.Index}} }},
		{"commit_duration_seconds", "From an exchange's end until it was on disk.", nil,
			func(f *Facts) []labelled { return []labelled{{Snapshot: f.Recorder.Commit}} }},
	}
}
