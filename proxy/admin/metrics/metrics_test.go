package metrics

import (
	"errors"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"warcorder/proxy"
	"warcorder/recorder"
	"warcorder/recorder/latency"
	"warcorder/recorder/outside"
	"warcorder/recorder/shared"
	"warcorder/store"
)

// example are facts in which each number is another one.
func example() *Facts {
	var h latency.Histogram
	h.Observe(3 * time.Millisecond)
	h.Observe(time.Minute)
	free, until, revisits := int64(1001), int64(1002), int64(1003)
	f := &Facts{Recording: true, Ready: true, Leaves: 1, LeavesKept: 2, RootEnds: time.Unix(3, 0),
		Viewers: 4, LogDropped: 5, Jobs: []Jobs{{"capture", 6, 7}},
		Verified: &Verified{true, time.Unix(8, 0)}}
	f.Feeds = []Feed{{Lag: 71.5, Lines: 72, Failures: 73, Up: true}, {Lag: 74}}
	f.Upload = &Upload{Finished: 81, Stored: 82, Away: 83, Stale: 84, FinishedBytes: 85, StoredBytes: 86,
		AwayBytes: 87, Lag: 88.5, Sent: 89, Failures: 90, Up: true}
	f.Proxy = proxy.Measures{Clients: 11, ClientsLimit: 12, Came: 13, MadeRoom: 14, TurnedAway: 15,
		Strangers: 16, NotAccepted: 17, WrongPasswords: 18, UncheckedPasswords: 19, Origins: 20, Idle: 21,
		Dialled: 22, DialFailed: 23, Paused: 24, NoRecord: 25, Unsent: 26, CompletionsLimit: 27,
		Completions: proxy.Completions{Waiting: 28, Running: 29, Alone: 30, Whole: 31, Failed: 32}}
	r := &f.Recorder
	r.Exchanges, r.InFlight, r.Lost, r.Bytes, r.Queued, r.Large = 41, 42, 43, 44, 45, 46
	r.OpenFiles, r.Captures, r.Revisits, r.QueueSize, r.Saved, r.Panics = []string{"a"}, 47, 48, 49, 50, 51
	r.Refusals.Total = recorder.RefusalCounts{Forbidden: 52, TooMany: 53, Unavailable: 54, Challenge: 55}
	r.Gaps, r.Totals.Gaps = map[string]int64{recorder.GapCut: 56, "new": 57}, map[string]int64{recorder.GapWrite: 58}
	r.Totals.Totals = store.Totals{Captures: 59, Revisits: &revisits, Bytes: 60, Files: 61}
	r.Disk = recorder.Disk{Free: &free, UntilFull: &until, MinFree: 62}
	r.DedupFrom = []outside.Status{{Archive: "/a", Found: 63, Asked: 64, Failed: 65, Refused: 66, Passed: 67}}
	r.DedupShared = &shared.Status{Up: true, Found: 71, Asked: 72, Failed: 73, Passed: 74, Published: 75,
		Dropped: 76}
	r.Index = h.Snapshot()
	return f
}

// scrape is what a scrape of facts answers, but for the comments.
func scrape(t *testing.T, handler http.Handler) (status int, text string) {
	t.Helper()
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, httptest.NewRequest("GET", Path, nil))
	if kind := answer.Header().Get("Content-Type"); !strings.HasPrefix(kind, "text/plain") {
		t.Errorf("Content-Type: %s", kind)
	}
	return answer.Code, answer.Body.String()
}

// TestSeries: each fact is in the place that its name says. Another number in each place would show.
func TestSeries(t *testing.T) {
	status, text := scrape(t, New(Config{Version: "1", WARCVersion: "1.1", Facts: example}))
	if status != http.StatusOK {
		t.Fatal(status, text)
	}
	for _, line := range []string{
		"recording 1", "paused 0", "ready 1", `exchanges_total{result="recorded"} 41`,
		`exchanges_total{result="lost"} 43`, `exchanges_total{result="paused"} 24`,
		`exchanges_total{result="no_record"} 25`, `exchanges_total{result="unsent"} 26`,
		"exchanges_in_flight 42", "written_bytes_total 44", "warc_files_open 1", "queue_bytes 45",
		"queue_limit_bytes 49", "queue_large_exchanges 46", "compression_fallback 0", "captures_total 47",
		"revisits_total 48", "dedup_saved_bytes_total 50", `dedup_from_found_total{archive="/a"} 63`,
		`dedup_from_asked_total{archive="/a"} 64`, `dedup_from_failed_total{archive="/a"} 65`,
		`dedup_from_refused_total{archive="/a"} 66`, `dedup_from_passed_total{archive="/a"} 67`,
		`dedup_from_up{archive="/a"} 1`, "dedup_shared_found_total 71",
		"dedup_shared_asked_total 72", "dedup_shared_failed_total 73", "dedup_shared_passed_total 74",
		"dedup_shared_published_total 75", "dedup_shared_dropped_total 76", "dedup_shared_up 1",
		`gaps_total{reason="cut"} 56`, `gaps_total{reason="other"} 57`,
		`gaps_total{reason="write"} 0`, `collection_gaps{reason="write"} 58`,
		`collection_gaps{reason="other"} 0`, `refusals_total{kind="forbidden"} 52`,
		`refusals_total{kind="too_many"} 53`, `refusals_total{kind="unavailable"} 54`,
		`refusals_total{kind="challenge"} 55`, "client_connections 11", "client_connections_limit 12",
		"client_connections_taken_total 13", "client_connections_ended_total 14",
		`client_connections_refused_total{reason="room"} 15`,
		`client_connections_refused_total{reason="stranger"} 16`,
		`client_connections_refused_total{reason="system"} 17`, `logins_refused_total{reason="wrong"} 18`,
		`logins_refused_total{reason="unchecked"} 19`, "origin_connections 20",
		"origin_connections_idle 21", `origin_dials_total{result="opened"} 22`,
		`origin_dials_total{result="failed"} 23`, "certificates_signed_total 1", "certificates_cached 2",
		"authority_expiry_timestamp_seconds 3", `completions_pending{state="waiting"} 28`,
		`completions_pending{state="running"} 29`, `completions_pending{state="alone"} 30`,
		"completions_waiting_limit 27", `completions_total{result="whole"} 31`,
		`completions_total{result="failed"} 32`, "event_viewers 4", `jobs{kind="capture",state="waiting"} 6`,
		`jobs{kind="capture",state="running"} 7`, "disk_free_bytes 1001", "disk_min_free_bytes 62",
		"disk_until_full_seconds 1002", "collection_captures 59", "collection_revisits 1003",
		"collection_files 61", "collection_bytes 60", "last_verify_ok 1", "last_verify_timestamp_seconds 8",
		`push_lag_seconds{feed="0"} 71.5`, `push_lines_total{feed="0"} 72`,
		`push_failures_total{feed="0"} 73`, `push_up{feed="0"} 1`, `push_lag_seconds{feed="1"} 74`,
		`push_up{feed="1"} 0`, `upload_files{state="finished"} 81`, `upload_files{state="stored"} 82`,
		`upload_files{state="away"} 83`, `upload_files{state="stale"} 84`, `upload_bytes{state="finished"} 85`,
		`upload_bytes{state="stored"} 86`, `upload_bytes{state="away"} 87`, "upload_lag_seconds 88.5",
		"upload_sent_bytes_total 89", "upload_failures_total 90", "upload_up 1",
		"log_dropped_lines_total 5", "panics_total 51", `index_duration_seconds_bucket{le="0.0025"} 0`,
		`index_duration_seconds_bucket{le="0.005"} 1`, `index_duration_seconds_bucket{le="30"} 1`,
		`index_duration_seconds_bucket{le="+Inf"} 2`, "index_duration_seconds_count 2",
		"index_duration_seconds_sum 60.003", `sync_duration_seconds_count{lane="small"} 0`,
	} {
		if !strings.Contains(text, "\nwarcorder_"+line+"\n") {
			t.Errorf("no %s", line)
		}
	}
	for _, name := range []string{"go_goroutines", "process_open_fds", "process_resident_memory_bytes",
		`warcorder_build_info{goversion="go1`} {
		if !strings.Contains(text, "\n"+name) {
			t.Errorf("no %s", name)
		}
	}
}

// TestUnknown: what is not known is missing, or says so, and is no zero.
func TestUnknown(t *testing.T) {
	_, text := scrape(t, New(Config{Facts: func() *Facts { return &Facts{} }}))
	for _, name := range []string{"disk_free_bytes", "disk_until_full_seconds", "collection_revisits",
		"last_verify_ok", "last_verify_timestamp_seconds", "dedup_from_", "dedup_shared_", "upload_"} {
		if strings.Contains(text, "\nwarcorder_"+name) {
			t.Errorf("there is %s", name)
		}
	}
	still := example()
	still.Recorder.Disk.UntilFull, still.Verified.At, still.Verified.OK = nil, time.Time{}, false
	_, text = scrape(t, New(Config{Facts: func() *Facts { return still }}))
	if !strings.Contains(text, "\nwarcorder_disk_until_full_seconds +Inf\n") ||
		!strings.Contains(text, "\nwarcorder_last_verify_ok 0\n") ||
		strings.Contains(text, "\nwarcorder_last_verify_timestamp_seconds") {
		t.Errorf("%s", text)
	}
}

// TestNames: they follow Prometheus' rules, which its own linter judges, for counters, units and texts.
func TestNames(t *testing.T) {
	problems, err := testutil.CollectAndLint(newCollector(&Config{Facts: example}))
	if err != nil || len(problems) > 0 {
		t.Errorf("%v %+v", err, problems)
	}
	registry := prometheus.NewPedanticRegistry() // which looks at each series
	registry.MustRegister(newCollector(&Config{Facts: example}))
	if _, err := registry.Gather(); err != nil {
		t.Error(err)
	}
}

// TestArchives: archives are told apart by what the operator has named, once each, whatever bytes a name
// has, and one that is left alone is down.
func TestArchives(t *testing.T) {
	f := &Facts{}
	f.Recorder.DedupFrom = []outside.Status{
		{Archive: "/a", Found: 1, Asked: 2, Failed: 3, Refused: 4, Passed: 5},
		{Archive: "/a", Found: 10, Asked: 20, Failed: 30, Refused: 40, Passed: 50, Reason: "gone"},
		{Archive: "/\xff\"\n", Found: 7},
	}
	status, text := scrape(t, New(Config{Facts: func() *Facts { return f }}))
	if status != http.StatusOK {
		t.Fatal(status, text)
	}
	for _, line := range []string{
		`found_total{archive="/a"} 11`, `asked_total{archive="/a"} 22`, `failed_total{archive="/a"} 33`,
		`refused_total{archive="/a"} 44`, `passed_total{archive="/a"} 55`, `up{archive="/a"} 0`,
		`found_total{archive="/?\"\n"} 7`, `up{archive="/?\"\n"} 1`,
	} {
		if strings.Count(text, "\nwarcorder_dedup_from_"+line+"\n") != 1 {
			t.Errorf("no %s in %s", line, text)
		}
	}
}

// TestBounded: what others choose makes no series: thousands of hosts that refuse, reasons that no
// version knows, files and captures without number leave the answer as long as it was.
func TestBounded(t *testing.T) {
	_, before := scrape(t, New(Config{Facts: example}))
	f := example()
	for i := range 10_000 {
		name := strings.Repeat("x", i%100) + string(rune('a'+i%26))
		f.Recorder.Refusals.Hosts = append(f.Recorder.Refusals.Hosts, recorder.RefusingHost{Host: name})
		f.Recorder.OpenFiles = append(f.Recorder.OpenFiles, name)
		f.Recorder.Gaps[name], f.Recorder.Totals.Gaps[name] = math.MaxInt32, math.MaxInt32
	}
	f.Recorder.Reason, f.Recorder.Compression = strings.Repeat("x", 1<<20), strings.Repeat("y", 1<<20)
	status, after := scrape(t, New(Config{Facts: func() *Facts { return f }}))
	lines := func(text string) (n int) {
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "warcorder_") {
				n++
			}
		}
		return n
	}
	if status != http.StatusOK || lines(before) != lines(after) || len(after) > len(before)+1<<10 {
		t.Errorf("%d: %d lines, %d bytes; before %d, %d", status, lines(after), len(after), lines(before),
			len(before))
	}
}

// TestBroken: facts that panic are an answer of 500 that says so, and are told of; the process goes on,
// and the next scrape is answered.
func TestBroken(t *testing.T) {
	broken, told := true, 0
	handler := New(Config{Broke: func(any) { told++ }, Facts: func() *Facts {
		if broken {
			panic("no facts")
		}
		return example()
	}})
	if status, text := scrape(t, handler); status != http.StatusInternalServerError ||
		!strings.Contains(text, "no facts") || told != 1 {
		t.Errorf("%d, told of %d times: %s", status, told, text)
	}
	broken = false
	if status, _ := scrape(t, handler); status != http.StatusOK || told != 1 {
		t.Errorf("%d, told of %d times", status, told)
	}
}

// TestAtOnce: so many scrapes are answered at a time, and the others are told so.
func TestAtOnce(t *testing.T) {
	asked, release := make(chan struct{}), make(chan struct{})
	server := httptest.NewServer(New(Config{Facts: func() *Facts {
		asked <- struct{}{}
		<-release
		return example()
	}}))
	defer server.Close()
	get := func() (status int, err error) {
		res, err := http.Get(server.URL)
		if err != nil {
			return 0, err
		}
		defer res.Body.Close()
		_, err = io.Copy(io.Discard, res.Body)
		return res.StatusCode, err
	}
	var all sync.WaitGroup
	for range atOnce {
		all.Go(func() {
			if status, err := get(); status != http.StatusOK {
				t.Error(status, err)
			}
		})
		<-asked
	}
	if status, err := get(); status != http.StatusServiceUnavailable {
		t.Error(status, err)
	}
	close(release)
	all.Wait()
}

// TestBare: a program that does not record tells what it is, and nothing of a recorder.
func TestBare(t *testing.T) {
	status, text := scrape(t, New(Config{Version: "1"}))
	if status != http.StatusOK || strings.Count(text, "\nwarcorder_") != 1 ||
		!strings.Contains(text, "\nwarcorder_build_info{") || !strings.Contains(text, "\ngo_goroutines ") {
		t.Error(status, text)
	}
}

// errGone is of a client that does not read.
var errGone = errors.New("gone")

type gone struct{ *httptest.ResponseRecorder }

func (gone) Write([]byte) (int, error) { return 0, errGone }

// TestGone: a client that goes away in the middle ends nothing.
func TestGone(t *testing.T) {
	handler := New(Config{Facts: example})
	handler.ServeHTTP(gone{httptest.NewRecorder()}, httptest.NewRequest("GET", Path, nil))
	if status, _ := scrape(t, handler); status != http.StatusOK {
		t.Error(status)
	}
}

// BenchmarkScrape is what a scrape costs, beside the facts.
func BenchmarkScrape(b *testing.B) {
	handler := New(Config{Facts: example})
	b.ReportAllocs()
	for b.Loop() {
		handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", Path, nil))
	}
}
