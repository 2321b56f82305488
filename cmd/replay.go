package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/rs/zerolog"

	"warcorder/cmd/browser"
	"warcorder/cmd/replaying"
	"warcorder/proxy/hosts"
	"warcorder/store"
	"warcorder/store/cdxserver"
	"warcorder/store/collection"
	"warcorder/store/replay"
)

// replayCommand answers from a collection what browsers and others ask for through it.
type replayCommand struct {
	URL string `arg:"" optional:""`
	browserFlags
	Listen   string `own:"" placeholder:"HOST:PORT"`
	Debug    string `own:"" name:"debug-listen" placeholder:"HOST:PORT"`
	At       string `placeholder:"TIME"`
	Fallback string `enum:",live" default:"" placeholder:"live"`
	Explain  bool
	Inject   bool
	Report   string `placeholder:"FILE"`
	recordFlags
}

// replayListen is where a replay listens by default: not where record does, so that no browser that
// is set to the one is by accident at the other, and the two go side by side.
const replayListen = "127.0.0.1:8090"

// Run replays until a signal, or until the browser that it opens has ended.
func (c *replayCommand) Run(line *commandLine) error {
	dir, err := c.dir()
	if err != nil {
		return err
	}
	run := replayRun{replayCommand: c, line: line, dir: dir}
	if err := run.prepare(); err != nil {
		return err
	}
	if c.Fallback == "" {
		return run.run(context.Background(), endings())
	}
	beside := besideFlags{Listen: "127.0.0.1:0", DebugListen: c.Debug, recordFlags: c.recordFlags, opened: run.page}
	beside.Proxy.NoRecord = c.Proxy.NoRecord.With(hosts.BrowserChatter)
	return beside.beside(line, func(ctx context.Context, at *inUse) error {
		return run.run(ctx, at.signals)
	})
}

// replayRun is one run of the command.
type replayRun struct {
	*replayCommand
	line    *commandLine
	dir     collection.Dir
	options replaying.Options
	front   listening
	debug   listening
	page    string // that the browser opens; "" opens none
	program browser.Program

	log     zerolog.Logger
	person  bool   // reads it
	behind  bool   // the index lacks captures that are on disk, as was said
	example string // the URL of a page that is there; "" if none is known
}

// prepare refuses what cannot be meant, before anything is opened.
func (r *replayRun) prepare() (err error) {
	r.options = replaying.Options{
		Explain: r.Explain, Inject: r.Inject, Fallback: r.Fallback != "", Rules: string(r.Rules),
	}
	if r.At != "" {
		if r.options.At, err = replaying.ParseMoment(r.At); err != nil {
			return fmt.Errorf("--at %w", err)
		}
	}
	if err := checkOut(r.Report); err != nil {
		return fmt.Errorf("--report: %w", err)
	}
	r.front = listening{flag: "--listen", text: r.Listen, replays: true}
	if r.Listen == "" {
		r.front.text = replayListen
	}
	if r.URL != "" {
		if err := r.prepareBrowser(); err != nil {
			return err
		}
	} else if err := r.needsURL(); err != nil {
		return err
	}
	cfg := r.Proxy.config()
	if err := errors.Join(r.front.check(&r.Proxy), cfg.Check()); err != nil {
		return err
	}
	if r.debug, err = debugAt(r.Debug, r.front); err != nil {
		return err
	}
	return checkToken(r.APIToken)
}

// needsURL refuses flags of a browser where none is opened.
func (r *replayRun) needsURL() error {
	flag := ""
	switch {
	case r.Headless:
		flag = "--headless"
	case r.Browser != "":
		flag = "--browser"
	case r.AtMost != browser.DefaultPatience.Most:
		flag = "--at-most"
	default:
		return nil
	}
	return fmt.Errorf("%s needs a URL: without one no browser is opened", flag)
}

// prepareBrowser finds the browser. By default it goes through a free port.
func (r *replayRun) prepareBrowser() (err error) {
	if r.Listen == "" {
		r.front.text = "127.0.0.1:0"
	}
	if r.page, err = browser.ParseURL(r.URL); err != nil {
		return err
	}
	if r.program, err = r.find(); err != nil {
		return err
	}
	if r.Headless && !r.Proxy.Users.IsEmpty() {
		return errors.New("--headless does not work with proxy-users: nobody could type the password " +
			"that the browser would ask for")
	}
	return nil
}

// run replays, and says what became of it; the report is written in any case.
func (r *replayRun) run(ctx context.Context, signals <-chan os.Signal) (err error) {
	outliveReaders()
	out := r.line.queue()
	defer out.Close(logPatience)
	r.log, r.person = r.line.logger(out)
	debug, err := r.openDebug()
	if err != nil {
		return err
	}
	defer debug.close()
	ln, err := r.front.open()
	if err != nil {
		return err
	}
	r.options.Front = ln.Addr().String()
	source := r.source()
	if err := r.look(source); err != nil {
		return errors.Join(err, ln.Close())
	}
	defer source.Close()
	one, err := r.begin(source, ln)
	if err != nil {
		return err
	}
	if r.page == "" && !r.line.Quiet {
		r.greet(one, out)
	}
	err = r.untilEnd(ctx, one, source, signals)
	err = errors.Join(err, r.end(one, signals))
	report := source.Close()
	err = errors.Join(err, r.write(&report))
	r.farewell(one, &report, out)
	return errors.Join(err, r.result(source.Failures(), &report))
}

// openDebug gives profiles, unless a recorder of its own does, or the one beside which it replays may.
func (r *replayRun) openDebug() (*aside, error) {
	if r.Fallback != "" {
		return nil, nil
	}
	return openDebug(&r.debug, r.log)
}

// begin listens, and serves whoever asks.
func (r *replayRun) begin(source *replaying.Source, ln net.Listener) (*replayer, error) {
	authority, err := r.line.authority()
	if err != nil {
		return nil, errors.Join(err, ln.Close())
	}
	one := &replayer{
		dir: r.dir, options: r.options, authority: authority, tokens: []string{r.APIToken}, log: r.log,
		source: replaying.Counted{By: source}, report: source.Report, recorder: source.Recorder,
		close: func() error { return nil },
	}
	if err := one.make(&r.recordFlags, ln, nil); err != nil {
		return nil, errors.Join(err, ln.Close())
	}
	one.serve()
	return one, nil
}

// faultsIn counts what was captured and could not be read.
func faultsIn(report *replay.Report) (n int) {
	for _, d := range report.Documents {
		for _, m := range d.Misses {
			if m.IsFault() {
				n++
			}
		}
	}
	return n
}

// source is the collection, whoever has it open.
func (r *replayRun) source() *replaying.Source {
	return replaying.New(replaying.Config{
		Dir: r.dir, Options: r.options,
		Patience: r.ShutdownTimeout + writingTime + lockPatience,
		Missed:   r.missed,
		Say:      func(text string) { r.log.Info().Msg(text) },
		Locked:   func() error { return unanswered(r.dir) },
		Wrong:    func(err error) error { return explainRead(err, r.dir) },
	})
}

// write writes the report, if that is wanted: all of it or nothing.
func (r *replayRun) write(report *replay.Report) (err error) {
	write := func(w io.Writer) error {
		out := json.NewEncoder(w)
		out.SetIndent("", "  ")
		return out.Encode(report)
	}
	switch r.Report {
	case "":
		return nil
	case "-":
		err = write(os.Stdout)
	default:
		err = writeOut(r.Report, r.Recorder.Mode, write)
	}
	if err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// checkOut refuses a file that could not be written, before the work that it is to tell of.
func checkOut(name string) error {
	if name == "" || name == "-" {
		return nil
	}
	if real, err := filepath.EvalSymlinks(name); err == nil {
		name = real
	}
	if is := collection.Reserved(name); is != "" {
		return fmt.Errorf("%s has the name of %s: name another file", name, is)
	}
	switch info, err := os.Stat(name); {
	case err == nil && info.IsDir():
		return fmt.Errorf("%s is a directory: name a file", name)
	case err == nil && !info.Mode().IsRegular(): // a pipe or a device: it is written to as it is
		return nil
	}
	in := filepath.Dir(name)
	if info, err := os.Stat(in); errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		return fmt.Errorf("%s is no directory: make it, or name another file", in)
	}
	probe, err := os.CreateTemp(in, "."+filepath.Base(name)+".*") // as is done in the end
	if err != nil {
		return fmt.Errorf("nothing can be written into %s: %w", in, err)
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// look says before anything is begun what is wrong with the collection, and whether the index lacks
// captures that are on disk. One that a recorder has open lacks none, and that recorder is asked; if it
// begins or ends just now, the first request asks again.
func (r *replayRun) look(source *replaying.Source) error {
	index, err := store.OpenReadOnly(r.dir.Index())
	if err == nil {
		r.example = exampleIn(index, isForCurl)
		r.behind, err = tellLacking(r.dir, index)
		err = errors.Join(err, index.Close())
	}
	if !errors.Is(err, collection.ErrLocked) && !r.options.Fallback {
		return explainRead(err, r.dir)
	}
	err = source.Open()
	if errors.Is(err, cdxserver.ErrNobody) && !r.options.Fallback {
		return nil
	}
	return err
}

// untilEnd replays until there is a reason to end.
func (r *replayRun) untilEnd(ctx context.Context, one *replayer, source *replaying.Source,
	signals <-chan os.Signal) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-one.served:
			cancel(one.failed)
		case <-source.Gone():
			cancel(errors.New("the recorder has ended, which fetched what was missing"))
		case <-ctx.Done():
		}
	}()
	if r.page != "" {
		r.tell(r.program)
		_, err := r.openBrowser(ctx, &opening{
			program: r.program, page: r.page, proxy: one.here(), ca: one.authority.PEM(),
			signals: signals, activity: one.activity, kept: "what was answered until now counts",
		})
		return errors.Join(err, ended(ctx))
	}
	select {
	case got := <-signals:
		r.log.Info().Str("signal", got.String()).Dur("at_most_ms", r.ShutdownTimeout).
			Msg("finishing what is being answered; a second signal ends at once")
	case <-ctx.Done():
	}
	return ended(ctx)
}

// end lets what is being answered come to its end, for some time, or until a second signal.
func (r *replayRun) end(one *replayer, signals <-chan os.Signal) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	same := time.Now().Add(sameSignal)
	go func() {
		defer cancel()
		for {
			select {
			case <-signals:
				if time.Now().After(same) {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return one.end(ctx, r.ShutdownTimeout)
}

// ended is why a context has, if something is wrong.
func ended(ctx context.Context) error {
	if err := context.Cause(ctx); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// result is an error if something could not be read, or is not in the index.
func (r *replayRun) result(failed replaying.Failures, report *replay.Report) error {
	if n := faultsIn(report); n > 0 {
		return fmt.Errorf("replay: %s could not be read: %s says what is wrong",
			count(n, "capture"), commandFor(r.dir, "verify"))
	}
	if failed.Number > 0 {
		return fmt.Errorf("replay: %s had no answer, since the archive could not be read: %w",
			count(int(failed.Number), "request"), failed.First)
	}
	return exported{behind: r.behind}.lacking("replay")
}
