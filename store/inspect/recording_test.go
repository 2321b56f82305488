package inspect

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"warcorder/recorder"
	"warcorder/recorder/recovery"
	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/readback"
)

// shown is a collection whose exchanges are shown.
type shown struct {
	t         testing.TB
	rec       *recorder.Recorder // nil: it is read only
	index     *store.Bolt
	dir       collection.Dir
	previews  *Previews
	inspector *Inspector
	pages     *httptest.Server
	images    *httptest.Server
}

// recorded begins to record a collection.
func recorded(t testing.TB) *shown {
	t.Helper()
	return recordedEvery(t, time.Millisecond)
}

// recordedEvery begins to record a collection whose index is written that often by itself.
func recordedEvery(t testing.TB, interval time.Duration) *shown {
	t.Helper()
	cfg := recorder.Default()
	cfg.CommitInterval, cfg.IndexInterval, cfg.MinFreeSpace = time.Millisecond, interval, 0
	dir, err := collection.In(t.TempDir(), "shown")
	if err != nil {
		t.Fatal(err)
	}
	rec, err := recorder.Open(cfg, dir, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { rec.Close() })
	s := &shown{t: t, rec: rec, index: rec.Index()}
	s.serve(dir)
	return s
}

// imported is a collection of other tools' files.
func imported(t testing.TB, files map[string][]byte) *shown {
	t.Helper()
	dir, from := collection.Dir(t.TempDir()), t.TempDir()
	var paths []string
	for name, file := range files {
		path := filepath.Join(from, name)
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	_, err := recovery.Add(recovery.Config{Mode: collection.DefaultMode}, dir, paths, true, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	index, err := store.OpenReadOnly(dir.Index())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { index.Close() })
	s := &shown{t: t, index: index}
	s.serve(dir)
	return s
}

// serve shows it, the images by a server of their own.
func (s *shown) serve(dir collection.Dir) {
	s.dir = dir
	files := readback.New(dir, s.index)
	s.t.Cleanup(func() { files.Close() })
	s.previews = NewPreviews(1, func(host string) bool { return strings.HasPrefix(host, "127.0.0.1:") })
	s.inspector = New(s.indexFor, files, s.previews)
	mux := http.NewServeMux()
	mux.Handle("GET "+ExchangePath, s.inspector.Exchange())
	mux.Handle("GET "+BodyPath, s.inspector.Body())
	mux.Handle("GET "+RecordPath, s.inspector.Record())
	mux.Handle("GET "+ImagePath, s.inspector.Image())
	s.pages, s.images = httptest.NewServer(mux), httptest.NewServer(s.previews)
	s.t.Cleanup(s.pages.Close)
	s.t.Cleanup(s.images.Close)
}

// indexFor is the index, as who shows exchanges asks for it.
func (s *shown) indexFor(ctx context.Context, q store.Question) *store.Bolt {
	if s.rec != nil {
		return s.rec.IndexFor(ctx, q)
	}
	return s.index
}

// commit records an exchange, and returns its capture.
func (s *shown) commit(address, request, response string) store.Capture {
	s.t.Helper()
	s.begin(address, request, response)
	if err := s.rec.Settle(context.Background()); err != nil {
		s.t.Fatal(err)
	}
	all := s.captures(address)
	return all[len(all)-1]
}

// begin hands an exchange over to be recorded.
func (s *shown) begin(address, request, response string) {
	s.t.Helper()
	x := s.rec.Begin()
	x.URL = address
	x.Method, _, _ = strings.Cut(request, " ")
	x.Started = time.Date(2026, 3, 4, 5, 0, 0, 0, time.UTC)
	x.Ended, x.RemoteIP = x.Started.Add(7*time.Millisecond), netip.MustParseAddr("192.0.2.1")
	io.WriteString(&x.Request, request)
	io.WriteString(&x.Response, response)
	x.Commit()
}

// captures are those of a URL, whatever was sent; of all if it is "".
func (s *shown) captures(address string) (all []store.Capture) {
	s.t.Helper()
	err := s.index.Captures(store.Query{}, func(c *store.Capture) bool {
		if address == "" || c.URL == address {
			all = append(all, *c)
		}
		return true
	})
	if err != nil {
		s.t.Fatal(err)
	}
	if len(all) == 0 {
		s.t.Fatalf("no capture of %q", address)
	}
	return all
}

// ask asks for a page about a place.
func (s *shown) ask(path string, at store.Location, more string) (status int, body []byte) {
	s.t.Helper()
	query := fmt.Sprintf("?file=%s&offset=%d%s", url.QueryEscape(at.File), at.Offset, more)
	res, err := http.Get(s.pages.URL + path + query)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	if body, err = io.ReadAll(res.Body); err != nil {
		s.t.Fatal(err)
	}
	return res.StatusCode, body
}

// exchange is what is told of the exchange of a capture.
func (s *shown) exchange(c *store.Capture) (x exchange) {
	s.t.Helper()
	s.json(ExchangePath, c, "", &x)
	return x
}

// piece is a piece of a body.
func (s *shown) piece(c *store.Capture, more string) (p piece) {
	s.t.Helper()
	s.json(BodyPath, c, more, &p)
	return p
}

func (s *shown) json(path string, c *store.Capture, more string, v any) {
	s.t.Helper()
	status, body := s.ask(path, c.Location, more)
	if status != http.StatusOK {
		s.t.Fatalf("%s%s of %s: %d %s", path, more, c.URL, status, body)
	}
	if err := json.Unmarshal(body, v); err != nil {
		s.t.Fatal(err)
	}
}
