package proxy

import (
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// TestUploadStreams: the origin has the first half of an upload before the client sends the second.
func TestUploadStreams(t *testing.T) {
	onBothSchemes(t, func(t *testing.T, secure bool) {
		h := newHouse(t, config())
		arrived := make(chan struct{})
		o := newOrigin(t, secure, func(o *peer) {
			o.readHead()
			o.readN(5)
			close(arrived)
			o.readN(5)
			o.send(text("HTTP/1.1 200 OK", "Content-Length: 0"))
			o.readAll()
		})
		client, prefix := h.to(o, secure)
		client.send(text("POST "+prefix+"/ HTTP/1.1", "Host: a", "Content-Length: 10") + "first")
		<-arrived
		client.send("later")
		if head := client.readHead(); !strings.HasPrefix(head, "HTTP/1.1 200") {
			t.Errorf("%q", head)
		}
	})
}

func TestBadChunkInAnUpload(t *testing.T) {
	onBothSchemes(t, func(t *testing.T, secure bool) {
		h := newHouse(t, config())
		o := newOrigin(t, secure, func(o *peer) { o.readAll() })
		client, prefix := h.to(o, secure)
		client.send(
			text("POST "+prefix+"/ HTTP/1.1", "Host: a", "Transfer-Encoding: chunked") + "3\r\nabc\r\n")
		client.send("zz\r\nGET /hidden HTTP/1.1\r\n\r\n")
		wantFault(t, client.readAll(), "400", "chunk")
		h.close()
		o.close()
		for _, p := range o.connections() {
			if strings.Contains(p.seen.String(), "hidden") {
				t.Errorf("the origin saw %q", p.seen.String())
			}
		}
	})
}

// TestEarlyAnswer: the origin refuses an upload while the client is still sending; the client gets
// the whole answer.
func TestEarlyAnswer(t *testing.T) {
	answer := text("HTTP/1.1 413 Content Too Large", "Content-Length: 3", "Connection: close") + "big"
	onBothSchemes(t, func(t *testing.T, secure bool) {
		h := newHouse(t, config())
		o := newOrigin(t, secure, func(o *peer) {
			o.readHead()
			o.send(answer)
		})
		client, prefix := h.to(o, secure)
		client.send(text("POST "+prefix+"/ HTTP/1.1", "Host: a", "Content-Length: 1000000000"))
		go func() {
			piece := strings.Repeat("x", 1<<16)
			for range 64 {
				if _, err := io.WriteString(client.conn, piece); err != nil {
					return
				}
			}
		}()
		client.readUntil(len(answer))
		if got := client.seen.String(); got != answer {
			t.Errorf("%q", got)
		}
		client.conn.Close()
		if r := of(h.records(), "response"); len(r) != 1 || string(r[0].block) != answer {
			t.Errorf("%q", r)
		}
	})
}

// TestExpectationFailed: after a final answer in place of 100 Continue the client may not send the
// body; the connection ends, so that nobody takes a next request for a body.
func TestExpectationFailed(t *testing.T) {
	h := newHouse(t, config())
	answer := text("HTTP/1.1 417 Expectation Failed", "Content-Length: 0")
	o := newOrigin(t, false, func(o *peer) { o.readHead(); o.send(answer); o.readAll() })
	client := h.dial()
	client.send(
		text(
			"POST http://"+o.address+"/ HTTP/1.1",
			"Host: a",
			"Expect: 100-continue",
			"Content-Length: 5",
		),
	)
	if got := client.readAll(); got != answer {
		t.Errorf("%q", got)
	}
}

func TestClientLeavesAfterItsUpload(t *testing.T) {
	onBothSchemes(t, func(t *testing.T, secure bool) {
		h := newHouse(t, config())
		got, ended := make(chan struct{}), make(chan struct{})
		o := newOrigin(t, secure, func(o *peer) {
			o.readHead()
			o.readN(200_000)
			close(got)
			o.readAll()
			close(ended)
		})
		client, prefix := h.to(o, secure)
		client.send(text("POST "+prefix+"/ HTTP/1.1", "Host: a", "Content-Length: 200000"))
		client.send(strings.Repeat("x", 200_000))
		<-got
		client.conn.Close()
		wantSoon(t, "the fetch is stopped", ended)
	})
}

func TestTotalEndsAnUploadThatNobodyReads(t *testing.T) {
	cfg := config()
	cfg.Timeout.Total = 500 * time.Millisecond
	h := newHouse(t, cfg)
	hold := make(chan struct{})
	o := newOrigin(t, false, func(o *peer) { o.readHead(); <-hold })
	client := h.dial()
	client.send(text("POST http://"+o.address+"/ HTTP/1.1", "Host: a", "Content-Length: 1000000000"))
	go client.endless()
	wantFault(t, client.readAll(), "504", "timeout-total")
	close(hold)
	if r := of(h.records(), "request"); len(r) != 1 || r[0].header.Get("WARC-Truncated") != "time" {
		t.Errorf("%d requests, %v", len(r), r[0].header)
	}
}

// TestEarlyAnswerIsRecordedAtOnce although the origin has stopped reading in the middle of the
// upload.
func TestEarlyAnswerIsRecordedAtOnce(t *testing.T) {
	onBothSchemes(t, func(t *testing.T, secure bool) {
		h := newHouse(t, config())
		answer := text("HTTP/1.1 413 Content Too Large", "Connection: close", "Content-Length: 3") + "big"
		hold := make(chan struct{})
		o := newOrigin(t, secure, func(o *peer) {
			o.readHead()
			o.readN(1 << 20)
			o.send(answer)
			<-hold
		})
		defer close(hold)
		client, prefix := h.to(o, secure)
		client.send(text("POST "+prefix+"/ HTTP/1.1", "Host: a", "Content-Length: 1000000000"))
		go client.endless()
		client.readUntil(len(answer))
		deadline := time.Now().Add(8 * time.Second)
		for ; !strings.Contains(h.log.String(), `"capture"`); time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("not recorded within 8 s")
			}
		}
		client.conn.Close()
	})
}

// TestBadChunkBehindAnAnswer leaves evidence too.
func TestBadChunkBehindAnAnswer(t *testing.T) {
	h := newHouse(t, config())
	o := newOrigin(t, false,
		func(o *peer) { o.readHead(); o.readN(8); o.send(numbered(1)); o.readAll() })
	client := h.dial()
	client.send(
		text(
			"POST http://"+o.address+"/ HTTP/1.1",
			"Host: a",
			"Transfer-Encoding: chunked",
		) + "3\r\nabc\r\n",
	)
	client.readUntil(len(numbered(1)))
	client.send("zz\r\nGET /hidden HTTP/1.1\r\n\r\n")
	client.readAll()
	all := h.records()
	if facts := of(all, "metadata"); len(facts) != 1 ||
		!strings.Contains(string(facts[0].block), "ambiguous") {
		t.Errorf("%q", facts)
	}
	if !strings.Contains(h.log.String(), `begins with 'z'`) {
		t.Errorf("no evidence in the log:\n%s", h.log)
	}
}

// TestCauseBesideAnUploadThatIsStuck: the origin reads nothing of the upload and breaks its answer
// off. The upload is ended for that, in the middle of a write, and is not the cause.
func TestCauseBesideAnUploadThatIsStuck(t *testing.T) {
	for _, c := range []struct{ name, answer string }{
		{"in the head", "HTTP/1.1 200 OK\r\nX"},
		{"in the body", text("HTTP/1.1 200 OK", "Content-Length: 10") + "half"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHouse(t, config())
			stuck, hold := make(chan struct{}), make(chan struct{})
			o := newOrigin(t, false, func(o *peer) {
				o.readHead()
				<-stuck
				o.send(c.answer)
				o.conn.(*net.TCPConn).CloseWrite()
				<-hold
			})
			defer close(hold)
			client := h.dial()
			client.send(text("POST http://"+o.address+"/ HTTP/1.1", "Host: a", "Content-Length: 1000000000"))
			client.fillUp()
			close(stuck)
			io.Copy(io.Discard, client.conn)
			all := h.records()
			if r := of(all, "request"); len(r) != 1 {
				t.Errorf("%d requests", len(r))
			}
			facts := of(all, "metadata")
			if len(facts) != 1 || !strings.Contains(string(facts[0].block), "closed the connection before") {
				t.Errorf("%q", facts)
			}
			for _, r := range all {
				if cut := r.header.Get("WARC-Truncated"); cut != "" && cut != "disconnect" {
					t.Errorf("%s: WARC-Truncated %q", r.header.Get("WARC-Type"), cut)
				}
			}
		})
	}
}

// fillUp sends until nobody has taken anything for a while.
func (p *peer) fillUp() {
	piece := make([]byte, 1<<16)
	for {
		p.conn.SetWriteDeadline(time.Now().Add(time.Second))
		if _, err := p.conn.Write(piece); err != nil {
			return
		}
	}
}
