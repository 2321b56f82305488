package cmd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"warcorder/cmd/browser"
	"warcorder/cmd/visiting"
	"warcorder/proxy"
	"warcorder/recorder/record"
	"warcorder/store/cdxserver"
)

// capturing is one run of capture.
type capturing struct {
	*captureCommand
	program  browser.Program
	frontier *visiting.Frontier

	at      *inUse
	own     cdxserver.Recorder // whoever records, as its clients see it
	started *browser.Browser   // nil while there is none
	driven  *visiting.Browser
	pages   []seenPage // that were visited
	lacking int        // of these, the pages that are not whole
	ended   bool       // by a signal, before the last page

	elsewhere elsewhere

	captured captured
}

// errEnded says that somebody has ended the capture.
var errEnded = errors.New("the capture was ended")

// run visits each page, for as long as nobody ends it.
func (c *capturing) run(ctx context.Context, at *inUse) (err error) {
	c.at = at
	if c.own, err = cdxserver.At(at.dir); err != nil {
		return err
	}
	if now, err := at.status(); err != nil || now.Paused {
		return errors.Join(err, pausedError(now))
	}
	if !at.own {
		if wantsPassword(at.address) {
			return errTyped
		}
		say("the recorder at %s has the collection open, and is used with its settings", at.address)
	}
	if c.program.IsUnprotected() {
		say("as root, %s has no sandbox (--no-sandbox): mind what you capture", c.program.Name)
	}
	if err := c.captured.begin(at.dir, at.own); err != nil {
		return err
	}
	defer func() { c.captured.till = time.Now() }()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-at.signals:
			cancel(errEnded)
		case <-ctx.Done():
		}
	}()
	defer c.tryClose()
	for {
		stop, more := c.frontier.Next()
		if !more {
			break
		}
		if c.ended = ctx.Err() != nil; c.ended {
			return nil
		}
		if err := c.visit(ctx, stop); err != nil {
			return err
		}
	}
	c.ended = ctx.Err() != nil
	return nil
}

func pausedError(now status) error {
	if !now.Paused {
		return nil
	}
	return errors.New("the recorder of this collection is paused, so that nothing would be recorded: " +
		"warcorder resume")
}

// visit visits one page.
func (c *capturing) visit(ctx context.Context, stop visiting.Stop) error {
	v, spent, err := c.look(ctx, stop)
	if errors.Is(spent, visiting.ErrNoTab) && ctx.Err() == nil { // it has ended since the page before
		c.tryClose()
		v, spent, err = c.look(ctx, stop)
	}
	if err != nil {
		return err
	}
	c.keep(ctx, v)
	c.frontier.Visited(v.URL)
	c.frontier.Found(stop, v.Links)
	c.note(stop.URL, v)
	if spent != nil {
		c.tryClose() // the next page has a new one
	}
	return nil
}

// look looks at one page; spent says that the browser is of no more use.
func (c *capturing) look(ctx context.Context, stop visiting.Stop) (v *visiting.Visit, spent, err error) {
	if err := c.openBrowser(ctx); err != nil {
		return nil, nil, err
	}
	if err := c.calm(ctx); err != nil {
		return nil, nil, err
	}
	v, spent = c.driven.Visit(ctx, stop.URL, visiting.Options{
		Quiet: c.Wait, Most: c.AtMost, Inside: c.frontier.Inside, Activity: c.activity(),
		Downloads: c.started.Downloads(), OnItsWay: c.isOnItsWay, Refusal: proxy.RefusalField,
	})
	return v, spent, nil
}

// tryClose closes a browser of which no more is wanted. What of it cannot be ended or removed is none
// of the pages'.
func (c *capturing) tryClose() {
	if err := c.closeBrowser(); err != nil {
		say("%v", err)
	}
}

// calmPace is the time between two looks at a recorder, calmLooks how many there are.
const (
	calmPace  = 50 * time.Millisecond
	calmLooks = 60
)

// calm waits until all that the page before asked for has come to its end: it is no activity of
// the next one. Another one's clients are not waited for.
func (c *capturing) calm(ctx context.Context) error {
	for range calmLooks {
		now, err := c.at.status()
		if err != nil || !c.at.own || now.InFlight == 0 || ctx.Err() != nil {
			return err
		}
		time.Sleep(calmPace)
	}
	return nil
}

// activity is that of a recorder of our own; another one may have other clients.
func (c *capturing) activity() func() (browser.Activity, error) {
	if !c.at.own {
		return nil
	}
	return c.at.activity
}

// isOnItsWay reports whether anything goes through the recorder, of whichever client.
func (c *capturing) isOnItsWay() bool {
	now, err := c.at.status()
	return err != nil || now.InFlight > 0
}

// openBrowser opens a browser, unless there is one.
func (c *capturing) openBrowser(ctx context.Context) (err error) {
	if c.driven != nil {
		return nil
	}
	c.started, err = browser.Start(c.program, browser.Options{
		URL: "about:blank", Proxy: c.at.address, CA: c.at.ca, Headless: true, Driven: true,
	})
	if err != nil {
		return err
	}
	in, out := c.started.Pipes()
	c.driven, err = visiting.Drive(ctx, in, out)
	if err != nil {
		said := c.started.Said()
		return errors.Join(fmt.Errorf("%w%s", err, said), c.closeBrowser())
	}
	return nil
}

func (c *capturing) closeBrowser() (err error) {
	if c.driven != nil {
		c.driven.Close()
	}
	if c.started != nil {
		err = c.started.End()
	}
	c.driven, c.started = nil, nil
	return err
}

// keepPatience is how long a record of ours may take.
const keepPatience = 30 * time.Second

// longestNamed is how long the URL of a page may be for its pictures to be named after it.
const longestNamed = 8 << 10

// keep records the pictures and the text of a page.
func (c *capturing) keep(ctx context.Context, v *visiting.Visit) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepPatience)
	defer cancel()
	named := record.TargetURI(v.URL)
	if len(named) > longestNamed {
		v.Faults = append(v.Faults, "its URL is too long to name its picture and its text")
		return
	}
	for i := range c.pages {
		if record.TargetURI(c.pages[i].URL) == named {
			v.Remarks = append(v.Remarks, fmt.Sprintf("its picture and its text have the name of page %d's: "+
				"their times tell which is which", i+1))
			break
		}
	}
	extras := []cdxserver.Extra{}
	for _, p := range v.Pictures {
		extras = append(extras, cdxserver.Extra{URI: "urn:" + p.Kind + ":" + named, ContentType: p.Type,
			Block: p.Bytes})
	}
	if v.Text != "" {
		extras = append(extras, cdxserver.Extra{URI: "urn:text:" + named,
			ContentType: "text/plain; charset=utf-8", Block: []byte(v.Text)})
	}
	for _, e := range extras {
		e.Type, e.Date = record.Resource, time.Now()
		if err := c.own.Record(ctx, e); err != nil {
			v.Faults = append(v.Faults, "its picture or its text is not recorded: "+err.Error())
			return
		}
	}
}

// outcome is what the command ends with, beside an error of the recording.
func (c *capturing) outcome(err error) error {
	switch {
	case err != nil:
		return err
	case c.ended:
		return fmt.Errorf("%w after %s; what came is recorded", errEnded, count(len(c.pages), "page"))
	case c.frontier.LeftOver():
		say("there were more links than --max-pages %d has room for", c.MaxPages)
	}
	if c.lacking == 0 && c.elsewhere.isAny() {
		return errors.New("something is missing that belongs to none of the pages: see above")
	}
	if c.lacking > 0 {
		return fmt.Errorf("%d of %s not whole: see above", c.lacking, count(len(c.pages), "page"))
	}
	return nil
}
