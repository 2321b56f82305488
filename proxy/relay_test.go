package proxy

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"fmt"
	"strings"
	"testing"

	"warcorder/proxy/http1/http1test"
)

// behaviour is one way in which an origin answers, and what must then be at the client and in the
// records.
type behaviour struct {
	name     string
	requests []string // as the origin must see them, but for TARGET, which stands before each path
	sends    string   // all that the origin sends
	ends     bool     // it then ends the connection, and so must the proxy
	serve    func(o *peer)
	waits    bool // the client sends the body when an interim response has come

	// what the client must get (a 502 page: how it begins), if not all that the origin sent
	client    string
	responses []string // what the response records must hold, if not all that the origin sent
	truncated string

	changes bool // in the usual settings the origin gets another request
}

// run is one connection of the origin.
func (b *behaviour) run(o *peer) {
	if b.serve != nil {
		b.serve(o)
	} else {
		o.readHead()
		o.send(b.sends)
	}
	if !b.ends {
		o.readAll() // until the proxy closes
	}
}

func text(l ...string) string { return string(http1test.Head(l...)) }

func get(fields ...string) []string {
	return []string{
		text(append([]string{"GET TARGET/page?q=1 HTTP/1.1", "Host: example"}, fields...)...),
	}
}

func numbered(i int) string {
	return text("HTTP/1.1 200 OK", "Content-Length: 1") + fmt.Sprint(i)
}

var megabytes = func() string {
	b := make([]byte, 3<<20)
	rand.Read(b)
	return string(b)
}()

func gzipped(s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(s))
	w.Close()
	return b.String()
}

func behaviours() []behaviour {
	return []behaviour{
		{name: "order, case, duplicates, 8-bit, odd spacing",
			requests: []string{
				text("GET TARGET/p|a?x=^&y=%zz HTTP/1.1", "hOST:example", "b: 1", "A:\t2  ", "b: 3",
					"X-8: \xe4\xff", "no colon here", "Name : space before colon"),
			},
			sends: text("HTTP/1.1 200 Fine, thanks", "zzz: 1", "Set-Cookie: a=1", "aaa:2",
				"Set-Cookie:   b=2", "X-8: \xe4", "no colon", "Content-Length:   5") + "hello"},
		{name: "folded lines",
			requests: []string{
				text("GET TARGET/ HTTP/1.1", "Host: example", "X-Folded: one", "\ttwo", "   three"),
			},
			sends: text("HTTP/1.1 200 OK", "X-F: one", " two", "Content-Length: 2") + "ok"},
		{name: "LF-only heads",
			requests: []string{"GET TARGET/ HTTP/1.1\nHost: example\nA: b\n\n"},
			sends:    "HTTP/1.1 200 OK\nContent-Length: 2\nX: y\n\nok"},
		{name: "chunk sizes, extensions, trailers", requests: get("TE: trailers"),
			sends: text("HTTP/1.1 200 OK", "Transfer-Encoding: chunked",
				"Trailer: X-Sum") + "05;ext=\"a;b\"\r\nhello\r\n006\r\n world\r\n0;last\r\nX-Sum: 1\r\n\r\n"},
		{name: "chunked upload with extensions and trailers",
			requests: []string{
				text("POST TARGET/up HTTP/1.1", "Host: example",
					"Transfer-Encoding: chunked") + "3;a=b\r\nabc\r\n0A\r\n0123456789\r\n0\r\nX-T: 1\r\n\r\n",
			},
			serve: func(o *peer) {
				o.readHead()
				for !strings.HasSuffix(o.seen.String(), "X-T: 1\r\n\r\n") {
					if _, err := o.in.ReadByte(); err != nil {
						return
					}
				}
				o.send(text("HTTP/1.1 201 Created", "Content-Length: 0"))
			}, sends: text("HTTP/1.1 201 Created", "Content-Length: 0")},
		{name: "HTTP/1.0 until close", requests: get(), ends: true,
			sends: text("HTTP/1.0 200 OK", "Content-Type: text/plain") + "until the end"},
		{name: "HTTP/1.1 until close", requests: get(), ends: true,
			sends: text("HTTP/1.1 200 OK") + strings.Repeat("x", 100_000)},
		{name: "until close, empty", requests: get(), ends: true, sends: text("HTTP/1.1 200 OK")},
		{name: "HTTP/1.0 client", ends: true,
			requests: []string{text("GET TARGET/ HTTP/1.0", "Host: example")},
			sends:    text("HTTP/1.0 200 OK", "Content-Length: 2") + "ok"},
		{name: "HTTP/1.0 kept alive",
			requests: []string{text("GET TARGET/ HTTP/1.0", "Connection: keep-alive")},
			sends:    text("HTTP/1.0 200 OK", "Connection: keep-alive", "Content-Length: 2") + "ok"},
		{name: "HEAD with length", requests: []string{text("HEAD TARGET/ HTTP/1.1", "Host: a")},
			sends: text("HTTP/1.1 200 OK", "Content-Length: 1000")},
		{name: "HEAD with chunked", requests: []string{text("HEAD TARGET/ HTTP/1.1", "Host: a")},
			sends: text("HTTP/1.1 200 OK", "Transfer-Encoding: chunked")},
		{name: "204", requests: get(), sends: text("HTTP/1.1 204 No Content", "X: y")},
		{name: "codings and dictionaries", changes: true,
			requests: get("Accept-Encoding: gzip, zstd , dcb,*", "Available-Dictionary: :x:", "Dictionary-ID: 1"),
			sends:    text("HTTP/1.1 200 OK", "Content-Encoding: dcb", "Content-Length: 2") + "ok"},
		{name: "304 with length", changes: true, requests: get("If-None-Match: \"a\""),
			sends: text("HTTP/1.1 304 Not Modified", "Content-Length: 55", "ETag: \"a\"")},
		{name: "103 before 200", requests: get(),
			sends: text("HTTP/1.1 103 Early Hints", "Link: </a.css>; rel=preload") + text("HTTP/1.1 200 OK",
				"Content-Length: 2") + "ok",
			responses: []string{text("HTTP/1.1 200 OK", "Content-Length: 2") + "ok"}},
		{name: "Expect: 100-continue", waits: true,
			requests: []string{
				text("PUT TARGET/ HTTP/1.1", "Host: a", "Expect: 100-continue", "Content-Length: 5") + "later",
			},
			serve: func(o *peer) {
				o.readHead()
				o.send(text("HTTP/1.1 100 Continue"))
				o.readN(5)
				o.send(text("HTTP/1.1 200 OK", "Content-Length: 4") + "done")
			},
			sends:     text("HTTP/1.1 100 Continue") + text("HTTP/1.1 200 OK", "Content-Length: 4") + "done",
			responses: []string{text("HTTP/1.1 200 OK", "Content-Length: 4") + "done"}},
		{name: "pipelined",
			requests: []string{
				text("GET TARGET/1 HTTP/1.1", "Host: a"),
				text("POST TARGET/2 HTTP/1.1", "Host: a", "Content-Length: 3") + "abc",
				text("GET TARGET/3 HTTP/1.1", "Host: a"),
			},
			serve: func(o *peer) {
				for i := range 3 {
					head := o.readHead()
					if strings.HasPrefix(head, "POST") {
						o.readN(3)
					}
					o.send(numbered(i))
				}
			}, sends: numbered(0) + numbered(1) + numbered(2),
			responses: []string{numbered(0), numbered(1), numbered(2)}},
		{name: "TE: gzip, chunked", requests: get(),
			sends: text("HTTP/1.1 200 OK", "Transfer-Encoding: gzip, chunked") + fmt.Sprintf(
				"%x\r\n%s\r\n0\r\n\r\n", len(gzipped("hello")), gzipped("hello"))},
		{name: "gzip kept", requests: get("Accept-Encoding: gzip"),
			sends: text("HTTP/1.1 200 OK", "Content-Encoding: gzip",
				fmt.Sprintf("Content-Length: %d", len(gzipped("hello")))) + gzipped(
				"hello",
			)},
		{name: "truncated head", requests: get("Connection: close"), ends: true,
			sends: "HTTP/1.1 200 OK\r\nContent-Le", client: "HTTP/1.1 502 Bad Gateway",
			truncated: "disconnect"},
		{name: "truncated body", requests: get(), ends: true,
			sends: text("HTTP/1.1 200 OK", "Content-Length: 100") + "only this", truncated: "disconnect"},
		{name: "truncated chunk", requests: get(), ends: true,
			sends:     text("HTTP/1.1 200 OK", "Transfer-Encoding: chunked") + "A\r\n01234",
			truncated: "disconnect"},
		{name: "bad chunk", requests: get(), ends: true,
			sends:     text("HTTP/1.1 200 OK", "Transfer-Encoding: chunked") + "3\r\nabc\r\nzz\r\n",
			client:    text("HTTP/1.1 200 OK", "Transfer-Encoding: chunked") + "3\r\nabc\r\n",
			truncated: "disconnect",
			responses: []string{text("HTTP/1.1 200 OK", "Transfer-Encoding: chunked") + "3\r\nabc\r\n"}},
		{name: "3 MB, spilled to disk", requests: get(),
			sends: text("HTTP/1.1 200 OK", fmt.Sprintf("Content-Length: %d", len(megabytes))) + megabytes},
		{name: "3 MB upload",
			requests: []string{
				text("POST TARGET/ HTTP/1.1", "Host: a",
					fmt.Sprintf("Content-Length: %d", len(megabytes))) + megabytes,
			},
			serve: func(o *peer) {
				o.readHead()
				o.readN(len(megabytes))
				o.send(text("HTTP/1.1 200 OK", "Content-Length: 0"))
			}, sends: text("HTTP/1.1 200 OK", "Content-Length: 0")},
		{name: "no reason, content length 0", requests: get(),
			sends: text("HTTP/1.1 200", "Content-Length: 0")},
		{name: "origin closes after a framed body", requests: get(), ends: true,
			sends: text("HTTP/1.1 200 OK", "Connection: close", "Content-Length: 2") + "ok"},
	}
}

// TestBehaviours: for every behaviour of an origin, on both schemes, the bytes at the origin, at
// the client and in the records are the same. Of a host of no-record there are no records.
func TestBehaviours(t *testing.T) {
	for _, b := range behaviours() {
		for _, secure := range []bool{false, true} {
			scheme := map[bool]string{false: "http", true: "https"}[secure]
			t.Run(b.name+"/"+scheme+"/verbatim",
				func(t *testing.T) { checkBehaviour(t, b, secure, verbatim()) })
			if !b.changes {
				t.Run(b.name+"/"+scheme, func(t *testing.T) { checkBehaviour(t, b, secure, config()) })
			}
			t.Run(b.name+"/"+scheme+"/unrecorded",
				func(t *testing.T) { checkBehaviour(t, b, secure, unrecorded("127.0.0.1")) })
		}
	}
}

func checkBehaviour(t *testing.T, b behaviour, secure bool, cfg Config) {
	h := newHouse(t, cfg)
	served := make(chan *peer, 4)
	o := newOrigin(t, secure, func(p *peer) {
		served <- p
		b.run(p)
	})
	client, prefix := h.to(o, secure)
	asked := strings.Join(b.requests, "")
	client.ask(strings.ReplaceAll(asked, "TARGET", prefix), b.waits)
	origin := <-served

	want := b.client
	if want == "" {
		want = b.sends
	}
	if b.ends {
		client.readAll()
	} else {
		client.readUntil(len(want))
	}
	client.conn.Close()
	all := h.records()
	o.close()
	got := client.seen.String()
	if strings.HasPrefix(b.client, "HTTP/1.1 502") {
		got = got[:min(len(got), len(want))]
	}
	if got != want {
		t.Errorf("the client got\n%.300q\nwant\n%.300q", got, want)
	}
	if seen, want := origin.seen.String(), strings.ReplaceAll(asked, "TARGET", ""); seen != want {
		t.Errorf("the origin saw\n%.300q\nwant\n%.300q", seen, want)
	}
	if cfg.NoRecord.Has("127.0.0.1") {
		h.wantUnrecorded(all, len(b.requests))
	} else {
		checkRecords(t, b, all)
	}
	if strings.Contains(h.log.String(), `"level":"error"`) {
		t.Errorf("errors in the log:\n%s", h.log)
	}
}

// ask sends a request; with wait, its body only after a head has come back.
func (p *peer) ask(request string, wait bool) {
	head, body, _ := strings.Cut(request, "\r\n\r\n")
	if !wait {
		p.send(request)
		return
	}
	p.send(head + "\r\n\r\n")
	p.readHead()
	p.send(body)
}

// readUntil reads until n bytes in all have come, and no more.
func (p *peer) readUntil(n int) {
	for p.seen.Len()-p.in.Buffered() < n {
		if _, err := p.in.ReadByte(); err != nil {
			p.t.Errorf("after %d of %d bytes: %v", p.seen.Len(), n, err)
			return
		}
	}
}

func checkRecords(t *testing.T, b behaviour, all []warcRecord) {
	t.Helper()
	responses, requests := of(all, "response"), of(all, "request")
	want := b.responses
	if want == nil {
		want = []string{b.sends}
	}
	if len(responses) != len(want) || len(requests) != len(b.requests) {
		t.Fatalf("%d responses and %d requests are recorded, want %d and %d", len(responses),
			len(requests), len(want), len(b.requests))
	}
	byID := map[string]string{} // response to request; exchanges may be recorded in any order
	for _, r := range requests {
		byID[r.header.Get("WARC-Concurrent-To")] = string(r.block)
	}
	pairs := map[string]string{}
	for _, r := range responses {
		pairs[byID[r.header.Get("WARC-Record-ID")]] = string(r.block)
		if got := r.header.Get("WARC-Truncated"); got != b.truncated {
			t.Errorf("WARC-Truncated %q, want %q", got, b.truncated)
		}
		if r.header.Get("WARC-IP-Address") != "127.0.0.1" {
			t.Errorf("WARC-IP-Address %q", r.header.Get("WARC-IP-Address"))
		}
	}
	for i := range want {
		request := strings.ReplaceAll(b.requests[i], "TARGET", "")
		if got, ok := pairs[request]; !ok || got != want[i] {
			t.Errorf("to %.300q\nis recorded\n%.300q\nwant\n%.300q", request, got, want[i])
		}
	}
}
