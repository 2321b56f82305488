package har

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
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
)

// begun is when the recordings of tests begin.
var begun = time.Date(2026, 3, 4, 5, 6, 7, 890_123_000, time.UTC)

// recording is a collection that is being recorded.
type recording struct {
	*recorder.Recorder
	t     testing.TB
	dir   collection.Dir
	index *store.Bolt
	files *readback.Files
	n     int
}

// record begins to record.
func record(t testing.TB) *recording {
	t.Helper()
	cfg := recorder.Default()
	cfg.CommitInterval, cfg.IndexInterval, cfg.MinFreeSpace = time.Millisecond, time.Millisecond, 0
	r := &recording{t: t, dir: collection.Dir(t.TempDir())}
	var err error
	if r.Recorder, err = recorder.Open(cfg, r.dir, zerolog.Nop()); err != nil {
		t.Fatal(err)
	}
	r.index = r.Index()
	r.files = readback.New(r.dir, r.index)
	t.Cleanup(func() { r.files.Close(); r.Recorder.Close() })
	return r
}

// add records an exchange, a second behind the one before.
func (r *recording) add(url, request, response string, change func(*recorder.Exchange)) {
	r.t.Helper()
	x := r.Begin()
	x.URL, x.Method, x.Started = url, "GET", begun.Add(time.Duration(r.n)*time.Second)
	x.RemoteIP = netip.MustParseAddr("2001:db8::1")
	io.WriteString(&x.Request, request)
	io.WriteString(&x.Response, response)
	if change != nil {
		change(x)
	}
	x.Commit()
	r.n++
	if err := r.Settle(context.Background()); err != nil {
		r.t.Fatal(err)
	}
	r.Index()
}

// rest ends the recording, and reads what it has left.
func (r *recording) rest() {
	r.t.Helper()
	if err := r.Close(); err != nil {
		r.t.Fatal(err)
	}
	r.files.Close()
	var err error
	if r.index, err = store.OpenReadOnly(r.dir.Index()); err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { r.index.Close() })
	r.files = readback.New(r.dir, r.index)
}

// captures returns what the index has, in its order.
func (r *recording) captures() (all []store.Capture) {
	r.t.Helper()
	err := r.index.Captures(store.Query{All: true}, func(c *store.Capture) bool {
		all = append(all, *c)
		return true
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return all
}

// write writes a HAR of all, in the order of time, and returns what could not be read.
func (r *recording) write(out io.Writer, pages ...Page) (left []*LeftOutError) {
	r.t.Helper()
	var o order
	defer o.close()
	w := NewWriter(out, r.files)
	err := w.Begin("1.2.3")
	for _, p := range pages {
		err = errors.Join(err, w.Page(p))
	}
	for _, c := range r.captures() {
		err = errors.Join(err, o.add(&selection.Chosen{Capture: c}))
	}
	err = errors.Join(err, o.each(func(c *selection.Chosen) error {
		err := w.Exchange(context.Background(), c)
		if one := (*LeftOutError)(nil); errors.As(err, &one) {
			left = append(left, one)
			return nil
		}
		return err
	}))
	if err = errors.Join(err, w.End()); err != nil {
		r.t.Fatal(err)
	}
	return left
}

// har returns what is written of all, read back.
func (r *recording) har() archive {
	r.t.Helper()
	var out bytes.Buffer
	for _, left := range r.write(&out) {
		r.t.Error(left)
	}
	return parse(r.t, out.Bytes())
}

// archive is a HAR that is read back, with nothing that it does not know.
type archive struct {
	Log struct {
		Version string
		Creator creator
		Pages   []page
		Entries []exchanged
	}
}

// exchanged is an exchange that is read back.
type exchanged struct {
	entry
	Request struct {
		request
		PostData *struct {
			postData
			Text string
		}
	}
	Response struct {
		response
		Content struct {
			content
			Text string
		}
	}
}

func parse(t testing.TB, text []byte) (a archive) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&a); err != nil {
		t.Fatalf("%v: %.2000s", err, text)
	}
	if _, err := decoder.Token(); err != io.EOF {
		t.Fatalf("something follows: %v", err)
	}
	return a
}

// plain returns the bytes that a text of a HAR stands for.
func plain(t testing.TB, text, encoding string) string {
	t.Helper()
	if encoding == "" {
		return text
	}
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil || encoding != base64Name {
		t.Fatal(encoding, err)
	}
	return string(b)
}
