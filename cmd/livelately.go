package cmd

import (
	"context"
	"net/http"
	"time"

	"warcorder/proxy/admin"
	"warcorder/store/lately"
)

const (
	livePagesPath = "/live/pages"
	livePagePath  = "/live/page"
)

// livePatience is how long the live page waits for exchanges that are on their way.
const livePatience = 100 * time.Millisecond

// livePages mounts the newest pages.
func (s *serving) livePages(pages *admin.Admin) {
	s.lately = lately.New(lately.Source{Dir: s.dir, Index: s.rec.Index(), Gaps: s.rec.Gaps,
		Took: s.rec.Feed().Took,
		Settle: func(ctx context.Context) error {
			_, err := s.rec.SettleWithin(ctx, livePatience)
			return err
		}})
	pages.Add(admin.Page{Pattern: "GET " + livePagesPath, JSON: true, Handler: s.lately.List()})
	pages.Add(admin.Page{Pattern: "GET " + livePagePath, JSON: true, Handler: s.lately.Page()})
	pages.Add(admin.Page{Pattern: "POST " + notePath, For: admin.Controllers, JSON: true,
		Handler: http.HandlerFunc(s.writeNote)})
}
