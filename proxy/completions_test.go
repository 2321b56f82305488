package proxy

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"warcorder/recorder"
)

// library is an origin that counts what it is asked for.
type library struct {
	*originServer
	rest chan struct{} // closed when it may go on

	mu    sync.Mutex
	heads []string
	now   int // requests for the whole of something that it has not answered
	most  int // that it had at a time
}

// newLibrary makes an origin that answers by what a head asks for. An answer that ends in "…"
// breaks off there; at a "‖" in it the origin waits until it may go on.
func newLibrary(t testing.TB, secure bool, answer func(head string) string) *library {
	l := &library{rest: make(chan struct{})}
	l.originServer = newOrigin(t, secure, func(p *peer) {
		for {
			head := p.readHead()
			if !strings.HasSuffix(head, "\r\n\r\n") { // the end, or a body
				return
			}
			l.count(head)
			bytes := answer(head)
			l.answered(head)
			bytes, breaksOff := strings.CutSuffix(bytes, "…")
			for n, piece := range strings.Split(bytes, "‖") {
				if n > 0 {
					<-l.rest
				}
				p.send(piece)
			}
			if breaksOff {
				return
			}
		}
	})
	return l
}

// asksForAll reports a request without a range.
func asksForAll(head string) bool { return !strings.Contains(head, "Range:") }

func (l *library) count(head string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.heads = append(l.heads, head)
	if asksForAll(head) {
		l.now++
		l.most = max(l.most, l.now)
	}
}

func (l *library) answered(head string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if asksForAll(head) {
		l.now--
	}
}

// wholes are the heads that asked for all of something.
func (l *library) wholes() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(l.heads), func(head string) bool { return !asksForAll(head) })
}

// film answers as a server of files does: a request for a range with a part of ten bytes, another
// with all of them.
func film(head string) string {
	const kind, tag = "Content-Type: video/mp4", `ETag: "1"`
	if strings.Contains(head, "\r\nRange: bytes=3-5\r\n") {
		return text("HTTP/1.1 206 Partial Content", kind, tag, "Content-Length: 3",
			"Content-Range: bytes 3-5/10") + "345"
	}
	if strings.Contains(head, "\r\nRange: bytes=0-\r\n") {
		return text("HTTP/1.1 206 Partial Content", kind, tag, "Content-Length: 10",
			"Content-Range: bytes 0-9/10") + "0123456789"
	}
	return text("HTTP/1.1 200 OK", kind, tag, "Content-Length: 10") + "0123456789"
}

// hasty is the configuration of a proxy that asks for wholes soon.
func hasty() Config {
	cfg := config()
	cfg.Complete.Quiet, cfg.Complete.Within = 10*time.Millisecond, 10*time.Second
	cfg.Complete.Again = 0
	return cfg
}

// fetch asks for a path with some fields, and returns the whole answer.
func (h *house) fetch(o *originServer, secure bool, path string, fields ...string) string {
	h.t.Helper()
	client, prefix := h.to(o, secure)
	client.send(text(append([]string{"GET " + prefix + path + " HTTP/1.1", "Host: a",
		"Connection: close"}, fields...)...))
	return client.readAll()
}

// untilCompleted waits until so many wholes have come, or not come.
func (h *house) untilCompleted(whole, failed int64) {
	h.t.Helper()
	want := Completions{Whole: whole, Failed: failed}
	until(h.t, fmt.Sprintf("%+v", want), func() bool { return h.proxy.Completions() == want })
}

// allAreDue reports whether all completions that wait have only to wait for each other.
func (h *house) allAreDue() bool {
	q := h.proxy.completions
	q.mu.Lock()
	defer q.mu.Unlock()
	return !slices.ContainsFunc(q.queue, func(c *completion) bool {
		at, ever := q.due(c)
		return !ever || at.After(time.Now())
	})
}

// noPart reports whether no part is under way: a URL is quiet from the end of its latest on.
func (h *house) noPart() bool {
	q := h.proxy.completions
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, f := range q.flights {
		if f.parts > 0 {
			return false
		}
	}
	return true
}

// TestPartIsCompleted: the whole is asked for once, with the client's own fields in their order,
// but for those that ask for less; it is recorded as an exchange that says so, and parts stay.
func TestPartIsCompleted(t *testing.T) {
	onBothSchemes(t, func(t *testing.T, secure bool) {
		h := newHouse(t, hasty())
		o := newLibrary(t, secure, film)
		client, prefix := h.to(o.originServer, secure)
		ask := []string{"Host: a", "accept:  */*", "Accept: x", "X-Folded: a", " b", "If-Range: \"1\"",
			"Range: bytes=3-5", "Cookie: c=d", "If-Match: *", "If-None-Match: \"0\"",
			"if-modified-since: x", "IF-UNMODIFIED-SINCE: y", "\tz", "Referer: http://a/",
			"Accept-Encoding: identity;q=1, *;q=0"}
		request := text(append([]string{"GET " + prefix + "/film HTTP/1.1"}, ask...)...)
		client.send(request)
		client.readUntil(len(film("\r\nRange: bytes=3-5\r\n")))
		h.untilCompleted(1, 0)
		want := text("GET /film HTTP/1.1", "Host: a", "accept:  */*", "Accept: x", "X-Folded: a", " b",
			"Cookie: c=d", "Referer: http://a/", "Accept-Encoding: identity;q=1, *;q=0")
		if got := o.wholes(); len(got) != 1 || got[0] != want {
			t.Errorf("asked for %q, want %q", got, want)
		}
		all := h.records()
		responses, requests, facts := of(all, "response"), of(all, "request"), completionFacts(all)
		if len(responses) != 2 || len(requests) != 2 || len(facts) != 1 {
			t.Fatalf("%d responses, %d requests, %d metadata", len(responses), len(requests), len(facts))
		}
		if !strings.HasPrefix(string(responses[0].block), "HTTP/1.1 206") { // two workers were at them
			slices.Reverse(responses)
			slices.Reverse(requests)
		}
		if !strings.HasPrefix(string(responses[0].block), "HTTP/1.1 206") ||
			!strings.HasSuffix(string(responses[1].block), "0123456789") || string(requests[1].block) != want {
			t.Errorf("%q, %q", responses, requests[1].block)
		}
		if !strings.Contains(string(facts[0].block), "completion: part\r\n") ||
			facts[0].header.Get("WARC-Concurrent-To") != responses[1].header.Get("WARC-Record-ID") {
			t.Errorf("%q of %q", facts[0].block, facts[0].header)
		}
		if requests[1].header.Get("WARC-Target-URI") != requests[0].header.Get("WARC-Target-URI") {
			t.Errorf("%q", requests[1].header)
		}
	})
}

// completionFacts are the metadata records of completions.
func completionFacts(all []warcRecord) []warcRecord {
	return slices.DeleteFunc(of(all, "metadata"), func(r warcRecord) bool {
		return !strings.Contains(string(r.block), "completion: ")
	})
}

// TestNotCompleted: what is asked for in no case, and what is there already.
func TestNotCompleted(t *testing.T) {
	const part = "Range: bytes=3-5"
	answered := func(lines ...string) func(string) string {
		return func(string) string {
			return text(append([]string{"HTTP/1.1 206 Partial Content", "Content-Length: 3",
				"Content-Range: bytes 3-5/10"}, lines...)...) + "345"
		}
	}
	for name, c := range map[string]struct {
		request string
		answer  func(head string) string
		with    func(*Config)
	}{
		"never": {text("GET P/ HTTP/1.1", part), film,
			func(c *Config) { c.Complete.What = "never" }},
		"the full range": {text("GET P/ HTTP/1.1", "Range: bytes=0-"), film, nil},
		"a whole answer": {text("GET P/ HTTP/1.1"), film, nil},
		"a POST":         {text("POST P/ HTTP/1.1", part, "Content-Length: 1") + "x", film, nil},
		"an empty POST":  {text("POST P/ HTTP/1.1", part), film, nil},
		"a HEAD": {text("HEAD P/ HTTP/1.1", part), func(string) string {
			return text("HTTP/1.1 206 Partial Content", "Content-Type: video/mp4", "Content-Length: 3",
				"Content-Range: bytes 3-5/10")
		}, nil},
		"a body":       {text("GET P/ HTTP/1.1", part, "Content-Length: 1") + "x", film, nil},
		"an upgrade":   {text("GET P/ HTTP/1.1", part, "Connection: upgrade", "Upgrade: h2c"), film, nil},
		"another type": {text("GET P/ HTTP/1.1", part), answered("Content-Type: text/css"), nil},
		"no-store, authenticated": {text("GET P/ HTTP/1.1", part, "Cookie: a=b"),
			answered("Content-Type: video/mp4", "Cache-Control: no-cache, no-store"), nil},
		"no-store, authenticated to sloppy readers": {text("GET P/ HTTP/1.1", part, "Cookie : a=b"),
			answered("Content-Type: video/mp4", "Cache-Control: no-store"), nil},
		"NTLM": {text("GET P/ HTTP/1.1", part, "Authorization: NTLM TlRMTVNTUAAB"),
			answered("Content-Type: video/mp4"), nil},
		"too large": {text("GET P/ HTTP/1.1", part), answered("Content-Type: video/mp4"),
			func(c *Config) { c.Complete.Max = 9 }},
		"no-record": {text("GET P/ HTTP/1.1", part), answered("Content-Type: video/mp4"),
			func(c *Config) { c.NoRecord.All = true }},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := hasty()
			if c.with != nil {
				c.with(&cfg)
			}
			h := newHouse(t, cfg)
			o := newLibrary(t, false, c.answer)
			client := h.dial()
			client.send(strings.Replace(c.request, " P/", " http://"+o.address+"/", 1))
			client.readHead()
			h.close() // which asks for what is left to be asked for
			if n, got := len(o.heads), h.proxy.Completions(); n != 1 || got != (Completions{}) {
				t.Errorf("%d requests, %+v", n, got)
			}
			if gaps := h.rec.Status().Gaps; gaps[recorder.GapCut] != 0 {
				t.Errorf("%v", gaps)
			}
		})
	}
}

// TestCutIsCompleted: where the origin or the client has cut an answer, the whole is asked for, and
// there is a gap only if that does not come.
func TestCutIsCompleted(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\n"
	whole := head + "Content-Length: 10\r\n\r\n0123456789"
	for name, c := range map[string]struct {
		again string // the second answer
		gap   string
	}{
		"whole":           {whole, ""},
		"whole in chunks": {head + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", ""},
		"cut again":       {head + "Content-Length: 10\r\n\r\n0123…", " either"},
		"no answer":       {"…", " either"},
		"403": {text("HTTP/1.1 403 Forbidden", "Content-Length: 0"),
			": the answer's status was 403"},
		"a redirect": {text("HTTP/1.1 302 Found", "Location: /", "Content-Length: 0"),
			": the answer's status was 302"},
		"a part again": {text("HTTP/1.1 206 Partial Content", "Content-Type: video/mp4",
			"Content-Length: 3", "Content-Range: bytes 3-5/10") + "345", ": the answer's status was 206"},
		"too large": {head + "Content-Length: 99999\r\n\r\n0123…",
			": the body is larger than complete-max"},
		"endless": {head + "Transfer-Encoding: chunked\r\n\r\n" + strings.Repeat("800\r\n"+
			strings.Repeat("x", 0x800)+"\r\n", 100) + "…", ": the body is larger than complete-max"},
		"ambiguous": {head + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n0",
			": The answer of HOST is ambiguous and was not passed on: two Content-Lengths that differ."},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := hasty()
			cfg.Complete.Max = 20_000
			h := newHouse(t, cfg)
			first := true
			o := newLibrary(t, false, func(string) string {
				if first {
					first = false
					return head + "Content-Length: 10\r\n\r\n0123…"
				}
				return c.again
			})
			h.fetch(o.originServer, false, "/")
			failed := int64(min(len(c.gap), 1))
			h.untilCompleted(1-failed, failed)
			gaps := h.gaps()
			if c.gap == "" && len(gaps) > 0 || c.gap != "" && (len(gaps) != 1 || gaps[0].Reason != "cut" ||
				gaps[0].Detail != strings.ReplaceAll("HOST closed the connection before its answer was "+
					"complete; the whole was asked for, and did not come"+c.gap, "HOST", o.address) ||
				!strings.Contains(gaps[0].URL, o.address)) {
				t.Errorf("gaps: %+v, want %q", gaps, c.gap)
			}
			if strings.Contains(h.log.String(), "the whole was asked for, and did not come") != (c.gap != "") {
				t.Errorf("%s", h.log)
			}
			h.fetch(o.originServer, false, "/") // is the third request, and no fourth follows
			all := h.records()
			if n := len(o.heads); n != 3 {
				t.Errorf("%d requests, want 3: %q", n, o.heads)
			}
			responses := of(all, "response") // which come in any order
			if !slices.ContainsFunc(responses, func(r warcRecord) bool {
				return r.header.Get("WARC-Truncated") == "disconnect"
			}) {
				t.Errorf("%v", responses)
			}
			if facts := completionFacts(all); len(facts) != 1 ||
				!strings.Contains(string(facts[0].block), "completion: cut\r\n") {
				t.Errorf("%q", facts)
			}
		})
	}
}

// TestPartIsCutByItsClient: a player that has seen enough leaves, also of a part that would have
// been all: that part is cut, and the whole asked for. Nothing is missing then.
func TestPartIsCutByItsClient(t *testing.T) {
	for _, part := range []string{aPart, "Range: bytes=0-"} {
		t.Run(part, func(t *testing.T) {
			onBothSchemes(t, func(t *testing.T, secure bool) {
				h := newHouse(t, hasty())
				o := newLibrary(t, secure, func(head string) string {
					answer := film(head)
					if asksForAll(head) {
						return answer
					}
					return answer[:len(answer)-1] + "‖" + answer[len(answer)-1:]
				})
				defer close(o.rest)
				client, prefix := h.to(o.originServer, secure)
				client.send(text("GET "+prefix+"/ HTTP/1.1", "Host: a", part))
				client.readHead()
				client.conn.Close()
				h.untilCompleted(1, 0)
				if gaps := h.gaps(); len(gaps) != 0 {
					t.Errorf("%+v", gaps)
				}
				all, log := h.records(), h.log.String()
				if strings.Contains(log, `"warn"`) || !strings.Contains(log, `"completion":"cut"`) ||
					!strings.Contains(log, "response cut short: complete sees to its whole") {
					t.Errorf("%s", log)
				}
				r, facts := cutFirst(of(all, "response")), completionFacts(all)
				if len(r) != 2 || r[0].header.Get("WARC-Truncated") != "disconnect" ||
					!strings.HasSuffix(string(r[1].block), "0123456789") ||
					r[1].header.Get("WARC-Truncated") != "" || len(facts) != 1 ||
					!strings.Contains(string(facts[0].block), "completion: cut\r\n") {
					t.Errorf("%q, %q", r, facts)
				}
			})
		})
	}
}

// cutFirst puts what was cut before what was not: two that end at one moment are written in any order.
func cutFirst(records []warcRecord) []warcRecord {
	slices.SortStableFunc(records, func(a, b warcRecord) int {
		return strings.Compare(b.header.Get("WARC-Truncated"), a.header.Get("WARC-Truncated"))
	})
	return records
}
