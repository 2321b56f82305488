package main

import (
	"bufio"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const patience = 2 * time.Minute // for a request, or a connection

// site is an origin: an address of its own on loopback.
type site struct {
	host   string
	port   int
	secure bool
}

func (s site) String() string { return net.JoinHostPort(s.host, strconv.Itoa(s.port)) }

// known numbers the sites that are come back to. 127.0.0.1 is none of them: some proxies refuse it.
func known(n uint64) string { return fmt.Sprintf("127.1.%d.%d", n/200, n%200+1) }

// unknown numbers sites that no run of a scenario has been to.
func unknown(n uint64) string {
	return fmt.Sprintf("127.%d.%d.%d", 2+n/(200*200)%200, n/200%200, n%200+1)
}

const browser = "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like " +
	"Gecko) Chrome/140.0.0.0 Safari/537.36\r\n" +
	"Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8\r\n" +
	"Accept-Encoding: gzip, deflate, br\r\n" +
	"Accept-Language: en-GB,en;q=0.9\r\nCookie: session=5f2b8c1e9d7a4e63; theme=dark\r\nReferer: " +
	"https://www.example.test/index.html\r\n"

// conn is a client's connection to a site, through a proxy or straight.
type conn struct {
	net.Conn
	in     *bufio.Reader
	before string // the path in a request
	fields string // that every request has
	pass   string // the field that a proxy with users asks for, or ""
	text   []byte
	piece  []byte
	used   bool
}

// open connects by way of the proxy at that address, before which NAME:PASSWORD@ may stand; "" is no
// proxy.
func open(proxy string, to site) (*conn, error) {
	credentials, address, known := strings.Cut(proxy, "@")
	if !known {
		credentials, address = "", proxy
	}
	if address == "" {
		address = to.String()
	}
	if ip := net.ParseIP(hostOf(address)); ip == nil || !ip.IsLoopback() {
		return nil, fmt.Errorf("%s is not on loopback", address)
	}
	raw, err := net.DialTimeout("tcp4", address, patience)
	if err != nil {
		return nil, err
	}
	raw.SetDeadline(time.Now().Add(patience))
	c := &conn{
		Conn:   raw,
		fields: "Host: " + to.String() + "\r\n" + browser + "Connection: keep-alive\r\n",
		piece:  make([]byte, 32<<10),
	}
	if known {
		c.pass = "Proxy-Authorization: Basic " +
			base64.StdEncoding.EncodeToString([]byte(credentials)) + "\r\n"
	}
	if proxy != "" && !to.secure {
		c.before = "http://" + to.String()
		c.fields += c.pass
	}
	if to.secure {
		if err := c.secure(proxy != "", to); err != nil {
			raw.Close()
			return nil, err
		}
	}
	c.in = bufio.NewReaderSize(c.Conn, 32<<10)
	return c, nil
}

func (c *conn) secure(tunnel bool, to site) error {
	if tunnel {
		fmt.Fprintf(c.Conn, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n%s\r\n", to, to, c.pass)
		// Nothing is lost with the reader: a TLS server does not speak first.
		res, err := http.ReadResponse(bufio.NewReader(c.Conn), &http.Request{Method: "CONNECT"})
		if err != nil {
			return fmt.Errorf("CONNECT: %w", err)
		}
		if res.StatusCode != 200 {
			return fmt.Errorf("CONNECT: %s", res.Status)
		}
	}
	t := tls.Client(c.Conn, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"http/1.1"}})
	if err := t.Handshake(); err != nil {
		return fmt.Errorf("handshake: %w", err)
	}
	c.Conn = t
	return nil
}

// errEnded says that a kept connection was closed before anything of the answer came, as HTTP
// allows.
var errEnded = errors.New("the kept connection was closed")

// answered is a response that has come whole.
type answered struct {
	first time.Duration // until its first byte
	bytes int64
	last  bool // the connection ends with it
}

// get asks for a path of the origin and reads the answer, which must be the one to this number.
func (c *conn) get(path string, number uint64) (a answered, err error) {
	c.SetDeadline(time.Now().Add(patience))
	c.text = fmt.Appendf(c.text[:0], "GET %s%s?u=%x HTTP/1.1\r\n%s\r\n", c.before, path, number,
		c.fields)
	started := time.Now()
	if _, err = c.Write(c.text); err == nil {
		_, err = c.in.Peek(1)
	}
	a.first = time.Since(started)
	if err != nil {
		if c.used &&
			(errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)) {
			err = errEnded
		}
		return a, err
	}
	c.used = true
	res, err := http.ReadResponse(c.in, nil)
	if err != nil {
		return a, err
	}
	if res.StatusCode != 200 {
		return a, fmt.Errorf("%s for %s", res.Status, path)
	}
	a.last = res.Close || strings.EqualFold(res.Header.Get("Proxy-Connection"), "close")
	a.bytes, err = c.read(res.Body, token(number))
	if err == nil && res.ContentLength >= 0 && a.bytes != res.ContentLength {
		err = io.ErrUnexpectedEOF
	}
	return a, err
}

// read reads a body that begins with that token.
func (c *conn) read(body io.Reader, begins string) (n int64, err error) {
	k, err := io.ReadFull(body, c.piece[:len(begins)])
	if err != nil || string(c.piece[:k]) != begins {
		return int64(k), errors.Join(errors.New("the body of another request"), err)
	}
	for n = int64(k); ; {
		k, err := body.Read(c.piece)
		n += int64(k)
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}
