package proxy

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
)

// echo is a Source that answers with what it was asked, and with so much of the body as it reads.
func echo(most int64) Source {
	return sourceFunc(func(_ context.Context, method, url string, _ []byte, body io.Reader) (
		[]byte, io.ReadCloser, error) {
		got := []byte("no body")
		if body != nil {
			var err error
			if got, err = io.ReadAll(io.LimitReader(body, most)); err != nil {
				return nil, nil, fmt.Errorf("a body: %w", err)
			}
		}
		said := fmt.Sprintf("%s %s %.20q", method, url[strings.LastIndex(url, "/"):], got)
		head := text("HTTP/1.1 200 OK", fmt.Sprintf("Content-Length: %d", len(said)))
		return []byte(head), io.NopCloser(strings.NewReader(said)), nil
	})
}

// replayedRequest is a request as it is sent, and what comes of it.
type replayedRequest struct {
	name, sent string // HOST stands where a target begins

	said   string // what the Source says that it was asked, all of the body read
	unread string // the same, nothing of it read; "" if that is no other
	status string // "200 OK", unless
	last   bool   // the connection ends
	ends   bool   // it ends if the body was not read
}

func replayedRequests() []replayedRequest {
	large := strings.Repeat("x", 1<<20)
	return []replayedRequest{
		{name: "GET", sent: text("GET HOST/a HTTP/1.1"), said: `GET /a "no body"`},
		{name: "GET with a body", sent: text("GET HOST/a HTTP/1.1", "Content-Length: 3") + "abc",
			said: `GET /a "abc"`, unread: `GET /a ""`},
		{name: "DELETE with an empty body", sent: text("DELETE HOST/a HTTP/1.1", "Content-Length: 0"),
			said: `DELETE /a "no body"`},
		{name: "chunks with a trailer", sent: text("POST HOST/a HTTP/1.1",
			"Transfer-Encoding: chunked") + "1;x=\"y\"\r\na\r\n002\r\nbc\r\n0\r\nX: y\r\n\r\n",
			said: `POST /a "abc"`, unread: `POST /a ""`},
		{name: "no chunk but the last", sent: text("POST HOST/a HTTP/1.1",
			"Transfer-Encoding: chunked") + "0\r\n\r\n", said: `POST /a ""`},
		{name: "a large body", sent: text("POST HOST/a HTTP/1.1",
			fmt.Sprint("Content-Length: ", len(large))) + large,
			said: `POST /a "xxxxxxxxxxxxxxxxxxxx"`, unread: `POST /a ""`},
		{name: "TRACE", sent: text("TRACE HOST/a HTTP/1.1", "Max-Forwards: 0"),
			said: `TRACE /a "no body"`},
		{name: "OPTIONS *", sent: text("OPTIONS HOST HTTP/1.1"), said: `OPTIONS / "no body"`},
		{name: "a WebSocket", sent: text("GET HOST/a HTTP/1.1", "Connection: Upgrade",
			"Upgrade: websocket", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="), said: `GET /a "no body"`},
		{name: "an odd target", sent: text("GET HOST/a|b^c?%zz&\" \" HTTP/1.1"),
			said: `GET /a|b^c?%zz&" " "no body"`},
		{name: "an unknown method", sent: text("BREW HOST/a HTTP/1.1"), said: `BREW /a "no body"`},
		{name: "HTTP/1.0 kept alive", sent: text("GET HOST/a HTTP/1.0", "Connection: keep-alive"),
			said: `GET /a "no body"`},
		{name: "HTTP/1.0", sent: text("GET HOST/a HTTP/1.0"), said: `GET /a "no body"`, last: true},
		{name: "close", sent: text("GET HOST/a HTTP/1.1", "Connection: close"), said: `GET /a "no body"`,
			last: true},
		{name: "both framing fields", sent: text("POST HOST/a HTTP/1.1", "Content-Length: 1",
			"Transfer-Encoding: chunked") + "0\r\n\r\n", status: "400 Bad Request", last: true},
		{name: "a chunk that is none", sent: text("POST HOST/a HTTP/1.1",
			"Transfer-Encoding: chunked") + "1\r\na\r\nz\r\n", status: "400 Bad Request", last: true,
			unread: `POST /a ""`, ends: true},
		{name: "LF in the chunks", sent: text("POST HOST/a HTTP/1.1",
			"Transfer-Encoding: chunked") + "1\na\n0\n\n", status: "400 Bad Request", last: true,
			unread: `POST /a ""`, ends: true},
		{name: "a body above max-body-size", sent: text("POST HOST/a HTTP/1.1",
			"Content-Length: 3000000") + strings.Repeat("x", 3_000_000),
			status: "413 Request Entity Too Large", last: true},
		{name: "chunks above max-body-size", sent: text("POST HOST/a HTTP/1.1",
			"Transfer-Encoding: chunked") + "2DC6C0\r\n" + strings.Repeat("x", 3_000_000) + "\r\n0\r\n\r\n",
			status: "413 Request Entity Too Large", last: true, unread: `POST /a ""`, ends: true},
	}
}

// TestReplayedRequests: whatever a client asks, the Source is asked the same, and what follows the
// request is the next one, read or not, or the connection ends.
func TestReplayedRequests(t *testing.T) {
	for _, most := range []int64{1 << 30, 0} {
		cfg := replaying(echo(most))
		cfg.MaxBodySize = 2 << 20
		h := newReplayHouse(t, cfg)
		for _, r := range replayedRequests() {
			onBothSchemes(t, func(t *testing.T, secure bool) {
				t.Run(fmt.Sprint(r.name, ", read ", most), func(t *testing.T) {
					r.check(t, h, secure, most == 0)
				})
			})
		}
	}
}

func (r *replayedRequest) check(t *testing.T, h *house, secure, unread bool) {
	client, prefix := h.toHost("a.test", secure)
	if secure && strings.Contains(r.sent, "OPTIONS HOST ") {
		prefix = "*"
	}
	said, status, last := r.said, r.status, r.last
	if unread && r.unread != "" {
		said, status, last = r.unread, "", r.ends
	}
	if status == "" {
		status = "200 OK"
	}
	next := text("GET "+strings.TrimPrefix(prefix, "*")+"/next HTTP/1.1", "Host: a.test")
	sent := strings.ReplaceAll(r.sent, "HOST", prefix)
	go io.WriteString(client.conn, sent+next) // pipelined
	head := client.readHead()
	page := client.readN(contentLength(t, head))
	if !strings.HasPrefix(head, "HTTP/1.1 "+status+"\r\n") || said != "" && page != said {
		t.Errorf("%s%s, want %s", head, page, said)
	}
	if last {
		if rest, _ := io.ReadAll(client.in); len(rest) > 0 {
			t.Errorf("then %q", rest)
		}
		return
	}
	head = client.readHead()
	if got := client.readN(contentLength(t, head)); got != `GET /next "no body"` {
		t.Errorf("then %s%s", head, got)
	}
}

// TestReplayedExpect: a client that waits for it is told to send its body when the Source reads,
// and not otherwise.
func TestReplayedExpect(t *testing.T) {
	onBothSchemes(t, func(t *testing.T, secure bool) {
		request := []string{"POST HOST/a HTTP/1.1", "Expect: 100-continue", "Content-Length: 3"}
		ask := func(most int64) *peer {
			h := newReplayHouse(t, replaying(echo(most)))
			client, prefix := h.toHost("a.test", secure)
			client.send(strings.ReplaceAll(text(request...), "HOST", prefix))
			return client
		}
		client := ask(10)
		if head := client.readHead(); head != "HTTP/1.1 100 Continue\r\n\r\n" {
			t.Errorf("%q", head)
		}
		client.send("abc")
		head := client.readHead()
		if got := client.readN(contentLength(t, head)); got != `POST /a "abc"` {
			t.Errorf("%s%s", head, got)
		}
		client = ask(0)
		if got := client.readAll(); !strings.HasSuffix(got, "\r\n\r\nPOST /a \"\"") ||
			!strings.HasPrefix(got, "HTTP/1.1 200 ") {
			t.Errorf("%q", got)
		}
		request[0] = "POST HOST/a HTTP/1.0"
		client = ask(10)
		client.send("abc")
		if got := client.readAll(); !strings.HasPrefix(got, "HTTP/1.1 200 ") {
			t.Errorf("HTTP/1.0: %q", got)
		}
	})
}

// TestReplayedBodyBreaksOff: a client that goes away in its body gets no page, and costs a Source
// that reads it an error.
func TestReplayedBodyBreaksOff(t *testing.T) {
	onBothSchemes(t, func(t *testing.T, secure bool) {
		read := make(chan error, 1)
		h := newReplayHouse(t, replaying(sourceFunc(func(_ context.Context, _, _ string, _ []byte,
			body io.Reader) ([]byte, io.ReadCloser, error) {
			_, err := io.Copy(io.Discard, body)
			read <- err
			return nil, nil, err
		})))
		client, prefix := h.toHost("a.test", secure)
		client.send(text("POST "+prefix+"/ HTTP/1.1", "Content-Length: 10") + "12345")
		client.conn.Close()
		if err := <-read; err != io.ErrUnexpectedEOF {
			t.Errorf("the Source got %v", err)
		}
		h.stop(20 * time.Second)
		if log := h.log.String(); log != "" {
			t.Errorf("the log: %s", log)
		}
	})
}
