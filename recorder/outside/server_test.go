package outside

import (
	"bytes"
	"crypto/sha1"
	"encoding/base32"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"warcorder/store"
)

const page = "http://example.com/a?x=*"

var (
	sum    = sha1.Sum([]byte("the body"))
	digest = base32.StdEncoding.EncodeToString(sum[:])
	other  = base32.StdEncoding.EncodeToString(make([]byte, 20))
)

// want is a response with the body.
func want() *Want {
	return &Want{URL: page, Status: 200, SHA1: sum, Fresh: func(time.Time) bool { return true }}
}

// archives opens servers, with the log in b.
func archives(t *testing.T, b *logged, names ...string) *Archives {
	t.Helper()
	a, err := Open(names, "", zerolog.New(b))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a
}

type logged struct {
	mu sync.Mutex
	bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Buffer.Write(p)
}

func (l *logged) count(part string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.String(), part)
}

// TestQuestions: each kind of server gets the parameters that it knows, its own beside them.
func TestQuestions(t *testing.T) {
	t.Parallel()
	const pywb = "filter=%21mime%3Awarc%2Frevisit&limit=50&matchType=exact&output=cdxj&sort=reverse"
	const wayback = "filter=%21mimetype%3Awarc%2Frevisit&fl=urlkey%2Ctimestamp%2Coriginal%2Cmimetype%2C" +
		"statuscode%2Cdigest&limit=-50&matchType=exact"
	const of = "http%3A%2F%2Fexample.com%2Fa%3Fx%3D%2A"
	for path, want := range map[string]string{
		"/cdx":                               "/cdx?" + pywb + "&url=" + of,
		"/coll/cdx?token=x":                  "/coll/cdx?" + pywb + "&token=x&url=" + of,
		"/web/timemap/cdx":                   "/web/timemap/cdx?" + wayback + "&url=" + of,
		"/cdx/search/cdx":                    "/cdx/search/cdx?" + wayback + "&url=" + of,
		"/all?u={url}&limit=3&u2=%20{url}#x": "",
		"/all?u={url}&limit=3":               "/all?u=" + of + "&limit=3",
	} {
		var got string
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			user, password, _ := r.BasicAuth()
			got = user + password + r.RequestURI
		}))
		at := strings.Replace(s.URL, "://", "://anna:secret@", 1) + path
		if err := Check([]string{at}); (err != nil) != (want == "") {
			t.Errorf("%s: %v", path, err)
		}
		if want != "" {
			a := archives(t, new(logged), at)
			if a.Find(&Want{URL: page, Status: 200}) != nil || got != "annasecret"+want {
				t.Errorf("%s: %s", path, got)
			}
			if name := a.Status()[0].Archive; strings.Contains(name, "secret") || strings.Contains(name, "token") {
				t.Errorf("%s: %s", path, name)
			}
		}
		s.Close()
	}
}

// TestCheck: what is no archive is refused, with what it should be.
func TestCheck(t *testing.T) {
	for _, name := range []string{"", "a\nb", "ftp://example.com/cdx", "http://", "http:///cdx", "://x",
		"http://a/%zz", strings.Repeat("x", maxName+1)} {
		if err := Check([]string{"/some/where", name}); err == nil || !strings.HasPrefix(err.Error(), "dedup-from") {
			t.Errorf("%q: %v", name, err)
		}
	}
	for name, want := range map[string][2]string{"http://A.example/cdx": {"a.example", "80"},
		"https://[::1]/x": {"::1", "443"}, "http://127.0.0.1:81/{url}": {"127.0.0.1", "81"}, "/some/where": {}} {
		host, port, ok := Address(name)
		if host != want[0] || port != want[1] || ok != (want[0] != "") {
			t.Errorf("%s: %s %s", name, host, port)
		}
	}
}

// TestUnfitServers: a server that gives no answer is asked three times, which is said once. What is asked
// of the next one in the list is found.
func TestUnfitServers(t *testing.T) {
	t.Parallel()
	line := "com,example)/a?x=* 20240102030405 {\"url\": \"" + page + "\", \"status\": \"200\", \"digest\": \"" +
		digest + "\"}\n"
	fit := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Write([]byte(line))
	}))
	t.Cleanup(fit.Close)
	for _, c := range []struct {
		name, reason string
		answer       func(w http.ResponseWriter, r *http.Request)
	}{
		{"hangs", "no answer in", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }},
		{"hangs behind its head", "no answer in", func(w http.ResponseWriter, r *http.Request) {
			w.Write([]byte(line))
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}},
		{"dribbles", "no answer in", func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				w.Write([]byte("x"))
				w.(http.Flusher).Flush()
				time.Sleep(10 * time.Millisecond) // it is what this server does
			}
		}},
		{"500", "answers 500", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }},
		{"asks who we are", "answers 401", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401) }},
		{"forbids it", "answers 403", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(403) }},
		{"is a proxy", "answers 407", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(407) }},
		{"has too many questions", "answers 429", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(429) }},
		{"leads elsewhere", "answers 302", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, fit.URL, http.StatusFound)
		}},
		{"closes", "EOF", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }},
		{"closes in its answer", "EOF", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			w.Write([]byte(line))
			panic(http.ErrAbortHandler)
		}},
		{"is another server", "no lines of CDX", func(w http.ResponseWriter, _ *http.Request) {
			w.Write([]byte("<html>hello"))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int64
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked.Add(1)
				c.answer(w, r)
			}))
			defer s.Close()
			log := new(logged)
			a := archives(t, log, s.URL+"/cdx", fit.URL+"/cdx")
			for i := range 20 {
				w := want()
				if o := a.Find(w); o == nil {
					t.Fatalf("%d: nothing is found", i)
				}
			}
			status := a.Status()[0]
			if asked.Load() != 3 || status.Asked != 3 || status.Failed != 3 || status.Passed != 17 ||
				!strings.Contains(status.Reason, c.reason) || status.Until == nil {
				t.Errorf("asked %d times: %+v", asked.Load(), status)
			}
			if log.count("left alone") != 1 || log.count("\n") != 1 || log.count(c.reason) != 1 {
				t.Errorf("%s", log)
			}
		})
	}
}

// TestRefusedURLs: a server is not left alone for what is wrong with URLs, however many, and each is asked
// for once. Nothing is logged but that all of the first ones were refused, once. What the server finds
// among them is found. All of it takes one connection.
func TestRefusedURLs(t *testing.T) {
	t.Parallel()
	statuses := []int{400, 404, 410, 414, 422, 431, 451}
	for name, answers := range map[string]bool{"all are refused": false, "one is not": true} {
		t.Run(name, func(t *testing.T) {
			var asked, connections atomic.Int64
			s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				n := asked.Add(1)
				if of := r.URL.Query().Get("url"); of == page && answers {
					fmt.Fprintf(w, "k 20240102030405 {\"url\": %q, \"status\": \"200\", \"digest\": %q}\n", of, digest)
					return
				}
				w.WriteHeader(statuses[n%int64(len(statuses))])
				io.WriteString(w, strings.Repeat("there is nothing here\n", 500)) // more than what comes with the head
			}))
			s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
				if state == http.StateNew {
					connections.Add(1)
				}
			}
			s.Start()
			defer s.Close()
			log := new(logged)
			a := archives(t, log, s.URL+"/cdx")
			refused := int64(100)
			if found := a.Find(want()); (found != nil) != answers {
				t.Errorf("found %v", found)
			}
			if !answers {
				refused++
			}
			for i := range 200 {
				w := want()
				if w.URL += fmt.Sprint(i % 100); a.Find(w) != nil {
					t.Fatal("found")
				}
			}
			status := a.Status()[0]
			if asked.Load() != 101 || status.Asked != 101 || status.Failed != 0 || status.Passed != 0 ||
				status.Refused != refused || status.Reason != "" {
				t.Errorf("asked %d times: %+v", asked.Load(), status)
			}
			if n := connections.Load(); n != 1 {
				t.Errorf("%d connections", n)
			}
			if said := log.count("refused all URLs"); said != log.count("\n") || (said == 1) == answers {
				t.Errorf("%s", log)
			}
		})
	}
}

// TestRefusalEndsPause: a server that is left alone is asked on once it answers, be it by a refusal.
func TestRefusalEndsPause(t *testing.T) {
	t.Parallel()
	var status atomic.Int64
	status.Store(503)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(int(status.Load()))
	}))
	defer s.Close()
	log := new(logged)
	a := archives(t, log, s.URL+"/cdx")
	a.all[0].breaker.first = time.Nanosecond
	for range 3 {
		a.Find(want())
	}
	status.Store(404)
	for i := range 10 {
		w := want()
		w.URL += fmt.Sprint(i)
		a.Find(w)
	}
	if now := a.Status()[0]; now.Failed != 3 || now.Refused != 10 || now.Reason != "" ||
		log.count("answers again") != 1 {
		t.Errorf("%+v\n%s", now, log)
	}
}

// TestUnreachable: nobody listens.
func TestUnreachable(t *testing.T) {
	s := httptest.NewServer(nil)
	s.Close()
	a := archives(t, new(logged), s.URL+"/cdx")
	for range 10 {
		if a.Find(want()) != nil {
			t.Fatal("found")
		}
	}
	if status := a.Status()[0]; status.Failed != 3 || !strings.Contains(status.Reason, "refused") {
		t.Errorf("%+v", status)
	}
}

// TestHugeAnswer: of an answer no more is read than has room, and the lines in it count.
func TestHugeAnswer(t *testing.T) {
	t.Parallel()
	line := "com,example)/a?x=* 20240102030405 {\"url\": \"" + page + "\", \"status\": \"200\", \"digest\": \"" +
		digest + "\"}\n"
	var written atomic.Int64
	done := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(done)
		for {
			n, err := w.Write([]byte(strings.Repeat(line, 100)))
			if written.Add(int64(n)); err != nil {
				return
			}
		}
	}))
	defer s.Close()
	a := archives(t, new(logged), s.URL+"/cdx")
	if a.Find(want()) == nil {
		t.Errorf("not found: %+v", a.Status())
	}
	<-done
	if n := written.Load(); n > 32<<20 { // what lies in buffers of the system
		t.Errorf("%d bytes were sent", n)
	}
}

// TestKept: an answer counts for other contents of the same URL too, and no more URLs are kept than have
// room. Who is in a hurry gets what is known, and nothing is asked.
func TestKept(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		fmt.Fprintf(w, "k 20240102030405 {\"url\": %q, \"status\": \"200\", \"digest\": %q}\n",
			r.URL.Query().Get("url"), digest)
	}))
	defer s.Close()
	a := archives(t, new(logged), s.URL+"/cdx")
	hurried, part, nothing, long := want(), want(), want(), want()
	hurried.Hurry, part.Status, nothing.SHA1 = true, 206, [20]byte{1}
	long.URL += strings.Repeat("x", longestURL)
	if a.Find(hurried) != nil || a.Find(part) != nil || a.Find(long) != nil || asked.Load() != 0 {
		t.Errorf("asked %d times", asked.Load())
	}
	if a.Find(nothing) != nil || a.Find(want()) == nil || a.Find(hurried) == nil || asked.Load() != 1 {
		t.Errorf("asked %d times", asked.Load())
	}
	of := a.all[0].source.(*server)
	for i := range mostURLs + 10 {
		of.known.Add(fmt.Sprint(i), answer{at: time.Now()})
	}
	if of.known.Len() != mostURLs || a.Find(want()) == nil || asked.Load() != 2 {
		t.Errorf("%d are kept, asked %d times", of.known.Len(), asked.Load())
	}
	of.known.Add(page, answer{at: time.Now().Add(-keptFor)})
	if a.Find(want()) == nil || asked.Load() != 3 {
		t.Errorf("an old answer counts: asked %d times", asked.Load())
	}
}

// TestFreshest: an original that is too old for dedup-for is none.
func TestFreshest(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "k 20240102030405 {\"url\": %q, \"status\": \"200\", \"digest\": %q}\n", page, digest)
	}))
	defer s.Close()
	a := archives(t, new(logged), s.URL+"/cdx")
	w := want()
	w.Fresh = func(time.Time) bool { return false }
	if a.Find(w) != nil || a.Find(want()) == nil {
		t.Error("dedup-for does not count")
	}
}

// TestNoArchives: none find nothing.
func TestNoArchives(t *testing.T) {
	var a *Archives
	if a.Find(want()) != nil || a.Collections() || a.Servers() || a.Status() != nil || a.Close() != nil {
		t.Error("none has something")
	}
	if a, err := Open(nil, "", zerolog.Nop()); a != nil || err != nil {
		t.Errorf("%v, %v", a, err)
	}
	if (&capture{}).original(page) != (store.Original{URL: page, Seconds: true, Digest: ""}) {
		t.Error("an original of nothing")
	}
}
