package cmd

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"runtime/debug"

	"warcorder/proxy/admin"
	"warcorder/proxy/hosts"
)

// live is how the live page is shown.
func (c *recordFlags) live(s *serving) *admin.Live {
	control := map[string]hosts.Networks{"loopback": hosts.Words("@loopback"), "readers": c.Readers}
	return &admin.Live{Control: control[c.PageControl], Frames: s.preview.at}
}

// asked logs who asks for a change, as far as the live page has a button for it.
func (s *serving) asked(r *http.Request, byPage bool) {
	with := "token"
	if byPage {
		with = "live page"
	}
	s.log.Info().Str("page", r.URL.Path).Str("client", r.RemoteAddr).Str("with", with).Msg("asked for")
}

// broke logs what a look at the recorder has broken on.
func (s *serving) broke(panicked any) {
	s.log.Error().Str("panic", fmt.Sprintf("%.200q", fmt.Sprint(panicked))).Str("stack", string(debug.Stack())).
		Msg("a fault of warcorder's own, in what the live page asks for: recording goes on")
}

// addControl mounts what the live page has done.
func (c *recordFlags) addControl(pages *admin.Admin, s *serving) {
	pages.Add(admin.WorkOn("POST "+capturePath, checkWanted,
		func(_ context.Context, form url.Values) (any, error) { return c.captureFor(s, form) }))
	c.addRemovals(pages, s)
	pages.Add(admin.Page{Pattern: "GET " + capturesPath, JSON: true, Handler: http.HandlerFunc(s.listCaptures)})
	pages.Add(admin.Page{Pattern: "POST " + openPath, For: admin.Controllers, JSON: true,
		Handler: http.HandlerFunc(s.openReplay)})
	pages.Add(admin.Page{Pattern: "GET " + openPath, JSON: true, Handler: http.HandlerFunc(s.replayCommand)})
	pages.Add(admin.Page{Pattern: "POST " + stopPath, For: admin.Controllers, JSON: true,
		Handler: http.HandlerFunc(s.stopCapture)})
}
