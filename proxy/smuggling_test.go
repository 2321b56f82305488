package proxy

import (
	"errors"
	"io"
	"strings"
	"testing"
)

// TestFramingVerdicts: for each way to write the framing fields, how a request and a response with
// them end, or that they are refused. What is refused on both sides stands in smuggled.
func TestFramingVerdicts(t *testing.T) {
	const refused = "refused"
	for name, c := range map[string]struct {
		fields            []string
		version           byte // of the message, if not 1.1
		request, response string
	}{
		"unknown coding":                {fields: []string{"Transfer-Encoding: xchunked"}, request: refused, response: "until close"},
		"chunked behind a VT":           {fields: []string{"Transfer-Encoding: \x0bchunked"}, request: refused, response: "until close"},
		"chunked before a VT":           {fields: []string{"Transfer-Encoding: chunked\x0b"}, request: refused, response: "until close"},
		"chunked behind a FF":           {fields: []string{"Transfer-Encoding: \x0cchunked"}, request: refused, response: "until close"},
		"chunked behind a NBSP":         {fields: []string{"Transfer-Encoding: \xa0chunked"}, request: refused, response: "until close"},
		"chunked in quotes":             {fields: []string{"Transfer-Encoding: \"chunked\""}, request: refused, response: "until close"},
		"chunked with a parameter":      {fields: []string{"Transfer-Encoding: chunked;q=1"}, request: refused, response: "until close"},
		"chunked behind a semicolon":    {fields: []string{"Transfer-Encoding: x;chunked"}, request: refused, response: "until close"},
		"chunked behind a space":        {fields: []string{"Transfer-Encoding: x chunked"}, request: refused, response: "until close"},
		"chunked with a colon":          {fields: []string{"Transfer-Encoding:: chunked"}, request: refused, response: "until close"},
		"half of chunked":               {fields: []string{"Transfer-Encoding: chunk"}, request: refused, response: "until close"},
		"chunked in letters that fold":  {fields: []string{"Transfer-Encoding: chun\u212aed"}, request: refused, response: "until close"},
		"identity":                      {fields: []string{"Transfer-Encoding: identity"}, request: refused, response: "until close"},
		"no coding":                     {fields: []string{"Transfer-Encoding:"}, request: refused, response: "until close"},
		"gzip":                          {fields: []string{"Transfer-Encoding: gzip"}, request: refused, response: "until close"},
		"chunked in HTTP/1.0":           {fields: []string{"Transfer-Encoding: chunked"}, version: '0', request: refused, response: "until close"},
		"chunked":                       {fields: []string{"Transfer-Encoding: chunked"}, request: "chunked", response: "chunked"},
		"chunked in capitals":           {fields: []string{"TRANSFER-ENCODING: CHUNKED"}, request: "chunked", response: "chunked"},
		"chunked behind spaces":         {fields: []string{"Transfer-Encoding:    chunked"}, request: "chunked", response: "chunked"},
		"chunked behind a tab":          {fields: []string{"Transfer-Encoding:\tchunked"}, request: "chunked", response: "chunked"},
		"chunked before a tab":          {fields: []string{"Transfer-Encoding: chunked\t"}, request: "chunked", response: "chunked"},
		"chunked without a space":       {fields: []string{"Transfer-Encoding:chunked"}, request: "chunked", response: "chunked"},
		"identity, chunked":             {fields: []string{"Transfer-Encoding: identity, chunked"}, request: "chunked", response: "chunked"},
		"identity and chunked, 2 lines": {fields: []string{"Transfer-Encoding: identity", "Transfer-Encoding: chunked"}, request: "chunked", response: "chunked"},
		"nothing and chunked":           {fields: []string{"Transfer-Encoding: , chunked"}, request: "chunked", response: "chunked"},
		"length":                        {fields: []string{"Content-Length: 6"}, request: "sized", response: "sized"},
		"length behind a tab":           {fields: []string{"Content-Length:\t6"}, request: "sized", response: "sized"},
		"length before spaces":          {fields: []string{"Content-Length: 6  "}, request: "sized", response: "sized"},
		"length with zeros":             {fields: []string{"Content-Length: 0006"}, request: "sized", response: "sized"},
		"equal lengths":                 {fields: []string{"Content-Length: 6", "Content-Length: 6"}, request: "sized", response: "sized"},
		"equal lengths in a list":       {fields: []string{"Content-Length: 6, 6"}, request: "sized", response: "sized"},
		"lengths written differently":   {fields: []string{"Content-Length: 6", "Content-Length: 06"}, request: "sized", response: "sized"},
		"length zero":                   {fields: []string{"Content-Length: 0"}, request: "none", response: "none"},
		"length named by Connection":    {fields: []string{"Connection: close, Content-length", "Content-Length: 6"}, request: refused, response: "sized"},
		"length named sloppily":         {fields: []string{"Connection: \x0bContent-Length ", "Content-Length: 6"}, request: refused, response: "sized"},
		"coding named by Connection":    {fields: []string{"Connection: Transfer-Encoding", "Transfer-Encoding: chunked"}, request: refused, response: "chunked"},
		"coding named in a fold":        {fields: []string{"Connection: x,", " Transfer-Encoding", "Transfer-Encoding: chunked"}, request: refused, response: refused},
		"others named by Connection":    {fields: []string{"Connection: TE, X-Content-Length, Trailer", "Content-Length: 6"}, request: "sized", response: "sized"},
		"neither":                       {request: "none", response: "until close"},
		"other fields fold":             {fields: []string{"X: 1", " y", "Content-Length: 6"}, request: "sized", response: "sized"},
		"a value that looks like one":   {fields: []string{"X: Transfer-Encoding: chunked", "Content-Length: 6"}, request: "sized", response: "sized"},
	} {
		t.Run(name, func(t *testing.T) {
			version := "HTTP/1.1"
			if c.version != 0 {
				version = "HTTP/1." + string(c.version)
			}
			verdict := func(f framing, err error) string {
				if errors.As(err, new(*headError)) {
					return refused
				}
				return f.String()
			}
			req, err := parseRequest(lines(append([]string{"POST / " + version}, c.fields...)...))
			if got := verdict(req.framing, err); got != c.request {
				t.Errorf("request: %s, want %s", got, c.request)
			}
			res, err := parseResponse(lines(append([]string{version + " 200 OK"}, c.fields...)...),
				&request{})
			if got := verdict(res.framing, err); got != c.response {
				t.Errorf("response: %s, want %s", got, c.response)
			}
			if res.framing == untilClose && res.keepAlive {
				t.Error("the connection goes on behind a response that ends with it")
			}
		})
	}
}

// badChunks are chunked bodies that two readers could end in different places, with a message
// hidden in them.
var badChunks = map[string]string{
	"0x":                   "0x5\r\nabcde\r\n0\r\n\r\n",
	"negative":             "-5\r\nabcde\r\n0\r\n\r\n",
	"plus":                 "+5\r\nabcde\r\n0\r\n\r\n",
	"huge":                 "fffffffffffffffff\r\nabcde\r\n0\r\n\r\n",
	"64 bits":              "10000000000000005\r\nabcde\r\n0\r\n\r\n",
	"empty size":           "\r\nabcde\r\n0\r\n\r\n",
	"space before":         " 5\r\nabcde\r\n0\r\n\r\n",
	"space inside":         "5 5\r\nabcde\r\n0\r\n\r\n",
	"junk behind a space":  "5 x\r\nabcde\r\n0\r\n\r\n",
	"letter":               "5g\r\nabcde\r\n0\r\n\r\n",
	"underscore":           "1_0\r\nabcde\r\n0\r\n\r\n",
	"dot":                  "5.0\r\nabcde\r\n0\r\n\r\n",
	"VT behind":            "5\x0b\r\nabcde\r\n0\r\n\r\n",
	"NUL behind":           "5\x00\r\nabcde\r\n0\r\n\r\n",
	"bare CR":              "5\rabcde\r\n0\r\n\r\n",
	"CR CR LF":             "5\r\r\nabcde\r\n0\r\n\r\n",
	"bare CR, extension":   "5;a\rb\r\nabcde\r\n0\r\n\r\n",
	"NUL, extension":       "5;\x00\r\nabcde\r\n0\r\n\r\n",
	"data too long":        "5\r\nabcdef\r\n0\r\n\r\n",
	"data too short":       "5\r\nabc\r\n0\r\n\r\n",
	"no line behind data":  "5\r\nabcde0\r\n\r\n",
	"bare CR behind data":  "5\r\nabcde\r0\r\n\r\n",
	"bare CR in a trailer": "0\r\nX: a\rb\r\n\r\n",
	"NUL in a trailer":     "0\r\nX: \x00\r\n\r\n",
}

// looseChunks are those that old servers send: refused in a request, and in a response passed on,
// after which the client's connection ends.
var looseChunks = map[string]string{
	"LF behind the size": "5\nabcde\r\n0\r\n\r\n",
	"LF behind the data": "5\r\nabcde\n0\r\n\r\n",
	"LF in an extension": "5;a\r\nabcde\r\n0;a\n\r\n",
	"LF at the end":      "5\r\nabcde\r\n0\r\n\n",
	"LF in a trailer":    "5\r\nabcde\r\n0\r\nX: y\n\r\n",
	"LF everywhere":      "5\nabcde\n0\n\n",
}

const hidden = "GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n"

// TestChunksThatHideARequest: neither the origin sees it, nor is it answered.
func TestChunksThatHideARequest(t *testing.T) {
	h := newHouse(t, config())
	o := newOrigin(t, false, silent)
	for _, table := range []map[string]string{badChunks, looseChunks} {
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
	for name, chunks := range badChunks {
		t.Run(name, func(t *testing.T) {
			if got := ask(t, head+chunks+hide); !strings.HasPrefix(head+chunks, got) {
				t.Errorf("the client got %q", got)
			}
		})
	}
	for name, chunks := range looseChunks {
		t.Run(name, func(t *testing.T) {
			if got := ask(t, head+chunks+hide); got != head+chunks {
				t.Errorf("the client got %q", got)
			}
		})
	}
	for name, fields := range smuggled {
		t.Run(name, func(t *testing.T) {
			got := ask(t, string(lines(append([]string{"HTTP/1.1 200 OK"}, fields...)...))+"0\r\n\r\n"+hide,
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
		"interim": {text("HTTP/1.1 103 Early Hints", "Link: </a>") + numbered(1), numbered(1) + numbered(1)},
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
