// Package visiting opens pages in a browser that is driven, one after another, as a person would who
// waits until each is there, looks at all of it from top to bottom, and goes on.
//
//	visiting.go   Browser: a page in a tab of its own: opened, waited for, scrolled, read, closed
//	tab.go        what is switched on in a tab, and how it ends
//	watch.go      what the page asks for, counted: how quiet it is
//	guard.go      what a page tries that is not looking at it: other hosts, dialogs, windows, downloads
//	scroll.go     down to the end
//	reading.go    title, text and links, by JavaScript of ours
//	picture.go    what it looks like
//	frontier.go   which page is next
//
// A page decides on all that it shows and does, and may be hostile. Our JavaScript runs in a world of
// its own, in which nothing is as the page has changed it.
//
// Each page is alone: what another one has left (cookies, caches, service workers) would answer in
// place of the network, unrecorded.
//
// Invariant: Visit returns, soon after Options.Most, whatever a page does. What it returns of a page
// is bounded: a title by mostTitle, text by mostText, links by mostLinks, a picture by
// devtools.MostMessage.
package visiting

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"

	"warcorder/cmd/browser"
	"warcorder/cmd/browser/devtools"
)

// Browser is a browser that is driven.
type Browser struct{ conn *devtools.Conn }

// Options are how a page is visited.
type Options struct {
	Quiet time.Duration // so long nothing begins or ends when it is there
	Most  time.Duration // all that loading and scrolling may take

	// Inside reports whether a page may be opened, by its URL.
	Inside func(url string) bool
	// Refusal is the name of a field that the proxy's own answers have, in place of those that there
	// are not.
	Refusal string
	// Downloads is the directory for what a page makes the browser download.
	Downloads string
	// OnItsWay reports whether anything that the browser asked for may still be on its way: its own
	// word for that misses the end of some requests of viewers and workers.
	OnItsWay func() bool
	// Activity is that of what the browser goes through, which counts beside the browser's own; nil if
	// others use that too.
	Activity func() (browser.Activity, error)
}

// Visit is what came of a page. All text of it is the page's own choice.
type Visit struct {
	URL    string // of the document in the end, without fragment; as asked for, if there is none
	At     time.Time
	Status int64  // 0 if nobody answered
	MIME   string // of the document; "" if there is none
	Title  string

	Text     string // as far as mostText
	Pictures []Picture
	Links    []string // without fragments, as far as mostLinks

	Requests int64 // of the browser, as it counts them
	Took     time.Duration

	// Faults are why the page is not whole, in words; none if it is.
	Faults []string
	// Remarks are what else somebody should know.
	Remarks []string
}

// startPatience is how long a browser may take until it answers.
const startPatience = 30 * time.Second

// Drive takes the pipes of a browser, once it answers.
func Drive(ctx context.Context, in io.ReadCloser, out io.WriteCloser) (*Browser, error) {
	b := &Browser{devtools.New(in, out)}
	ctx, cancel := context.WithTimeoutCause(ctx, startPatience, errors.New("it does not answer"))
	defer cancel()
	if _, err := devtools.Call(ctx, b.conn.Browser(), cdpbrowser.GetVersion, cdp.Empty{}); err != nil {
		b.conn.Close()
		return nil, fmt.Errorf("drive the browser: %w", err)
	}
	devtools.Send(b.conn.Browser(), target.SetDiscoverTargets, target.SetDiscoverTargetsParams{Discover: true})
	return b, nil
}

// Close ends what Drive has begun.
func (b *Browser) Close() { b.conn.Close() }

// errSpent says that the browser cannot be used for another page.
var errSpent = errors.New("the page keeps its tab busy")

// ErrNoTab says that the browser cannot be used, and that the page was not asked for.
var ErrNoTab = errors.New("the browser opens no tab")

// Visit opens a page and returns what came of it. The error, beside which there is a Visit too, says
// that the browser has ended, or must be: the next page needs a new one.
func (b *Browser) Visit(ctx context.Context, url string, o Options) (*Visit, error) {
	v := &Visit{URL: url, At: time.Now()}
	t, err := b.open(ctx, o)
	if err != nil {
		v.fault("%v: %v", ErrNoTab, err)
		return v, fmt.Errorf("%w: %w", ErrNoTab, err)
	}
	t.visit(v, url)
	v.Took = time.Since(v.At)
	return v, t.close()
}

// fault adds a reason why a page is not whole.
func (v *Visit) fault(format string, args ...any) {
	v.Faults = append(v.Faults, fmt.Sprintf(format, args...))
}

// faultIf adds a reason, unless it is "".
func (v *Visit) faultIf(wrong string) {
	if wrong != "" {
		v.fault("%s", wrong)
	}
}

func (v *Visit) remark(format string, args ...any) {
	v.Remarks = append(v.Remarks, fmt.Sprintf(format, args...))
}

// The parts of Options.Most: until the page is there for the first time, and until the end of the
// scrolling. What is left is for what that has brought.
const (
	firstPart  = 0.7
	scrollPart = 0.85
)

// visit does all that is done with a page.
func (t *tab) visit(v *Visit, url string) {
	start := time.Now()
	until := func(part float64) time.Time {
		return start.Add(time.Duration(part * float64(t.options.Most)))
	}
	if t.navigate(v, url, until(firstPart)) {
		wrong := t.wait(until(firstPart))
		if t.isDocument() {
			before, _ := t.activity()
			t.scroll(v, until(scrollPart))
			if now, _ := t.activity(); wrong != "" || now != before {
				wrong = t.wait(until(1))
			}
		}
		v.faultIf(wrong)
		if !t.watch.document().unanswered {
			t.look(v)
		}
	}
	t.tell(v)
}

// navigate opens the URL, and reports whether there is something to look at.
func (t *tab) navigate(v *Visit, url string, until time.Time) bool {
	ctx, cancel := context.WithDeadlineCause(t.ctx, until, errNoAnswer)
	defer cancel()
	got, err := devtools.Call(ctx, t.session, page.Navigate, page.NavigateParams{URL: url})
	switch outside := t.outside(); {
	case outside != "" && got.ErrorText == aborted:
		v.fault("it leads to %s, which is not of the given hosts (--external goes there)", brief(outside))
	case got.IsDownload || t.downloads() > 0:
		v.remark("it is a download, and no page: there is no picture of it")
		v.faultIf(t.wait(t.deadline()))
	case errors.Is(err, errNoAnswer):
		v.fault("%v", errNoAnswer)
	case err != nil:
		if t.ctx.Err() == nil {
			v.fault("%v", err)
		}
	case got.ErrorText == aborted:
		v.remark("it has no content, and no picture")
		t.watch.loaded()
		v.faultIf(t.wait(until))
	case got.ErrorText != "":
		v.fault("the browser shows an error: %s", brief(got.ErrorText))
	default:
		return true
	}
	return false
}

// look reads the page and takes its pictures, all of one document: one that goes on meanwhile is
// looked at again.
func (t *tab) look(v *Visit) {
	faults, remarks := len(v.Faults), len(v.Remarks)
	for range tries {
		t.seen = t.watch.document()
		t.read(v)
		t.picture(v)
		if t.ctx.Err() != nil || t.watch.document() == t.seen {
			return
		}
		v.Title, v.Text, v.Links, v.Pictures = "", "", nil, nil
		v.Faults, v.Remarks = v.Faults[:faults], v.Remarks[:remarks]
	}
	v.fault("it goes from page to page: there is no text and no picture of it")
}

var errNoAnswer = errors.New("nothing answered in time (--at-most)")

// aborted is what Chromium calls a navigation that leaves the page as it is.
const aborted = "net::ERR_ABORTED"

// deadline is when the tab has had all its time.
func (t *tab) deadline() time.Time { return t.begun.Add(t.options.Most) }

// tell adds what the tab knows of the page in the end.
func (t *tab) tell(v *Visit) {
	w, shown := t.watch.counted(), t.watch.document()
	if t.seen.loader != "" {
		shown = t.seen
	}
	v.Requests = w.requests
	v.Status, v.MIME = shown.status, shown.mime
	if shown.url != "" {
		v.URL = shown.url
	}
	switch {
	case t.ctx.Err() != nil:
		v.fault("%v", context.Cause(t.ctx))
	case shown.unanswered:
		v.fault("nothing answered, or what did was refused")
	case shown.status >= 400:
		v.fault("it was answered with %d", shown.status)
	}
	if w.refused > 0 && !shown.unanswered {
		v.fault("without an answer: %d of what it asked for", w.refused)
	}
	if w.failed > 0 {
		v.fault("%d of what it asked for broke off%s", w.failed, w.firstText())
	}
	if w.unwatched > 0 {
		v.fault("it has more than %d frames and workers: of %d it is not known what they asked for", mostSessions,
			w.unwatched)
	}
	if outside := t.outside(); outside != "" && len(v.Faults) == 0 {
		v.remark("it would have gone on to %s, which is not of the given hosts", brief(outside))
	}
	if n := t.windows(); n > 0 {
		v.remark("windows that it opened were closed: %d", n)
	}
}

// mostBrief is how much of a text of a page's is told.
const mostBrief = 200

// brief is the beginning of a text that a page has chosen.
func brief(text string) string {
	if len(text) <= mostBrief {
		return text
	}
	return strings.ToValidUTF8(text[:mostBrief], "") + "…"
}
