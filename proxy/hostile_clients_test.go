package proxy

import (
	"crypto/tls"
	"io"
	"strings"

	"warcorder/recorder"
)

// slowClients are clients that are slow or endless.
func slowClients() []hostile {
	return []hostile{
		{name: "slow head", cfg: shortHeader, nowhere: true,
			client: func(c *attacker) { c.send("GET " + c.prefix + "/x HTTP/1.1\r\n"); go c.drip("X: y\r\n"); c.readAll() },
			status: "408", says: "timeout-header", gap: recorder.GapRefused, detail: "timeout-header"},
		{name: "slow request line", cfg: shortHeader, nowhere: true,
			client: func(c *attacker) { go c.drip("G"); c.readAll() },
			status: "408", gap: recorder.GapRefused},
		{name: "empty lines for ever", cfg: shortHeader, nowhere: true,
			client: func(c *attacker) { go c.drip("\r\n"); c.readAll() },
			status: "408", gap: recorder.GapRefused},
		{name: "endless head", cfg: smallHeads, nowhere: true,
			client: func(c *attacker) {
				c.send("GET " + c.prefix + "/x HTTP/1.1\r\n")
				go c.forever("X: y\r\n")
				c.readAll()
			},
			status: "431", says: "max-header-size", gap: recorder.GapRefused, detail: "max-header-size"},
		{name: "endless request line", cfg: smallHeads, nowhere: true,
			client: func(c *attacker) { c.send("GET " + c.prefix + "/"); go c.forever("xxxxxxxx"); c.readAll() },
			status: "431", gap: recorder.GapRefused},
		{name: "endless method", cfg: smallHeads, nowhere: true,
			client: func(c *attacker) { go c.forever("XXXXXXXX"); c.readAll() },
			status: "431", gap: recorder.GapRefused},
		{name: "upload that stops", cfg: shortIdle, origin: silent,
			client: func(c *attacker) { c.post("Content-Length: 10"); c.send("12345"); c.readAll() },
			status: "408", says: "timeout-idle", gap: recorder.GapCut, detail: "timeout-idle", requests: 1,
			truncated: "time"},
		{name: "slow upload", cfg: shortTotal, origin: silent,
			client: func(c *attacker) { c.post("Content-Length: 10000"); go c.drip("x"); c.readAll() },
			status: "408", says: "timeout-total", gap: recorder.GapCut, detail: "timeout-total", requests: 1,
			truncated: "time"},
		{name: "endless upload", cfg: smallBodies, origin: silent,
			client: func(c *attacker) { c.post("Transfer-Encoding: chunked"); go c.forever("4\r\nabcd\r\n"); c.readAll() },
			status: "413", says: "max-body-size", gap: recorder.GapRefused, detail: "max-body-size",
			requests: 1, truncated: "length"},
		{name: "announced upload", cfg: smallBodies, origin: silent,
			client: func(c *attacker) { c.post("Content-Length: 100001"); go c.forever("x"); c.readAll() },
			status: "413", says: "max-body-size", gap: recorder.GapRefused, detail: "max-body-size"},
		{name: "endless chunk extension up", origin: silent,
			client: func(c *attacker) {
				c.post("Transfer-Encoding: chunked")
				c.send("1;")
				go c.forever("xxxxxxxx")
				c.readAll()
			},
			status: "400", says: "16 KiB", gap: recorder.GapRefused, detail: "16 KiB", requests: 1, truncated: "disconnect"},
		{name: "endless trailer up", origin: silent,
			client: func(c *attacker) {
				c.post("Transfer-Encoding: chunked")
				c.send("0\r\n")
				go c.forever(someLines)
				c.readAll()
			},
			status: "400", says: "1 MiB", gap: recorder.GapRefused, detail: "1 MiB", requests: 1, truncated: "disconnect"},
		{name: "bad chunk up", origin: silent,
			client: func(c *attacker) { c.post("Transfer-Encoding: chunked"); c.send("zz\r\n"); c.readAll() },
			status: "400", gap: recorder.GapRefused, detail: "ambiguous", requests: 1, truncated: "disconnect"},
	}
}

// vanishing are clients that vanish.
func vanishing() []hostile {
	websocket := []string{"Upgrade: echo", "Connection: Upgrade"}
	switching := text("HTTP/1.1 101 Switching Protocols", "Upgrade: echo", "Connection: Upgrade")
	return []hostile{
		{name: "gone before it asks", scheme: "http", client: func(c *attacker) { c.conn.Close() }},
		{name: "gone when it has seen the certificate", scheme: "https",
			client: func(c *attacker) { c.conn.Close() }, gap: recorder.GapRefused,
			detail: "does not seem to trust the certificate", nowhere: true},
		{name: "gone in the head",
			client: func(c *attacker) {
				c.send("GET " + c.prefix + "/x HTTP/1.1\r\nHos")
				c.house.untilClients(2) // with the one beside it: the proxy has taken the connection
				c.conn.Close()
			}, gap: recorder.GapCut, detail: "in the middle of a request's head", nowhere: true},
		{name: "gone in the upload", origin: reads(5), client: func(c *attacker) {
			c.post("Content-Length: 10")
			c.send("12345")
			c.gone()
		}, gap: recorder.GapCut, detail: "went away", requests: 1, truncated: "disconnect"},
		{name: "gone in the upload, finish", cfg: finishing, origin: reads(5), client: func(c *attacker) {
			c.post("Content-Length: 10")
			c.send("12345")
			c.gone()
		}, gap: recorder.GapCut, detail: "went away", requests: 1, truncated: "disconnect"},
		{name: "gone before the answer", origin: reads(0),
			client: func(c *attacker) { c.get(); c.gone() }, gap: recorder.GapCut, detail: "went away",
			requests: 1, truncated: "disconnect"},
		{name: "gone before the answer, finish", cfg: func(c *Config) { finishing(c); shortFirstByte(c) },
			origin: reads(0), client: func(c *attacker) { c.get(); c.gone() }, gap: recorder.GapUpstream,
			detail: "did not answer in time", requests: 1,
			truncated: "time"},
		{name: "gone in the answer",
			origin: func(o *peer) { o.readHead(); o.send(text("HTTP/1.1 200 OK")); o.endless() },
			client: func(c *attacker) { c.get(); c.readHead(); c.conn.Close() }, status: "200",
			gap: recorder.GapCut, detail: "went away", requests: 1, truncated: "disconnect"},
		{name: "reads nothing of the answer", cfg: shortIdle,
			origin: func(o *peer) { o.readHead(); o.send(text("HTTP/1.1 200 OK")); o.endless() },
			client: func(c *attacker) { c.get(); c.house.untilGaps(1) }, gap: recorder.GapCut,
			detail: "went away", requests: 1, truncated: "disconnect"},
		{name: "gone in a tunnel",
			origin: func(o *peer) { o.readHead(); o.send(switching); io.Copy(o.conn, o.in) },
			client: func(c *attacker) { c.get(websocket...); c.readHead(); c.conn.Close() }, status: "101",
			gap: recorder.GapTunnelled, detail: "unrecorded", requests: 1},
		{name: "origin gone in a tunnel", origin: func(o *peer) { o.readHead(); o.send(switching) },
			client: func(c *attacker) { c.get(websocket...); c.readAll() },
			status: "101", gap: recorder.GapTunnelled, requests: 1},
		{name: "tunnel that one side does not read", cfg: shortIdle,
			origin: func(o *peer) { o.readHead(); o.send(switching); o.endless() },
			client: func(c *attacker) { c.get(websocket...); c.readHead(); c.house.untilClients(1) },
			status: "101", gap: recorder.GapTunnelled, requests: 1},
	}
}

// halfOpen are tunnels in which nothing comes, or half of what must.
func halfOpen() []hostile {
	return []hostile{
		{name: "nothing behind the CONNECT", scheme: "http", tunnel: true, cfg: shortHeader,
			client: func(c *attacker) { c.send(text("CONNECT a.example:443 HTTP/1.1", "Host: a")); c.readAll() },
			status: "200"},
		{name: "gone behind the CONNECT", scheme: "http", tunnel: true,
			client: func(c *attacker) {
				c.send(text("CONNECT a.example:443 HTTP/1.1", "Host: a"))
				c.readHead()
				c.conn.Close()
			},
			status: "200"},
		{name: "half a CONNECT", scheme: "http", tunnel: true, cfg: shortHeader,
			client: func(c *attacker) { c.send("CONNECT a.example:443 HTTP/1.1\r\nHost:"); c.readAll() }},
		{name: "long CONNECT", scheme: "http", tunnel: true,
			client: func(c *attacker) {
				go c.send(text("CONNECT a.example:443 HTTP/1.1", "X: "+strings.Repeat("x", 100<<10)))
				c.readAll()
			},
			status: "431"},
		{name: "a CONNECT with a password", scheme: "http", tunnel: true,
			client: func(c *attacker) { c.send(text("CONNECT user:secret@a.example:443 HTTP/1.1", "Host: a")); c.readAll() },
			status: "400", gap: recorder.GapRefused},
		{name: "half a ClientHello", scheme: "http", tunnel: true, cfg: shortTLS,
			client: func(c *attacker) {
				c.send(text("CONNECT a.example:443 HTTP/1.1", "Host: a"))
				c.readHead()
				c.send("\x16\x03\x01\x02\x00\x01")
				c.readAll()
			},
			status: "200", gap: recorder.GapRefused, detail: "the client's TLS handshake failed"},
		{name: "slow ClientHello", scheme: "http", tunnel: true, cfg: shortTLS,
			client: func(c *attacker) {
				c.send(text("CONNECT a.example:443 HTTP/1.1", "Host: a"))
				c.readHead()
				c.send("\x16\x03\x01\x02\x00\x01")
				go c.drip("x")
				c.readAll()
			},
			status: "200", gap: recorder.GapRefused, detail: "the client's TLS handshake failed"},
		{name: "gone in the ClientHello", scheme: "http", tunnel: true,
			client: func(c *attacker) {
				c.send(text("CONNECT a.example:443 HTTP/1.1", "Host: a"))
				c.readHead()
				c.send("\x16\x03\x01\x02\x00\x01")
				c.conn.Close()
			},
			status: "200", gap: recorder.GapRefused, detail: "the client's TLS handshake failed"},
		{name: "a client that does not trust us", scheme: "http", tunnel: true,
			client: func(c *attacker) {
				c.send(text("CONNECT a.example:443 HTTP/1.1", "Host: a"))
				c.readHead()
				tls.Client(c.conn, &tls.Config{ServerName: "a.example"}).Handshake()
				c.conn.Close()
			},
			status: "200", gap: recorder.GapRefused, detail: "the client does not trust the certificate"},
		{name: "a body for a page of our own", scheme: "http", tunnel: true, cfg: shortHeader,
			client: func(c *attacker) {
				c.send(text("POST /status HTTP/1.1", "Host: a", "Content-Length: 10") + "1")
				c.readAll()
			},
			status: "200"},
		{name: "a body for OPTIONS *", scheme: "http", tunnel: true, cfg: shortHeader,
			client: func(c *attacker) {
				c.send(text("OPTIONS * HTTP/1.1", "Host: a", "Content-Length: 10") + "1")
				c.readAll()
			},
			status: "200"},
		{name: "a scheme that cannot be fetched", scheme: "http",
			client: func(c *attacker) { c.send(text("GET ftp://user:secret@a.example/x HTTP/1.1", "Host: a")); c.readAll() },
			status: "400", gap: recorder.GapRefused, detail: "only http and https"},
		{name: "the proxy itself", scheme: "http",
			client: func(c *attacker) {
				c.send(text("GET http://"+c.house.address+"/x HTTP/1.1", "Host: a", "Connection: close"))
				c.readAll()
			},
			status: "508", gap: recorder.GapRefused, detail: "this proxy itself"},
	}
}
