package visiting

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"

	"warcorder/cmd/browser"
	"warcorder/cmd/browser/devtools"
)

// tab is a page while it is visited.
type tab struct {
	browser *Browser
	options Options
	begun   time.Time

	context cdp.BrowserContextID // which has nothing of other pages: no cookies, cache, service worker
	id      target.ID
	session *devtools.Session
	watch   *watch
	guard   *guard
	seen    document // whose text and pictures there are

	// ctx ends, with the reason, when the tab cannot show anything any more
	ctx  context.Context
	end  context.CancelCauseFunc
	gone chan struct{} // closed when the tab is
}

// Patience of single steps, which a tab that hangs would never come to the end of.
const (
	openPatience  = 20 * time.Second
	closePatience = 5 * time.Second
)

var (
	errCrashed = errors.New("its tab has crashed")
	errClosed  = errors.New("its tab was closed")
	errSlow    = errors.New("the browser does not answer in time")
	errBusy    = errors.New("it keeps the browser so busy that it could not be looked at")
)

// open makes a tab in which all is watched. The frame of its page has the name of the tab.
func (b *Browser) open(ctx context.Context, o Options) (*tab, error) {
	opening, cancel := context.WithTimeoutCause(ctx, openPatience, errSlow)
	defer cancel()
	root := b.conn.Browser()
	alone, err := devtools.Call(opening, root, target.CreateBrowserContext, target.CreateBrowserContextParams{})
	if err != nil {
		return nil, err
	}
	made, err := devtools.Call(opening, root, target.CreateTarget,
		target.CreateTargetParams{URL: "about:blank", BrowserContextID: alone.BrowserContextID})
	if err != nil {
		return nil, err
	}
	yes := true
	attached, err := devtools.Call(opening, root, target.AttachToTarget,
		target.AttachToTargetParams{TargetID: made.TargetID, Flatten: &yes})
	if err != nil {
		return nil, err
	}
	t := &tab{
		browser: b, options: o, begun: time.Now(),
		context: alone.BrowserContextID, id: made.TargetID, session: b.conn.Session(attached.SessionID),
		gone: make(chan struct{}),
	}
	t.ctx, t.end = context.WithCancelCause(ctx)
	t.watch = newWatch(cdp.FrameID(t.id), o.Refusal)
	t.guard = newGuard(t)
	t.listen()
	if err := t.switchOn(opening); err != nil {
		t.end(err)
		return nil, err
	}
	return t, nil
}

// listen has the events handled that concern the tab alone.
func (t *tab) listen() {
	root := t.browser.conn.Browser()
	devtools.On(t.session, inspector.TargetCrashed, func(inspector.EventTargetCrashed) { t.end(errCrashed) })
	devtools.On(root, target.TargetCrashed, func(e target.EventTargetCrashed) {
		if e.TargetID == t.id {
			t.end(errCrashed)
		}
	})
	devtools.On(root, target.TargetDestroyed, func(e target.EventTargetDestroyed) {
		if e.TargetID == t.id {
			t.end(errClosed)
			close(t.gone)
		}
	})
	go func() {
		select {
		case <-t.browser.conn.Done():
			t.end(devtools.ErrEnded)
		case <-t.ctx.Done():
		}
	}()
	devtools.On(t.session, page.FrameNavigated, t.watch.navigated)
	devtools.On(t.session, page.LoadEventFired, func(page.EventLoadEventFired) { t.watch.loaded() })
	t.watch.follow(t.browser.conn, t.session)
	t.guard.listen()
}

// switchOn asks for the events.
func (t *tab) switchOn(ctx context.Context) error {
	_, err := devtools.Call(ctx, t.session, page.Enable, page.EnableParams{})
	if err == nil {
		_, err = devtools.Call(ctx, t.session, network.Enable, networkEvents())
	}
	if err == nil {
		_, err = devtools.Call(ctx, t.session, inspector.Enable, cdp.Empty{})
	}
	if err == nil {
		err = t.guard.switchOn(ctx)
	}
	if err == nil {
		err = t.resize(ctx)
	}
	if err == nil {
		_, err = devtools.Call(ctx, t.session, target.SetAutoAttach, attachAll())
	}
	return err
}

// The size of what the page is shown in, in pixels: one of its own is one of the picture's.
const (
	viewWidth  = 1366
	viewHeight = 768
)

// resize has the page be of that size, whatever the window and the screen are.
func (t *tab) resize(ctx context.Context) error {
	_, err := devtools.Call(ctx, t.session, emulation.SetDeviceMetricsOverride,
		emulation.SetDeviceMetricsOverrideParams{Width: viewWidth, Height: viewHeight, DeviceScaleFactor: 1})
	if err == nil {
		_, err = devtools.Call(ctx, t.session, emulation.SetScrollbarsHidden,
			emulation.SetScrollbarsHiddenParams{Hidden: true})
	}
	return err
}

// wait waits until the page is there and quiet, and returns what is wrong with it otherwise: the time
// is over, or nothing new comes while something is still on its way, which our end would cut.
func (t *tab) wait(until time.Time) (wrong string) {
	patience := browser.DefaultPatience
	patience.Quiet = t.options.Quiet
	patience.Endless = max(min(patience.Endless, t.options.Most/4), patience.Quiet)
	patience.Most = time.Until(until)
	open, loaded := 0, false
	look := func() (browser.Activity, error) {
		open, loaded = t.watch.goesOn()
		return t.activity()
	}
	// The tab has asked for something already: what Wait takes for the state before differs from
	// each that it sees.
	err := patience.Wait(t.ctx, browser.Activity{Ended: -1}, look)
	switch {
	case t.ctx.Err() != nil: // which tell says
		return ""
	case err != nil:
		return fmt.Sprintf("it was still busy after %s (--at-most)", t.options.Most)
	case open > 0 && t.options.OnItsWay():
		return fmt.Sprintf("%d of what it asked for had not ended", open)
	case !loaded:
		return "it had not loaded"
	}
	return ""
}

// activity is how far the browser has come, and what it goes through.
func (t *tab) activity() (browser.Activity, error) {
	all := t.watch.activity()
	if t.options.Activity == nil {
		return all, nil
	}
	beside, err := t.options.Activity()
	all.Ended += beside.Ended
	all.InFlight += beside.InFlight
	return all, err
}

// close closes the tab. The error says that the browser is of no more use.
func (t *tab) close() error {
	defer t.end(errClosed)
	defer t.watch.forget()
	defer t.session.Forget()
	reason := context.Cause(t.ctx)
	if errors.Is(reason, devtools.ErrEnded) || errors.Is(reason, errCrashed) || errors.Is(reason, errBusy) {
		return reason
	}
	root := t.browser.conn.Browser()
	devtools.Send(root, target.DisposeBrowserContext,
		target.DisposeBrowserContextParams{BrowserContextID: t.context})
	late := time.NewTimer(closePatience)
	defer late.Stop()
	select {
	case <-t.gone:
		return nil
	case <-t.browser.conn.Done():
		return devtools.ErrEnded
	case <-late.C:
		return errSpent
	}
}
