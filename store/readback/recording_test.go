package readback

import (
	"io"
	"net/netip"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"warcorder/recorder"
	"warcorder/store"
	"warcorder/store/collection"
)

// recording is a real recorder in a directory of its own, and who reads beside it.
type recording struct {
	*recorder.Recorder
	t     testing.TB
	dir   collection.Dir
	files *Files
}

// record begins to record.
func record(t testing.TB, change func(*recorder.Config)) *recording {
	t.Helper()
	cfg := recorder.Default()
	cfg.CommitInterval, cfg.IndexInterval = time.Millisecond, time.Millisecond
	cfg.MinFreeSpace = 0
	if change != nil {
		change(&cfg)
	}
	r := &recording{t: t, dir: collection.Dir(t.TempDir())}
	var err error
	if r.Recorder, err = recorder.Open(cfg, r.dir, zerolog.Nop()); err != nil {
		t.Fatal(err)
	}
	r.files = New(r.dir, r.Index())
	t.Cleanup(func() { r.files.Close(); r.Recorder.Close() })
	return r
}

const getRequest = "GET / HTTP/1.1\r\nHost: example.com\r\nX: é\r\n\r\n"

// commit records an exchange.
func (r *recording) commit(url, response string, change func(*recorder.Exchange)) {
	r.t.Helper()
	x := r.Begin()
	x.URL, x.Method, x.Started = url, "GET", time.Now()
	x.RemoteIP = netip.MustParseAddr("192.0.2.1")
	io.WriteString(&x.Request, getRequest)
	io.WriteString(&x.Response, response)
	if change != nil {
		change(x)
	}
	x.Commit()
}

// rest ends the recording, and reads what it has left.
func (r *recording) rest() {
	r.t.Helper()
	if err := r.Recorder.Close(); err != nil {
		r.t.Fatal(err)
	}
	r.files.Close()
	r.files = New(r.dir, openReadOnly(r.t, r.dir))
}

func openReadOnly(t testing.TB, dir collection.Dir) *store.Bolt {
	t.Helper()
	index, err := store.OpenReadOnly(dir.Index())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { index.Close() })
	return index
}

// wait returns the captures of a URL, once there are so many.
func (r *recording) wait(url string, n int) (all []store.Capture) {
	r.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); {
		all = captures(r.t, r.files.index, url)
		if len(all) >= n {
			return all
		}
	}
	r.t.Fatalf("%d captures of %s, want %d", len(all), url, n)
	return nil
}

// captures returns the captures of a URL.
func captures(t testing.TB, index *store.Bolt, url string) (all []store.Capture) {
	t.Helper()
	err := index.Captures(store.Query{URL: url}, func(c *store.Capture) bool {
		all = append(all, *c)
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// all reads all of r.
func all(t testing.TB, r io.Reader) string {
	t.Helper()
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
