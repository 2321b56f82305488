package main

import (
	"bufio"
	"crypto/sha1"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// The kinds of answers, the first part of a path: /KIND/SIZE/text|bytes/NUMBER.
const (
	withLength = "length"  // Content-Length
	chunked    = "chunked" // in chunks
	untilClose = "close"   // ends with the connection
	empty      = "empty"   // 204
	upload     = "upload"  // takes a body; the answer tells its length and digest
	stale      = "stale"   // a whole answer, and then the connection is closed without a word
	upgrade    = "upgrade" // 101, and then every byte comes back

	reset   = "reset"   // half of the body, and a reset
	short   = "short"   // half of the body, and an orderly end
	stall   = "stall"   // half of the body, and silence
	broken  = "broken"  // a chunk whose size is no number
	silent  = "silent"  // no answer at all
	drop    = "drop"    // the end in place of an answer
	garbage = "garbage" // no HTTP
)

// origins are the servers of the soak. They know nothing but what a URL tells them.
type origins struct {
	plain, secure []string // authorities
	// of the one that leaves kept connections: only what can be asked again may go there
	stale  string
	closed string // an authority where nobody listens
}

// startOrigins listens on several loopback addresses.
func startOrigins(cert tls.Certificate) (o origins, err error) {
	add := func(host string, config *tls.Config) string {
		ln, listenErr := net.Listen("tcp", host+":0")
		if listenErr != nil {
			err = listenErr
			return ""
		}
		go accept(ln, config)
		return ln.Addr().String()
	}
	for _, host := range []string{"127.0.0.1", "127.0.0.2", "127.0.0.3"} {
		o.plain = append(o.plain, add(host, nil))
	}
	for range 2 { // of one name, which the certificate holds
		o.secure = append(o.secure, add("127.0.0.1", &tls.Config{Certificates: []tls.Certificate{cert}}))
	}
	o.stale = add("127.0.0.4", nil)
	ln, closedErr := net.Listen("tcp", "127.0.0.5:0")
	if err := errors.Join(err, closedErr); err != nil {
		return o, fmt.Errorf("listen: %w", err)
	}
	o.closed = ln.Addr().String()
	return o, ln.Close()
}

func accept(ln net.Listener, config *tls.Config) {
	for {
		raw, err := ln.Accept()
		if err != nil {
			return
		}
		go serve(raw.(*net.TCPConn), config)
	}
}

// served is a connection at the origin.
type served struct {
	net.Conn
	raw *net.TCPConn
	in  *bufio.Reader
}

func serve(raw *net.TCPConn, config *tls.Config) {
	c := served{Conn: raw, raw: raw}
	if config != nil {
		c.Conn = tls.Server(raw, config)
	}
	defer c.Close()
	c.in = bufio.NewReader(c.Conn)
	for {
		req, err := http.ReadRequest(c.in)
		if err != nil || !c.answer(req) {
			return
		}
	}
}

// answer does what the path says; it reports whether the connection goes on.
func (c served) answer(req *http.Request) bool {
	kind, b, ok := parsePath(req.URL.Path)
	if !ok {
		return false
	}
	switch kind {
	case withLength, stale:
		fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n", b.mediaType(),
			b.size)
		_, err := io.Copy(c, b.reader())
		return err == nil && kind != stale
	case chunked:
		fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nTransfer-Encoding: chunked\r\n\r\n",
			b.mediaType())
		return b.writeChunked(c) == nil
	case untilClose:
		fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nConnection: close\r\n\r\n", b.mediaType())
		io.Copy(c, b.reader())
		return false
	case empty:
		_, err := io.WriteString(c, "HTTP/1.1 204 No Content\r\nX-Soak: 1\r\n\r\n")
		return err == nil
	case upload:
		return c.takeUpload(req)
	case upgrade:
		io.WriteString(c,
			"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: soak\r\n\r\n")
		io.Copy(c, c.in)
		return false
	}
	c.misbehave(kind, b)
	return false
}

// takeUpload reads the request's body and tells what came.
func (c served) takeUpload(req *http.Request) bool {
	sum := sha1.New()
	n, err := io.Copy(sum, req.Body)
	if err != nil {
		return false
	}
	text := uploaded(n, sum.Sum(nil))
	_, err = fmt.Fprintf(c,
		"HTTP/1.1 201 Created\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s", len(text),
		text)
	return err == nil
}

// uploaded is the answer to an upload.
func uploaded(n int64, sum []byte) string { return fmt.Sprintf("%d bytes came, sha1 %x\n", n, sum) }

// misbehave is how an origin should not answer.
func (c served) misbehave(kind string, b body) {
	switch kind {
	case reset, short, stall:
		fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n", b.mediaType(),
			b.size)
		io.Copy(c, io.LimitReader(b.reader(), b.size/2))
	case broken:
		fmt.Fprintf(c,
			"HTTP/1.1 200 OK\r\nContent-Type: %s\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nzz\r\nworld",
			b.mediaType())
	case garbage:
		io.WriteString(c, "\x00\xff this is no HTTP\r\n\r\n")
	}
	switch kind {
	case reset:
		time.Sleep(20 * time.Millisecond) // a reset overtakes what is on its way; the head should arrive
		c.raw.SetLinger(0)
		c.raw.Close()
	case silent, stall:
		c.SetDeadline(time.Now().Add(20 * time.Second))
		io.Copy(io.Discard, c.in) // until the other side has had enough
	case short, broken:
		c.raw.Close() // without TLS's farewell
	}
}

// path is what parsePath reads.
func path(kind string, b body) string {
	of := "bytes"
	if b.text {
		of = "text"
	}
	return fmt.Sprintf("/%s/%d/%s/%d", kind, b.size, of, b.n)
}

func parsePath(path string) (kind string, b body, ok bool) {
	parts := strings.Split(path, "/")
	if len(parts) != 5 {
		return "", b, false
	}
	size, err1 := strconv.ParseInt(parts[2], 10, 64)
	n, err2 := strconv.ParseInt(parts[4], 10, 64)
	return parts[1], body{n, size, parts[3] == "text"}, err1 == nil && err2 == nil
}
