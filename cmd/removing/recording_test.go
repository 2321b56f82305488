package removing

import (
	"fmt"
	"io"
	"net/netip"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"warcorder/recorder"
	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/readback"
	"warcorder/store/selection"
	"warcorder/store/verify"
)

// recording is a real recorder in a directory of its own.
type recording struct {
	*recorder.Recorder
	t   testing.TB
	cfg recorder.Config
	dir collection.Dir
	now time.Time // of the last exchange
}

func start(t testing.TB, change func(*recorder.Config)) *recording {
	t.Helper()
	cfg := recorder.Default()
	cfg.CommitInterval, cfg.IndexInterval = time.Millisecond, time.Millisecond
	cfg.MinFreeSpace = 0
	if change != nil {
		change(&cfg)
	}
	r := &recording{t: t, cfg: cfg, dir: collection.Dir(t.TempDir())}
	r.now = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	r.open()
	t.Cleanup(func() { r.Recorder.Close() })
	return r
}

func (r *recording) open() {
	r.t.Helper()
	var err error
	if r.Recorder, err = recorder.Open(r.cfg, r.dir, zerolog.Nop()); err != nil {
		r.t.Fatal(err)
	}
}

// page is a response with a body.
func page(body string) string {
	return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s",
		len(body), body)
}

// get records the answer to a GET, a second behind the one before.
func (r *recording) get(url, response string) { r.send("GET", url, "", "", response) }

// send records an exchange.
func (r *recording) send(method, url, fields, body, response string) {
	r.t.Helper()
	x := r.Begin()
	r.now = r.now.Add(time.Second)
	x.URL, x.Method, x.Started = url, method, r.now
	x.RemoteIP = netip.MustParseAddr("192.0.2.1")
	if body != "" {
		fields += fmt.Sprintf("Content-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n",
			len(body))
	}
	io.WriteString(&x.Request, method+" / HTTP/1.1\r\nHost: example.com\r\n"+fields+"\r\n"+body)
	io.WriteString(&x.Response, response)
	if response == "" {
		x.Fault = "no answer from " + url
	}
	x.Commit()
	if err := r.Settle(r.t.Context()); err != nil { // so that a revisit finds its original
		r.t.Fatal(err)
	}
}

func (r *recording) rotate() {
	r.t.Helper()
	if _, err := r.Rotate(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
}

// remove removes a selection.
func (r *recording) remove(sel selection.Selection, change func(*Wish)) Removed {
	r.t.Helper()
	wish := Wish{Choose: Chosen(r.t.Context(), sel)}
	if change != nil {
		change(&wish)
	}
	done, err := Remove(r.t.Context(), r.Recorder, r.dir, r.cfg.Mode, wish)
	if err != nil {
		r.t.Fatal(err)
	}
	return done
}

// shown is what a replay shows of a capture.
type shown struct {
	url, method, head, body string
	time                    time.Time
	mime                    string
}

// all reads all captures, by URL, method and time.
func (r *recording) all() map[string]shown {
	r.t.Helper()
	files := readback.New(r.dir, r.Index())
	defer files.Close()
	all := map[string]shown{}
	err := r.Index().Captures(store.Query{}, func(c *store.Capture) bool {
		response, err := files.Response(c)
		if err != nil {
			r.t.Errorf("%s: %v", c.URL, err)
			return true
		}
		defer response.Close()
		body, err := io.ReadAll(response.Body)
		if err != nil {
			r.t.Errorf("%s: %v", c.URL, err)
		}
		all[fmt.Sprint(c.Method, c.URL, c.Time)] = shown{
			c.URL, c.Method, string(response.Head), string(body), c.Time, c.MIME}
		return true
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return all
}

// close ends the recording.
func (r *recording) close() {
	r.t.Helper()
	if err := r.Recorder.Close(); err != nil {
		r.t.Fatal(err)
	}
}

// verified closes the recorder, and lets the referee look.
func (r *recording) verified() {
	r.t.Helper()
	r.close()
	checker := verify.Checker{TempDir: r.t.TempDir(), Report: func(f verify.Finding) {
		if !f.Note {
			r.t.Errorf("verify: %+v", f)
		}
	}}
	summary, err := checker.Collection(r.dir)
	if err != nil || !summary.Indexed {
		r.t.Errorf("verify: %+v, %v", summary, err)
	}
}
