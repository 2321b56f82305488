package cmd

import (
	"bufio"
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// patience is how long anything that must come is waited for.
const patience = 60 * time.Second

// eventually waits until ok is true, and says what it waited for if that does not come.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

// recording is a warcorder that runs as a process, and what it says in its log. It may end at any
// moment.
type recording struct {
	t       *testing.T
	cmd     *exec.Cmd
	begun   chan string   // gets the address that it listens on
	ended   chan struct{} // closed when it is gone and its log has been read to the end
	address string        // "" if it ended before it recorded

	mu    sync.Mutex
	log   []logLine
	alive time.Time // it surely was at that moment
}

// logLine is a line of the log: the fields that a test reads, and its text.
type logLine struct {
	Level, Message, Address, File, URL, Copy, Fault string
	Cut, Kept, Offset, Length, Whole                int64
	Hit                                             int
	text                                            string
}

// launch lets warcorder record into a directory of collections, and waits until it does or has
// ended before.
func launch(t *testing.T, collections, ca, faults string, args ...string) *recording {
	t.Helper()
	return launchCommand(
		t,
		collections,
		ca,
		faults,
		append([]string{"record", "--listen", "127.0.0.1:0", "--insecure-upstream"}, args...)...)
}

// launchCommand does the same with another command, which will end by itself.
func launchCommand(t *testing.T, collections, ca, faults string, args ...string) *recording {
	t.Helper()
	r := &recording{t: t, begun: make(chan string, 1), ended: make(chan struct{})}
	r.cmd = exec.Command(os.Args[0], append(args, "--log", "json", "--dir", collections)...)
	r.cmd.Env = append(os.Environ(), "RUN_AS_WARCORDER=1", "WARCORDER_CA_DIR="+ca,
		"WARCORDER_FAULT="+faults,
		"GORACE=atexit_sleep_ms=0") // else the race detector waits a second at each end
	log, err := r.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		r.cmd.Process.Kill()
		<-r.ended
		if text := r.noise(); strings.Contains(text, "DATA RACE") ||
			strings.Contains(text, "goroutine ") {
			t.Errorf("it raced or panicked: %s", text)
		}
	})
	go r.read(log)
	select {
	case r.address = <-r.begun:
	case <-r.ended:
	case <-time.After(patience):
		t.Fatalf("it neither records nor ends: %s", r.tail())
	}
	return r
}

// read takes the log until the process has ended.
func (r *recording) read(log io.Reader) {
	defer close(r.ended)
	in := bufio.NewReader(log)
	for {
		text, err := in.ReadString('\n')
		if err != nil { // what was cut off by a kill is no line
			break
		}
		line := logLine{text: text}
		json.Unmarshal([]byte(text), &line) // what is not JSON, such as a panic, is kept as text
		if line.Message == "recording" {
			r.begun <- line.Address
		}
		r.mu.Lock()
		r.log = append(r.log, line)
		r.mu.Unlock()
	}
	r.cmd.Wait()
}

// lives notes that the process lived at that moment, or later.
func (r *recording) lives(at time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if at.After(r.alive) {
		r.alive = at
	}
}

// lines are the log lines of a message.
func (r *recording) lines(message string) (lines []logLine) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, line := range r.log {
		if line.Message == message {
			lines = append(lines, line)
		}
	}
	return lines
}

// tail is the end of the log without its captures.
func (r *recording) tail() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var text []string
	for _, line := range r.log {
		if line.Message != "capture" {
			text = append(text, line.text)
		}
	}
	return strings.Join(text[max(0, len(text)-20):], "")
}

// noise is what the process has said that is no line of the log.
func (r *recording) noise() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var text strings.Builder
	for _, line := range r.log {
		if line.Message == "" {
			text.WriteString(line.text)
		}
	}
	return text.String()
}

func (r *recording) hasEnded() bool {
	select {
	case <-r.ended:
		return true
	default:
		return false
	}
}

// wait waits for the end of the process.
func (r *recording) wait() {
	r.t.Helper()
	select {
	case <-r.ended:
	case <-time.After(patience):
		r.t.Fatalf("it does not end: %s", r.tail())
	}
}

// killed reports an end by SIGKILL.
func (r *recording) killed() bool {
	status, ok := r.cmd.ProcessState.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}

// kill ends the process as a power cut would, but for what the system has not written.
func (r *recording) kill() {
	r.t.Helper()
	if !r.hasEnded() {
		r.lives(time.Now())
	}
	r.cmd.Process.Kill()
	r.wait()
}

// stop ends the process as its operator would.
func (r *recording) stop() {
	r.t.Helper()
	r.cmd.Process.Signal(syscall.SIGTERM)
	r.wait()
	if !r.killed() && r.cmd.ProcessState.ExitCode() != 0 {
		r.t.Errorf("exit code %d: %s", r.cmd.ProcessState.ExitCode(), r.tail())
	}
}

// get asks for one of the recorder's own pages.
func (r *recording) get(path string) (status int, body string, err error) {
	res, err := http.Get("http://" + r.address + path)
	if err != nil {
		return 0, "", err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	return res.StatusCode, string(b), err
}

// state is what a test reads of /status.
type state struct {
	code         int
	Recording    bool
	Reason       string
	Lost, Queued int64
	Large        int64
}

// status reads /status, which is 503 as long as nothing is recorded, and says why.
func (r *recording) status() (s state) {
	r.t.Helper()
	code, body, err := r.get("/status")
	if err != nil {
		r.t.Fatalf("/status: %v: %s", err, r.tail())
	}
	if err := json.Unmarshal([]byte(body), &s); err != nil || s.Recording != (code == http.StatusOK) ||
		(s.Reason == "") != s.Recording {
		r.t.Errorf("/status: %v, %d: %s", err, code, body)
	}
	s.code = code
	return s
}

// content is what the origin answers to a path: one that begins with /text/ deflates to about a
// quarter, others not at all. The last number of the path is its size.
func content(path string) []byte {
	random := rand.NewChaCha8(sha256.Sum256([]byte(path)))
	size, err := strconv.Atoi(path[strings.LastIndexByte(path, '/')+1:])
	if err != nil {
		panic(path)
	}
	body := make([]byte, size)
	random.Read(body)
	if !strings.HasPrefix(path, "/text/") {
		return body
	}
	words := bytes.Repeat([]byte("words of a page "), 3<<10>>4)
	for at := 1 << 10; at < size; at += 4 << 10 {
		copy(body[at:], words)
	}
	return body
}

// site is an origin, with and without TLS. What it answers depends on the path alone; what is
// posted to it is in a header of the answer.
type site struct{ plain, secure *httptest.Server }

// fromSite marks the answers of a site, to tell them from the recorder's own.
const fromSite = "Site"

func newSite(t *testing.T) *site {
	page := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		posted := sha1.New()
		io.Copy(posted, r.Body)
		body := content(r.URL.Path)
		w.Header().Set(fromSite, fmt.Sprintf("%x", posted.Sum(nil)))
		w.Header().Set("Content-Type", "application/octet-stream")
		if len(body)%2 == 0 {
			w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		}
		w.Write(body[:len(body)/2])
		w.(http.Flusher).Flush() // of an odd length comes in chunks
		w.Write(body[len(body)/2:])
	})
	s := &site{httptest.NewServer(page), httptest.NewUnstartedServer(page)}
	t.Cleanup(s.plain.Close)
	t.Cleanup(s.secure.Close)
	// handshakes that a killed recorder has not ended
	s.secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.secure.StartTLS()
	return s
}

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
	request := fmt.Appendf(nil,
		"%s %s HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\nContent-Type: application/octet-stream\r\n\r\n",
		method, form, to.Host, len(body))
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
