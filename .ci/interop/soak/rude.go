package main

import (
	"errors"
	"fmt"
	"io"
	"time"
)

// Everything here is a fault of one side, which the recorder has to survive and to keep what it saw
// of.

// pause lets what was sent arrive, and a little more or less than that.
func (c *client) pause(longest time.Duration) {
	time.Sleep(time.Duration(c.random.Int64N(int64(longest))))
}

// half runs f on a new connection, which f ends.
func (c *client) half(t target, f func(conn *conn)) {
	conn, err := c.connect(t)
	if err != nil {
		c.problems.add("good exchanges pass", fmt.Errorf("connect to %s: %w", t.authority, err))
		return
	}
	defer conn.Close()
	f(conn)
}

// resetInHead leaves in the middle of a request's head.
func (c *client) resetInHead() {
	t, b := c.pick(), c.body(200)
	c.ledger.add(outcome{Kept: never, URL: t.url(path(withLength, b))})
	c.half(t, func(conn *conn) {
		fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nAcc", t.line(path(withLength, b)), t.authority)
		c.pause(20 * time.Millisecond)
		conn.reset()
	})
}

// leaveUpload leaves in the middle of an upload, by a reset or orderly.
func (c *client) leaveUpload() {
	t, b := c.pick(), c.body(300<<10)
	c.ledger.add(outcome{Kept: gone, URL: t.url(path(upload, b))})
	c.half(t, func(conn *conn) {
		uploadHead(conn, t, "POST", false, b)
		io.Copy(conn, io.LimitReader(b.reader(), b.size/2))
		c.pause(20 * time.Millisecond)
		if c.random.IntN(2) == 0 {
			conn.reset()
		}
	})
}

// leaveResponse leaves in the middle of a response that it has seen the head of.
func (c *client) leaveResponse() {
	t, b := c.pick(), c.body(500<<10)
	url := t.url(path(withLength, b))
	c.half(t, func(conn *conn) {
		fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", t.line(path(withLength, b)), t.authority)
		res, err := conn.read("GET")
		if err != nil {
			c.finish(url, err)
			return
		}
		io.CopyN(io.Discard, res.Body, 1000)
		if c.random.IntN(2) == 0 {
			conn.reset()
		}
		c.ledger.add(outcome{Kept: begun, URL: url})
	})
}

// leaveAtOnce asks and does not wait for an answer.
func (c *client) leaveAtOnce() {
	t, b := c.pick(), c.body(10<<10)
	c.ledger.add(outcome{Kept: gone, URL: t.url(path(withLength, b))})
	c.half(t, func(conn *conn) {
		fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", t.line(path(withLength, b)), t.authority)
		c.pause(5 * time.Millisecond)
	})
}

// cutByOrigin asks for an answer that the origin does not bring to its end: the client must see
// that it is cut.
func (c *client) cutByOrigin(kind string) {
	t, b := c.pick(), c.body(30<<10)
	url := t.url(path(kind, b))
	c.half(t, func(conn *conn) {
		fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", t.line(path(kind, b)), t.authority)
		res, err := conn.read("GET")
		if err == nil && res.StatusCode == 200 {
			_, err = io.Copy(io.Discard, res.Body)
			c.ledger.add(outcome{Kept: cut, URL: url})
			if err == nil {
				c.problems.add("a cut response breaks off at the client too", errors.New(url))
			}
			return
		}
		c.ledger.add(outcome{Kept: failed, URL: url}) // the origin's reset has overtaken the head
	})
}

// unanswered asks for what cannot be had: the recorder says so itself.
func (c *client) unanswered(kind string, status int) {
	t := c.pick()
	if kind == nobody {
		t.authority = c.origins.closed
	}
	b := c.body(200)
	url := t.url(path(kind, b))
	conn, err := c.connect(t)
	if err != nil && kind == nobody && t.secure {
		return // refused at CONNECT: no URL was told
	}
	if err != nil {
		c.finish(url, err)
		return
	}
	defer conn.Close()
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", t.line(path(kind, b)), t.authority)
	res, err := conn.read("GET")
	c.ledger.add(outcome{Kept: failed, URL: url})
	if err != nil || res.StatusCode != status {
		c.problems.add("what has no answer gets the recorder's",
			fmt.Errorf("%s: want %d, got %v, %v", url, status, res.Response, err))
	}
}

// nobody is the kind of an exchange with an address where nobody listens.
const nobody = "nobody"

// twoLengths sends what must be refused.
func (c *client) twoLengths() {
	t, b := c.pick(), c.body(200)
	url := t.url(path(upload, b))
	c.ledger.add(outcome{Kept: never, URL: url})
	c.half(t, func(conn *conn) {
		fmt.Fprintf(conn,
			"POST %s HTTP/1.1\r\nHost: %s\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nabcde",
			t.line(path(upload, b)), t.authority)
		if res, err := conn.read("POST"); err != nil || res.StatusCode != 400 {
			c.problems.add("an ambiguous request gets 400", fmt.Errorf("%s: %v, %v", url, res.Response, err))
		}
	})
}

// tunnelForNothing asks for a tunnel and says nothing in it, or no TLS.
func (c *client) tunnelForNothing() {
	conn, err := c.dial()
	if err != nil {
		c.problems.add("the recorder accepts connections", err)
		return
	}
	defer conn.Close()
	authority := c.origins.secure[0]
	if err := c.tunnel(conn, authority); err != nil {
		c.problems.add("good exchanges pass", fmt.Errorf("tunnel: %w", err))
		return
	}
	switch c.random.IntN(3) {
	case 0:
		io.WriteString(conn, "\x16\x03\x01 no hello")
	case 1:
		conn.reset()
		return
	}
	c.pause(3 * time.Second)
}

// idle connects and says nothing, now and then for longer than the recorder waits.
func (c *client) idle() {
	conn, err := c.dial()
	if err != nil {
		c.problems.add("the recorder accepts connections", err)
		return
	}
	defer conn.Close()
	c.pause(4 * time.Second)
}

// switchProtocols gets 101 and then talks with the origin in something else.
func (c *client) switchProtocols() {
	t, b := c.pick(), c.body(0)
	url := t.url(path(upgrade, b))
	c.half(t, func(conn *conn) {
		fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: soak\r\n\r\n",
			t.line(path(upgrade, b)), t.authority)
		res, err := conn.read("GET")
		if err != nil || res.StatusCode != 101 {
			c.finish(url, fmt.Errorf("want 101, got %v, %v", res.Response, err))
			return
		}
		c.ledger.add(res.outcome(whole, url, "GET"))
		const word = "neither HTTP nor recorded"
		io.WriteString(conn, word)
		echo := make([]byte, len(word))
		if _, err := io.ReadFull(conn.in, echo); err != nil || string(echo) != word {
			c.problems.add("what follows a 101 passes", fmt.Errorf("%s: %q, %v", url, echo, err))
		}
		if c.random.IntN(2) == 0 {
			conn.reset()
		}
	})
}
