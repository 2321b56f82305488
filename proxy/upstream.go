package proxy

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"warcorder/recorder"
)

// origin names a place that requests go to. It is the key of the upstream pool.
type origin struct {
	secure bool
	host   string // lower case, no brackets
	port   string
	name   string // the name that the certificate must bear, and the SNI; for secure only
}

// siteName is the host in the URL.
func (o origin) siteName() string {
	if o.secure {
		return o.name
	}
	return o.host
}

// appendURL appends scheme and authority.
func (o origin) appendURL(dst []byte) []byte {
	scheme, defaultPort := "http://", "80"
	if o.secure {
		scheme, defaultPort = "https://", "443"
	}
	dst = append(dst, scheme...)
	if host := o.siteName(); strings.Contains(host, ":") {
		dst = append(append(append(dst, '['), host...), ']')
	} else {
		dst = append(dst, host...)
	}
	if o.port != defaultPort {
		dst = append(append(dst, ':'), o.port...)
	}
	return dst
}

// upstream is one connection to an origin.
type upstream struct {
	wire
	origin     origin
	raw        *net.TCPConn
	socket     syscall.RawConn // of raw
	below      *pausable       // what TLS reads; nil for plain
	ip         netip.Addr
	tls        uint16 // the version, 0 for plain
	cipher     uint16
	unverified string // the certificate's problem that InsecureUpstream let pass
	chain      *recorder.Chain
	used       int  // exchanges before this one
	bound      bool // authenticated once (NTLM, Negotiate), and so one client's for good
	idleSince  time.Time

	older, newer *upstream // in the pool, by idleSince
}

// pausable is a connection that TLS reads from. While it is paused it has nothing, so that what TLS
// has taken from it already can be read, and no more.
type pausable struct {
	net.Conn
	paused bool
}

func (c *pausable) Read(p []byte) (int, error) {
	if c.paused {
		return 0, os.ErrDeadlineExceeded // which TLS does not take for the end
	}
	return c.Conn.Read(p)
}

// upstreams dials origins and keeps idle connections for any client, last used first.
type upstreams struct {
	cfg      *Config
	self     func(netip.AddrPort) bool
	heads    *budget
	sessions tls.ClientSessionCache
	resolver *net.Resolver // nil is the system's
	discreet *net.Resolver // for no-record hosts: looks names up as resolver does, and records nothing

	mu sync.Mutex
	// last used last; an empty list stays until the next sweep, for the same again
	idle   map[origin][]*upstream
	oldest *upstream // of all, and from there on by upstream.newer
	newest *upstream
	count  int
	most   int // connections that are kept
	sweep  *time.Timer
	closed bool
}

const (
	maxIdlePerOrigin = 64
	maxIdle          = 1024
	idleUpstream     = 30 * time.Second // shorter than most servers' own patience
	sweepEvery       = 5 * time.Second
)

var errSelf = errors.New("the target is the proxy itself")

// newUpstreams makes the pool. self reports an address that the proxy itself listens on.
func newUpstreams(cfg *Config, heads *budget, self func(netip.AddrPort) bool) *upstreams {
	return &upstreams{
		cfg:      cfg,
		self:     self,
		heads:    heads,
		idle:     map[origin][]*upstream{},
		most:     idleLimit(descriptors()),
		sessions: tls.NewLRUClientSessionCache(4096),
	}
}

// get returns an idle connection to o, or nil.
func (u *upstreams) get(o origin) *upstream {
	for {
		up := u.pop(o)
		if up == nil || up.alive() {
			return up
		}
		up.close()
	}
}

func (u *upstreams) pop(o origin) *upstream {
	u.mu.Lock()
	defer u.mu.Unlock()
	list := u.idle[o]
	if len(list) == 0 {
		return nil
	}
	up := list[len(list)-1]
	list[len(list)-1] = nil
	u.idle[o] = list[:len(list)-1]
	u.unlink(up)
	return up
}

func (u *upstreams) link(up *upstream) {
	up.older = u.newest
	if u.newest == nil {
		u.oldest = up
	} else {
		u.newest.newer = up
	}
	u.newest = up
	u.count++
}

func (u *upstreams) unlink(up *upstream) {
	if up.older == nil {
		u.oldest = up.newer
	} else {
		up.older.newer = up.newer
	}
	if up.newer == nil {
		u.newest = up.older
	} else {
		up.newer.older = up.older
	}
	up.older, up.newer = nil, nil
	u.count--
}

// closeOldest closes the connection that has idled longest, which is the first of its origin's.
func (u *upstreams) closeOldest() {
	up := u.oldest
	u.idle[up.origin] = slices.Delete(u.idle[up.origin], 0, 1)
	u.unlink(up)
	up.close()
}

// put keeps a connection for the next request, in the place of the one that has idled longest if
// there are too many: after a crawl of a thousand hosts its last connections would else keep out
// those that are in use.
func (u *upstreams) put(up *upstream) {
	up.drop()
	up.used++
	up.idleSince = time.Now()
	u.mu.Lock()
	defer u.mu.Unlock()
	list := u.idle[up.origin]
	if u.closed || len(list) >= maxIdlePerOrigin || u.most == 0 {
		up.close()
		return
	}
	u.idle[up.origin] = append(list, up)
	u.link(up)
	if u.count > u.most {
		u.closeOldest()
	}
	if u.sweep == nil {
		u.sweep = time.AfterFunc(sweepEvery, u.expire)
	}
}

// expire closes what has idled too long, and comes again while anything is left.
func (u *upstreams) expire() {
	u.mu.Lock()
	defer u.mu.Unlock()
	limit := time.Now().Add(-idleUpstream)
	for u.oldest != nil && u.oldest.idleSince.Before(limit) {
		u.closeOldest()
	}
	maps.DeleteFunc(u.idle, func(_ origin, list []*upstream) bool { return len(list) == 0 })
	u.sweep = nil
	if u.count > 0 && !u.closed {
		u.sweep = time.AfterFunc(sweepEvery, u.expire)
	}
}

func (u *upstreams) close() {
	u.mu.Lock()
	u.closed = true
	if u.sweep != nil {
		u.sweep.Stop()
	}
	u.mu.Unlock()
	u.forgetIdle()
}

// forgetIdle closes all idle connections and returns how many there were.
func (u *upstreams) forgetIdle() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	n := u.count
	for u.oldest != nil {
		u.closeOldest()
	}
	return n
}

// close ends the connection at once: a TLS farewell could wait for seconds behind bytes that nobody
// reads.
func (u *upstream) close() {
	u.drop()
	u.raw.Close()
}

// alive looks whether the origin has closed an idle connection, or sent what nobody asked for: on
// the socket, and in what TLS has taken from it already.
func (u *upstream) alive() bool {
	return quiet(u.socket) && (u.below == nil || u.nothingDecrypted())
}

func (u *upstream) nothingDecrypted() bool {
	u.below.paused = true
	var b [1]byte
	n, err := u.conn.Read(b[:])
	u.below.paused = false
	return n == 0 && err == os.ErrDeadlineExceeded
}

// dialError is a connection that could not be made, with the step at which it failed.
type dialError struct {
	step string // "connect" or "tls"
	err  error
}

func (e *dialError) Error() string { return e.step + ": " + e.err.Error() }
func (e *dialError) Unwrap() error { return e.err }

// dial opens a connection to o.
func (u *upstreams) dial(ctx context.Context, o origin) (*upstream, error) {
	connecting, cancel := context.WithTimeout(ctx, u.cfg.Timeout.Connect)
	defer cancel()
	var itself atomic.Bool // of several addresses the dialer tells only the first one's error
	resolver := u.resolver
	if u.cfg.NoRecord.Has(o.siteName()) {
		resolver = u.discreet
	}
	dialer := net.Dialer{
		Resolver: resolver,
		ControlContext: func(_ context.Context, _, address string, _ syscall.RawConn) error {
			if ap, err := netip.ParseAddrPort(address); err == nil && u.self(ap) {
				itself.Store(true)
				return errSelf
			}
			return nil
		},
	}
	conn, err := dialer.DialContext(connecting, "tcp", net.JoinHostPort(o.host, o.port))
	if errors.Is(err, syscall.EMFILE) && u.forgetIdle() > 0 {
		conn, err = dialer.DialContext(connecting, "tcp", net.JoinHostPort(o.host, o.port))
	}
	if err != nil && itself.Load() {
		err = errSelf
	}
	if err != nil {
		return nil, &dialError{"connect", err}
	}
	up := &upstream{origin: o, raw: conn.(*net.TCPConn)}
	if up.socket, err = up.raw.SyscallConn(); err != nil {
		conn.Close()
		return nil, &dialError{"connect", err}
	}
	up.conn, up.heads = conn, u.heads
	up.ip = conn.RemoteAddr().(*net.TCPAddr).AddrPort().Addr().Unmap()
	if !o.secure {
		return up, nil
	}
	if err := u.handshake(ctx, up); err != nil {
		conn.Close()
		return nil, &dialError{"tls", err}
	}
	return up, nil
}

func (u *upstreams) handshake(ctx context.Context, up *upstream) error {
	cfg := &tls.Config{
		ServerName:         up.origin.name,
		NextProtos:         []string{"http/1.1"},
		ClientSessionCache: u.sessions,
	}
	if u.cfg.InsecureUpstream.Has(up.origin.name) {
		cfg.InsecureSkipVerify = true
		cfg.VerifyConnection = func(cs tls.ConnectionState) error {
			if err := verify(cs, up.origin.name); err != nil {
				up.unverified = err.Error()
			}
			return nil
		}
	}
	up.below = &pausable{Conn: up.conn}
	conn := tls.Client(up.below, cfg)
	ctx, cancel := context.WithTimeout(ctx, u.cfg.Timeout.TLS)
	defer cancel()
	if err := conn.HandshakeContext(ctx); err != nil {
		return err
	}
	cs := conn.ConnectionState()
	if cs.NegotiatedProtocol != "" && cs.NegotiatedProtocol != "http/1.1" {
		return fmt.Errorf("the origin insists on %q", cs.NegotiatedProtocol)
	}
	up.conn, up.tls, up.cipher, up.chain = conn, cs.Version, cs.CipherSuite, chainOf(
		cs.PeerCertificates)
	return nil
}

// chainOf is what the origin sent; in a resumed session, what it had sent before.
func chainOf(certificates []*x509.Certificate) *recorder.Chain {
	der := make([][]byte, len(certificates))
	for i, certificate := range certificates {
		der[i] = certificate.Raw
	}
	return recorder.NewChain(der)
}

// verify is what crypto/tls does when verification is on.
func verify(cs tls.ConnectionState, name string) error {
	opts := x509.VerifyOptions{DNSName: name, Intermediates: x509.NewCertPool()}
	for _, cert := range cs.PeerCertificates[1:] {
		opts.Intermediates.AddCert(cert)
	}
	_, err := cs.PeerCertificates[0].Verify(opts)
	return err
}
