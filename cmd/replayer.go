package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"os"
	"time"

	"github.com/rs/zerolog"

	"warcorder/certs"
	"warcorder/cmd/browser"
	"warcorder/cmd/replaying"
	"warcorder/proxy"
	"warcorder/proxy/admin"
	"warcorder/recorder"
	"warcorder/store/collection"
	"warcorder/store/replay"
)

// replayer is a proxy whose clients a collection answers, on a listener of its own: that of a
// process that does nothing else, or a second one of a recorder.
type replayer struct {
	dir       collection.Dir
	options   replaying.Options
	authority *certs.Authority
	tokens    []string
	beside    []net.Addr // by which its clients may have come
	aside     []net.Addr // of this process, and no proxy
	source    replaying.Counted
	report    func() replay.Report
	recorder  func() int // the process that answers; 0: this one reads the files
	close     func() error
	log       zerolog.Logger

	started time.Time
	address string
	proxy   *proxy.Proxy
	pages   admin.Current
	served  chan struct{} // closed when no client is accepted any more
	failed  error         // why, if that was not to be; to be read once served is closed
}

// replayStatus is what /status tells of a replay.
type replayStatus struct {
	Mode       string         `json:"mode"`
	Collection string         `json:"collection"`
	Dir        collection.Dir `json:"dir"`
	At         *time.Time     `json:"at,omitempty"`       // nil: the latest
	Fallback   bool           `json:"fallback"`           // what is missing is fetched and recorded
	Recorder   int            `json:"recorder,omitempty"` // the process that answers, if another one does
	replayed
	InFlight int64            `json:"inFlight"`
	Rules    map[string]int64 `json:"rules"` // how what was answered was found
	Started  time.Time        `json:"started"`
	Now      time.Time        `json:"now"`
	Version  string           `json:"version"`
	PID      int              `json:"pid"`
}

// replayMode is what tells /status of a replay from that of a recorder.
const replayMode = "replay"

// replayed is how far a replay has come, as /status of a recorder has it too.
type replayed struct {
	Address  string `json:"address"`  // that it listens on
	Answered int64  `json:"answered"` // requests that the archive has answered
	Missing  int64  `json:"missing"`  // requests that it has not
}

// make makes the proxy, which serves on ln. rec records what is missing, if that is asked for.
func (r *replayer) make(c *recordFlags, ln net.Listener, rec *recorder.Recorder) (err error) {
	r.started, r.address = time.Now(), ln.Addr().String()
	cfg := c.Proxy.config()
	cfg.Source, cfg.Beside, cfg.Aside = &r.source, r.beside, r.aside
	pages, err := r.makePages(c)
	if err != nil {
		return err
	}
	r.pages.Store(pages)
	r.proxy, err = proxy.New(cfg, ln, r.authority, rec, &r.pages, r.log)
	return err
}

// pageConfig is what settings say of the pages.
func (r *replayer) pageConfig(c *recordFlags, authority *certs.Authority, tokens []string) (
	admin.Config, error) {
	ca, err := offered(authority)
	listener, _ := netip.ParseAddrPort(r.address) // of a TCP listener
	return admin.Config{CA: ca, Listener: listener, Readers: c.Readers, Tokens: tokens}, err
}

// makePages makes the proxy's own pages, and the report.
func (r *replayer) makePages(c *recordFlags) (*admin.Admin, error) {
	cfg, err := r.pageConfig(c, r.authority, r.tokens)
	if err != nil {
		return nil, err
	}
	cfg.State = func() (any, bool) { return r.status(), true }
	cfg.Ready = func() error { return nil }
	pages := admin.New(cfg)
	pages.Add(admin.Page{Pattern: "GET " + replaying.ReportPath, JSON: true,
		Handler: http.HandlerFunc(r.serveReport)})
	pages.Add(bareMetrics())
	return pages, nil
}

func (r *replayer) serveReport(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	out.Encode(r.report())
}

func (r *replayer) status() replayStatus {
	report := r.report()
	s := replayStatus{
		Mode: replayMode, Collection: r.dir.Name(), Dir: r.dir, Fallback: r.options.Fallback,
		Recorder: r.recorder(), replayed: r.replayed(&report), InFlight: r.source.InFlight(),
		Rules: report.Rules, Started: r.started, Now: time.Now(), Version: version, PID: os.Getpid(),
	}
	if !r.options.At.IsZero() {
		s.At = &r.options.At
	}
	return s
}

func (r *replayer) replayed(report *replay.Report) replayed {
	return replayed{r.address, report.Answered, report.Missed}
}

// activity is how far it has come with what a browser asks for.
func (r *replayer) activity() (browser.Activity, error) {
	return browser.Activity{Ended: r.source.Ended(), InFlight: int(r.source.InFlight())}, nil
}

// serve accepts clients from now on.
func (r *replayer) serve() {
	r.served = make(chan struct{})
	go func() {
		defer close(r.served)
		r.failed = r.proxy.Serve()
	}()
}

// end accepts none any more, and lets what is being answered come to its end.
func (r *replayer) end(ctx context.Context, patience time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	r.proxy.Shutdown(ctx)
	<-r.served
	return errors.Join(r.failed, r.close())
}
