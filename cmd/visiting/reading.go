package visiting

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"warcorder/cmd/browser/devtools"
)

// The most that is read of a page.
const (
	mostTitle  = 1000    // UTF-16 units
	mostText   = 4 << 20 // UTF-16 units
	mostLinks  = 5000    // addresses, of mostLooked elements
	mostLooked = 50_000
	mostLink   = 4 << 10 // UTF-16 units of one
)

// readPatience is how long each look at a page may take. One that takes no notice for so long will
// not later either: the visit ends.
const readPatience = 10 * time.Second

// read takes title, text and links of what is shown.
func (t *tab) read(v *Visit) {
	if !t.isDocument() {
		return
	}
	var got struct {
		Title, Text string
		Cut         bool
		Links       []string
		More        bool
	}
	if err := t.evaluate(reading, &got); err != nil {
		if t.ctx.Err() == nil {
			v.fault("its text could not be read: %v", err)
		}
		return
	}
	v.Title, v.Text, v.Links = got.Title, got.Text, got.Links
	if got.Cut {
		v.remark("its text was cut after %d characters", mostText)
	}
	if got.More {
		v.remark("of its links, %d were looked at", mostLinks)
	}
}

// isDocument reports whether the tab shows a text with elements, as opposed to a picture, a film or
// what a viewer shows.
func (t *tab) isDocument() bool {
	mime := t.watch.document().mime
	return strings.HasPrefix(mime, "text/") || strings.HasSuffix(mime, "xml") || strings.HasSuffix(mime, "json")
}

// of reads a property of the document, which an element with a name may hide (HTML, section 3.1.7).
const of = `const of = (name) => Object.getOwnPropertyDescriptor(Document.prototype, name).get.call(document);
`

var reading = of + fmt.Sprintf(`
const body = of('body') || document.documentElement;
const text = (body && (body.innerText ?? body.textContent)) || '';
const links = new Set();
let looked = 0, more = false;
for (const a of Document.prototype.querySelectorAll.call(document, 'a[href], area[href]')) {
	if (links.size >= %[3]d || looked >= %[4]d) { more = true; break; }
	looked++;
	const href = a.href;
	if (typeof href !== 'string' || href.length > %[5]d || !/^https?:/.test(href)) continue;
	links.add(href.split('#')[0]);
}
return {
	title: of('title').slice(0, %[1]d),
	text: text.slice(0, %[2]d), cut: text.length > %[2]d,
	links: [...links], more,
};`, mostTitle, mostText, mostLinks, mostLooked, mostLink)

// patience is the time for one look at the page, with which the visit ends.
func (t *tab) patience() (context.Context, context.CancelFunc) {
	timer := time.AfterFunc(readPatience, func() { t.end(errBusy) })
	return t.ctx, func() { timer.Stop() }
}

// lost is what Chromium says of a page that has gone on to another document meanwhile, and tries is
// how often that is looked at again.
const (
	lost  = "Cannot find context"
	tries = 3
)

// evaluate calls a function of ours in a world of its own, and reads what it returns.
func (t *tab) evaluate(body string, result any) (err error) {
	ctx, cancel := t.patience()
	defer cancel()
	for range tries {
		if err = t.evaluateIn(ctx, body, result); err == nil || !strings.Contains(err.Error(), lost) {
			break
		}
	}
	return err
}

func (t *tab) evaluateIn(ctx context.Context, body string, result any) error {
	world, err := devtools.Call(ctx, t.session, page.CreateIsolatedWorld,
		page.CreateIsolatedWorldParams{FrameID: cdp.FrameID(t.id), WorldName: "warcorder"})
	if err != nil {
		return err
	}
	yes := true
	got, err := devtools.Call(ctx, t.session, runtime.Evaluate, runtime.EvaluateParams{
		Expression: "(() => {" + body + "})()", ContextID: world.ExecutionContextID,
		ReturnByValue: &yes, Silent: &yes, Timeout: runtime.TimeDelta(readPatience.Milliseconds()),
	})
	switch {
	case err != nil:
		return err
	case got.ExceptionDetails != nil:
		return fmt.Errorf("%s at %d", brief(got.ExceptionDetails.Text), got.ExceptionDetails.LineNumber)
	case got.Result == nil || len(got.Result.Value) == 0:
		return errors.New("nothing came")
	}
	return json.Unmarshal(got.Result.Value, result)
}
