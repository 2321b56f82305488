package cmd

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/rs/zerolog"

	"warcorder/certs"
	"warcorder/cmd/logqueue"
	"warcorder/proxy"
	"warcorder/proxy/admin"
	"warcorder/recorder"
	"warcorder/store/collection"
)

type recordCommand struct {
	Listen          string        `default:"127.0.0.1:8080"`
	APIToken        string        `name:"api-token" placeholder:"TOKEN"`
	ShutdownTimeout time.Duration `default:"10s"`
	collectionFlags
	Proxy    proxyFlags    `embed:""`
	Recorder recorderFlags `embed:""`
}

// Run records until a signal. Whatever becomes of standard error (nobody reads it, whoever did has
// gone, its disk is full), that goes on.
func (c *recordCommand) Run(line *commandLine) error {
	signal.Ignore(syscall.SIGPIPE)
	out := line.queue()
	err := c.record(line, out)
	if err != nil {
		fmt.Fprintln(out.Urgent(), "warcorder:", err)
		err = errSaid
	}
	out.Close(logPatience)
	return err
}

// record is Run with a place for the log.
func (c *recordCommand) record(line *commandLine, out *logqueue.Queue) error {
	dir, err := c.path()
	if err != nil {
		return err
	}
	if err := c.check(); err != nil {
		return err
	}
	log, person := line.logger(out)
	authority, err := line.authority()
	if err != nil {
		return err
	}
	cfg := c.Recorder.config()
	cfg.Progress = newProgress(out)
	var rec *recorder.Recorder
	err = whenFree(dir, func() (err error) {
		rec, err = recorder.Open(cfg, string(dir), log)
		return err
	})
	if err != nil {
		return err
	}
	err = c.serve(
		&serving{
			dir:       dir,
			authority: authority,
			rec:       rec,
			signals:   endings(),
			out:       out,
			log:       log,
			person:    person,
		},
	)
	return errors.Join(err, rec.Close())
}

// serving is what serve works with.
type serving struct {
	dir       collection.Dir
	authority *certs.Authority
	rec       *recorder.Recorder
	signals   <-chan os.Signal
	out       *logqueue.Queue
	log       zerolog.Logger
	person    bool // reads the log
}

// endings gives the signals that end a recording. A SIGHUP that whoever started us has us ignore,
// as nohup does, is none.
func endings() <-chan os.Signal {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
	}
	return signals
}

// status is what /status tells.
type status struct {
	recorder.Status
	// lines of the log that found no room: nobody reads it, or its disk is full
	LogDropped int64 `json:"logDropped"`
}

// check refuses settings that cannot be meant. Without a host the listener would be open to the
// whole network.
func (c *recordCommand) check() error {
	if host, _, err := net.SplitHostPort(c.Listen); err != nil || host == "" {
		return fmt.Errorf(
			"--listen %q names no host: write 127.0.0.1:8080, or 0.0.0.0:8080 to let every machine of the network in",
			c.Listen)
	}
	if strings.ContainsFunc(c.APIToken, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return errors.New(
			"api-token has spaces or characters in it that are not ASCII: it could not be sent in a header")
	}
	cfg := c.Proxy.config()
	return cfg.Check()
}

// serve runs the proxy until a signal or an error of the listener.
func (c *recordCommand) serve(r *serving) error {
	dir, authority, rec, log := r.dir, r.authority, r.rec, r.log
	ln, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return fmt.Errorf("%w: give another address with --listen", err)
	}
	pages := admin.New(
		admin.Authority{PEM: authority.PEM(), DER: authority.DER()},
		func() (any, bool) {
			return status{rec.Status(), r.out.Dropped()}, rec.Ready() == nil
		},
	)
	rec.Index().TempDir = dir.Spill()
	pages.Handle("GET /export", forProcess(os.Getpid(), exportPage(rec.Index)))
	pages.Handle("GET /gaps", forProcess(os.Getpid(), gapsPage(rec.Gaps)))
	cfg := c.Proxy.config()
	pages.HandleWithToken("POST /record", c.APIToken,
		admin.RecordPage(rec, cfg.MaxBodySize, cfg.Timeout.Idle))
	p := proxy.New(cfg, ln, authority, rec, pages, log)
	if err := rec.Announce(ln.Addr().String()); err != nil {
		ln.Close()
		return err
	}

	r.greet(ln.Addr().String())
	served := make(chan error, 1)
	go func() { served <- p.Serve() }()
	select {
	case err = <-served:
	case s := <-r.signals:
		log.Info().Str("signal", s.String()).Dur("at_most_ms", c.ShutdownTimeout).
			Msg("finishing what is in flight; a second signal ends at once")
	}
	go func() {
		<-r.signals
		log.Warn().Msg("second signal: ended at once")
		r.out.Close(logPatience)
		os.Exit(1)
	}()
	rec.EndBy(time.Now().Add(c.ShutdownTimeout + writingTime))
	ctx, cancel := context.WithTimeout(context.Background(), c.ShutdownTimeout)
	defer cancel()
	p.Shutdown(ctx)
	return err
}

// writingTime is how long after shutdown-timeout what is on disk already may still be made records
// of.
const writingTime = 2 * time.Second
