package visiting

import (
	"slices"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"warcorder/cmd/browser"
	"warcorder/cmd/browser/devtools"
)

// The most that is kept of a page: requests that go on, of which no more are counted, and the sessions
// of its frames and workers.
const (
	mostOpen     = 10_000
	mostSessions = 256
)

// watch counts what a page asks for, with its frames and workers.
type watch struct {
	frame   cdp.FrameID // of the page itself
	refusal string      // a field that answers of the proxy's own have

	mu       sync.Mutex
	state    counts
	isLoaded bool
	open     map[network.RequestID]string // requests that go on, each with its URL in brief
	sessions map[target.SessionID]*devtools.Session
	coming   document // the latest answer
	shown    document // what is shown; without loader if nothing is yet
}

// downloading is a download that begins; it is a request that goes on.
func (w *watch) downloading(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.isLoaded = true // the page, if there is one
	if len(w.open) < mostOpen {
		w.open[network.RequestID(downloadMark+id)] = ""
	}
}

// downloadMark tells downloads from requests.
const downloadMark = "download "

// downloaded is its end. That it was cancelled is a failure.
func (w *watch) downloaded(id string, cancelled bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, is := w.end(network.RequestID(downloadMark + id)); is && cancelled {
		w.state.failed++
	}
}

// counts are what came of a page's requests.
type counts struct {
	requests, ended, failed int64
	refused                 int64  // by the proxy
	unwatched               int    // frames and workers for which there was no room
	broke                   string // the first that failed: its URL and why, in brief
}

// firstText is what is told of the first that failed; of a download nothing is known.
func (c *counts) firstText() string {
	switch {
	case c.broke == "":
		return ""
	case c.failed == 1:
		return ": " + c.broke
	}
	return ": the first was " + c.broke
}

// document is an answer that the page is made of.
type document struct {
	loader     cdp.LoaderID
	status     int64
	mime, url  string
	unanswered bool // it is the proxy's own
}

func newWatch(frame cdp.FrameID, refusal string) *watch {
	return &watch{frame: frame, refusal: refusal, open: map[network.RequestID]string{},
		sessions: map[target.SessionID]*devtools.Session{}}
}

// networkEvents has a session tell what it asks for, and keep nothing of it.
func networkEvents() network.EnableParams {
	none := int64(0)
	return network.EnableParams{MaxTotalBufferSize: &none, MaxResourceBufferSize: &none, MaxPostDataSize: &none}
}

// attachAll has the frames in other processes and the workers of a session told of. They wait until
// they are watched.
func attachAll() target.SetAutoAttachParams {
	yes := true
	return target.SetAutoAttachParams{AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: &yes}
}

// follow counts what a session asks for, and those that it begins.
func (w *watch) follow(conn *devtools.Conn, s *devtools.Session) {
	devtools.On(s, network.RequestWillBeSent, w.begun)
	devtools.On(s, network.ResponseReceived, w.answered)
	devtools.On(s, network.LoadingFinished, w.ended)
	devtools.On(s, network.LoadingFailed, w.failed)
	devtools.On(s, target.AttachedToTarget, func(e target.EventAttachedToTarget) {
		child := conn.Session(e.SessionID)
		isWatched := w.add(e.SessionID, child)
		if isWatched {
			w.follow(conn, child)
			devtools.Send(child, network.Enable, networkEvents())
			devtools.Send(child, target.SetAutoAttach, attachAll())
		}
		devtools.Send(child, runtime.RunIfWaitingForDebugger, cdp.Empty{})
		if !isWatched {
			child.Forget()
		}
	})
	devtools.On(s, target.DetachedFromTarget, func(e target.EventDetachedFromTarget) { w.drop(e.SessionID) })
}

// add adds a session, if there is room.
func (w *watch) add(id target.SessionID, s *devtools.Session) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.sessions) == mostSessions {
		w.state.unwatched++
		return false
	}
	w.sessions[id] = s
	return true
}

// drop forgets a session that has ended.
func (w *watch) drop(id target.SessionID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if s := w.sessions[id]; s != nil {
		s.Forget()
		delete(w.sessions, id)
	}
}

// forget ends the watching.
func (w *watch) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.sessions {
		s.Forget()
	}
}

// begun is a request; one that is led elsewhere begins again under the same number.
func (w *watch) begun(e network.EventRequestWillBeSent) {
	if e.Request == nil || !isFetched(e.Request.URL) {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.state.requests++
	if e.RedirectResponse != nil {
		w.state.ended++
	}
	if len(w.open) < mostOpen && e.Type != network.ResourceTypeEventSource {
		w.open[e.RequestID] = brief(e.Request.URL)
	}
}

// isFetched reports that a URL leads to a network.
func isFetched(url string) bool {
	return strings.HasPrefix(url, "http://") || strings.HasPrefix(url, "https://")
}

// answered is the head of an answer.
func (w *watch) answered(e network.EventResponseReceived) {
	if e.Response == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	refused := w.isRefusal(e.Response)
	if refused {
		w.state.refused++
	}
	if e.Type != network.ResourceTypeDocument || e.FrameID != w.frame {
		return
	}
	w.coming = document{loader: e.LoaderID, status: e.Response.Status, mime: e.Response.MimeType,
		unanswered: refused}
	w.coming.url, _, _ = strings.Cut(e.Response.URL, "#")
}

// navigated says which document is shown from now on.
func (w *watch) navigated(e page.EventFrameNavigated) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if e.Frame != nil && e.Frame.ID == w.frame && e.Frame.LoaderID == w.coming.loader {
		w.shown = w.coming
	}
}

// document is what is shown; where nothing is, as of a download, the latest answer.
func (w *watch) document() document {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.shown.loader == "" {
		return w.coming
	}
	return w.shown
}

// isRefusal reports an answer that is the proxy's own.
func (w *watch) isRefusal(r *network.Response) bool {
	for name := range r.Headers {
		if strings.EqualFold(name, w.refusal) {
			return true
		}
	}
	return false
}

// ended is the end of a request.
func (w *watch) ended(e network.EventLoadingFinished) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.end(e.RequestID)
}

// failed is the end of a request without all of an answer.
func (w *watch) failed(e network.EventLoadingFailed) {
	w.mu.Lock()
	defer w.mu.Unlock()
	url, is := w.end(e.RequestID)
	if !is || !isFailure(&e) {
		return
	}
	if w.state.failed++; w.state.broke == "" {
		w.state.broke = url + " (" + brief(e.ErrorText) + ")"
	}
}

// end forgets a request that went on, and returns its URL.
func (w *watch) end(id network.RequestID) (url string, is bool) {
	if url, is = w.open[id]; is {
		delete(w.open, id)
		w.state.ended++
	}
	return url, is
}

// unsent are the errors of what the browser asks nobody for, whoever shows the page.
var unsent = []string{aborted, "net::ERR_UNSAFE_PORT", "net::ERR_UNSAFE_REDIRECT", "net::ERR_INVALID_URL",
	"net::ERR_DISALLOWED_URL_SCHEME", "net::ERR_UNKNOWN_URL_SCHEME"}

// isFailure tells what went wrong on the way from what was given up by the page, or kept from it.
func isFailure(e *network.EventLoadingFailed) bool {
	return !e.Canceled && e.BlockedReason == "" && e.CorsErrorStatus == nil &&
		!slices.Contains(unsent, e.ErrorText) && !strings.HasPrefix(e.ErrorText, "net::ERR_BLOCKED_BY_")
}

func (w *watch) loaded() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.isLoaded = true
}

// goesOn is how many requests have not ended, without those that have no end (EventSource), and
// whether the page has loaded.
func (w *watch) goesOn() (open int, loaded bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.open), w.isLoaded
}

// activity counts the page itself as something that goes on, until it has loaded.
func (w *watch) activity() browser.Activity {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := browser.Activity{Ended: w.state.requests + w.state.ended, InFlight: len(w.open)}
	if !w.isLoaded {
		all.InFlight++
	}
	return all
}

func (w *watch) counted() counts {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.state
}
