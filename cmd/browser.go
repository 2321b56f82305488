package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"

	"warcorder/cmd/browser"
	"warcorder/proxy/admin"
	"warcorder/proxy/hosts"
	"warcorder/recorder"
)

// browserCommand records what a browser of its own fetches.
type browserCommand struct {
	URL      string        `arg:"" optional:""`
	Browser  string        `placeholder:"PATH"`
	Headless bool          `short:"H"`
	AtMost   time.Duration `name:"at-most" default:"2m" placeholder:"DURATION"`
	All      bool
	besideFlags
}

// Run starts a browser whose traffic is recorded, and returns when it has ended and all is in the
// index.
func (c *browserCommand) Run(line *commandLine) error {
	page, err := c.page()
	if err != nil {
		return err
	}
	program, err := browser.Find(c.Browser)
	if err != nil {
		return err
	}
	if err := program.Check(c.Headless); err != nil {
		return err
	}
	if c.Headless && !c.Proxy.Users.IsEmpty() {
		return errors.New("--headless does not work with proxy-users: nobody could type the password " +
			"that the browser would ask for. Record into another --collection, without proxy-users")
	}
	if !c.All {
		c.Proxy.NoRecord = c.Proxy.NoRecord.With(hosts.BrowserChatter)
	}
	return c.beside(line, func(ctx context.Context, at *inUse) error {
		return c.browse(ctx, at, program, page)
	})
}

// page is what the browser opens.
func (c *browserCommand) page() (string, error) {
	switch {
	case c.URL != "":
		return browser.ParseURL(c.URL)
	case c.Headless:
		return "", errors.New("--headless needs a URL: nobody could give one in a window that is not " +
			"there")
	}
	return "http://" + admin.Name + "/", nil
}

// browse starts the browser and ends it, with all that is its.
func (c *browserCommand) browse(ctx context.Context, at *inUse, program browser.Program,
	page string) (err error) {
	c.advise(at, program)
	before, err := at.status()
	if err != nil {
		return err
	}
	b, err := browser.Start(program, browser.Options{
		URL: page, Proxy: at.address, CA: at.ca, Headless: c.Headless,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.End()) }()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	shown := make(chan error, 1)
	if c.Headless {
		go func() { shown <- c.patience().Wait(ctx, at.activity) }()
	}
	select {
	case <-ctx.Done(): // nothing is recorded any more
		return nil
	case <-at.signals:
		return nil
	case err := <-shown:
		return c.shown(err, at, before, b)
	case <-b.Done():
		return c.closed(at, before, b)
	}
}

// advise says what a person should know of this run, and cannot see.
func (c *browserCommand) advise(at *inUse, program browser.Program) {
	if program.IsUnprotected() {
		say("as root, %s has no sandbox (--no-sandbox): mind what you open", program.Name)
	}
	if !at.own {
		say("the recorder at %s has the collection open, and is used with its settings:\n"+
			"  what the browser asks for by itself is recorded too, unless no-record has\n"+
			"  %s; with proxy-users, the browser asks for a password", at.address, hosts.BrowserChatter)
	}
	if !c.Headless {
		end := "close its window to end"
		if runtime.GOOS == "darwin" { // where a program goes on without one
			end = "quit it to end (Cmd-Q)"
		}
		say("%s is open on a profile of its own; %s", program.Name, end)
	}
}

// say tells a person something that is neither a result nor an error.
func say(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "warcorder: "+format+"\n", args...)
}

func (c *browserCommand) patience() browser.Patience {
	patience := browser.DefaultPatience
	patience.Most = c.AtMost
	return patience
}

// activity is what the recorder has done with what was asked for. What passes unrecorded on purpose is
// the browser's own, and says nothing of the page.
func (u *inUse) activity() (browser.Activity, error) {
	now, err := u.status()
	return now.activity(), err
}

func (s *status) activity() browser.Activity {
	ended := s.Exchanges + s.Lost - s.Gaps[recorder.GapUnrecorded]
	for _, n := range s.Gaps {
		ended += n
	}
	return browser.Activity{Ended: ended, InFlight: int(s.InFlight)}
}

// shown is the end of a page that nobody looks at.
func (c *browserCommand) shown(err error, at *inUse, before status, b *browser.Browser) error {
	switch {
	case errors.Is(err, browser.ErrMost):
		say("%v after %s, and is ended; what has come until now is recorded (--at-most)", err, c.AtMost)
		return nil
	case errors.Is(err, browser.ErrNothing):
		return fmt.Errorf("%w%s", err, b.Said())
	case err != nil:
		return err
	}
	now, err := at.status()
	if err == nil && now.Exchanges == before.Exchanges {
		return errors.New("nothing was captured: see " + commandFor(at.dir, "gaps"))
	}
	return err
}

// closed is the end of a browser that has ended by itself.
func (c *browserCommand) closed(at *inUse, before status, b *browser.Browser) error {
	if err := b.Err(); err != nil {
		return err
	}
	now, err := at.status()
	if err == nil && c.Headless && now.activity() == before.activity() {
		return fmt.Errorf("%w, and ended%s", browser.ErrNothing, b.Said())
	}
	return err
}
