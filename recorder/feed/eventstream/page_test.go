package eventstream

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"warcorder/recorder/feed"
)

// served is a page on a socket.
type served struct {
	*feed.Feed
	page *Page
	url  string
}

func serve(t *testing.T, change func(*Page)) served {
	t.Helper()
	f := feed.New()
	page := New(f)
	page.every = time.Millisecond
	if change != nil {
		change(page)
	}
	server := httptest.NewServer(page)
	t.Cleanup(func() {
		page.Close()
		server.Close() // which waits for its answers
	})
	return served{f, page, server.URL}
}

func (s served) publish(urls ...string) {
	for _, url := range urls {
		s.Publish(&feed.Event{Kind: feed.Capture, URL: url, Method: "GET", Status: 200, MIME: "text/html"})
	}
}

// listener is who reads a stream.
type listener struct {
	t    *testing.T
	body io.ReadCloser
	in   *bufio.Reader
	last string // ID
}

// message is what a data line says.
type message struct {
	Kind, ID, URL, Host, Reason string
	Count                       int64
	Status                      int
}

func (s served) listen(t *testing.T, query, lastID string) *listener {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	r, _ := http.NewRequestWithContext(ctx, "GET", s.url+"/events?"+query, nil)
	if lastID != "" {
		r.Header.Set("Last-Event-ID", lastID)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if kind := answer.Header.Get("Content-Type"); answer.StatusCode != 200 ||
		kind != "text/event-stream; charset=utf-8" {
		t.Fatalf("%s, %s", answer.Status, kind)
	}
	t.Cleanup(func() { answer.Body.Close() })
	return &listener{t, answer.Body, bufio.NewReader(answer.Body), lastID}
}

// line reads a line of the stream; ok is false at its end.
func (l *listener) line() (line string, ok bool) {
	line, err := l.in.ReadString('\n')
	if err == io.EOF && line == "" {
		return "", false
	}
	if err != nil {
		l.t.Fatal(err)
	}
	line = strings.TrimSuffix(line, "\n")
	if id, is := strings.CutPrefix(line, "id: "); is {
		l.last = id
	}
	return line, true
}

// next reads the next event; ok is false at the end of the stream.
func (l *listener) next() (m message, ok bool) {
	l.t.Helper()
	for {
		line, ok := l.line()
		if !ok {
			return m, false
		}
		data, is := strings.CutPrefix(line, "data: ")
		if !is {
			continue
		}
		if err := json.Unmarshal([]byte(data), &m); err != nil || m.ID != l.last {
			l.t.Fatalf("%q behind the ID %s: %v", data, l.last, err)
		}
		return m, true
	}
}

// TestSinceNewest: a viewer who wants the newest few has these, then what comes.
func TestSinceNewest(t *testing.T) {
	s := serve(t, nil)
	s.publish("a", "b", "c")
	for query, want := range map[string][]string{"since=-2": {"b", "c"}, "since=-9": {"a", "b", "c"}} {
		l := s.listen(t, query, "")
		for _, url := range want {
			if m, _ := l.next(); m.URL != url {
				t.Errorf("%s: %+v, not %s", query, m, url)
			}
		}
	}
	for _, bad := range []string{"-", "-x", "--1", "-99999999999999999999"} {
		answer, err := http.Get(s.url + "/events?since=" + bad)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != http.StatusBadRequest {
			t.Errorf("since=%s: %s", bad, answer.Status)
		}
	}
}

// TestResume: who is cut again and again, while events come, has each of them once and in order.
func TestResume(t *testing.T) {
	s := serve(t, nil)
	const number = 5000
	go func() {
		for i := range number {
			s.publish(fmt.Sprint(i))
		}
	}()
	id, query := "", "since=0"
	for n := 0; n < number; {
		l := s.listen(t, query, id)
		for range 700 {
			m, _ := l.next()
			if m.URL != fmt.Sprint(n) {
				t.Fatalf("event %d is %+v", n, m)
			}
			if n++; n == number {
				break
			}
		}
		l.body.Close()
		id = l.last
	}
}

// TestResumeBeforeFirst: who is cut before an event has come goes on from where the listening began.
func TestResumeBeforeFirst(t *testing.T) {
	s := serve(t, nil)
	s.publish("before")
	l := s.listen(t, "", "")
	for l.last == "" {
		l.line()
	}
	l.body.Close()
	s.publish("between")
	if m, _ := s.listen(t, "", l.last).next(); m.URL != "between" {
		t.Errorf("first came %+v", m)
	}
}

// TestMissed: an ID of another process is told to be missed, and then comes what is held.
func TestMissed(t *testing.T) {
	s := serve(t, nil)
	s.publish("held")
	l := s.listen(t, "kinds=gap", string(feed.New().Follow().At()))
	if m, _ := l.next(); m.Kind != "missed" || m.Count != -1 {
		t.Errorf("first came %+v", m)
	}
	l = s.listen(t, "since=x.1", "")
	l.next()
	if m, _ := l.next(); m.URL != "held" {
		t.Errorf("second came %+v", m)
	}
}

func TestFilters(t *testing.T) {
	s := serve(t, nil)
	s.Publish(&feed.Event{Kind: feed.Capture, URL: "https://www.a.example:8443/x", Status: 200, MIME: "text/html"})
	s.Publish(&feed.Event{Kind: feed.Capture, URL: "http://b.example/y", Status: 404, MIME: "image/png"})
	s.Publish(&feed.Event{Kind: feed.Gap, URL: "c.example:443", Reason: "upstream"})
	s.Publish(&feed.Event{Kind: feed.Gap, URL: "http://A.example/z", Reason: "cut"})
	s.Publish(&feed.Event{Kind: feed.Note, URL: "http://b.example/y", MIME: "text/plain"})
	s.Publish(&feed.Event{Kind: feed.Paused})
	for query, want := range map[string]string{
		"":                          "1 2 3 4 5 6",
		"kinds=gap,paused":          "3 4 6",
		"kinds=capture":             "1 2",
		"kinds=capture&status=4xx":  "2",
		"status=200":                "1 6",
		"host=c.example&kinds=gap":  "3",
		"host=A.EXAMPLE":            "4 6",
		"host=.a.example":           "1 6",
		"mime=image/&kinds=capture": "2",
		"text=/y":                   "2 5 6",
	} {
		var got []string
		l := s.listen(t, "since=0&"+query, "")
		for len(got) < len(strings.Fields(want)) {
			m, _ := l.next()
			_, number, _ := strings.Cut(m.ID, ".")
			got = append(got, number)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q gives %v, not %s", query, got, want)
		}
	}
}

func TestRefused(t *testing.T) {
	s := serve(t, func(p *Page) { p.most = 2 })
	refused := func(query string, status int, word string) {
		t.Helper()
		answer, err := http.Get(s.url + "/events?" + query)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		var why struct{ Error string }
		if err := json.NewDecoder(answer.Body).Decode(&why); err != nil || answer.StatusCode != status ||
			!strings.Contains(why.Error, word) {
			t.Errorf("%s: %s, %q, %v", query, answer.Status, why.Error, err)
		}
	}
	refused("kinds=captures", 400, "capture")
	refused("status=4x", 400, "4xx")
	refused("hosts=a", 400, "host")
	for _, since := range []string{"abc", "1", "abc.", ".1", "abc.x", "2026-05-01T12:00:00Z"} {
		refused("since="+since, 400, "since is the ID of an event")
	}
	one := s.listen(t, "", "")
	s.listen(t, "", "")
	refused("", 503, "come again")
	one.body.Close()
	s.awaitHere(t, 1)
	s.page.Close()
	refused("", 503, "end")
}

// awaitHere waits until so many listen.
func (s served) awaitHere(t *testing.T, want int) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		s.page.mu.Lock()
		here := s.page.here
		s.page.mu.Unlock()
		if here == want {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d listen, and not %d", here, want)
		}
	}
}

// TestHeartbeat: a quiet stream has something to read all the same, and who wants nothing of what
// happens is told how far that has come.
func TestHeartbeat(t *testing.T) {
	s := serve(t, func(p *Page) { p.beat = 20 * time.Millisecond })
	l := s.listen(t, "kinds=gap", "")
	for line := ""; line != ": "; line, _ = l.line() {
	}
	first := l.last
	s.publish("unwanted")
	for l.last == first {
		l.line()
	}
	if want := string(s.Follow().At()); l.last != want {
		t.Errorf("told %s, and not %s", l.last, want)
	}
}

// TestUnwantedMany: that is told before the next heartbeat if very much happens.
func TestUnwantedMany(t *testing.T) {
	s := serve(t, nil)
	l := s.listen(t, "kinds=gap", "")
	for l.last == "" {
		l.line()
	}
	for range markEvery + 2000 {
		s.publish("unwanted")
	}
	for first := l.last; l.last == first; {
		l.line()
	}
}

// TestNobodyReads: who takes nothing is cut, and nobody waits for him meanwhile.
func TestNobodyReads(t *testing.T) {
	s := serve(t, func(p *Page) { p.patience = 100 * time.Millisecond })
	s.stall(t)
	s.awaitHere(t, 0)
	if m, _ := s.listen(t, "since=0", "").next(); m.URL == "" {
		t.Error("another gets nothing")
	}
}

// stall has a listener who reads nothing of much.
func (s served) stall(t *testing.T) {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.(*net.TCPConn).SetReadBuffer(4096)
	io.WriteString(conn, "GET /events HTTP/1.1\r\nHost: x\r\n\r\n")
	s.awaitHere(t, 1)
	long := strings.Repeat("x", 1<<20)
	for range 20 {
		s.publish(long)
	}
}

// TestClose: streams end at once with all that has happened, and one that nobody reads soon after.
func TestClose(t *testing.T) {
	s := serve(t, nil)
	s.stall(t)
	l := s.listen(t, "", "")
	for l.last == "" {
		l.line()
	}
	s.publish("last")
	began := time.Now()
	s.page.Close()
	s.page.Close()
	if m, _ := l.next(); m.URL != "last" {
		t.Errorf("last came %+v", m)
	}
	if m, ok := l.next(); ok {
		t.Errorf("behind the last came %+v", m)
	}
	s.awaitHere(t, 0)
	if took := time.Since(began); took > 8*time.Second {
		t.Errorf("it took %v", took)
	}
}

// TestHostileBytes: whatever a page chose is in one object on one line.
func TestHostileBytes(t *testing.T) {
	s := serve(t, nil)
	l := s.listen(t, "", "")
	for _, url := range []string{
		"http://a/\n\ndata: {}\n\n", "http://a/\r\nid: 7", "http://a/\x00", "http://a/\xff\xfe",
		"http://a/\u2028</script>", "http://a/" + strings.Repeat("\x80", 1<<20), `http://a/"\`,
	} {
		s.Publish(&feed.Event{Kind: feed.Capture, URL: url, MIME: url[8:], Method: url[8:10]})
		m, ok := l.next()
		if want := strings.ToValidUTF8(url, "\ufffd"); !ok || !utf8.ValidString(m.URL) ||
			(utf8.ValidString(url) && m.URL != want) || m.Host != "a" {
			t.Errorf("%.30q came as %.30q", url, m.URL)
		}
	}
}

// FuzzMessage: an event is an ID, one line of JSON, and an empty line.
func FuzzMessage(f *testing.F) {
	f.Add("http://a/\n", "text/html", "GET\r", "why\xff", byte(1))
	f.Fuzz(func(t *testing.T, url, mime, method, detail string, kind byte) {
		e := feed.Numbered{ID: "b.1", Event: feed.Event{Kind: feed.Kind(kind%6 + 1), URL: url, MIME: mime,
			Method: method, Detail: detail, File: method, State: detail, Stored: url}}
		var out bytes.Buffer
		appendMessage(&out, &e)
		lines := strings.Split(out.String(), "\n")
		data, is := strings.CutPrefix(lines[1], "data: ")
		if len(lines) != 4 || lines[0] != "id: b.1" || !is || lines[2]+lines[3] != "" ||
			strings.Contains(data, "\r") || !json.Valid([]byte(data)) || !utf8.ValidString(data) {
			t.Errorf("%q", out.String())
		}
		if len(data) > 500+6*2*(len(url)+len(mime)+len(method)+len(detail)) {
			t.Errorf("%d bytes were made", len(data))
		}
	})
}
