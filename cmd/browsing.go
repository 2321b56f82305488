package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"

	"warcorder/cmd/browser"
)

// browserFlags are those of a command that opens a browser.
type browserFlags struct {
	Browser  string        `placeholder:"PATH"`
	Headless bool          `short:"H"`
	AtMost   time.Duration `name:"at-most" default:"2m" placeholder:"DURATION"`
}

// find returns the browser to open, if it can be opened here.
func (f *browserFlags) find() (program browser.Program, err error) {
	if program, err = browser.Find(f.Browser); err != nil {
		return program, err
	}
	return program, program.Check(f.Headless)
}

// tell says what a person cannot see of a browser that is opened.
func (f *browserFlags) tell(program browser.Program) {
	if program.IsUnprotected() {
		say("as root, %s has no sandbox (--no-sandbox): mind what you open", program.Name)
	}
	if f.Headless {
		return
	}
	end := "close its window to end"
	if runtime.GOOS == "darwin" { // where a program goes on without one
		end = "quit it to end (Cmd-Q)"
	}
	say("%s is open on a profile of its own; %s", program.Name, end)
}

// opening is what a browser is opened with.
type opening struct {
	program  browser.Program
	page     string
	proxy    string // host:port
	ca       []byte // PEM of what it has to trust
	signals  <-chan os.Signal
	activity func() (browser.Activity, error) // of the proxy
	kept     string                           // what is said of a page that took too long
}

// openBrowser starts a browser, and ends it with all that is its: when the page is there, if nobody looks
// at it; when its window is closed; at a signal; when ctx ends. shown says that the page is there.
func (f *browserFlags) openBrowser(ctx context.Context, o *opening) (shown bool, err error) {
	before, err := o.activity()
	if err != nil {
		return false, err
	}
	b, err := browser.Start(o.program, browser.Options{
		URL: o.page, Proxy: o.proxy, CA: o.ca, Headless: f.Headless,
	})
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, b.End()) }()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	there := make(chan error, 1)
	if f.Headless {
		go func() { there <- f.patience().Wait(ctx, before, o.activity) }()
	}
	select {
	case <-ctx.Done(): // nobody answers any more
		return false, nil
	case <-o.signals:
		return false, nil
	case err := <-there:
		return f.loaded(err, o, b)
	case <-b.Done():
		return false, f.closed(o, before, b)
	}
}

func (f *browserFlags) patience() browser.Patience {
	patience := browser.DefaultPatience
	patience.Most = f.AtMost
	return patience
}

// loaded is the end of a page that nobody looks at.
func (f *browserFlags) loaded(err error, o *opening, b *browser.Browser) (shown bool, _ error) {
	switch {
	case errors.Is(err, browser.ErrMost):
		say("%v after %s, and is ended; %s (--at-most)", err, f.AtMost, o.kept)
		return false, nil
	case errors.Is(err, browser.ErrNothing):
		return false, fmt.Errorf("%w%s", err, b.Said())
	}
	return err == nil, err
}

// closed is the end of a browser that has ended by itself.
func (f *browserFlags) closed(o *opening, before browser.Activity, b *browser.Browser) error {
	if err := b.Err(); err != nil {
		return err
	}
	now, err := o.activity()
	if err == nil && f.Headless && now == before {
		return fmt.Errorf("%w, and ended%s", browser.ErrNothing, b.Said())
	}
	return err
}
