// Package chromiumtest speaks the DevTools protocol as Chromium does, as far as tests need it where
// none is installed: .ci/interop/capture.sh has the real one. Pages are fetched through the proxy;
// what else a page does is said in its body, by words:
//
//	crash          the tab crashes when it has loaded
//	die            the browser does
//	hang           scripts of ours never come to their end
//	alerts         an alert must be answered before the page has loaded
//	opens          a window is opened
//	polls          a request begins with each look, without end
//	ends           the browser does when the tab is closed
//	stays          the tab cannot be closed
//	waits          a request never ends
//	streams        an EventSource never ends
//	unloaded       it never has loaded
//	late           it has loaded later
//	tall           it is higher than others
//	endless        it has no end when it is scrolled
//	works          a worker asks for something that does not come, once it may run
//	frames URL     a frame of it is a document of that URL
//	needs URL      a picture of it, which is fetched before the page has loaded
//	goes to URL    the page goes there when it has loaded
//	flees to URL   or while a picture of it is taken
//
// Invariant: it says nothing that Chromium would not say.
package chromiumtest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
)

// Browser is a browser that is told what to do.
type Browser struct {
	out    io.Writer
	die    func()
	client *http.Client

	mu      sync.Mutex
	tabs    int
	loaders int                  // documents that were asked for
	context map[string]string    // of the tabs, by tab
	runs    chan struct{}        // a worker may
	body    string               // of the page that is shown
	url     string               // of that page
	paused  map[string]chan bool // documents at the door, by request
	dialogs chan struct{}        // answered
}

// Serve takes commands until there are none. It calls die for a page that makes it die.
func Serve(in io.Reader, out io.Writer, proxy string, die func()) {
	b := &Browser{out: out, die: die, paused: map[string]chan bool{}, dialogs: make(chan struct{}, 1),
		context: map[string]string{}, runs: make(chan struct{}, 1)}
	b.client = &http.Client{
		Transport: &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: proxy})},
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}
	commands := bufio.NewReader(in)
	defer b.show("") // which ends what the page does
	for {
		text, err := commands.ReadBytes(0)
		if err != nil {
			return
		}
		var c command
		if json.Unmarshal(text[:len(text)-1], &c) == nil {
			go b.obey(c)
		}
	}
}

type command struct {
	ID        int64
	SessionID string
	Method    string
	Params    struct {
		URL, TargetID, BrowserContextID, RequestID, Expression, Format string
	}
}

const session, tab = "SESSION", "TAB"

// say sends a message.
func (b *Browser) say(message map[string]any) {
	text, _ := json.Marshal(message)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.out.Write(append(text, 0))
}

type fields = map[string]any

func (b *Browser) event(session, method string, params fields) {
	message := fields{"method": method, "params": params}
	if session != "" {
		message["sessionId"] = session
	}
	b.say(message)
}

func (b *Browser) answer(c command, result fields) {
	b.say(fields{"id": c.ID, "sessionId": c.SessionID, "result": result})
}

// obey does what one command asks for.
func (b *Browser) obey(c command) {
	switch c.Method {
	case "Target.createTarget":
		b.mu.Lock()
		b.tabs++
		id := fmt.Sprint(tab, b.tabs)
		b.context[id] = c.Params.BrowserContextID
		b.mu.Unlock()
		b.answer(c, fields{"targetId": id})
	case "Target.createBrowserContext":
		b.mu.Lock()
		id := fmt.Sprint("CONTEXT", b.tabs+1)
		b.mu.Unlock()
		b.answer(c, fields{"browserContextId": id})
	case "Target.attachToTarget":
		b.answer(c, fields{"sessionId": strings.Replace(c.Params.TargetID, tab, session, 1)})
	case "Target.disposeBrowserContext":
		b.answer(c, fields{})
		closed := strings.Replace(c.Params.BrowserContextID, "CONTEXT", tab, 1)
		b.mu.Lock()
		has := b.context[closed] == c.Params.BrowserContextID
		b.mu.Unlock()
		if has && !b.shows("stays") {
			b.event("", "Target.targetDestroyed", fields{"targetId": closed})
		}
		if b.shows("ends") {
			b.die()
		}
	case "Runtime.runIfWaitingForDebugger":
		b.runs <- struct{}{}
		b.answer(c, fields{})
	case "Page.navigate":
		b.navigate(c)
	case "Fetch.continueRequest", "Fetch.failRequest":
		b.mu.Lock()
		if paused := b.paused[c.Params.RequestID]; paused != nil {
			paused <- c.Method == "Fetch.continueRequest"
		}
		b.mu.Unlock()
		b.answer(c, fields{})
	case "Page.handleJavaScriptDialog":
		b.dialogs <- struct{}{}
		b.answer(c, fields{})
	case "Page.createIsolatedWorld":
		if !b.shows("hang") {
			b.answer(c, fields{"executionContextId": 7})
		}
	case "Runtime.evaluate":
		b.answer(c, fields{"result": fields{"type": "object", "value": b.evaluate(c.Params.Expression)}})
	case "Page.getLayoutMetrics":
		height := 3000
		if b.shows("tall") {
			height = 20_000
		}
		b.answer(c, fields{"cssLayoutViewport": fields{"pageX": 0, "pageY": 0, "clientWidth": 4, "clientHeight": 3},
			"cssContentSize": fields{"x": 0, "y": 0, "width": 4, "height": height}})
	case "Page.captureScreenshot":
		b.flee(c.SessionID)
		b.answer(c, fields{"data": picture(c.Params.Format)})
	default:
		b.answer(c, fields{})
	}
}

// flee goes where the page says.
func (b *Browser) flee(s string) {
	b.mu.Lock()
	_, to, flees := strings.Cut(b.body, "flees to ")
	b.mu.Unlock()
	if flees {
		b.goOn(s, strings.Replace(s, session, tab, 1), to)
	}
}

func (b *Browser) shows(word string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.Contains(b.body, word)
}

// picture is one, of the kind that is asked for.
func picture(format string) []byte {
	var out bytes.Buffer
	if format == "jpeg" {
		jpeg.Encode(&out, image.NewGray(image.Rect(0, 0, 4, 3)), nil)
	} else {
		png.Encode(&out, image.NewGray(image.Rect(0, 0, 4, 3)))
	}
	return out.Bytes()
}

var link = regexp.MustCompile(`href="([^"]*)"`)

// evaluate is what our scripts return for the page.
func (b *Browser) evaluate(script string) any {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !strings.Contains(script, "innerText") {
		if strings.Contains(b.body, "endless") {
			return fields{"top": 0, "height": 30, "view": 3}
		}
		return fields{"top": 0, "height": 3, "view": 3}
	}
	links := []string{}
	for _, found := range link.FindAllStringSubmatch(b.body, -1) {
		links = append(links, found[1])
	}
	return fields{"title": "the title", "text": b.body, "links": links}
}
