package cmd

import (
	"time"

	"warcorder/proxy/admin"
	"warcorder/proxy/admin/metrics"
)

// metricsPage is what Prometheus asks a recorder for. Readers have it, as they have /status.
func (c *recordFlags) metricsPage(s *serving) admin.Page {
	return admin.Page{Pattern: "GET " + metrics.Path, Handler: metrics.New(metrics.Config{
		Version: version, WARCVersion: c.Recorder.WARCVersion, Facts: s.facts,
		Broke: func(panicked any) { s.rec.Panics().Caught(panicked, "") },
	})}
}

// bareMetrics is what Prometheus asks a program for that does not record.
func bareMetrics() admin.Page {
	return admin.Page{Pattern: "GET " + metrics.Path,
		Handler: metrics.New(metrics.Config{Version: version})}
}

// facts are what a scrape tells. Nothing is waited for: the last verify is what was known before.
func (s *serving) facts() *metrics.Facts {
	authority := s.now().authority
	f := &metrics.Facts{
		Recorder: s.rec.Measures(), Proxy: s.proxy.Measures(),
		Paused: s.proxy.Paused() != nil, Ready: s.ready() == nil,
		RootEnds: authority.Ends(), Viewers: s.events.Here(), LogDropped: s.out.Dropped(),
		Jobs: s.jobs(),
	}
	for _, feed := range s.feeds.States() {
		f.Feeds = append(f.Feeds, metrics.Feed{Lag: feed.Lag, Lines: feed.Lines, Failures: feed.Failures,
			Up: feed.Up})
	}
	if u := s.uploadState(); u != nil {
		f.Upload = u.facts(time.Now())
	}
	f.Recording = f.Recorder.Recording && !f.Paused
	f.Leaves, f.LeavesKept = authority.Leaves()
	if last, _ := s.verified.seen(); last != nil {
		f.Verified = &metrics.Verified{OK: last.OK, At: last.Time}
	}
	return f
}

// jobs is what people have asked for on the live page.
func (s *serving) jobs() []metrics.Jobs {
	all := []metrics.Jobs{{Kind: "capture"}, {Kind: "removal"}, {Kind: "replay"}}
	all[0].Waiting, all[0].Running = s.captures.Going()
	all[1].Waiting, all[1].Running = s.removals.Going()
	all[2].Waiting, all[2].Running = s.replays.Going()
	return all
}

// facts is what a scrape tells of an upload.
func (u *uploadState) facts(now time.Time) *metrics.Upload {
	f := &metrics.Upload{
		Finished: int64(u.Waiting), Stored: int64(u.Stored), Away: int64(u.Away), Stale: int64(u.Stale),
		FinishedBytes: u.WaitingBytes, StoredBytes: u.StoredBytes, AwayBytes: u.AwayBytes,
		Sent: u.Sent, Failures: u.Failed, Up: u.Since.IsZero(),
	}
	if !u.Oldest.IsZero() {
		f.Lag = max(0, now.Sub(u.Oldest).Seconds())
	}
	return f
}
