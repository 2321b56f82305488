package chromiumtest

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// navigate fetches a page and shows it, as its words say.
func (b *Browser) navigate(c command) {
	s, frame := c.SessionID, strings.Replace(c.SessionID, session, tab, 1)
	b.show("")
	res, ok := b.fetch(s, frame, c.Params.URL)
	if !ok {
		b.answer(c, fields{"frameId": frame, "errorText": "net::ERR_ABORTED"})
		return
	}
	if res == nil {
		b.answer(c, fields{"frameId": frame, "errorText": "net::ERR_PROXY_CONNECTION_FAILED"})
		return
	}
	defer res.Body.Close()
	if strings.HasPrefix(res.Header.Get("Content-Disposition"), "attachment") {
		b.event("", "Browser.downloadWillBegin", fields{"frameId": frame, "guid": "G", "url": c.Params.URL})
		b.event(s, "Network.loadingFailed", fields{"requestId": "R", "errorText": "net::ERR_ABORTED",
			"canceled": true, "type": "Document", "timestamp": 1.5})
		b.answer(c, fields{"frameId": frame, "errorText": "net::ERR_ABORTED", "isDownload": true})
		io.Copy(io.Discard, res.Body)
		b.event("", "Browser.downloadProgress", fields{"guid": "G", "state": "completed"})
		return
	}
	if res.StatusCode == http.StatusNoContent {
		b.event(s, "Network.loadingFailed", fields{"requestId": "R", "errorText": "net::ERR_ABORTED",
			"canceled": true, "type": "Document", "timestamp": 1.5})
		b.answer(c, fields{"frameId": frame, "errorText": "net::ERR_ABORTED"})
		return
	}
	body, _ := io.ReadAll(res.Body)
	b.commit(s, frame, string(body), res)
	b.answer(c, fields{"frameId": frame, "loaderId": b.loader()})
	b.event(s, "Network.loadingFinished", fields{"requestId": "R"})
	b.act(s, frame, string(body))
}

func (b *Browser) show(body string) { b.showAt(body, "") }

func (b *Browser) showAt(body, url string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.body, b.url = body, url
}

// shown is the URL of the page that is shown.
func (b *Browser) shown() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.url
}

// get asks for a URL as Chromium does, with one more field.
func (b *Browser) get(url, field, value string) (*http.Response, error) {
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0.0.0")
	req.Header.Set("Accept-Language", "en-US,en;q=0.9")
	req.Header.Set(field, value)
	return b.client.Do(req)
}

// fetch asks for a page, also where it is led; ok says that it may.
func (b *Browser) fetch(s, frame, at string) (res *http.Response, ok bool) {
	for hop := 0; ; hop++ {
		b.mu.Lock()
		b.loaders++
		loader := fmt.Sprint("L", b.loaders)
		b.mu.Unlock()
		request := fields{"url": at, "method": "GET", "headers": fields{}, "initialPriority": "VeryHigh",
			"referrerPolicy": "no-referrer"}
		b.event(s, "Network.requestWillBeSent", fields{"requestId": "R", "loaderId": loader, "documentURL": at,
			"request": request, "timestamp": 1.5, "wallTime": 1.5, "type": "Document", "frameId": frame})
		if !b.mayGo(s, frame, fmt.Sprint("at the door ", hop), request) {
			b.event(s, "Network.loadingFailed", fields{"requestId": "R", "errorText": "net::ERR_ABORTED",
				"canceled": true, "type": "Document", "timestamp": 1.5})
			return nil, false
		}
		res, err := b.get(at, "Upgrade-Insecure-Requests", "1")
		if err != nil {
			b.event(s, "Network.loadingFailed", fields{"requestId": "R", "errorText": err.Error()})
			return nil, true
		}
		if to, err := res.Location(); err == nil {
			res.Body.Close()
			at = to.String()
			continue
		}
		headers := fields{}
		for name := range res.Header {
			headers[name] = res.Header.Get(name)
		}
		mime, _, _ := strings.Cut(res.Header.Get("Content-Type"), ";")
		b.event(s, "Network.responseReceived", fields{"requestId": "R", "loaderId": loader, "type": "Document",
			"frameId": frame, "timestamp": 1.5, "response": fields{"url": at, "status": res.StatusCode,
				"headers": headers, "mimeType": mime}})
		return res, true
	}
}

// mayGo asks whether a document may be fetched.
func (b *Browser) mayGo(s, frame, id string, request fields) bool {
	may := make(chan bool, 1)
	b.mu.Lock()
	b.paused[id] = may
	b.mu.Unlock()
	b.event(s, "Fetch.requestPaused", fields{"requestId": id, "request": request, "frameId": frame,
		"resourceType": "Document"})
	return <-may
}

// act does what the words of a page say.
func (b *Browser) act(s, frame, body string) {
	if strings.Contains(body, "alerts") {
		b.event(s, "Page.javascriptDialogOpening", fields{"url": "", "message": "boo", "type": "alert"})
		<-b.dialogs
	}
	if strings.Contains(body, "opens") {
		b.event("", "Target.targetCreated", fields{"targetInfo": fields{"targetId": "WINDOW", "type": "page",
			"openerId": frame}})
	}
	b.need(s, frame, body)
	if strings.Contains(body, "works") {
		b.work(s)
	}
	if _, at, frames := strings.Cut(body, "frames "); frames {
		at, _, _ = strings.Cut(at, "\n")
		b.frame(s, at)
	}
	if strings.Contains(body, "late") {
		time.Sleep(loadPace)
	}
	if !strings.Contains(body, "unloaded") {
		b.event(s, "Page.loadEventFired", fields{"timestamp": 1.5})
	}
	switch {
	case strings.Contains(body, "crash"):
		b.event(s, "Inspector.targetCrashed", fields{})
	case strings.Contains(body, "die"):
		b.die()
	case strings.Contains(body, "polls"):
		b.poll(s)
	}
	if _, to, goes := strings.Cut(body, "goes to "); goes {
		to, _, _ = strings.Cut(to, "\n")
		b.goOn(s, frame, to)
	}
}

// goOn goes to another page, as a script of the page may.
func (b *Browser) goOn(s, frame, to string) {
	base, err := url.Parse(b.shown())
	if err != nil {
		return
	}
	at, err := base.Parse(strings.TrimSpace(to))
	if err != nil {
		return
	}
	if res, _ := b.fetch(s, frame, at.String()); res != nil {
		defer res.Body.Close()
		body, _ := io.ReadAll(res.Body)
		b.commit(s, frame, string(body), res)
		b.event(s, "Network.loadingFinished", fields{"requestId": "R"})
		b.event(s, "Page.loadEventFired", fields{"timestamp": 2.5})
	}
}

// commit shows a document.
func (b *Browser) commit(s, frame, body string, res *http.Response) {
	b.showAt(body, res.Request.URL.String())
	b.event(s, "Page.frameNavigated", fields{"type": "Navigation", "frame": fields{"id": frame,
		"loaderId": b.loader(), "url": res.Request.URL.String(), "securityOrigin": "",
		"mimeType": res.Header.Get("Content-Type"), "domainAndRegistry": "", "secureContextType": "Secure",
		"crossOriginIsolatedContextType": "NotIsolated", "gatedAPIFeatures": []string{}}})
}

// loader is the ID of the latest document.
func (b *Browser) loader() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return fmt.Sprint("L", b.loaders)
}

// loadPace is how long a page takes that loads late.
const loadPace = time.Second

// work begins a worker, whose request fails.
func (b *Browser) work(s string) {
	const worker = "WORKER"
	b.event(s, "Target.attachedToTarget", fields{"sessionId": worker, "waitingForDebugger": true,
		"targetInfo": fields{"targetId": worker, "type": "worker", "title": "", "url": "", "attached": true}})
	<-b.runs
	b.event(worker, "Network.requestWillBeSent", fields{"requestId": "W", "type": "XHR",
		"request": fields{"url": "http://site.example/work", "method": "GET"}})
	b.event(worker, "Network.loadingFailed", fields{"requestId": "W", "type": "XHR",
		"errorText": "net::ERR_CONNECTION_CLOSED"})
	b.event(s, "Target.detachedFromTarget", fields{"sessionId": worker})
}

// frame asks for the document of a frame.
func (b *Browser) frame(s, at string) {
	request := fields{"url": at, "method": "GET", "headers": fields{}}
	event := fields{"requestId": "F", "type": "Document", "frameId": "FRAME", "request": request}
	b.event(s, "Network.requestWillBeSent", event)
	if !b.mayGo(s, "FRAME", "at the door of a frame", request) {
		b.event(s, "Network.loadingFailed", fields{"requestId": "F", "errorText": "net::ERR_ABORTED"})
		return
	}
	if res, err := b.get(at, "Referer", b.shown()); err == nil {
		res.Body.Close()
	}
	b.event(s, "Network.loadingFinished", fields{"requestId": "F"})
}

// need fetches what a page is made of, or begins to.
func (b *Browser) need(s, frame, body string) {
	for word, kind := range map[string]string{"waits": "XHR", "streams": "EventSource"} {
		if strings.Contains(body, word) {
			b.event(s, "Network.requestWillBeSent", fields{"requestId": word, "type": kind, "frameId": frame,
				"request": fields{"url": "http://site.example/" + word, "method": "GET"}})
		}
	}
	_, at, needs := strings.Cut(body, "needs ")
	if !needs {
		return
	}
	at, _, _ = strings.Cut(at, "\n")
	b.event(s, "Network.requestWillBeSent", fields{"requestId": "N", "type": "Image", "frameId": frame,
		"request": fields{"url": at, "method": "GET"}})
	failed := fields{"requestId": "N", "type": "Image", "errorText": "net::ERR_CONNECTION_CLOSED"}
	if strings.Contains(at, ":6000/") { // a port that Chromium keeps from
		failed["errorText"] = "net::ERR_UNSAFE_PORT"
		b.event(s, "Network.loadingFailed", failed)
		return
	}
	res, err := b.get(at, "Referer", b.shown())
	if err != nil {
		b.event(s, "Network.loadingFailed", failed)
		return
	}
	defer res.Body.Close()
	headers := fields{}
	for name := range res.Header {
		headers[name] = res.Header.Get(name)
	}
	b.event(s, "Network.responseReceived", fields{"requestId": "N", "type": "Image", "frameId": frame,
		"response": fields{"url": at, "status": res.StatusCode, "headers": headers, "mimeType": "image/png"}})
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		b.event(s, "Network.loadingFailed", failed)
		return
	}
	b.event(s, "Network.loadingFinished", fields{"requestId": "N"})
}

// pollPace is the time between two requests of a page that polls.
const pollPace = 20 * time.Millisecond

// poll asks for something again and again, as long as the page is shown.
func (b *Browser) poll(s string) {
	tick := time.NewTicker(pollPace)
	defer tick.Stop()
	for n := 0; b.shows("polls"); n++ {
		<-tick.C
		b.event(s, "Network.requestWillBeSent", fields{"requestId": fmt.Sprint("P", n), "type": "XHR",
			"request": fields{"url": fmt.Sprint("http://poll.example/", n), "method": "GET"}})
		b.event(s, "Network.loadingFinished", fields{"requestId": fmt.Sprint("P", n)})
	}
}
