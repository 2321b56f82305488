package cmd

import (
	"context"
	"io"
	"log"
	"net/http"
	"net/netip"
	"time"

	"warcorder/proxy/admin"
	"warcorder/store"
	"warcorder/store/inspect"
	"warcorder/store/readback"
)

// mostPreviewers is how many connections the listener has at which recorded images are shown, an origin
// that has nothing else.
const mostPreviewers = 128

// checkPreview looks the address of that listener up: by default a free port where the proxy listens. It
// gives nothing without a key that the live page gives out, and so needs no word on who may come.
func (c *recordFlags) checkPreview() error {
	c.previews = listening{flag: "--preview-listen", text: c.PreviewListen,
		usual: "127.0.0.1:8091"}
	if c.PreviewListen == "" {
		c.previews.at = netip.AddrPortFrom(c.front.at.Addr(), 0)
		return nil
	}
	return c.previews.resolve()
}

// inspect mounts what shows one exchange, and begins to show its images.
func (s *serving) inspect(pages *admin.Admin) {
	var previews *inspect.Previews
	if at := s.preview.at(); at.IsValid() {
		previews = inspect.NewPreviews(int(at.Port()), pages.IsOwnName)
	}
	s.inspected = readback.Through(s.held, s.rec.Index())
	i := inspect.New(s.rec.IndexFor, s.inspected, previews)
	i.Took = s.rec.Feed().Took
	i.PageOf = func(ctx context.Context, at store.Location) string {
		id, _ := s.lately.PageAt(ctx, at.File, at.Offset) // an error is told by the list of pages
		return id
	}
	for path, handler := range map[string]http.Handler{
		inspect.ExchangePath: i.Exchange(),
		inspect.BodyPath:     i.Body(),
		inspect.RecordPath:   i.Record(),
		inspect.ImagePath:    i.Image(),
	} {
		pages.Add(admin.Page{Pattern: "GET " + path, JSON: true, Handler: handler})
	}
	if previews != nil {
		s.preview.start(previewServer(previews), mostPreviewers)
	}
}

// previewServer is the server of that listener. It waits for no stranger: who is silent has a place as
// long as no others want it, a body has a second to come, and an answer a minute to be taken.
func previewServer(handler http.Handler) *http.Server {
	return &http.Server{
		Handler:           bodiless(handler),
		ConnState:         (&silentConns{}).state,
		ReadHeaderTimeout: 10 * time.Second,
		WriteTimeout:      time.Minute,
		IdleTimeout:       30 * time.Second,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          log.New(io.Discard, "", 0), // what strangers send is no news
	}
}
