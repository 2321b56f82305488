package cmd

import (
	"warcorder/proxy/admin"
	"warcorder/store/calendar"
)

// addLooks mounts what the live page asks of the whole collection.
func (c *recordFlags) addLooks(pages *admin.Admin, s *serving) {
	pages.Add(admin.Page{Pattern: "GET /live/overview", JSON: true, Handler: overviewPage(s.overviews())})
	pages.Add(admin.Page{Pattern: "GET /live/download", JSON: true, Handler: newDownloads(s, c.Rules)})
	s.livePages(pages)
	pages.Add(admin.Page{Pattern: "GET /live/calendar", JSON: true, Handler: calendar.Page(s.rec.IndexFor)})
}
