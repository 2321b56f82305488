package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/signal"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/rs/zerolog"

	"warcorder/cmd/jobs"
	"warcorder/cmd/logqueue"
	"warcorder/cmd/pushing"
	"warcorder/cmd/removing"
	"warcorder/cmd/supervisor"
	"warcorder/cmd/uploading"
	"warcorder/proxy"
	"warcorder/proxy/admin"
	"warcorder/proxy/hosts"
	"warcorder/recorder"
	"warcorder/recorder/feed/eventstream"
	"warcorder/store/collection"
	"warcorder/store/delta"
	"warcorder/store/holdings"
	"warcorder/store/lately"
	"warcorder/store/readback"
)

// recordCommand records. Its flags are the keys of the configuration file.
type recordCommand struct {
	Listen       string `default:"127.0.0.1:8080" placeholder:"HOST:PORT"`
	ReplayListen string `name:"replay-listen" placeholder:"HOST:PORT"`
	DebugListen  string `name:"debug-listen" placeholder:"HOST:PORT"`
	recordFlags
}

// recordFlags are the settings of a recording, but for the address: by default that is another one
// where a command has a recorder of its own.
type recordFlags struct {
	Readers         hosts.Networks `default:"${readers}" placeholder:"NETWORK,…"`
	PageControl     string         `name:"page-control" enum:"loopback,readers,token" default:"loopback"`
	APIToken        string         `name:"api-token" placeholder:"TOKEN"`
	ShutdownTimeout time.Duration  `default:"10s"`
	PreviewListen   string         `name:"preview-listen" placeholder:"HOST:PORT"`
	KeepFor         keepTime       `name:"keep-for" default:"0s" placeholder:"TIME"`
	Feeds           pushFlags      `embed:""`
	collectionFlags
	Proxy    proxyFlags    `embed:""`
	Recorder recorderFlags `embed:""`
	Upload   uploadFlags   `embed:""`
	Rules    replayRules   `name:"replay-rules" hidden:"" type:"replay-rules"`

	greets   bool       // a person is told what to do next
	reloads  bool       // its settings can be read anew
	silent   bool       // nothing is said but what is wrong
	served   bool       // what has started the process is told how it goes
	front    listening  // where the proxy listens
	second   *listening // where the collection is replayed meanwhile; nil: nowhere
	previews listening  // where recorded images are shown
	debug    listening  // where profiles are given

	supervisor *supervisor.Supervisor // nil: nobody is told how it goes
}

// Run records until a signal.
func (c *recordCommand) Run(line *commandLine) error {
	c.prepare()
	if err := c.takeSocket(); err != nil {
		return err
	}
	return c.record(line, c.untilSignal)
}

// prepare takes in what is of this command alone.
func (c *recordCommand) prepare() {
	c.listenOn(c.Listen)
	c.debug.text = c.DebugListen
	c.greets, c.reloads, c.served = true, true, true
	if c.ReplayListen != "" {
		c.second = &listening{flag: "--replay-listen", text: c.ReplayListen, replays: true}
	}
}

// recordListen is where a recorder listens by default.
const recordListen = "127.0.0.1:8080"

// listenOn says where the proxy listens.
func (c *recordFlags) listenOn(address string) {
	c.front = listening{flag: "--listen", text: address}
}

// record records for as long as during goes on. The recording goes on whatever becomes of standard
// error: nobody reads it, its reader has gone, its disk is full.
func (c *recordFlags) record(line *commandLine, during func(context.Context, *serving) error) error {
	outliveReaders()
	out := line.queue()
	err := c.recordTo(line, out, during)
	if err != nil && !errors.Is(err, errAnother) {
		fmt.Fprintln(out.Urgent(), "warcorder:", err)
		err = errSaid
	}
	out.Close(logPatience)
	return err
}

// outliveReaders has a pipe that nobody reads be an error of the write, and not the end of the
// process. What the process starts gets the signal again: it would inherit one that is ignored.
func outliveReaders() {
	if !signal.Ignored(syscall.SIGPIPE) {
		signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	}
}

// recordTo makes the parts, each upon the one before, and ends them in reverse order.
func (c *recordFlags) recordTo(line *commandLine, out *logqueue.Queue,
	during func(context.Context, *serving) error) error {
	hangups := c.hangups()
	dir, err := c.dir()
	if err != nil {
		return err
	}
	if err := cmp.Or(c.check(), c.Feeds.checkIn(dir)); err != nil {
		return err
	}
	log, person := line.logger(out)
	c.supervisor = c.supervisedBy(line, log)
	defer c.supervisor.Close()
	c.advise(&c.front, log)
	ln, err := c.listener(dir)
	if err != nil {
		return err
	}
	defer ln.Close()
	second, err := c.secondListener()
	if err != nil {
		return err
	}
	if second != nil {
		defer second.Close()
	}
	third, err := c.previews.open()
	if err != nil {
		return err
	}
	preview := &aside{ln: third}
	defer preview.close()
	debug, err := openDebug(&c.debug, log)
	if err != nil {
		return err
	}
	defer debug.close()
	if err := c.checkDedupFrom(addressesOf(ln, second, third)...); err != nil {
		return err
	}
	authority, err := line.authority()
	if err != nil {
		return err
	}
	remarkOn(authority, log)
	rec, err := c.open(dir, out, log)
	if err != nil {
		return err
	}
	held := holdings.New(dir)
	s := &serving{
		dir:       dir,
		held:      held,
		line:      line,
		rec:       rec,
		reloading: newReloading(),
		guests:    newGuests(),
		captures:  jobs.New[wanted](captureLimits),
		replays:   jobs.New[struct{}](replayLimits),
		config:    string(line.Config),
		events:    eventstream.New(rec.Feed()),
		out:       out,
		log:       log,
		person:    person,
		during:    during,
		preview:   preview,
		debug:     debug,
		feeds:     new(pushing.Feeds),
		ends:      delta.NewEnds(held),
		verified:  lastVerifies(dir),
		uploads:   uploading.New(dir, rec.Index, log),
	}
	s.uploads.Tell, s.uploads.Hold = rec.TellFile, rec.WithFinished
	s.signals, s.hangups = c.signals(hangups)
	s.settings.Store(&inForce{c, authority, line.flags, line.settings()})
	err = errors.Join(c.serve(s, ln, second), rec.Close())
	if c.greets {
		s.farewell()
	}
	return err
}

// listener takes the address of the proxy.
func (c *recordFlags) listener(dir collection.Dir) (net.Listener, error) {
	ln, err := c.front.open()
	if err == nil {
		return ln, nil
	}
	if who, running := dir.Recorder(); running {
		return nil, recordedBy(dir, who)
	}
	return nil, err
}

// secondListener takes the address of the replay beside the recording, if there is to be one.
func (c *recordFlags) secondListener() (net.Listener, error) {
	if c.second == nil {
		return nil, nil
	}
	return c.second.open()
}

// check refuses settings that cannot be meant, before anything is opened or made.
func (c *recordFlags) check() error { return cmp.Or(c.checks()...) }

// checks are all that check would refuse, and nil for what is good.
func (c *recordFlags) checks() []error {
	wrong := []error{c.front.check(&c.Proxy)}
	if c.second != nil {
		wrong = append(wrong, c.second.check(&c.Proxy))
	}
	cfg := c.Proxy.config()
	return append(wrong, c.checkPreview(), c.checkDebug(), checkToken(c.APIToken), c.Feeds.check(),
		refuseMask("dedup-from", strings.Join(c.Recorder.DedupFrom, ",")),
		refuseMask("dedup-shared", c.Recorder.DedupShared), cfg.Check(), checkEnvironment(&cfg.Upstream))
}

// open opens the collection for recording, which first recovers what a crash has left.
func (c *recordFlags) open(dir collection.Dir, out *logqueue.Queue, log zerolog.Logger) (
	rec *recorder.Recorder, err error) {
	cfg := c.Recorder.config()
	cfg.Progress = c.tellProgress(newProgress(out))
	err = whenFree(dir, func() (err error) {
		rec, err = recorder.Open(cfg, dir, log)
		return err
	})
	if errors.Is(err, fs.ErrPermission) && !dir.Exists() {
		err = fmt.Errorf("%w (--dir names another directory for collections)", err)
	}
	if errors.Is(err, syscall.ENOTDIR) {
		err = fmt.Errorf("%w (--dir is a folder, in which each collection has its own)", err)
	}
	if err == nil {
		rec.Index().TempDir = dir.Spill()
	}
	return rec, err
}

// serving is a recording while it goes on: what its steps work with.
type serving struct {
	dir       collection.Dir
	held      *holdings.Holdings // its files, for all who read them
	line      *commandLine
	rec       *recorder.Recorder
	signals   <-chan os.Signal // that end it
	hangups   <-chan os.Signal // that have its settings read anew
	settings  atomic.Pointer[inForce]
	reloading reloading
	guests    *guests
	captures  *jobs.Queue[wanted]   // that the live page has asked for
	replays   *jobs.Queue[struct{}] // browsers that it has opened
	removals  removing.Queue        // that it has asked for
	uploads   *uploading.Uploader
	feeds     *pushing.Feeds // of push
	ends      *delta.Ends    // which all readers of deltas share
	config    string         // the configuration file; "" if there is none
	events    *eventstream.Page
	out       *logqueue.Queue
	log       zerolog.Logger
	person    bool // reads the log
	// during returns when the recording is to end, and soon once its context ends: nothing is recorded
	// any more.
	during func(context.Context, *serving) error

	token   string       // that the command line shows
	address string       // that the proxy listens on
	proxy   *proxy.Proxy // nil until it is made
	pages   admin.Current
	second  *replayer // of replay-listen; nil if there is none
	preview *aside    // of preview-listen
	debug   *aside    // of debug-listen; nil if there is none

	verified *lookout[*lastVerify] // the last verify of the collection
	lately   *lately.Lately

	inspected *readback.Files // of which exchanges are shown
}

// serve runs the proxy until a signal or an error of the listener.
func (c *recordFlags) serve(s *serving, ln, second net.Listener) (err error) {
	if s.token, err = s.dir.MakeToken(); err != nil {
		return err
	}
	defer s.dir.DropToken() // what stays is replaced, and opens nothing
	s.address = ln.Addr().String()
	if s.proxy, err = c.proxy(s, ln); err != nil {
		return err
	}
	defer s.lately.Close()
	defer s.inspected.Close()
	if second != nil {
		if err := c.replayOn(s, second); err != nil {
			return err
		}
	}
	if err := s.rec.Announce(s.address, s.replayAddress()); err != nil {
		return err
	}
	if !c.silent && (c.greets || !s.person) {
		s.greet(s.address, !c.Proxy.Users.IsEmpty())
	}
	c.supervisor.Ready(s.look())
	ctx, stop := context.WithCancel(context.Background())
	var keeping sync.WaitGroup
	keeping.Go(func() { s.keep(ctx) })
	keeping.Go(func() { s.uploads.Run(ctx, s.rec.Finished(), s.uploadConfig) })
	s.feed()
	go s.reloadAtHangups(ctx)
	err = s.untilEnd()
	c.supervisor.Stopping(removalTime)
	s.watchSignals() // a removal may have to come to the end of a file
	s.reloading.end()
	stop()
	s.uploads.Close()
	s.feeds.Close()
	s.removals.Close() // what is not decided is as if nobody had asked
	keeping.Wait()
	s.now().shutDown(s, s.proxy)
	return err
}

// proxy makes the proxy that serves on ln.
func (c *recordFlags) proxy(s *serving, ln net.Listener) (*proxy.Proxy, error) {
	cfg := c.Proxy.config()
	cfg.Aside = s.asides()
	if err := waysOut(&cfg, ln.Addr(), s.log); err != nil {
		return nil, err
	}
	pages, err := c.pages(s)
	if err != nil {
		return nil, err
	}
	s.pages.Store(pages)
	return proxy.New(cfg, ln, s.now().authority, s.rec, &s.pages, s.log)
}

// untilEnd serves until there is a reason to end.
func (s *serving) untilEnd() error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	served, ended := make(chan error, 1), make(chan error, 1)
	go func() { served <- s.proxy.Serve() }()
	go func() { ended <- s.during(ctx, s) }()
	select {
	case err := <-served:
		cancel()
		<-ended
		return err
	case <-s.replayEnds():
		cancel()
		<-ended
		return s.second.failed
	case err := <-ended:
		return err
	}
}

// writingTime is how long after shutdown-timeout large exchanges, which are on disk already, may
// still become records.
const writingTime = 2 * time.Second

// shutDown lets what is in flight come to its end, for some time.
func (c *recordFlags) shutDown(s *serving, p *proxy.Proxy) {
	c.supervisor.Stopping(c.ShutdownTimeout + writingTime + lastTime)
	end := time.Now().Add(c.ShutdownTimeout)
	s.endChildren(min(2*childPatience, c.ShutdownTimeout/2)) // which need the recorder to come to their end
	s.guests.close()
	s.events.Close()
	if s.second != nil {
		s.second.end(context.Background(), time.Until(end))
	}
	s.rec.EndBy(end.Add(writingTime))
	ctx, cancel := context.WithDeadline(context.Background(), end)
	defer cancel()
	p.Shutdown(ctx)
}
