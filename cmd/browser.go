package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"

	"warcorder/cmd/browser"
	"warcorder/proxy/admin"
	"warcorder/proxy/hosts"
	"warcorder/recorder"
)

// browserCommand records what a browser of its own fetches.
type browserCommand struct {
	URL string `arg:"" optional:""`
	browserFlags
	All bool
	besideFlags
}

// Run starts a browser whose traffic is recorded, and returns when it has ended and all is in the
// index.
func (c *browserCommand) Run(line *commandLine) error {
	page, err := c.page()
	if err != nil {
		return err
	}
	if c.URL != "" {
		c.opened = page
	}
	program, err := c.find()
	if err != nil {
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

// browse opens the browser, and ends it when the page is there or its window is closed.
func (c *browserCommand) browse(ctx context.Context, at *inUse, program browser.Program,
	page string) error {
	c.advise(at, program)
	before, err := at.status()
	if err != nil {
		return err
	}
	shown, err := c.openBrowser(ctx, &opening{
		program: program, page: page, proxy: at.address, ca: at.ca, signals: at.signals,
		activity: at.activity, kept: "what has come until now is recorded",
	})
	if err != nil || !shown {
		return err
	}
	now, err := at.status()
	if err == nil && now.Exchanges == before.Exchanges {
		return errors.New("nothing was captured: see " + commandFor(at.dir, "gaps"))
	}
	return err
}

// advise says what a person should know of this run, and cannot see.
func (c *browserCommand) advise(at *inUse, program browser.Program) {
	if !at.own {
		say("the recorder at %s has the collection open, and is used with its settings:\n"+
			"  what the browser asks for by itself is recorded too, unless no-record has\n"+
			"  %s; with proxy-users, the browser asks for a password", at.address, hosts.BrowserChatter)
	}
	c.tell(program)
}

// say tells a person something that is neither a result nor an error.
func say(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "warcorder: "+format+"\n", args...)
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
