package cmd

import (
	"context"
	"fmt"
	"net/http"
	"runtime/debug"
	"time"

	"warcorder/proxy/admin"
	"warcorder/recorder"
	"warcorder/store/lately"
	"warcorder/store/pages"
	"warcorder/store/readback"
)

const (
	livePagesPath = "/live/pages"
	livePagePath  = "/live/page"
)

// livePatience is how long the live page waits for exchanges that are on their way.
const livePatience = 100 * time.Millisecond

// livePages mounts the newest pages.
func (s *serving) livePages(to *admin.Admin) {
	s.lately = lately.New(lately.Source{Index: s.rec.Index(), Gaps: s.rec.Gaps,
		Files: readback.Through(s.held, s.rec.Index()),
		Took:  s.rec.Feed().Took, GoingOn: s.rec.GoingOn, Paused: s.pausedNow,
		Broke: func(value any) {
			s.log.Error().Str("panic", fmt.Sprintf("%.200v", value)).Str("stack", string(debug.Stack())).
				Msg("a fault of warcorder's own: the live page has no list of pages; recording goes on")
		},
		Settle: func(ctx context.Context) error {
			_, err := s.rec.SettleWithin(ctx, livePatience)
			return err
		}})
	to.Add(admin.Page{Pattern: "GET " + livePagesPath, JSON: true, Handler: s.lately.List()})
	to.Add(admin.Page{Pattern: "GET " + livePagePath, JSON: true, Handler: s.lately.Page()})
	to.Add(admin.Page{Pattern: "POST " + notePath, For: admin.Controllers, JSON: true,
		Handler: http.HandlerFunc(s.writeNote)})
}

// pausedNow is the pause that goes on, if anything has passed in it; else nil.
func (s *serving) pausedNow() *pages.Span {
	since, passed, paused := s.rec.Paused()
	if !paused || passed == 0 {
		return nil
	}
	return &pages.Span{From: since, Until: time.Now(), Reason: recorder.GapPaused}
}
