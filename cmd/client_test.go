package cmd

import (
	"bufio"
	"bytes"
	"crypto/sha1"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// received is what clients got whole from the origin through the recorder: the SHA-1 of the
// response as it came over the wire, and when.
type received struct {
	mu  sync.Mutex
	got map[string]gotten
}

type gotten struct {
	wire [sha1.Size]byte
	at   time.Time
}

func newReceived() *received { return &received{got: map[string]gotten{}} }

func (r *received) note(url string, wire [sha1.Size]byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.got[url] = gotten{wire, time.Now()}
}

func (r *received) len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.got)
}

// client is a client of the recorder with one connection, which it opens anew when that has ended.
// It asks nothing twice.
type client struct {
	proxy string
	trust *x509.CertPool // for TLS through CONNECT
	got   *received

	tunnel string // host:port that conn leads to; "" for plain requests
	conn   net.Conn
	wire   bytes.Buffer // what came since the last request
	in     *bufio.Reader
}

func (c *client) close() {
	if c.conn != nil {
		c.conn.Close()
		c.conn = nil
	}
}

// fetch asks for a target and notes what comes, if it is the origin's and whole. Its status and
// body are those of whoever answered.
func (c *client) fetch(method, target string, body []byte) (status int, answer []byte, err error) {
	to, err := url.Parse(target)
	if err != nil {
		return 0, nil, err
	}
	if err := c.connect(to); err != nil {
		return 0, nil, err
	}
	c.conn.SetDeadline(time.Now().Add(patience))
	form := target
	if c.tunnel != "" {
		form = to.RequestURI()
	}
	c.wire.Reset()
	request := fmt.Appendf(nil, "%s %s HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n"+
		"Content-Type: application/octet-stream\r\n\r\n", method, form, to.Host, len(body))
	if method == "GET" {
		request = fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", form, to.Host)
	}
	if _, err = c.conn.Write(append(request, body...)); err == nil {
		status, answer, err = c.answer(target, body)
	}
	if err != nil {
		c.close()
	}
	return status, answer, err
}

// answer reads one response.
func (c *client) answer(target string, posted []byte) (status int, answer []byte, err error) {
	res, err := http.ReadResponse(c.in, nil)
	if err != nil {
		return 0, nil, err
	}
	answer, err = io.ReadAll(res.Body)
	if err != nil {
		return 0, nil, err
	}
	if res.Close {
		c.close()
	}
	sum := res.Header.Get(fromSite)
	if sum == "" {
		return res.StatusCode, answer, nil
	}
	if sum != fmt.Sprintf("%x", sha1.Sum(posted)) {
		return 0, nil, fmt.Errorf("the origin got another body than was posted to %s", target)
	}
	c.got.note(target, sha1.Sum(c.wire.Bytes()))
	return res.StatusCode, answer, nil
}

// connect makes sure that there is a connection for requests to that origin.
func (c *client) connect(to *url.URL) error {
	tunnel := ""
	if to.Scheme == "https" {
		tunnel = to.Host
	}
	if c.conn != nil && c.tunnel == tunnel {
		return nil
	}
	c.close()
	conn, err := net.DialTimeout("tcp", c.proxy, patience)
	if err != nil {
		return err
	}
	conn.SetDeadline(time.Now().Add(patience))
	if tunnel != "" {
		if conn, err = c.through(conn, tunnel); err != nil {
			return err
		}
	}
	c.conn, c.tunnel = conn, tunnel
	// nothing is asked before the last answer has been read
	c.in = bufio.NewReader(io.TeeReader(conn, &c.wire))
	return nil
}

// through asks for a tunnel and speaks TLS in it.
func (c *client) through(conn net.Conn, tunnel string) (net.Conn, error) {
	fmt.Fprintf(conn, "CONNECT %s HTTP/1.1\r\nHost: %[1]s\r\n\r\n", tunnel)
	// nothing follows before we speak
	res, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: "CONNECT"})
	if err == nil && res.StatusCode != http.StatusOK {
		err = errors.New(res.Status)
	}
	host, _, _ := net.SplitHostPort(tunnel)
	secure := tls.Client(conn, &tls.Config{RootCAs: c.trust, ServerName: host})
	if err == nil {
		err = secure.Handshake()
	}
	if err != nil {
		conn.Close()
		return nil, fmt.Errorf("CONNECT %s: %w", tunnel, err)
	}
	return secure, nil
}

// trustOf reads the root certificate of a recorder.
func trustOf(t *testing.T, ca string) *x509.CertPool {
	t.Helper()
	pem, err := os.ReadFile(filepath.Join(ca, "ca", "warcorder-ca.pem"))
	if err != nil {
		t.Fatal(err)
	}
	trust := x509.NewCertPool()
	trust.AppendCertsFromPEM(pem)
	return trust
}

// load is several clients that ask at the same time. Every one of their URLs is asked once.
type load struct {
	r     *recording
	site  *site
	trust *x509.CertPool
	got   *received
	// of the n-th request; the path without its number
	kind    func(n int64) (method, path string, body []byte)
	serial  *atomic.Int64
	refused atomic.Int64 // answers 503
}

// run lets clients ask until enough is true or the process has ended. Half of them use TLS.
func (l *load) run(clients int, enough func() bool) {
	var all sync.WaitGroup
	for i := range clients {
		all.Go(func() {
			c := &client{proxy: l.r.address, trust: l.trust, got: l.got}
			defer c.close()
			for !enough() && !l.r.hasEnded() {
				l.one(c, i%2 == 1)
			}
		})
	}
	all.Wait()
}

// one asks for one URL.
func (l *load) one(c *client, secure bool) {
	n := l.serial.Add(1)
	method, path, body := l.kind(n)
	origin := l.site.plain.URL
	if secure {
		origin = l.site.secure.URL
	}
	asked := time.Now()
	status, answer, err := c.fetch(method, origin+path, body)
	switch {
	case err != nil && !l.r.hasEnded():
		time.Sleep(time.Millisecond) // it is dying, or cuts what it cannot keep: no need to hurry
	case err == nil:
		l.r.lives(asked)
		if status == http.StatusServiceUnavailable {
			l.refused.Add(1)
			l.checkRefusal(answer)
		}
	}
}

// checkRefusal: who cannot be recorded is told so in a plain sentence.
func (l *load) checkRefusal(answer []byte) {
	if text := string(answer); !strings.Contains(text, "warcorder is not recording at the moment: ") &&
		!strings.Contains(text, "warcorder cannot record this exchange: ") {
		l.r.t.Errorf("a 503 that does not say why: %q", text)
	}
}
