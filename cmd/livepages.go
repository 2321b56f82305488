package cmd

import (
	"context"
	"net/http"
	"net/url"

	"warcorder/proxy/admin"
)

// live is how the live page is shown.
func (c *recordFlags) live(s *serving) *admin.Live {
	return &admin.Live{Control: c.PageControl == pageControlReaders, Frames: s.preview.at}
}

// pageControlReaders is what page-control is where readers may change something from the live page.
const pageControlReaders = "readers"

// addControl mounts what the live page has done.
func (c *recordFlags) addControl(pages *admin.Admin, s *serving) {
	pages.Add(admin.WorkOn("POST "+capturePath, checkWanted,
		func(_ context.Context, form url.Values) (any, error) { return c.captureFor(s, form) }))
	pages.Add(admin.Page{Pattern: "GET " + capturesPath, JSON: true, Handler: http.HandlerFunc(s.listCaptures)})
	pages.Add(admin.Page{Pattern: "POST " + openPath, For: admin.TokenHolder, JSON: true,
		Handler: http.HandlerFunc(s.openReplay)})
	pages.Add(admin.Page{Pattern: "POST " + stopPath, For: admin.TokenHolder, JSON: true,
		Handler: http.HandlerFunc(s.stopCapture)})
}
