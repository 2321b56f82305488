package proxy

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/textproto"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"warcorder/certs"
	"warcorder/proxy/admin"
	"warcorder/recorder"
	"warcorder/store/collection"
)

// house is a running proxy with a collection of its own, and all that a test needs to look at it.
type house struct {
	t         testing.TB
	proxy     *Proxy
	rec       *recorder.Recorder
	dir       string
	address   string
	authority *certs.Authority
	log       *syncBuffer
	served    chan error
	once      sync.Once
}

// config is the default one, with timeouts that a test can wait for.
func config() Config {
	const soon = 10 * time.Second
	cfg := Default()
	cfg.InsecureUpstream.All = true
	cfg.Timeout = Timeout{Header: soon, Connect: soon, TLS: soon, FirstByte: soon, Idle: soon}
	return cfg
}

func newHouse(t testing.TB, cfg Config) *house {
	t.Helper()
	return newHouseOn(t, cfg, recorderConfig, "127.0.0.1:0")
}

// newHouseOn is newHouse with a recorder and an address of its own kind.
func newHouseOn(t testing.TB, cfg Config, recording recorder.Config, listen string) *house {
	t.Helper()
	ln, err := net.Listen("tcp", listen)
	if err != nil {
		t.Fatal(err)
	}
	return newHouseAt(t, cfg, recording, ln)
}

func newHouseAt(t testing.TB, cfg Config, recording recorder.Config, ln net.Listener) *house {
	t.Helper()
	h := &house{t: t, dir: t.TempDir(), log: &syncBuffer{}, served: make(chan error, 1)}
	log := zerolog.New(h.log)
	var err error
	// as on the command line: most bodies here are the same few bytes
	recording.Dedup.MinSize = 1 << 10
	if h.rec, err = recorder.Open(recording, collection.Dir(h.dir), log); err != nil {
		t.Fatal(err)
	}
	if h.authority, err = certs.Open(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	h.address = ln.Addr().String()
	recordPage := admin.RecordPage(h.rec, func() (int64, time.Duration) { return cfg.MaxBodySize, cfg.Timeout.Idle })
	own := admin.New(admin.Config{})
	own.Add(admin.Page{Pattern: "/record", For: admin.TokenHolder, Handler: recordPage})
	pages := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.Contains(r.Host, admin.Name):
			own.ServeHTTP(w, r)
		case r.URL.Path == "/record":
			recordPage.ServeHTTP(w, r)
		default:
			fmt.Fprintf(w, "admin %s", r.URL.Path)
		}
	})
	if h.proxy, err = New(cfg, ln, h.authority, h.rec, pages, log); err != nil {
		t.Fatal(err)
	}
	go func() { h.served <- h.proxy.Serve() }()
	t.Cleanup(h.close)
	return h
}

var recorderConfig = recorder.Config{WARCPrefix: "test", WARCMaxSize: 1e9, WARCIdle: time.Hour,
	CommitInterval: 5 * time.Millisecond, CommitSize: 8e6, QueueSize: 64e6}

// close ends the proxy and the recorder; afterwards the WARC files are whole, and each connection that
// was opened to an origin has been closed once.
func (h *house) close() {
	h.once.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		h.proxy.Shutdown(ctx)
		if err := <-h.served; err != nil {
			h.t.Errorf("serve: %v", err)
		}
		if n := h.proxy.current().upstreams.dials.open.Load(); n != 0 {
			h.t.Errorf("%d connections to origins are counted as open, and none is", n)
		}
		if err := h.rec.Close(); err != nil {
			h.t.Errorf("close the recorder: %v", err)
		}
	})
}

// warcRecord is one WARC record as it stands in the file, read by nothing of our own.
type warcRecord struct {
	header textproto.MIMEHeader
	block  []byte
}

// records ends the house and returns what it has recorded, without warcinfo.
func (h *house) records() []warcRecord {
	h.t.Helper()
	h.close()
	files, err := filepath.Glob(filepath.Join(h.dir, "archive", "*.warc.gz"))
	if err != nil {
		h.t.Fatal(err)
	}
	var all []warcRecord
	for _, file := range files {
		all = append(all, readWARC(h.t, file)...)
	}
	return all
}

func readWARC(t testing.TB, file string) []warcRecord {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(unzipped)
	var all []warcRecord
	for {
		if _, err := in.ReadString('\n'); err == io.EOF {
			return all
		}
		header, err := textproto.NewReader(in).ReadMIMEHeader()
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		n, err := strconv.Atoi(header.Get("Content-Length"))
		if err != nil {
			t.Fatal(err)
		}
		block := make([]byte, n+4)
		if _, err := io.ReadFull(in, block); err != nil {
			t.Fatal(err)
		}
		if header.Get("WARC-Type") != "warcinfo" {
			all = append(all, warcRecord{header, block[:n]})
		}
	}
}

// of returns the records of one type.
func of(all []warcRecord, kind string) []warcRecord {
	var some []warcRecord
	for _, r := range all {
		if r.header.Get("WARC-Type") == kind {
			some = append(some, r)
		}
	}
	return some
}

// origin side

// peer is one end of a connection that keeps what it read and wrote.
type peer struct {
	t    testing.TB
	conn net.Conn
	in   *bufio.Reader
	seen bytes.Buffer
	sent bytes.Buffer

	reached chan struct{} // for the script to close when it has come somewhere
}

func newPeer(t testing.TB, conn net.Conn) *peer {
	conn.SetDeadline(time.Now().Add(30 * time.Second))
	p := &peer{t: t, conn: conn, reached: make(chan struct{})}
	p.in = bufio.NewReader(io.TeeReader(conn, &p.seen))
	return p
}

func (p *peer) forget() { p.seen.Reset(); p.sent.Reset() }

func (p *peer) send(s string) {
	p.sent.WriteString(s)
	if _, err := io.WriteString(p.conn, s); err != nil {
		p.t.Logf("send: %v", err)
	}
}

// readHead reads one head.
func (p *peer) readHead() string {
	var head strings.Builder
	for {
		line, err := p.in.ReadString('\n')
		head.WriteString(line)
		if err != nil || strings.TrimRight(line, "\r\n") == "" {
			return head.String()
		}
	}
}

func (p *peer) readN(n int) string {
	b := make([]byte, n)
	m, err := io.ReadFull(p.in, b)
	if err != nil {
		p.t.Errorf("read %d of %d bytes: %v", m, n, err)
	}
	return string(b[:m])
}

// readAll reads to the end and then ends the connection, as browsers do.
func (p *peer) readAll() string {
	b, _ := io.ReadAll(p.in)
	p.conn.Close()
	return string(b)
}

// originServer runs a script for each connection that it accepts.
type originServer struct {
	t       testing.TB
	ln      net.Listener
	address string
	mu      sync.Mutex
	peers   []*peer
	running sync.WaitGroup
}

func newOrigin(t testing.TB, secure bool, script func(*peer)) *originServer {
	t.Helper()
	if !secure {
		return newOriginWith(t, nil, script)
	}
	return newOriginWith(t, &tls.Config{Certificates: []tls.Certificate{originCertificate()}}, script)
}

// newOriginWith is newOrigin with TLS as cfg says, or without.
func newOriginWith(t testing.TB, cfg *tls.Config, script func(*peer)) *originServer {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	o := &originServer{t: t, ln: ln, address: ln.Addr().String()}
	o.running.Add(1)
	go func() {
		defer o.running.Done()
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			if cfg != nil {
				conn = tls.Server(conn, cfg)
			}
			p := newPeer(t, conn)
			o.mu.Lock()
			o.peers = append(o.peers, p)
			o.mu.Unlock()
			o.running.Add(1)
			go func() {
				defer o.running.Done()
				defer conn.Close()
				script(p)
			}()
		}
	}()
	t.Cleanup(o.close)
	return o
}

func (o *originServer) close() {
	o.ln.Close()
	o.mu.Lock()
	for _, p := range o.peers {
		p.conn.Close()
	}
	o.mu.Unlock()
	o.running.Wait()
}

// connections returns those accepted so far.
func (o *originServer) connections() []*peer {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]*peer(nil), o.peers...)
}

// originCertificate is self-signed, for 127.0.0.1.
var originCertificate = sync.OnceValue(func() tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		Subject:      pkix.Name{CommonName: "test origin"},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(time.Hour),
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1)},
		DNSNames:     []string{"localhost"},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		panic(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
})

// client side

// dial connects to the proxy as plain HTTP needs it.
func (h *house) dial() *peer {
	h.t.Helper()
	conn, err := net.Dial("tcp", h.address)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { conn.Close() })
	return newPeer(h.t, conn)
}

// tunnel connects to the proxy and through a CONNECT to address, with TLS inside or without.
func (h *house) tunnel(address string, secure bool) *peer {
	h.t.Helper()
	return h.tunnelAs(address, secure, "Proxy-Authorization: Basic c2VjcmV0")
}

// tunnelAs is tunnel with a CONNECT that has a field.
func (h *house) tunnelAs(address string, secure bool, field string) *peer {
	h.t.Helper()
	p := h.dial()
	p.send(text("CONNECT "+address+" HTTP/1.1", "Host: "+address, field))
	if head := p.readHead(); !strings.HasPrefix(head, "HTTP/1.1 200 ") {
		h.t.Fatalf("CONNECT: %q", head)
	}
	if !secure { // what comes next may have come with the head
		p.forget()
		return p
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(h.authority.PEM())
	host, _, _ := net.SplitHostPort(address)
	conn := tls.Client(p.conn,
		&tls.Config{RootCAs: roots, ServerName: host, NextProtos: []string{"http/1.1"}})
	if err := conn.Handshake(); err != nil {
		h.t.Fatalf("TLS: %v", err)
	}
	return newPeer(h.t, conn)
}

// to returns a connection that leads to an origin, and what its requests' targets begin with.
func (h *house) to(o *originServer, secure bool) (client *peer, prefix string) {
	if secure {
		return h.tunnel(o.address, true), ""
	}
	return h.dial(), "http://" + o.address
}
