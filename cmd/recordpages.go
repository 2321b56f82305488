package cmd

import (
	"context"
	"net/netip"
	"net/url"

	"warcorder/proxy/admin"
	"warcorder/store/cdxserver"
	"warcorder/store/report"
	"warcorder/store/selection"
)

// pages are the proxy's own pages, and those of the recorder.
func (c *recordFlags) pages(s *serving) (*admin.Admin, error) {
	ca, err := offered(s.authority)
	if err != nil {
		return nil, err
	}
	listener, _ := netip.ParseAddrPort(s.address) // of a TCP listener
	pages := admin.New(admin.Config{
		CA:       ca,
		Listener: listener,
		Readers:  c.Readers,
		Tokens:   []string{s.token, c.APIToken},
		State:    s.state,
		Ready:    s.ready,
		Live:     c.live(s),
		Asked:    s.asked,
	})
	pages.Add(admin.Page{Pattern: "GET " + cdxserver.ExportPath,
		Handler: cdxserver.ExportPage(s.dir, s.indexFor)})
	pages.Add(admin.Page{Pattern: "GET " + cdxserver.SelectionPath, JSON: true,
		Handler: selection.Page(s.dir, s.indexFor)})
	pages.Add(admin.Page{Pattern: "GET " + cdxserver.PagesPath, JSON: true,
		Handler: cdxserver.PagesPage(s.listPages)})
	pages.Add(admin.Page{Pattern: "GET " + cdxserver.ReportPath, JSON: true,
		Handler: report.Page(s.dir, s.indexFor, s.rec.Gaps)})
	pages.Add(admin.Page{Pattern: "GET " + cdxserver.GapsPath, JSON: true,
		Handler: cdxserver.GapsPage(s.rec.Gaps)})
	pages.Add(admin.Page{Pattern: "POST /record", For: admin.TokenHolder, JSON: true,
		Handler: admin.RecordPage(s.rec, c.Proxy.MaxBodySize, c.Proxy.Timeout.Idle)})
	pages.Add(admin.Switch("POST "+pausePath, func() any { s.proxy.Pause(); return s.pause() }))
	pages.Add(s.guests.page())
	pages.Add(s.configPage())
	pages.Add(admin.Page{Pattern: "GET /events", JSON: true, Handler: s.events})
	pages.Add(c.replayPage(s))
	settle := admin.Work("POST "+settlePath, s.settle)
	settle.For = admin.TokenHolder
	pages.Add(settle)
	pages.Add(admin.Work("POST "+rotatePath, s.rotate))
	pages.Add(admin.WorkOn("POST "+removePath, checkRemoval, func(ctx context.Context, form url.Values) (any, error) {
		return s.remove(ctx, c.Recorder.Mode, form)
	}))
	pages.Add(admin.Switch("POST "+resumePath, func() any { s.proxy.Resume(); return s.pause() }))
	s.inspect(pages)
	c.addLooks(pages, s)
	c.addControl(pages, s)
	pages.AddTree(siteTree(s.site()))
	return pages, nil
}
