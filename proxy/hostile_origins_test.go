package proxy

import (
	"warcorder/proxy/unused"
	"warcorder/recorder"
)

// slowOrigins are origins that are slow or endless, or speak nothing that can be passed on.
func slowOrigins() []hostile {
	chunkedHead := text("HTTP/1.1 200 OK", "Transfer-Encoding: chunked")
	return []hostile{
		{name: "no answer", cfg: shortFirstByte, origin: silent,
			client: func(c *attacker) { c.get("Connection: close"); c.readAll() },
			status: "504", gap: recorder.GapUpstream, detail: "did not answer in time", requests: 1, truncated: "time"},
		{name: "slow answer head", cfg: shortFirstByte,
			origin: func(o *peer) { o.readHead(); o.send("HTTP/1.1 200 OK\r\n"); o.drip("X: y\r\n") },
			client: func(c *attacker) { c.get("Connection: close"); c.readAll() },
			status: "504", gap: recorder.GapUpstream, requests: 1, truncated: "time"},
		{name: "answer that stops", cfg: shortIdle, origin: sends(chunkedHead + "5\r\nabc"),
			client: func(c *attacker) { c.get(); c.readAll() },
			status: "200", gap: recorder.GapCut, detail: "timeout-idle", requests: 1, truncated: "time"},
		{name: "slow answer", cfg: shortTotal,
			origin: func(o *peer) { o.readHead(); o.send(text("HTTP/1.1 200 OK")); o.drip("x") },
			client: func(c *attacker) { c.get(); c.readAll() }, status: "200", gap: recorder.GapCut,
			detail: "timeout-total", requests: 1, truncated: "time"},
		{name: "endless answer head", cfg: smallHeads,
			origin: func(o *peer) { o.readHead(); o.send("HTTP/1.1 200 OK\r\n"); o.forever("X: y\r\n") },
			client: func(c *attacker) { c.get("Connection: close"); c.readAll() }, status: "502",
			says: "max-header-size", gap: recorder.GapRefused, detail: "max-header-size", requests: 1,
			truncated: "length"},
		{name: "endless answer", cfg: smallBodies,
			origin: func(o *peer) { o.readHead(); o.send(text("HTTP/1.1 200 OK")); o.endless() },
			client: func(c *attacker) { c.get(); c.readAll() }, status: "200", gap: recorder.GapCut,
			detail: "max-body-size", requests: 1, truncated: "length"},
		{name: "endless chunks", cfg: smallBodies,
			origin: func(o *peer) { o.readHead(); o.send(chunkedHead); o.forever("4\r\nabcd\r\n") },
			client: func(c *attacker) { c.get(); c.readAll() }, status: "200", gap: recorder.GapCut,
			detail: "max-body-size", requests: 1, truncated: "length"},
		{name: "announced answer", cfg: smallBodies,
			origin: func(o *peer) { o.readHead(); o.send(text("HTTP/1.1 200 OK", "Content-Length: 1000000")); o.endless() },
			client: func(c *attacker) { c.get(); c.readAll() }, status: "200", gap: recorder.GapCut,
			detail: "max-body-size", requests: 1, truncated: "length"},
		{name: "endless chunk extension",
			origin: func(o *peer) { o.readHead(); o.send(chunkedHead + "1;"); o.forever("xxxxxxxx") },
			client: func(c *attacker) { c.get(); c.readAll() }, status: "200", gap: recorder.GapCut,
			detail: "16 KiB", requests: 1, truncated: "disconnect"},
		{name: "endless trailer",
			origin: func(o *peer) { o.readHead(); o.send(chunkedHead + "0\r\n"); o.forever(someLines) },
			client: func(c *attacker) { c.get(); c.readAll() }, status: "200", gap: recorder.GapCut,
			detail: "1 MiB", requests: 1, truncated: "disconnect"},
		{name: "interim answers for ever",
			origin: func(o *peer) { o.readHead(); o.forever(text("HTTP/1.1 102 Processing")) },
			client: func(c *attacker) { c.get("Connection: close"); c.readAll() }, status: "102",
			says: "HTTP/1.1 502 Bad Gateway", gap: recorder.GapRefused, detail: "interim", requests: 1,
			truncated: "disconnect"},
		{name: "answer that is no HTTP", origin: sends("SSH-2.0-x\r\n\r\n"),
			client: func(c *attacker) { c.get("Connection: close"); c.readAll() },
			status: "502", gap: recorder.GapRefused, detail: "status line", requests: 1},
		{name: "answer cut in its head",
			origin: func(o *peer) { o.readHead(); o.send("HTTP/1.1 200 OK\r\nX") },
			client: func(c *attacker) { c.get("Connection: close"); c.readAll() }, status: "502",
			gap: recorder.GapUpstream, detail: "closed the connection", requests: 1,
			truncated: "disconnect"},
		{name: "answer cut in its body",
			origin: func(o *peer) { o.readHead(); o.send(chunkedHead + "5\r\nabc") },
			client: func(c *attacker) { c.get(); c.readAll() }, status: "200", gap: recorder.GapCut,
			detail: "closed the connection", requests: 1, truncated: "disconnect"},
		{name: "bad chunk", origin: sends(chunkedHead + "zz\r\n"),
			client: func(c *attacker) { c.get(); c.readAll() },
			status: "200", gap: recorder.GapCut, detail: "chunk size", requests: 1, truncated: "disconnect"},
		{name: "early answer, connection kept", origin: sends(numbered(1)),
			client: func(c *attacker) {
				c.post("Content-Length: 1000000", "Connection: close", "Expect: 100-continue")
				c.readAll()
			},
			status: "200", gap: recorder.GapCut, detail: "before it had come", requests: 1, truncated: "unspecified"},
		{name: "early answer, connection closed",
			origin: func(o *peer) { o.readHead(); o.send(text("HTTP/1.1 413 No", "Connection: close", "Content-Length: 0")) },
			client: func(c *attacker) { c.post("Content-Length: 1000000000"); go c.forever("xxxxxxxx"); c.readAll() },
			status: "413", gap: recorder.GapCut, detail: "before it had come", requests: 1,
			truncated: "unspecified"},
		{name: "origin that nobody can reach", scheme: "http",
			client: func(c *attacker) {
				c.send(text("GET http://"+unused.Address(c.t)+"/x HTTP/1.1", "Host: a", "Connection: close"))
				c.readAll()
			},
			status: "502", gap: recorder.GapUpstream, detail: "refused the connection"},
		{name: "origin that speaks no TLS", scheme: "http", cfg: shortTLS, origin: silent,
			client: func(c *attacker) {
				c.send(text("GET https://"+c.origin.address+"/x HTTP/1.1", "Host: a", "Connection: close"))
				c.readAll()
			},
			status: "504", gap: recorder.GapUpstream, detail: "timeout-tls"},
	}
}
