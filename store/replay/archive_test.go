package replay

import (
	"context"
	"io"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"warcorder/recorder"
	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/readback"
)

// exchange is one that is recorded; what is left out is that of a GET of example.com, answered with
// a text of its own.
type exchange struct {
	method    string // GET
	url       string // http://example.com/
	fields    string // of the request: lines with their ends
	body      string // of the request
	response  string // "HTTP/1.1 200 OK"; lines of its head without their ends
	text      string // of the response
	at        int    // minutes behind begun
	truncated string
}

// begun is when the recordings of tests begin.
var begun = time.Date(2026, 3, 4, 5, 0, 0, 0, time.UTC)

func minute(n int) time.Time { return begun.Add(time.Duration(n) * time.Minute) }

// request returns the request of an exchange, as a client sends it.
func (x *exchange) request() string {
	length := ""
	if x.body != "" {
		length = "Content-Length: " + strconv.Itoa(len(x.body)) + "\r\n"
	}
	_, _, path := split(x.target())
	return x.verb() + " " + path + " HTTP/1.1\r\nHost: example.com\r\n" + x.fields + length + "\r\n" +
		x.body
}

func (x *exchange) verb() string {
	if x.method == "" {
		return "GET"
	}
	return x.method
}

func (x *exchange) target() string {
	if x.url == "" {
		return "http://example.com/"
	}
	return x.url
}

// answer returns the response of an exchange.
func (x *exchange) answer() string {
	start := x.response
	if start == "" {
		start = "HTTP/1.1 200 OK"
	}
	length := len(x.text)
	if x.truncated != "" {
		length += 10
	}
	if !strings.Contains(start, " 304") && !strings.Contains(start, " 101") {
		start += "\nContent-Length: " + strconv.Itoa(length)
	}
	return strings.ReplaceAll(start, "\n", "\r\n") + "\r\n\r\n" + x.text
}

// recording is a collection that is being recorded, and the archive of it.
type recording struct {
	*Archive
	t        testing.TB
	recorder *recorder.Recorder
	dir      collection.Dir
}

// archived records exchanges, and replays them.
func archived(t testing.TB, cfg Config, exchanges ...exchange) *recording {
	t.Helper()
	return archivedBy(t, cfg, func(*recorder.Config) {}, exchanges...)
}

// lagging is the interval of an index that has only what is asked for.
const lagging = time.Hour

func archivedWith(t testing.TB, cfg Config, keys store.KeysConfig,
	exchanges ...exchange) *recording {
	t.Helper()
	return archivedBy(t, cfg, func(c *recorder.Config) { c.Keys = keys }, exchanges...)
}

func archivedBy(t testing.TB, cfg Config, change func(*recorder.Config),
	exchanges ...exchange) *recording {
	t.Helper()
	rc := recorder.Default()
	change(&rc)
	r := &recording{t: t, dir: collection.Dir(t.TempDir())}
	r.Archive = &Archive{cfg: cfg}
	r.open(rc)
	for _, x := range exchanges {
		r.add(x)
	}
	r.settle()
	return r
}

// open begins to record, and to replay.
func (r *recording) open(rc recorder.Config) {
	r.t.Helper()
	rc.CommitInterval, rc.MinFreeSpace = time.Millisecond, 0
	if rc.IndexInterval < lagging {
		rc.IndexInterval = time.Millisecond
	}
	rec, err := recorder.Open(rc, r.dir, zerolog.Nop())
	if err != nil {
		r.t.Fatal(err)
	}
	files := readback.New(r.dir, rec.Index())
	r.t.Cleanup(func() { files.Close(); rec.Close() })
	keyer, err := store.NewKeyer(rc.Keys)
	if err != nil {
		r.t.Fatal(err)
	}
	r.recorder, r.Archive = rec, New(r.cfg, rec.Index(), files, keyer)
}

// add records an exchange.
func (r *recording) add(x exchange) {
	r.t.Helper()
	of := r.recorder.Begin()
	of.URL, of.Method, of.Started = x.target(), x.verb(), minute(x.at)
	of.Ended, of.Truncated = of.Started, x.truncated
	of.RemoteIP = netip.MustParseAddr("192.0.2.1")
	io.WriteString(&of.Request, x.request())
	io.WriteString(&of.Response, x.answer())
	of.Commit()
}

// settle waits until all is in the index.
func (r *recording) settle() {
	r.t.Helper()
	if err := r.recorder.Settle(context.Background()); err != nil {
		r.t.Fatal(err)
	}
	r.recorder.Index()
}

// ask asks what x asked.
func (r *recording) ask(x exchange) (answer head, body string) {
	r.t.Helper()
	start, sent, _ := strings.Cut(x.request(), "\r\n\r\n")
	answer, rest, err := r.Answer(context.Background(), x.verb(), x.target(), []byte(start+"\r\n\r\n"),
		strings.NewReader(sent))
	if err != nil {
		r.t.Fatal(err)
	}
	defer rest.Close()
	b, err := io.ReadAll(rest)
	if err != nil && x.truncated == "" {
		r.t.Fatal(err)
	}
	return answer, string(b)
}

// asked is a request that asks what x asked.
func (r *recording) asked(x exchange) *asked {
	r.t.Helper()
	start, sent, _ := strings.Cut(x.request(), "\r\n\r\n")
	a, err := ask(r.current(r.t.Context()), r.keys, x.verb(), x.target(), []byte(start+"\r\n\r\n"),
		strings.NewReader(sent))
	if err != nil {
		r.t.Fatal(err)
	}
	a.at = r.cfg.At
	return a
}

// status is the code of an answer.
func (h head) status() string {
	line, _ := cutLine(h)
	_, code, _ := strings.Cut(string(line), " ")
	code, _, _ = strings.Cut(code, " ")
	return code
}

// read reads all of a body; what is cut ends where it ends.
func (r *recording) read(body io.Reader) string {
	b, err := io.ReadAll(body)
	if err != nil && err != io.ErrUnexpectedEOF {
		r.t.Fatal(err)
	}
	return string(b)
}

// formType is the field of an urlencoded body, formKeys asks for its key.
const formType = "Content-Type: application/x-www-form-urlencoded\r\n"

var formKeys = store.KeysConfig{Extra: []string{"form"}}

// captures appends the media types of the captures of a URL.
func captures(t testing.TB, index *store.Bolt, url string, kinds *[]string) {
	t.Helper()
	err := index.Captures(store.Query{URL: url}, func(c *store.Capture) bool {
		*kinds = append(*kinds, c.MIME)
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
}
