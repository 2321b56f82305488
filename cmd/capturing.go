package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"warcorder/cmd/browser"
	"warcorder/cmd/visiting"
	"warcorder/proxy"
	"warcorder/recorder"
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
	visited int
	lacking int  // of these, the pages that are not whole
	ended   bool // by a signal, before the last page

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
	defer func() { err = errors.Join(err, c.closeBrowser()) }()
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
	if err := c.openBrowser(ctx); err != nil {
		return err
	}
	before, err := c.settled(ctx)
	if err != nil {
		return err
	}
	v, spent := c.driven.Visit(ctx, stop.URL, visiting.Options{
		Quiet: c.Wait, Most: c.AtMost, Inside: c.frontier.Inside, Activity: c.activity(),
		Downloads: c.started.Downloads(), OnItsWay: c.isOnItsWay,
		Refusal: proxy.RefusalField, Seen: func(v *visiting.Visit) { c.judge(v, before) },
	})
	c.keep(ctx, v)
	c.frontier.Visited(v.URL)
	c.frontier.Found(stop, v.Links)
	c.report(v)
	if spent != nil {
		return c.closeBrowser() // the next page has a new one
	}
	return nil
}

// settlePace is the time between two looks at a recorder, settleLooks how many there are.
const (
	settlePace  = 50 * time.Millisecond
	settleLooks = 60
)

// settled is the state of the recorder when all that the page before asked for has come to its end:
// what of it is cut then is none of the next one's. Another one's clients are not waited for.
func (c *capturing) settled(ctx context.Context) (now status, err error) {
	for range settleLooks {
		now, err = c.at.status()
		if err != nil || !c.at.own || now.InFlight == 0 || ctx.Err() != nil {
			break
		}
		time.Sleep(settlePace)
	}
	return now, err
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

// judge says of a page what the recorder lacks of it, and its browser does not know. The gaps of a
// recorder that has other clients may be theirs.
func (c *capturing) judge(v *visiting.Visit, before status) {
	now, err := c.at.status()
	if err != nil {
		v.Faults = append(v.Faults, err.Error())
		return
	}
	if n := now.Lost - before.Lost; n > 0 {
		v.Faults = append(v.Faults, fmt.Sprintf("%d could not be recorded", n))
	}
	for _, reason := range []string{recorder.GapCut, recorder.GapWrite} {
		n := now.Gaps[reason] - before.Gaps[reason]
		if reason == recorder.GapCut {
			n -= ofOthers(now, before)
		}
		if n > 0 && c.at.own {
			v.Faults = append(v.Faults, fmt.Sprintf("%d %s: %s", n, reason, gapWords[reason]))
		}
	}
	if v.Failed > 0 {
		v.Faults = append(v.Faults, fmt.Sprintf("%d of what it asked for broke off", v.Failed))
	}
	if now.Exchanges == before.Exchanges && len(v.Faults) == 0 {
		v.Faults = append(v.Faults, "nothing of it was recorded (no-record?)")
	}
}

// ofOthers is how many of the gaps since before are wholes that did not come of what an earlier page
// had taken a part of: that page's own Failed has told of them.
func ofOthers(now, before status) int64 {
	was := before.Completions
	return min(now.Completions.Failed-was.Failed, int64(was.Waiting+was.Running+was.Alone))
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

// report prints what came of a page.
func (c *capturing) report(v *visiting.Visit) {
	c.visited++
	word, status := "whole", "-"
	if len(v.Faults) > 0 {
		word = "lacking"
		c.lacking++
	}
	if v.Status > 0 {
		status = fmt.Sprint(v.Status)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%-7s  %3s  %s", word, status, ascii(v.URL))
	if v.Title != "" {
		fmt.Fprintf(&b, "  %q", cut(printable(v.Title), titleColumns))
	}
	fmt.Fprintf(&b, "  %s, %s\n", count(int(v.Requests), "request"), v.Took.Round(time.Second/10))
	for _, text := range append(v.Faults, v.Remarks...) {
		fmt.Fprintf(&b, "              %s\n", printable(text))
	}
	os.Stdout.WriteString(b.String())
}

// titleColumns is how much of a title is shown.
const titleColumns = 60

// outcome is what the command ends with, beside an error of the recording.
func (c *capturing) outcome(err error) error {
	switch {
	case err != nil:
		return err
	case c.ended:
		return fmt.Errorf("%w after %s; what came is recorded", errEnded, count(c.visited, "page"))
	case c.frontier.LeftOver():
		say("there were more links than --max-pages %d has room for", c.MaxPages)
	}
	if c.lacking > 0 {
		return fmt.Errorf("%d of %s not whole: see above", c.lacking, count(c.visited, "page"))
	}
	return nil
}
