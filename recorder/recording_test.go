package recorder

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"warcorder/recorder/spill"
	"warcorder/store"
	"warcorder/store/collection"
)

// recording is a collection being recorded by a test.
type recording struct {
	*Recorder
	t   *testing.T
	dir string
	log *logBuffer
}

// open opens a collection as the recorder does, with a log that the test can read.
func open(t *testing.T, dir string, cfg Config) *recording {
	t.Helper()
	log := new(logBuffer)
	r, err := Open(cfg, collection.Dir(dir), zerolog.New(log))
	if err != nil {
		t.Fatal(err)
	}
	return &recording{r, t, dir, log}
}

// close closes the recorder, which must succeed.
func (c *recording) close() {
	c.t.Helper()
	if err := c.Close(); err != nil {
		c.t.Fatal(err)
	}
}

// of a synctest bubble
func start(t *testing.T) time.Time { return time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) }

// begin returns an exchange with its buffers filled.
func (c *recording) begin(url, request, response string) *Exchange {
	c.t.Helper()
	x := c.Begin()
	x.Started, x.URL, x.Method, x.RemoteIP = time.Now(), url, "GET", netip.MustParseAddr("127.0.0.1")
	for b, message := range map[*spill.Buffer]string{&x.Request: request, &x.Response: response} {
		if _, err := io.Copy(writerOnly{b}, strings.NewReader(message)); err != nil {
			c.t.Fatal(err)
		}
	}
	return x
}

type writerOnly struct{ io.Writer } // so that io.Copy writes in pieces

func (c *recording) commit(url, request, response string) {
	c.t.Helper()
	c.begin(url, request, response).Commit()
}

// get commits the GET of a small page.
func (c *recording) get(url string) {
	c.t.Helper()
	c.commit(url, "GET / HTTP/1.1\r\nHost: example.com\r\n\r\n",
		page(200, "text/html", "", "page at "+url))
}

// urls are the URLs of all captures, in the order of the index.
func (c *recording) urls() []string {
	c.t.Helper()
	var urls []string
	if err := c.Index().Captures(store.Query{}, func(capture *store.Capture) bool {
		urls = append(urls, capture.URL)
		return true
	}); err != nil {
		c.t.Fatal(err)
	}
	return urls
}

// extra returns a record with its block filled.
func (c *recording) extra(kind, uri, contentType, block string) *Extra {
	c.t.Helper()
	e := c.BeginExtra()
	e.Type, e.URI, e.ContentType = kind, uri, contentType
	if _, err := e.Block.Write([]byte(block)); err != nil {
		c.t.Fatal(err)
	}
	return e
}

// write writes a record, which must succeed.
func (c *recording) write(e *Extra) Written {
	c.t.Helper()
	written, err := e.Write(context.Background())
	if err != nil {
		c.t.Fatal(err)
	}
	return written
}

// getOver commits an exchange over TLS.
func (c *recording) getOver(chain *Chain, body string) {
	c.t.Helper()
	x := c.begin("https://example.com/", exampleRequest, page(200, "text/html", "", body))
	x.Chain = chain
	x.Commit()
}

// takeAway puts a file in the place of archive/, so that no WARC file can be opened; the function
// it returns puts archive/ back.
func (c *recording) takeAway() (back func()) {
	c.t.Helper()
	archive := filepath.Join(c.dir, "archive")
	err := errors.Join(os.Rename(archive, archive+".away"), os.WriteFile(archive, nil, 0o600))
	if err != nil {
		c.t.Fatal(err)
	}
	return func() {
		c.t.Helper()
		if err := errors.Join(os.Remove(archive), os.Rename(archive+".away", archive)); err != nil {
			c.t.Fatal(err)
		}
	}
}

// logBuffer keeps what is logged, and calls onLine, if that is set, with each line.
type logBuffer struct {
	mu     sync.Mutex
	b      bytes.Buffer
	onLine func(line string)
}

func (l *logBuffer) Write(p []byte) (int, error) {
	if l.onLine != nil {
		l.onLine(string(p))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// count counts the lines that contain all of parts.
func (l *logBuffer) count(parts ...string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for line := range strings.Lines(l.b.String()) {
		if !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(line, part) }) {
			n++
		}
	}
	return n
}

// eventually waits, for a minute at most, until something is so.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("waited in vain: " + what)
		}
	}
}
