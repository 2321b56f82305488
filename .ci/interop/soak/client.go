package main

import (
	"bufio"
	"bytes"
	"crypto/sha1"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"hash"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

const (
	patience = 30 * time.Second // no exchange may take as long
	maxIdle  = time.Second      // less than the recorder's own timeout, so that the two never cross
)

// client is one of those that load the recorder, with connections that it keeps.
type client struct {
	proxy    string
	roots    *x509.CertPool
	origins  origins
	numbers  *atomic.Int64 // for URLs: each is asked for once
	budget   *budget
	ledger   *ledger
	problems *problems
	random   *rand.Rand
	kept     map[string]*conn // by secure authority; "" for plain ones
}

// target is an origin that a client chose.
type target struct {
	secure    bool
	authority string
}

func (t target) url(path string) string {
	if t.secure {
		return "https://" + t.authority + path
	}
	return "http://" + t.authority + path
}

// line is what stands in a request line: a path in a tunnel, else the URL.
func (t target) line(path string) string {
	if t.secure {
		return path
	}
	return t.url(path)
}

func (t target) key() string {
	if t.secure {
		return t.authority
	}
	return ""
}

// pick chooses an origin; 4 of 10 in a tunnel.
func (c *client) pick() target {
	if c.random.IntN(10) < 4 {
		return target{true, c.origins.secure[c.random.IntN(len(c.origins.secure))]}
	}
	return target{false, c.origins.plain[c.random.IntN(len(c.origins.plain))]}
}

// body makes the content of the next exchange. A large one is made small while the run is over its
// budget.
func (c *client) body(size int64) body {
	return body{n: c.numbers.Add(1), size: c.budget.take(size), text: c.random.IntN(2) == 0}
}

// conn is a connection to the recorder, a tunnel perhaps.
type conn struct {
	net.Conn
	raw  *net.TCPConn
	in   *bufio.Reader
	used time.Time
}

// reset ends it without ceremony.
func (c *conn) reset() {
	c.raw.SetLinger(0)
	c.raw.Close()
}

// dial connects to the recorder.
func (c *client) dial() (*conn, error) {
	raw, err := net.DialTimeout("tcp", c.proxy, patience)
	if err != nil {
		return nil, err
	}
	raw.SetDeadline(time.Now().Add(patience))
	return &conn{Conn: raw, raw: raw.(*net.TCPConn), in: bufio.NewReader(raw)}, nil
}

// connect dials for a target, and makes the tunnel.
func (c *client) connect(t target) (*conn, error) {
	conn, err := c.dial()
	if err != nil || !t.secure {
		return conn, err
	}
	if err := c.tunnel(conn, t.authority); err != nil {
		conn.Close()
		return nil, err
	}
	host, _, _ := net.SplitHostPort(t.authority)
	secured := tls.Client(conn.Conn, &tls.Config{RootCAs: c.roots, ServerName: host})
	if err := secured.Handshake(); err != nil {
		conn.Close()
		return nil, err
	}
	conn.Conn, conn.in = secured, bufio.NewReader(secured)
	return conn, nil
}

func (c *client) tunnel(conn *conn, authority string) error {
	fmt.Fprintf(conn, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n", authority, authority)
	res, err := http.ReadResponse(conn.in, &http.Request{Method: "CONNECT"})
	if err == nil && res.StatusCode != 200 {
		err = errors.New("CONNECT: " + res.Status)
	}
	return err
}

// take gives a kept connection, or makes one.
func (c *client) take(t target) (*conn, error) {
	conn := c.kept[t.key()]
	delete(c.kept, t.key())
	if conn == nil {
		return c.connect(t)
	}
	if time.Since(conn.used) > maxIdle {
		conn.Close()
		return c.connect(t)
	}
	conn.SetDeadline(time.Now().Add(patience))
	return conn, nil
}

// keep keeps a connection for the next exchange, most of the time.
func (c *client) keep(t target, conn *conn, allowed bool) {
	if !allowed || c.random.IntN(4) == 0 || c.kept[t.key()] != nil {
		conn.Close()
		return
	}
	conn.used = time.Now()
	c.kept[t.key()] = conn
}

func (c *client) closeKept() {
	for key, conn := range c.kept {
		conn.Close()
		delete(c.kept, key)
	}
}

// response is an answer whose body has not been read. sum digests the payload as it comes from the
// wire.
type response struct {
	*http.Response
	sum hash.Hash
	n   *counter
}

// counter counts what is read through it.
type counter struct{ n int64 }

func (c *counter) Write(p []byte) (int, error) { c.n += int64(len(p)); return len(p), nil }

// read reads the head of the answer to a request of this method. As nothing is sent ahead, all
// bytes behind the head that come on the connection are the payload.
func (c *conn) read(method string) (response, error) {
	var head []byte
	for !bytes.HasSuffix(head, []byte("\r\n\r\n")) {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return response{}, fmt.Errorf("head: %w", err)
		}
		head = append(head, line...)
	}
	r := response{sum: sha1.New(), n: &counter{}}
	payload := io.TeeReader(c.in, io.MultiWriter(r.sum, r.n))
	res, err := http.ReadResponse(bufio.NewReader(io.MultiReader(bytes.NewReader(head), payload)),
		&http.Request{Method: method})
	r.Response = res
	return r, err
}

func (r response) outcome(kept, url, method string) outcome {
	return outcome{
		Kept:     kept,
		URL:      url,
		Method:   method,
		Status:   r.StatusCode,
		Length:   r.n.n,
		Response: fmt.Sprintf("%x", r.sum.Sum(nil)),
	}
}

// get fetches a body that must come whole.
func (c *client) get(kind string, size int64) {
	t, b := c.pick(), c.body(size)
	if kind == stale {
		t = target{false, c.origins.stale}
	}
	c.finish(t.url(path(kind, b)), c.fetch(t, kind, b))
}

// fetch is get without its verdict.
func (c *client) fetch(t target, kind string, b body) error {
	conn, err := c.take(t)
	if err != nil {
		return err
	}
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nAccept: */*\r\n\r\n", t.line(path(kind, b)),
		t.authority)
	res, err := conn.read("GET")
	if err != nil {
		conn.Close()
		return err
	}
	want := http.StatusOK
	if kind == empty {
		want, b.size = http.StatusNoContent, 0
	}
	if err := c.judge(res, want, b.check(res.Body)); err != nil {
		conn.Close()
		return err
	}
	c.ledger.add(res.outcome(whole, t.url(path(kind, b)), "GET"))
	c.keep(t, conn, !res.Close)
	return nil
}

func (c *client) judge(res response, status int, bodyErr error) error {
	if res.StatusCode != status {
		text, _ := io.ReadAll(io.LimitReader(res.Body, 300))
		return fmt.Errorf("%s: %q", res.Status, text)
	}
	return bodyErr
}

// finish notes what went wrong with an exchange that should have passed.
func (c *client) finish(url string, err error) {
	if err == nil {
		return
	}
	c.problems.add("good exchanges pass", fmt.Errorf("%s: %w", url, err))
	c.ledger.add(outcome{Kept: gone, URL: url})
}

// send uploads a body that must arrive whole.
func (c *client) send(method string, inChunks bool, size int64) {
	t, b := c.pick(), c.body(size)
	c.finish(t.url(path(upload, b)), c.upload(t, method, inChunks, b))
}

func (c *client) upload(t target, method string, inChunks bool, b body) error {
	conn, err := c.take(t)
	if err != nil {
		return err
	}
	plain, wire := sha1.New(), sha1.New()
	io.Copy(plain, b.reader())
	out := bufio.NewWriterSize(conn, 16<<10)
	uploadHead(out, t, method, inChunks, b)
	payload := hashed{out, wire}
	if inChunks {
		b.writeChunked(payload)
	} else {
		io.Copy(payload, b.reader())
	}
	err = out.Flush()
	if err == nil {
		err = c.uploaded(conn, t, method, b, plain, wire)
	}
	if err != nil {
		conn.Close()
	}
	return err
}

// uploaded reads the answer to an upload.
func (c *client) uploaded(conn *conn, t target, method string, b body,
	plain, wire hash.Hash) error {
	res, err := conn.read(method)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(res.Body)
	if want := uploaded(b.size, plain.Sum(nil)); res.StatusCode != http.StatusCreated || err != nil ||
		string(text) != want {
		return fmt.Errorf("%s, %v: %.300q, not %q", res.Status, err, text, want)
	}
	o := res.outcome(whole, t.url(path(upload, b)), method)
	o.Request = fmt.Sprintf("%x", wire.Sum(nil))
	c.ledger.add(o)
	c.keep(t, conn, true)
	return nil
}

func uploadHead(w io.Writer, t target, method string, inChunks bool, b body) {
	framing := fmt.Sprintf("Content-Length: %d", b.size)
	if inChunks {
		framing = "Transfer-Encoding: chunked"
	}
	fmt.Fprintf(w, "%s %s HTTP/1.1\r\nHost: %s\r\nContent-Type: %s\r\n%s\r\n\r\n", method,
		t.line(path(upload, b)), t.authority, b.mediaType(), framing)
}
