package objects

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"
)

// The bounds of what a server may send, and of how long it may be silent.
const (
	mostHead  = 256 << 10 // bytes of the head of an answer
	mostError = 1 << 20   // bytes of the body of an answer that is an error
	mostXML   = 16 << 20  // bytes of any other body but that of an object

	dialTime = 15 * time.Second
	idleTime = 2 * time.Minute // in which no byte goes either way, while something is waited for

	// readTime is how long an answer to what reads may be silent: a person may wait for it. What writes
	// waits idleTime, since a storage may take long to put parts together.
	readTime = 30 * time.Second
)

// errTooLong says that an answer has more bytes than any honest one.
var errTooLong = errors.New("its answer is too long")

// guard makes a transport that waits for nobody for ever, and reads no more than it can hold.
func guard(t *http.Transport, idle time.Duration) {
	dialer := &net.Dialer{Timeout: dialTime, KeepAlive: 30 * time.Second}
	t.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dialer.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &alive{Conn: conn, idle: idle}, nil
	}
	// Parts go at once over connections of their own: none waits for the window of another.
	t.ForceAttemptHTTP2 = false
	t.Protocols = new(http.Protocols)
	t.Protocols.SetHTTP1(true)
	t.DisableCompression = true
	t.MaxResponseHeaderBytes = mostHead
	t.TLSHandshakeTimeout = dialTime
	t.WriteBufferSize, t.ReadBufferSize = 64<<10, 64<<10
	t.MaxIdleConnsPerHost = mostFetches + mostSends
}

// alive is a connection that breaks off when no byte has gone either way for some time. However
// slow it is, it goes on as long as some do.
type alive struct {
	net.Conn
	idle time.Duration
}

// Read implements net.Conn.
func (c *alive) Read(p []byte) (int, error) {
	if err := c.SetReadDeadline(time.Now().Add(c.idle)); err != nil {
		return 0, err
	}
	return c.Conn.Read(p)
}

// Write implements net.Conn. What waits for the answer meanwhile waits from the last byte on.
func (c *alive) Write(p []byte) (int, error) {
	if err := c.SetDeadline(time.Now().Add(c.idle)); err != nil {
		return 0, err
	}
	n, err := c.Conn.Write(p)
	if err == nil {
		err = c.SetReadDeadline(time.Now().Add(c.idle))
	}
	return n, err
}

// bounded is a transport whose answers have bodies that are bounded, but for those of objects,
// which whoever asked for them bounds.
type bounded struct {
	http.RoundTripper
	readTime time.Duration
}

// RoundTrip implements http.RoundTripper.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := b.patient(r)
	if err != nil {
		return nil, err
	}
	limit := int64(mostXML)
	switch {
	case response.StatusCode >= 300:
		limit = mostError
	case isObject(r.Context()):
		return response, nil
	}
	response.Body = &limited{ReadCloser: response.Body, left: limit}
	return response, nil
}

// patient waits no longer than readTime for the answer to what reads, nor for any part of its body.
func (b bounded) patient(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return b.RoundTripper.RoundTrip(r)
	}
	ctx, cancel := context.WithCancel(r.Context())
	timer := time.AfterFunc(b.readTime, cancel)
	response, err := b.RoundTripper.RoundTrip(r.WithContext(ctx))
	if timed := !timer.Stop(); err != nil {
		cancel()
		if timed && r.Context().Err() == nil {
			err = os.ErrDeadlineExceeded
		}
		return nil, err
	}
	response.Body = &patient{response.Body, b.readTime, cancel}
	return response, nil
}

// patient is a body that breaks off when no byte of it has come for some time.
type patient struct {
	io.ReadCloser
	most   time.Duration
	cancel context.CancelFunc
}

// Read implements io.Reader.
func (p *patient) Read(b []byte) (int, error) {
	timer := time.AfterFunc(p.most, p.cancel)
	n, err := p.ReadCloser.Read(b)
	if !timer.Stop() && errors.Is(err, context.Canceled) {
		err = os.ErrDeadlineExceeded
	}
	return n, err
}

// Close implements io.Closer.
func (p *patient) Close() error {
	defer p.cancel()
	return p.ReadCloser.Close()
}

// limited is a body that fails where it goes beyond a limit.
type limited struct {
	io.ReadCloser
	left int64
}

// Read implements io.Reader.
func (l *limited) Read(p []byte) (int, error) {
	if l.left < 0 {
		return 0, errTooLong
	}
	n, err := l.ReadCloser.Read(p[:min(int64(len(p)), l.left+1)])
	if l.left -= int64(n); l.left < 0 {
		return 0, errTooLong
	}
	return n, err
}

// objectKey marks the context of a request that asks for the bytes of an object.
type objectKey struct{}

func asObject(ctx context.Context) context.Context {
	return context.WithValue(ctx, objectKey{}, true)
}

func isObject(ctx context.Context) bool { return ctx.Value(objectKey{}) != nil }

// ways returns the client for a transport. It follows nobody: what is signed is for one host.
func ways(t *http.Transport, readTime time.Duration) *http.Client {
	return &http.Client{
		Transport:     bounded{t, readTime},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// redirected says what to do where an answer leads elsewhere.
func redirected(status int) string {
	return fmt.Sprintf("it answers %d, which leads elsewhere, and nobody is followed there: set AWS_REGION "+
		"to the region of the bucket, or AWS_ENDPOINT_URL to where it is", status)
}
