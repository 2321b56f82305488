package visiting

import (
	"context"
	"sync"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"

	"warcorder/cmd/browser/devtools"
)

// guard keeps a page to being looked at:
//
//	it goes to another host   refused, also when it is led there
//	a dialog                  accepted: alert, confirm, prompt, and "leave this page?"
//	a window of its own       closed
//	a download                counted: it goes to the browser's profile, and with that
type guard struct {
	tab *tab

	mu           sync.Mutex
	left         string // where it would have gone
	opened, kept int    // windows, downloads
}

func newGuard(t *tab) *guard { return &guard{tab: t} }

// switchOn has documents stopped at the door, and downloads told of.
func (g *guard) switchOn(ctx context.Context) error {
	yes := true
	_, err := devtools.Call(ctx, g.tab.browser.conn.Browser(), cdpbrowser.SetDownloadBehavior,
		cdpbrowser.SetDownloadBehaviorParams{
			// without a window, Chromium breaks them off by default
			Behavior:     cdpbrowser.SetDownloadBehaviorBehaviorAllowAndName,
			DownloadPath: g.tab.options.Downloads, BrowserContextID: g.tab.context, EventsEnabled: &yes,
		})
	if err != nil {
		return err
	}
	_, err = devtools.Call(ctx, g.tab.session, fetch.Enable, fetch.EnableParams{
		Patterns: []*fetch.RequestPattern{{URLPattern: "*", ResourceType: network.ResourceTypeDocument}},
	})
	return err
}

func (g *guard) listen() {
	s, root := g.tab.session, g.tab.browser.conn.Browser()
	devtools.On(s, fetch.RequestPaused, g.paused)
	devtools.On(s, page.JavascriptDialogOpening, func(page.EventJavascriptDialogOpening) {
		devtools.Send(s, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: true})
	})
	devtools.On(root, target.TargetCreated, func(e target.EventTargetCreated) {
		if e.TargetInfo != nil && e.TargetInfo.Type == "page" && e.TargetInfo.OpenerID != "" {
			g.count(&g.opened)
			devtools.Send(root, target.CloseTarget, target.CloseTargetParams{TargetID: e.TargetInfo.TargetID})
		}
	})
	devtools.On(root, cdpbrowser.DownloadWillBegin, func(e cdpbrowser.EventDownloadWillBegin) {
		g.count(&g.kept)
		g.tab.watch.downloading(e.GUID)
	})
	devtools.On(root, cdpbrowser.DownloadProgress, func(e cdpbrowser.EventDownloadProgress) {
		if e.State != cdpbrowser.DownloadProgressStateInProgress {
			g.tab.watch.downloaded(e.GUID, e.State == cdpbrowser.DownloadProgressStateCanceled)
		}
	})
}

// paused lets a document through, unless it is a page outside.
func (g *guard) paused(e fetch.EventRequestPaused) {
	s := g.tab.session
	if e.Request != nil && e.FrameID == cdp.FrameID(g.tab.id) && isFetched(e.Request.URL) &&
		!g.tab.options.Inside(e.Request.URL) {
		g.mu.Lock()
		if g.left == "" {
			g.left = e.Request.URL
		}
		g.mu.Unlock()
		devtools.Send(s, fetch.FailRequest, fetch.FailRequestParams{
			RequestID: e.RequestID, ErrorReason: network.ErrorReasonAborted,
		})
		return
	}
	devtools.Send(s, fetch.ContinueRequest, fetch.ContinueRequestParams{RequestID: e.RequestID})
}

func (g *guard) count(n *int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	*n++
}

// outside is where the page would have gone, or "".
func (t *tab) outside() string {
	t.guard.mu.Lock()
	defer t.guard.mu.Unlock()
	return t.guard.left
}

// windows is how many windows the page has opened.
func (t *tab) windows() int {
	t.guard.mu.Lock()
	defer t.guard.mu.Unlock()
	return t.guard.opened
}

// downloads is how many it has begun.
func (t *tab) downloads() int {
	t.guard.mu.Lock()
	defer t.guard.mu.Unlock()
	return t.guard.kept
}
