package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/alecthomas/kong"
	"github.com/rs/zerolog"

	"warcorder/certs"
	"warcorder/proxy"
	"warcorder/proxy/admin"
	"warcorder/recorder"
)

// A reload reads the settings of the start anew: the same flags, the same environment, and the file
// as it is now. Either all of what can change is taken, or nothing is:
//
//	read        the command line, with the file: as at the start, errors included
//	compare     with what is in force: what cannot change stays (reloadable.go)
//	prepare     each part looks whether it could work by them, and reads the files that they name
//	take        which cannot fail; what is under way goes on as it has begun

// inForce is what a recorder works by at a time. It never changes.
type inForce struct {
	*recordFlags
	authority *certs.Authority
	flags     []*kong.Flag // the settings, with their names
	shown     []shown      // the same, as config show tells of them
}

// now are the settings that count.
func (s *serving) now() *inForce { return s.settings.Load() }

// reloading is that one reload goes on at a time, and none is taken when the recording ends. What
// is read may be on a disk that does not answer, or a pipe: the end does not wait for that.
type reloading struct {
	one chan struct{} // has one while a reload goes on

	mu    sync.Mutex // held while one is taken; guards ended
	ended bool

	kept chan struct{} // has one when keep-for may have changed
}

func newReloading() reloading {
	return reloading{one: make(chan struct{}, 1), kept: make(chan struct{}, 1)}
}

// end lets no reload be taken any more, and waits for the one that is.
func (r *reloading) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = true
}

// unlessEnded has settings taken, unless the recording ends.
func (r *reloading) unlessEnded(take func()) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		return errEnding
	}
	take()
	return nil
}

// errNoReload is the error of recorders that belong to another command.
var errNoReload = errors.New("this recorder belongs to a command such as run or browser, with which " +
	"it ends: its settings stay as they are")

// reloadPatience is how long a reload waits for another one, which may read what does not answer.
const reloadPatience = 30 * time.Second

// errReloads is the error of a reload that has waited for another one.
var errReloads = fmt.Errorf("another reload has gone on for %v: what it reads does not answer, see the "+
	"log", reloadPatience)

// begin waits until no other reload goes on, for as long as patience, and returns what ends this one.
func (r *reloading) begin(patience time.Duration) (end func(), err error) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case r.one <- struct{}{}:
		return func() { <-r.one }, nil
	case <-timer.C:
		return nil, errReloads
	}
}

// errEmptied is the error of a file that has lost all its settings. Who writes it anew may have
// emptied it first, and all that it forbids would be allowed until the rest is there.
var errEmptied = errors.New("has no setting any more, as a file that is half written: for the " +
	"defaults alone leave one key that says its own, or start the recorder again")

// reloadAtHangups reloads at each SIGHUP, until ctx ends.
func (s *serving) reloadAtHangups(ctx context.Context) {
	for {
		select {
		case <-s.hangups:
			s.reload("SIGHUP") // the log has what came of it
		case <-ctx.Done():
			return
		}
	}
}

// reload reads the settings anew, and takes what can change; by is who wants it. All that is to be
// said of a reload is said here, from its beginning to its end.
func (s *serving) reload(by string) (done reloaded, err error) {
	end, err := s.reloading.begin(reloadPatience)
	if err != nil {
		return done, err
	}
	defer end()
	if !s.now().reloads {
		return done, errNoReload
	}
	if err := s.reloading.unlessEnded(func() {}); err != nil {
		return done, err
	}
	defer s.rec.Panics().Catch(&err)
	defer s.now().supervisor.Reloading()()
	next, err := s.prepare()
	if err == nil {
		err = s.reloading.unlessEnded(next.take)
	}
	if err != nil {
		s.log.Error().Err(err).Str("by", by).
			Msg("the configuration was not reloaded: all settings stay as they were")
		return done, err
	}
	next.done.log(s.log, by)
	return next.done, nil
}

// next is what a reload is about to take.
type next struct {
	s        *serving
	settings inForce
	line     *commandLine
	done     reloaded

	rec    *recorder.Change
	proxy  *proxy.Change
	second *proxy.Change // nil if there is none
	pages  *admin.Admin
	// of second
	secondPages *admin.Admin
}

// prepare reads the settings, and looks whether all parts could work by them.
func (s *serving) prepare() (*next, error) {
	line, err := s.line.readAgain()
	if err != nil {
		return nil, err
	}
	n := &next{s: s, line: line}
	was := s.now()
	if line.Config != "" && len(line.file) == 0 && slices.ContainsFunc(was.shown, shown.isOfFile) {
		return nil, fmt.Errorf("%s %w", line.Config, errEmptied)
	}
	n.done.compare(was.flags, line.flags)
	n.settings = inForce{
		line.Record.asStarted(was.recordFlags), was.authority, line.flags,
		n.done.kept(was.shown, line.settings()),
	}
	if err := n.settings.checkAgain(); err != nil {
		return nil, err
	}
	if err := n.renewAuthority(was); err != nil {
		return nil, err
	}
	if err := n.prepareParts(); err != nil {
		return nil, err
	}
	return n, n.preparePages()
}

// readAgain reads the command line of the start with the environment, and the file as it is now.
func (line *commandLine) readAgain() (*commandLine, error) {
	if isPipe(string(line.Config)) {
		return nil, fmt.Errorf("%s is a pipe, which is read once: give --config a file to reload it",
			line.Config)
	}
	again := new(commandLine)
	parser, err := newParser(again)
	if err != nil {
		return nil, err
	}
	ctx, err := parser.Parse(line.args)
	if err != nil {
		return nil, explainParse(err, parser.Model, line.args)
	}
	if err := cmp.Or(refuseEmpty(ctx), checkVariables(parser.Model, os.Environ())); err != nil {
		return nil, err
	}
	again.noteRead(ctx, line.args)
	return again, nil
}

// isPipe reports whether what is at path can be read once: the shell's <(command), say. Of another
// time nothing would come, and be taken for settings that are all as by default.
func isPipe(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode()&fs.ModeNamedPipe != 0
}

// noteRead keeps what was read of a command line.
func (line *commandLine) noteRead(ctx *kong.Context, args []string) {
	line.args, line.flags = args, ctx.Flags()
	line.settings = func() []shown { return settingsOf(ctx, line.file) }
}

// asStarted are settings with what the recording was begun with, which no reload changes.
func (c *recordCommand) asStarted(was *recordFlags) *recordFlags {
	c.greets, c.silent, c.reloads = was.greets, was.silent, was.reloads
	c.front, c.second, c.previews, c.debug = was.front, was.second, was.previews, was.debug
	c.served, c.supervisor = was.served, was.supervisor
	return &c.recordFlags
}

// checkAgain is check for who listens already.
func (c *recordFlags) checkAgain() error {
	err := c.front.judge(&c.Proxy)
	if c.second != nil {
		err = cmp.Or(err, c.second.judge(&c.Proxy))
	}
	cfg := c.Proxy.config()
	dir, dirErr := c.dir()
	return cmp.Or(err, checkToken(c.APIToken), checkEnvironment(&cfg.Upstream), c.Feeds.check(), dirErr,
		c.Feeds.checkIn(dir))
}

// renewAuthority loads the authority, which may have been renewed under its name. One that is the
// same stays, with the leaves that it has. One that is gone is not made anew, as a start would do:
// no client trusts a new one.
func (n *next) renewAuthority(was *inForce) error {
	authority, err := n.line.authorityThere()
	switch {
	case err != nil:
		return err
	case authority == nil && n.done.has("ca-dir"):
		authority, err = n.line.authority()
	case authority == nil:
		return fmt.Errorf("the root certificate %s is gone: put it back, or start the recorder again, "+
			"which makes another one", was.authority.File())
	}
	if err != nil || authority.Equal(was.authority) {
		return err
	}
	n.settings.authority = authority
	n.done.noteFile("ca-cert", "ca-key", "ca-dir")
	return nil
}

// prepareParts has recorder and proxies look at the settings.
func (n *next) prepareParts() (err error) {
	c := n.settings
	cfg := c.Proxy.config()
	if err := waysOut(&cfg, n.s.listener(), zerolog.Nop()); err != nil {
		return err
	}
	if n.rec, err = n.s.rec.Prepare(c.Recorder.config()); err != nil {
		return err
	}
	if n.proxy, err = n.s.proxy.Prepare(cfg, c.authority); err != nil {
		return err
	}
	if n.proxy.Files() {
		n.done.noteFile("client-certs", "upstream-ca")
	}
	if second := n.s.second; second != nil {
		n.second, err = second.proxy.Prepare(c.Proxy.config(), c.authority)
	}
	return err
}

// listener is where the proxy listens.
func (s *serving) listener() net.Addr {
	at, _ := netip.ParseAddrPort(s.address) // of a TCP listener
	return net.TCPAddrFromAddrPort(at)
}

// preparePages makes the proxies' own pages.
func (n *next) preparePages() error {
	c := n.settings
	cfg, err := c.pageConfig(n.s, c.authority)
	if err != nil {
		return err
	}
	n.pages = n.s.pages.Load().Renewed(cfg)
	if second := n.s.second; second != nil {
		if cfg, err = second.pageConfig(c.recordFlags, c.authority, cfg.Tokens); err != nil {
			return err
		}
		n.secondPages = second.pages.Load().Renewed(cfg)
	}
	return nil
}

// take lets the settings count.
func (n *next) take() {
	s := n.s
	n.rec.Take()
	n.proxy.Take()
	s.pages.Store(n.pages)
	if n.second != nil {
		n.second.Take()
		s.second.pages.Store(n.secondPages)
	}
	s.line.volume.set(n.line.Level, n.line.Quiet, n.line.Verbose)
	if before := s.now().authority; n.settings.authority != before {
		n.settings.authority.CountOn(before) // which has signed until now
	}
	s.settings.Store(&n.settings)
	if n.done.has("keep-for") {
		select {
		case s.reloading.kept <- struct{}{}:
		default:
		}
	}
	if n.done.has("upload") || n.done.has("upload-cdxj") || n.done.has("keep-local") {
		s.uploads.Wake()
	}
	if n.done.has("push") || n.done.has("push-every") {
		s.feedBy(n.settings.recordFlags)
	}
	if n.done.has("upstream") {
		cfg := n.settings.Proxy.config()
		waysOut(&cfg, s.listener(), s.log) // says which they are
	}
	if n.done.has("ca-cert") || n.done.has("ca-key") || n.done.has("ca-dir") {
		remarkOn(n.settings.authority, s.log)
	}
}

// same reports whether a flag has the same value.
func same(a, b *kong.Flag) bool {
	return reflect.DeepEqual(a.Target.Interface(), b.Target.Interface())
}
