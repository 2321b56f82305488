package proxy

import (
	"io"
	"strings"
	"testing"

	"warcorder/proxy/http1/http1test"
)

const hidden = "GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n"

// TestChunksThatHideARequest: neither the origin sees it, nor is it answered.
func TestChunksThatHideARequest(t *testing.T) {
	h := newHouse(t, config())
	o := newOrigin(t, false, silent)
	for _, table := range []map[string]string{http1test.BadChunks, http1test.LooseChunks} {
		for name, chunks := range table {
			t.Run(name, func(t *testing.T) {
				client := h.dial()
				client.send(
					text(
						"POST http://"+o.address+"/ HTTP/1.1",
						"Host: a",
						"Transfer-Encoding: chunked",
					) + chunks + hidden,
				)
				got := client.readAll()
				wantFault(t, got, "400", "ambiguous")
				if strings.Count(got, "HTTP/1.1 ") != 1 {
					t.Errorf("more than one answer: %q", got)
				}
			})
		}
	}
	h.close()
	o.close()
	for _, p := range o.connections() {
		if strings.Contains(p.seen.String(), "hidden") ||
			strings.HasSuffix(p.seen.String(), "0\r\n\r\n") {
			t.Errorf("the origin saw %q", p.seen.String())
		}
	}
}

// TestChunksThatHideAResponse: the client does not see it.
func TestChunksThatHideAResponse(t *testing.T) {
	hide := text("HTTP/1.1 299 Hidden", "Content-Length: 0")
	h := newHouse(t, config())
	ask := func(t *testing.T, answer string, fields ...string) string {
		o := newOrigin(t, false, sends(answer))
		client := h.dial()
		client.send(
			text(
				append([]string{"GET http://" + o.address + "/ HTTP/1.1", "Host: a"}, fields...)...) + text(
				"GET http://"+o.address+"/second HTTP/1.1",
				"Host: a",
			),
		)
		return client.readAll()
	}
	head := text("HTTP/1.1 200 OK", "Transfer-Encoding: chunked")
	for name, chunks := range http1test.BadChunks {
		t.Run(name, func(t *testing.T) {
			if got := ask(t, head+chunks+hide); !strings.HasPrefix(head+chunks, got) {
				t.Errorf("the client got %q", got)
			}
		})
	}
	for name, chunks := range http1test.LooseChunks {
		t.Run(name, func(t *testing.T) {
			if got := ask(t, head+chunks+hide); got != head+chunks {
				t.Errorf("the client got %q", got)
			}
		})
	}
	for name, fields := range http1test.Smuggled {
		t.Run(name, func(t *testing.T) {
			got := ask(t, string(http1test.Head(append([]string{"HTTP/1.1 200 OK"}, fields...)...))+"0\r\n\r\n"+hide,
				"Connection: close")
			if !strings.HasPrefix(got, "HTTP/1.1 502 ") || strings.Contains(got, "Hidden") {
				t.Errorf("the client got %q", got)
			}
		})
	}
	t.Run("lines that end in LF beside others", func(t *testing.T) {
		answer := "HTTP/1.1 200 OK\r\nX: y\nContent-Length: 2\r\n\r\nok"
		if got := ask(t, answer+hide); got != answer {
			t.Errorf("the client got %q", got)
		}
	})
}

// TestOldClientsSeeOneAnswer: an HTTP/1.0 client takes an interim response for the answer, and does
// not know of chunks.
func TestOldClientsSeeOneAnswer(t *testing.T) {
	for name, c := range map[string]struct{ sends, want string }{
		"interim": {text("HTTP/1.1 103 Early Hints", "Link: </a>") + numbered(1),
			numbered(1) + numbered(1)},
		"chunked": {text("HTTP/1.1 200 OK", "Transfer-Encoding: chunked") + "1\r\n1\r\n0\r\n\r\n",
			text("HTTP/1.1 200 OK", "Transfer-Encoding: chunked") + "1\r\n1\r\n0\r\n\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, config())
			o := newOrigin(t, false, func(o *peer) {
				for o.readHead() != "" {
					o.send(c.sends)
				}
			})
			client := h.dial()
			request := text("GET http://"+o.address+"/ HTTP/1.0", "Connection: keep-alive")
			client.send(request + request)
			client.readUntil(len(c.want))
			client.conn.(interface{ CloseWrite() error }).CloseWrite()
			client.readAll()
			if got := client.seen.String(); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// TestUnexpectedBodiesAreNotShared: an origin that does not look for the body of a GET takes it for
// the next request, whose answer must not be that of another client's.
func TestUnexpectedBodiesAreNotShared(t *testing.T) {
	for method, connections := range map[string]int{"GET": 2, "HEAD": 2, "DELETE": 2, "OPTIONS": 2, "POST": 1, "PUT": 1} {
		t.Run(method, func(t *testing.T) {
			h := newHouse(t, config())
			o := newOrigin(t, false, func(o *peer) {
				for head := o.readHead(); head != ""; head = o.readHead() {
					if strings.Contains(head, "Content-Length") {
						o.readN(3)
					}
					o.send(text("HTTP/1.1 204 No Content"))
				}
			})
			a, b := h.dial(), h.dial()
			answer := len(text("HTTP/1.1 204 No Content"))
			for range 2 {
				a.send(text(method+" http://"+o.address+"/ HTTP/1.1", "Host: a", "Content-Length: 3") + "abc")
				a.readN(answer)
				h.untilWaiting(2)
			}
			b.send(text("GET http://"+o.address+"/ HTTP/1.1", "Host: a"))
			b.readN(answer)
			if n := len(o.connections()); n != connections {
				t.Errorf("%d connections, want %d", n, connections)
			}
		})
	}
}

// TestHundredThousandFields pass verbatim, either way.
func TestHundredThousandFields(t *testing.T) {
	onBothSchemes(t, func(t *testing.T, secure bool) {
		h := newHouse(t, config())
		fields := strings.Repeat("a:b\r\n", 100_000)
		answer := "HTTP/1.1 200 OK\r\n" + fields + "Content-Length: 2\r\n\r\nok"
		o := newOrigin(t, secure, sends(answer))
		beside := h.fetchBeside()
		client, prefix := h.to(o, secure)
		client.send("GET " + prefix + "/x HTTP/1.1\r\n" + fields + "\r\n")
		if got := client.readN(len(answer)); got != answer {
			t.Errorf("%d bytes came, not those that were sent: %.100q", len(got), got)
		}
		client.conn.Close()
		beside()
		all := h.records()
		o.close()
		want := "GET /x HTTP/1.1\r\n" + fields + "\r\n"
		if got := o.connections()[0].seen.String(); got != want {
			t.Errorf("the origin saw %d bytes, not those that were sent: %.100q", len(got), got)
		}
		for _, r := range all {
			expected, ours := map[string]string{"request": want, "response": answer}[r.header.Get("WARC-Type")]
			if ours && strings.HasSuffix(r.header.Get("WARC-Target-URI"), "/x") &&
				string(r.block) != expected {
				t.Errorf("the %s record holds %d bytes, not those that were sent", r.header.Get("WARC-Type"),
					len(r.block))
			}
		}
	})
}

// TestPipelinedBeyondBuffers: more requests than any buffer of ours holds, sent while the first
// waits for its answer.
func TestPipelinedBeyondBuffers(t *testing.T) {
	onBothSchemes(t, func(t *testing.T, secure bool) {
		h := newHouse(t, config())
		const n = 400
		release := make(chan struct{})
		o := newOrigin(t, secure, func(o *peer) {
			for o.readHead() != "" {
				<-release
				o.send(numbered(1))
			}
		})
		beside := h.fetchBeside()
		client, prefix := h.to(o, secure)
		request := text("GET "+prefix+"/x HTTP/1.1", "Host: a", "X: "+strings.Repeat("x", 2500))
		go io.WriteString(client.conn, strings.Repeat(request, n))
		until(t, "the first is at the origin", func() bool { return len(o.connections()) == 1 })
		close(release)
		if got := client.readN(n * len(numbered(1))); got != strings.Repeat(numbered(1), n) {
			t.Errorf("not %d answers", n)
		}
		beside()
	})
}

// TestBodiesOfJustTheLimit pass, and are whole.
func TestBodiesOfJustTheLimit(t *testing.T) {
	body := "5\r\nabcde\r\n0\r\n\r\n"
	cfg := config()
	cfg.MaxBodySize = int64(len(body))
	for name, framing := range map[string]string{
		"sized":       "Content-Length: 15",
		"chunked":     "Transfer-Encoding: chunked",
		"until close": "Connection: close",
	} {
		t.Run(name, func(t *testing.T) {
			onBothSchemes(t, func(t *testing.T, secure bool) {
				h := newHouse(t, cfg)
				answer := text("HTTP/1.1 200 OK", framing) + body
				o := newOrigin(t, secure, func(o *peer) {
					o.readHead()
					if name != "until close" {
						o.readN(len(body))
					}
					o.send(answer)
				})
				client, prefix := h.to(o, secure)
				if name == "until close" {
					client.send(text("GET "+prefix+"/ HTTP/1.1", "Host: a"))
				} else {
					client.send(text("POST "+prefix+"/ HTTP/1.1", "Host: a", framing) + body)
				}
				client.readUntil(len(answer))
				client.conn.Close()
				h.proxy.Shutdown(t.Context())
				if gaps := h.gaps(); len(gaps) != 0 {
					t.Errorf("gaps: %v", gaps)
				}
				if r := of(h.records(), "response"); len(r) != 1 || string(r[0].block) != answer ||
					r[0].header.Get("WARC-Truncated") != "" {
					t.Errorf("%q", r)
				}
			})
		})
	}
}

// TestConnectionNamesAFramingField: a front door of the origin's may take out what Connection
// names, and what is behind it answers another message: the connection is no other client's.
func TestConnectionNamesAFramingField(t *testing.T) {
	for name, c := range map[string]struct {
		asked, answered string
		connections     int
	}{
		"nothing":         {"keep-alive", "keep-alive", 1},
		"host":            {"keep-alive, Host", "keep-alive", 2},
		"host in a fold":  {"keep-alive,\r\n\tHost", "keep-alive", 2},
		"expect":          {"Expect", "keep-alive", 2},
		"answer's length": {"keep-alive", "keep-alive, Content-Length", 2},
		"answer's coding": {"keep-alive", "Transfer-Encoding", 2},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, config())
			answer := text("HTTP/1.1 200 OK", "Connection: "+c.answered, "Content-Length: 0")
			o := newOrigin(t, false, func(o *peer) {
				for o.readHead() != "" {
					o.send(answer)
				}
			})
			a, b := h.dial(), h.dial()
			for range 2 { // its own client uses it again
				a.send(text("GET http://"+o.address+"/ HTTP/1.1", "Host: a", "Connection: "+c.asked))
				a.readN(len(answer))
				h.untilWaiting(2)
			}
			b.send(text("GET http://"+o.address+"/ HTTP/1.1", "Host: a"))
			b.readN(len(answer))
			if n := len(o.connections()); n != c.connections {
				t.Errorf("%d connections, want %d", n, c.connections)
			}
		})
	}
}

// TestAmbiguousRequestsNeverReachTheOrigin: neither the request nor what was hidden behind it.
func TestAmbiguousRequestsNeverReachTheOrigin(t *testing.T) {
	h := newHouse(t, config())
	o := newOrigin(t, false, func(o *peer) { o.readAll() })
	for name, fields := range http1test.Smuggled {
		t.Run(name, func(t *testing.T) {
			client := h.dial()
			client.send(
				string(
					http1test.Head(append([]string{"POST http://" + o.address + "/ HTTP/1.1", "Host: a"}, fields...)...),
				) + "0\r\n\r\nGET /hidden HTTP/1.1\r\n\r\n",
			)
			wantFault(t, client.readAll(), "400", "refused")
		})
	}
	if n := len(o.connections()); n != 0 {
		t.Errorf("%d connections to the origin", n)
	}
	if log := h.log.String(); !strings.Contains(log, "Transfer-Encoding: chunked") ||
		strings.Contains(log, "Host: a") {
		t.Errorf("the log holds no evidence, or too much:\n%s", log)
	}
}
