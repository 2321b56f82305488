package cmd

import (
	"context"
	"errors"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"warcorder/certs"
	"warcorder/proxy/admin"
	"warcorder/store/cdxserver"
	"warcorder/store/readback"
	"warcorder/store/report"
	"warcorder/store/selection"
)

// pageConfig is what settings say of the pages.
func (c *recordFlags) pageConfig(s *serving, authority *certs.Authority) (admin.Config, error) {
	ca, err := offered(authority)
	listener, _ := netip.ParseAddrPort(s.address) // of a TCP listener
	return admin.Config{
		CA:       ca,
		Listener: listener,
		Readers:  c.Readers,
		Tokens:   []string{s.token, c.APIToken},
		Live:     c.live(s),
	}, err
}

// checkToken refuses a token that no header can have.
func checkToken(token string) error {
	if token == mask {
		return refuseMask("api-token", token)
	}
	if strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return errors.New("api-token has spaces or characters in it that are not ASCII: it could " +
			"not be sent in a header")
	}
	return nil
}

// recordLimits are those of a record that is posted.
func (s *serving) recordLimits() (maxBody int64, patience time.Duration) {
	c := s.now()
	return c.Proxy.MaxBodySize, c.Proxy.Timeout.Idle
}

// pages are the proxy's own pages, and those of the recorder.
func (c *recordFlags) pages(s *serving) (*admin.Admin, error) {
	cfg, err := c.pageConfig(s, s.now().authority)
	if err != nil {
		return nil, err
	}
	cfg.State, cfg.Ready, cfg.Asked = s.state, s.ready, s.asked
	pages := admin.New(cfg)
	files := readback.Through(s.held, s.rec.Index())
	pages.Add(admin.Page{Pattern: "GET " + cdxserver.ExportPath,
		Handler: cdxserver.ExportPage(s.dir, s.ends, s.indexFor)})
	pages.Add(admin.Page{Pattern: "GET " + cdxserver.SelectionPath, JSON: true,
		Handler: selection.Page(files, s.indexFor)})
	pages.Add(admin.Page{Pattern: "GET " + cdxserver.PagesPath, JSON: true,
		Handler: cdxserver.PagesPage(s.listPages)})
	pages.Add(admin.Page{Pattern: "GET " + cdxserver.ReportPath, JSON: true,
		Handler: report.Page(files, s.indexFor, s.rec.Gaps)})
	pages.Add(admin.Page{Pattern: "GET " + cdxserver.GapsPath, JSON: true,
		Handler: cdxserver.GapsPage(s.rec.Gaps)})
	pages.Add(admin.Page{Pattern: "POST /record", For: admin.TokenHolder, JSON: true,
		Handler: admin.RecordPage(s.rec, s.recordLimits)})
	pages.Add(admin.Switch("POST "+pausePath, func() any { s.proxy.Pause(); return s.pause() }))
	pages.Add(s.guests.page())
	pages.Add(s.configPage())
	pages.Add(c.metricsPage(s))
	pages.Add(admin.Page{Pattern: "GET /events", JSON: true, Handler: s.events})
	pages.Add(c.replayPage(s))
	settle := admin.Work("POST "+settlePath, s.settle)
	settle.For = admin.TokenHolder
	pages.Add(settle)
	pages.Add(admin.Work("POST "+rotatePath, s.rotate))
	pages.Add(s.reloadPage())
	pages.Add(admin.WorkOn("POST "+removePath, checkRemoval, func(ctx context.Context, form url.Values) (any, error) {
		return s.remove(ctx, c.Recorder.Mode, form)
	}))
	pages.Add(admin.Switch("POST "+resumePath, func() any { s.proxy.Resume(); return s.pause() }))
	s.addUpload(pages)
	s.inspect(pages)
	c.addLooks(pages, s)
	c.addControl(pages, s)
	pages.AddTree(siteTree(s.site()))
	return pages, nil
}
