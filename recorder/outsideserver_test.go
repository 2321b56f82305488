package recorder

import (
	"crypto/sha1"
	"encoding/base32"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"warcorder/recorder/outside"
)

// cdxServer answers that it has each body of a URL that it was told of, and counts the questions.
type cdxServer struct {
	*httptest.Server
	asked atomic.Int64
	lines sync.Map // URL to lines
}

func newCDXServer(t *testing.T) *cdxServer {
	s := new(cdxServer)
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.asked.Add(1)
		if lines, ok := s.lines.Load(r.URL.Query().Get("url")); ok {
			fmt.Fprint(w, lines)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func sha1Text(body string) string {
	sum := sha1.Sum([]byte(body))
	return base32.StdEncoding.EncodeToString(sum[:])
}

// has tells the server of a body.
func (s *cdxServer) has(url, body string) {
	s.lines.Store(url, fmt.Sprintf("k 20010203040506 {\"url\": %q, \"status\": \"200\", \"digest\": %q}\n", url,
		sha1Text(body)))
}

// TestOutsideServer: what a CDX server has of a URL is not stored, whatever the digests here are and
// however it is framed; and it is asked once.
func TestOutsideServer(t *testing.T) {
	t.Parallel()
	big := randomText(3 << 20)
	for _, c := range []struct {
		name, digest, payload, response, body string
		want                                  bool
	}{
		{"plain", "sha1", "wire", answerOf(200, "", body2K), body2K, true},
		{"sha256", "sha256", "wire", answerOf(200, "", body2K), body2K, true},
		{"in chunks", "sha1", "wire", answerOf(200, inChunks, chunkedBy(100, body2K)), body2K, true},
		{"in chunks, entity", "sha1", "entity", answerOf(200, inChunks, chunkedBy(100, body2K)), body2K, true},
		{"a large one", "sha256", "wire", answerOf(200, inChunks, chunkedBy(100_000, big)), big, true},
		{"another body", "sha1", "wire", answerOf(200, "", body2K), body2K + "x", false},
		{"another status", "sha1", "wire", answerOf(203, "", body2K), body2K, false},
		{"a part", "sha1", "wire", answerOf(206, "Content-Range: bytes 0-2047/4096\r\nETag: \"a\"\r\n", body2K),
			body2K, false},
		{"with the digest of the chunks", "sha1", "wire", answerOf(200, inChunks, chunkedBy(100, body2K)),
			chunkedBy(100, body2K), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newCDXServer(t)
			s.has(outsideURL, c.body)
			cfg := Config{Digest: c.digest, PayloadDigest: c.payload, DedupFrom: []string{s.URL + "/cdx"}}
			r := open(t, t.TempDir(), cfg)
			r.settled(outsideURL, exampleRequest, c.response)
			asked := s.asked.Load()
			r.settled(outsideURL, exampleRequest, c.response)
			if s.asked.Load() != asked || asked > 1 || r.found() != map[bool]int64{true: 2}[c.want] {
				t.Errorf("asked %d times: %+v", s.asked.Load(), r.Status().DedupFrom)
			}
			r.close()
			n := 0
			for _, one := range revisitsOf(t, r.dir) {
				if one.get("WARC-Refers-To") != "" {
					continue
				}
				n++
				if one.get("WARC-Refers-To-Date") != "2001-02-03T04:05:06Z" ||
					one.get("WARC-Refers-To-Target-URI") != outsideURL ||
					one.get("WARC-Payload-Digest") != "sha1:"+sha1Text(c.body) || one.faults != "" {
					t.Errorf("%v %s", one.header, one.faults)
				}
			}
			if n != map[bool]int{true: 2}[c.want] {
				t.Errorf("%d revisits of what the server has", n)
			}
			cfg.DedupFrom = nil
			checkRebuild(t, r.dir, cfg)
		})
	}
}

// TestOutsideHangs: beside a server that does not answer all is stored, within a bounded time, and no
// client waits: 200 responses cost what three questions cost.
func TestOutsideHangs(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		<-r.Context().Done()
	}))
	defer s.Close()
	r := open(t, t.TempDir(), Config{DedupFrom: []string{s.URL + "/cdx"}})
	for i := range 200 {
		r.commit(fmt.Sprint("http://example.com/", i), exampleRequest, answerOf(200, "", body2K+fmt.Sprint(i)))
	}
	if err := r.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := len(r.urls()); n != 200 || r.log.count("left alone") != 1 {
		t.Errorf("%d captures", n)
	}
	workers := int64(outside.Workers + 64) // that may have asked before one of them has failed
	if n := asked.Load(); n < 3 || n > workers {
		t.Errorf("asked %d times", n)
	}
	r.close()
}

// TestOutsideAtOnce: of equal responses that come at once from many clients each is a revisit, and a 304
// that comes behind one waits for what a server says of it.
func TestOutsideAtOnce(t *testing.T) {
	t.Parallel()
	s := newCDXServer(t)
	r := open(t, t.TempDir(), Config{DedupFrom: []string{s.URL + "/cdx"}})
	var clients sync.WaitGroup
	for i := range 16 {
		url := fmt.Sprint("http://example.com/", i)
		s.has(url, body2K)
		clients.Go(func() {
			for range 4 {
				r.commit(url, exampleRequest, answerOf(200, "ETag: \"1\"\r\n", body2K))
				r.commit(url, "GET / HTTP/1.1\r\nIf-None-Match: \"1\"\r\n\r\n", answerOf(304, "", ""))
			}
		})
	}
	clients.Wait()
	if err := r.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r.found() != 64 || s.asked.Load() > 64 {
		t.Errorf("asked %d times: %+v", s.asked.Load(), r.Status().DedupFrom)
	}
	r.close()
	if n := len(r.turns.running) + len(r.originals.claimed); n != 0 {
		t.Errorf("%d are still waited for", n)
	}
	if n := len(revisitsOf(t, r.dir)); n != 64+64 {
		t.Errorf("%d revisits", n)
	}
	checkRebuild(t, r.dir, Config{})
}

// TestOutsideSlow: beside a server that answers slowly not more waits than may: what comes faster than it
// answers is stored without a question.
func TestOutsideSlow(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(100 * time.Millisecond): // it is what this server does
		case <-r.Context().Done():
		}
	}))
	defer s.Close()
	r := open(t, t.TempDir(), Config{DedupFrom: []string{s.URL + "/cdx"}})
	const many = manyAsking + 400
	for i := range many {
		r.commit(fmt.Sprint("http://example.com/", i), exampleRequest, answerOf(200, "", body2K+fmt.Sprint(i)))
	}
	if err := r.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	status := r.Status().DedupFrom[0]
	if n := len(r.urls()); n != many || status.Asked+status.Passed != many || status.Passed == 0 ||
		status.Asked == 0 {
		t.Errorf("%d captures: %+v", n, status)
	}
	r.close()
}
