package proxy

import (
	"strings"
	"testing"
	"time"

	"warcorder/recorder"
)

// TestAbortedIsFinished: what complete wants is fetched to its end although its client has gone,
// without a second request, a gap or a truncation; all else is cut, as on-client-abort says.
func TestAbortedIsFinished(t *testing.T) {
	const get = "GET PREFIX/ HTTP/1.1"
	sized := []string{"first", "later"}
	chunked := []string{"5\r\nfirst\r\n", "5\r\nlater\r\n0\r\n\r\n"}
	untilClose := sized
	ok := func(lines ...string) string { return text(append([]string{"HTTP/1.1 200 OK"}, lines...)...) }
	for name, c := range map[string]struct {
		request  string
		head     string
		body     []string
		with     func(*Config)
		finished bool
	}{
		"a video": {text(get, "Host: a"),
			ok("Content-Type: video/mp4", "Content-Length: 10"), sized, nil, true},
		"a page in chunks": {text(get, "Host: a"),
			ok("Content-Type: Text/HTML; charset=x", "Transfer-Encoding: chunked"), chunked, nil, true},
		"a PDF until close": {text(get, "Host: a"),
			ok("Content-Type: application/pdf"), untilClose, nil, true},
		"of a range that was passed over": {text(get, "Host: a", "Range: bytes=3-"),
			ok("Content-Type: audio/ogg", "Content-Length: 10"), sized, nil, true},
		"no-store": {text(get, "Host: a"),
			ok("Content-Type: video/mp4", "Content-Length: 10", "Cache-Control: no-store"), sized, nil, true},
		"a style, always": {text(get, "Host: a"), ok("Content-Type: text/css", "Content-Length: 10"), sized,
			func(c *Config) { c.Complete.What = "always" }, true},
		"no-store with a cookie, always": {text(get, "Host: a", "Cookie: a=b"),
			ok("Content-Type: video/mp4", "Content-Length: 10", "Cache-Control: no-store"), sized,
			func(c *Config) { c.Complete.What = "always" }, true},
		"a style": {text(get, "Host: a"),
			ok("Content-Type: text/css", "Content-Length: 10"), sized, nil, false},
		"a style, finish": {text(get, "Host: a"), ok("Content-Type: text/css", "Content-Length: 10"), sized,
			func(c *Config) { c.OnClientAbort = "finish" }, true},
		"a video in chunks": {text(get, "Host: a"),
			ok("Content-Type: video/mp4", "Transfer-Encoding: chunked"), chunked, nil, false},
		"above complete-max": {text(get, "Host: a"),
			ok("Content-Type: video/mp4", "Content-Length: 10"), sized,
			func(c *Config) { c.Complete.Max = 9 }, false},
		"never": {text(get, "Host: a"), ok("Content-Type: video/mp4", "Content-Length: 10"), sized,
			func(c *Config) { c.Complete.What = "never" }, false},
		"no-store with a cookie": {text(get, "Host: a", "Cookie: a=b"),
			ok("Content-Type: video/mp4", "Content-Length: 10", "Cache-Control: private, no-store"), sized,
			nil, false},
		"no-store with a name": {text(get, "Host: a", "Authorization: Basic YTpi"),
			ok("Content-Type: video/mp4", "Content-Length: 10", "Cache-Control: no-store"), sized, nil, false},
		"a POST": {text("POST PREFIX/ HTTP/1.1", "Host: a", "Content-Length: 0"),
			ok("Content-Type: video/mp4", "Content-Length: 10"), sized, nil, false},
		"a GET with a body": {text(get, "Host: a", "Content-Length: 1") + "x",
			ok("Content-Type: video/mp4", "Content-Length: 10"), sized, nil, false},
		"an error page": {text(get, "Host: a"),
			text("HTTP/1.1 404 Not Found", "Content-Type: text/html", "Content-Length: 10"), sized, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			onBothSchemes(t, func(t *testing.T, secure bool) {
				cfg := config()
				if c.with != nil {
					c.with(&cfg)
				}
				h := newHouse(t, cfg)
				gone := make(chan struct{})
				o := newOrigin(t, secure, func(o *peer) {
					o.readHead()
					o.send(c.head + c.body[0])
					if !c.finished {
						o.readAll() // ends when the proxy gives up the fetch
						return
					}
					<-gone
					for _, b := range []byte(c.body[1]) { // piece by piece, so that a write to the client fails
						o.send(string(b))
					}
					if !strings.Contains(c.head, "Content-Length") && len(c.body[1]) == 5 {
						return
					}
					o.readAll()
				})
				client, prefix := h.to(o, secure)
				client.send(strings.Replace(c.request, "PREFIX", prefix, 1))
				client.readUntil(len(c.head + c.body[0]))
				client.conn.Close()
				if c.finished && cfg.OnClientAbort == "cut" {
					until(t, "the fetch goes on alone", func() bool { return h.proxy.Completions().Alone == 1 })
				}
				close(gone)
				r := of(h.records(), "response")
				if len(r) != 1 || len(o.connections()) != 1 {
					t.Fatalf("%d responses on %d connections", len(r), len(o.connections()))
				}
				whole := string(r[0].block) == c.head+c.body[0]+c.body[1]
				truncated := r[0].header.Get("WARC-Truncated")
				gaps := h.log.String()
				if c.finished && h.proxy.Completions().Alone != 0 {
					t.Error("the place is not given back")
				}
				if whole != c.finished || (truncated == "") != c.finished ||
					strings.Contains(gaps, "cut short") == c.finished {
					t.Errorf("whole %v, want %v; truncated %q\n%s", whole, c.finished, truncated, gaps)
				}
			})
		})
	}
}

// TestAbortedIsHeld: what the collection has whole is not fetched to its end again, and nothing is
// missing.
func TestAbortedIsHeld(t *testing.T) {
	h := newHouse(t, hasty())
	first, ended := true, make(chan struct{})
	o := newOrigin(t, false, func(o *peer) {
		answer := film(o.readHead())
		if first {
			first = false
			o.send(answer)
			return
		}
		defer close(ended)
		o.send(answer[:len(answer)-1])
		o.readAll() // ends when the proxy gives up the fetch
	})
	h.fetch(o, false, "/")
	client := h.dial()
	client.send(text("GET http://"+o.address+"/ HTTP/1.1", "Host: a"))
	client.readHead()
	client.conn.Close()
	wantSoon(t, "the end of the fetch", ended)
	r := cutFirst(of(h.records(), "response"))
	if len(r) != 2 || r[0].header.Get("WARC-Truncated") != "disconnect" ||
		r[1].header.Get("WARC-Truncated") != "" || len(o.connections()) != 2 {
		t.Errorf("%d responses on %d connections", len(r), len(o.connections()))
	}
	if gaps := h.rec.Status().Gaps; len(gaps) != 0 {
		t.Errorf("gaps: %v", gaps)
	}
}

// TestAbortedBeforeTheHead: nothing says what the answer would have been, so on-client-abort rules.
func TestAbortedBeforeTheHead(t *testing.T) {
	h := newHouse(t, config())
	asked, ended := make(chan struct{}), make(chan struct{})
	o := newOrigin(t, false, func(o *peer) {
		o.readHead()
		close(asked)
		o.readAll()
		close(ended)
	})
	client := h.dial()
	client.send(text("GET http://"+o.address+"/a.mp4 HTTP/1.1", "Host: a"))
	<-asked
	client.conn.Close()
	wantSoon(t, "the end of the fetch", ended)
	until(t, "the gap", func() bool { return len(h.gaps()) == 1 })
	if gap := h.gaps()[0]; gap.Reason != recorder.GapCut || gap.Detail != "The client went away." {
		t.Errorf("%+v", gap)
	}
}

// TestAloneIsBounded: a fetch that goes on without its client has complete-max bytes and
// complete-timeout, and ends as what it is then: cut, and not asked for again.
func TestAloneIsBounded(t *testing.T) {
	head := text("HTTP/1.1 200 OK", "Content-Type: text/html", "Transfer-Encoding: chunked")
	for name, c := range map[string]struct {
		with            func(*Config)
		endless         func(*peer)
		truncated, says string
	}{
		"by complete-max": {func(c *Config) { c.Complete.Max = 100_000 },
			func(o *peer) {
				for {
					if _, err := o.conn.Write([]byte("1000\r\n" + strings.Repeat("x", 0x1000) + "\r\n")); err != nil {
						return
					}
				}
			}, "length", "the body is larger than complete-max"},
		"by complete-timeout": {func(c *Config) { c.Complete.Timeout = 200 * time.Millisecond },
			func(o *peer) {
				for {
					if _, err := o.conn.Write([]byte("1\r\nx\r\n")); err != nil {
						return
					}
					time.Sleep(10 * time.Millisecond) // it trickles
				}
			}, "time", "complete-timeout had passed"},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := config()
			c.with(&cfg)
			h := newHouse(t, cfg)
			ended, alone := make(chan struct{}), make(chan struct{})
			o := newOrigin(t, false, func(o *peer) {
				defer close(ended)
				o.readHead()
				o.send(head + "5\r\nfirst\r\n")
				<-alone
				c.endless(o)
			})
			client := h.dial()
			client.send(text("GET http://"+o.address+"/ HTTP/1.1", "Host: a"))
			client.readUntil(len(head))
			client.conn.Close()
			until(t, "the fetch goes on alone", func() bool { return h.proxy.Completions().Alone == 1 })
			close(alone)
			wantSoon(t, "the end of the fetch", ended)
			until(t, "the gap", func() bool { return len(h.gaps()) == 1 })
			if gap := h.gaps()[0]; gap.Reason != recorder.GapCut || gap.Detail != c.says {
				t.Errorf("%+v", gap)
			}
			until(t, "nothing goes on", func() bool { return h.proxy.Completions() == Completions{} })
			r := of(h.records(), "response")
			if len(r) != 1 || r[0].header.Get("WARC-Truncated") != c.truncated || len(r[0].block) > 200_000 ||
				len(o.connections()) != 1 {
				t.Errorf("%d responses, truncated %q, %d bytes", len(r), r[0].header.Get("WARC-Truncated"),
					len(r[0].block))
			}
		})
	}
}
