package cdxserver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"warcorder/canon"
	"warcorder/store"
	"warcorder/store/collection"
)

// indexOf makes an index of n captures, the last of which lies in a file that is not finished, and
// of a 304.
func indexOf(t *testing.T, n int) *store.Bolt {
	t.Helper()
	index, err := store.Open(filepath.Join(t.TempDir(), "index.bolt"), store.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { index.Close() })
	for i := range n + 1 {
		file, err := index.AddFile(fmt.Sprintf("%d.warc.gz", i))
		if err != nil {
			t.Fatal(err)
		}
		file.Sealed = i != n-1
		err = index.Commit([]store.Capture{{
			URLKey:   fmt.Sprintf("com,example)/%d", i),
			URL:      fmt.Sprintf("http://example.com/%d", i),
			Time:     time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
			Status:   200 + 104*(i/n),
			Location: store.Location{File: file.Name, Length: 1},
		}}, []store.File{file})
		if err != nil {
			t.Fatal(err)
		}
	}
	return index
}

// serve lets a recorder of this process answer.
func serve(t *testing.T, index *store.Bolt, gaps store.Gaps) Recorder {
	t.Helper()
	pages := http.NewServeMux()
	pages.Handle("GET "+ExportPath, ExportPage(collection.Dir(t.TempDir()), nil,
		func(context.Context, store.Question) *store.Bolt { return index }))
	pages.Handle("GET "+GapsPath, GapsPage(func(int) (store.Gaps, error) { return gaps, nil }))
	server := httptest.NewServer(pages)
	t.Cleanup(server.Close)
	return Recorder{PID: os.Getpid(), Address: strings.TrimPrefix(server.URL, "http://")}
}

// TestExport: the recorder gives the lines that its index has, and says what they are.
func TestExport(t *testing.T) {
	index := indexOf(t, 3)
	recorder := serve(t, index, store.Gaps{})
	for name, c := range map[string]struct {
		query        store.Query
		lines, total int64
	}{
		"all":        {store.Query{}, 3, 4},
		"304 too":    {store.Query{All: true}, 4, 4},
		"one":        {store.Query{URL: "http://example.com/1", Match: store.Exact}, 1, -1},
		"none":       {store.Query{URL: "http://example.org/"}, 0, -1},
		"no bodies":  {store.Query{NoBodies: true}, 3, 4},
		"other keys": {store.Query{Dialect: canon.Spec}, 4, 4},
	} {
		t.Run(name, func(t *testing.T) {
			var want, got bytes.Buffer
			wanted, err := index.Export(&want, c.query, nil)
			if err != nil || wanted.Lines != c.lines {
				t.Fatalf("%+v, %v", wanted, err)
			}
			var lines, total int64
			exported, err := recorder.Export(&got, c.query, func(n, of int64) { lines, total = n, of })
			if err != nil || exported != wanted || got.String() != want.String() {
				t.Errorf("%+v, %v:\n%swant %+v:\n%s", exported, err, &got, wanted, &want)
			}
			if lines != c.lines || total != c.total {
				t.Errorf("%d of %d lines, want %d of %d", lines, total, c.lines, c.total)
			}
		})
	}
}

// TestQueryForm: a query arrives as it was sent.
func TestQueryForm(t *testing.T) {
	for _, query := range []store.Query{
		{},
		{URL: "http://a/?b=c&d", Match: store.Prefix, From: "2026", To: "20270101", Key: store.PathKey},
		{Dialect: canon.WarcioJS, NoBodies: true},
		{All: true},
		{URL: "http://a/?b=c&d", Match: store.AnyBody, Method: "POST"},
	} {
		if got := queryOf(formOf(query)); got != query {
			t.Errorf("%+v becomes %+v", query, got)
		}
	}
}

// TestRefused: what cannot be answered is said, and no line is written.
func TestRefused(t *testing.T) {
	recorder := serve(t, indexOf(t, 1), store.Gaps{})
	another := recorder
	another.PID++
	for name, c := range map[string]struct {
		recorder Recorder
		query    store.Query
		want     string
	}{
		"another process": {another, store.Query{}, "409 Conflict: This is the recorder of another"},
		"no such match":   {recorder, store.Query{URL: "http://a/", Match: "like"}, "400 Bad Request"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			_, err := c.recorder.Export(&out, c.query, func(int64, int64) {})
			if err == nil || !strings.Contains(err.Error(), c.want) || out.Len() > 0 {
				t.Errorf("%v, %q, want %s", err, &out, c.want)
			}
		})
	}
}

// TestBrokeOff: lines that end too early are no whole, and those who cannot take them are not the
// recorder's fault.
func TestBrokeOff(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "com,example)/ 2026 {}\n")
		http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}))
	defer server.Close()
	recorder := Recorder{Address: strings.TrimPrefix(server.URL, "http://")}
	_, err := recorder.Export(io.Discard, store.Query{All: true}, func(int64, int64) {})
	if !errors.Is(err, ErrBrokeOff) {
		t.Errorf("got %v", err)
	}
	full := errors.New("the disk is full")
	_, err = serve(t, indexOf(t, 1), store.Gaps{}).
		Export(brokenWriter{full}, store.Query{}, func(int64, int64) {})
	if !errors.Is(err, full) || errors.Is(err, ErrBrokeOff) {
		t.Errorf("a writer that fails: %v", err)
	}
	server.Close()
	_, err = recorder.Export(io.Discard, store.Query{All: true}, func(int64, int64) {})
	if !errors.Is(err, ErrNobody) {
		t.Errorf("nobody listens: %v", err)
	}
}

type brokenWriter struct{ err error }

func (w brokenWriter) Write([]byte) (int, error) { return 0, w.err }

// TestGaps: the gap list arrives as it is.
func TestGaps(t *testing.T) {
	want := store.Gaps{
		Latest: []store.Gap{{URL: "http://a/", Reason: "cut", Detail: "d"}},
		Counts: map[string]int64{"cut": 7},
	}
	got, err := serve(t, nil, want).Gaps()
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
}

// TestOlderRecorder: lines of a recorder that leaves nothing out are not taken for those of one
// that does.
func TestOlderRecorder(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Trailer", linesField+", "+openField)
		http.NewResponseController(w).Flush()
		io.WriteString(w, "com,example)/ 2026 {}\n")
		w.Header().Set(linesField, "1")
		w.Header().Set(openField, "0")
	}))
	defer server.Close()
	recorder := Recorder{Address: strings.TrimPrefix(server.URL, "http://")}
	for _, query := range []store.Query{{}, {All: true}, {Dialect: canon.Spec}} {
		var out strings.Builder
		exported, err := recorder.Export(&out, query, func(int64, int64) {})
		refused := err != nil && strings.Contains(err.Error(), "older version") && out.Len() == 0
		if query.LeavesOut() != refused || !refused && (err != nil || exported.Lines != 1) {
			t.Errorf("%+v: %+v, %v, %q", query, exported, err, out.String())
		}
	}
}

// TestToken: the recorder that a collection names is shown the token beside it, and nobody else is:
// neither whom it sends us to, nor whoever is named when the token may not be read.
func TestToken(t *testing.T) {
	var shown []string
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("somebody else is asked for %s with %v", r.URL, r.Header)
	}))
	defer elsewhere.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		shown = append(shown, r.Method+" "+r.Header.Get("Authorization"))
		switch {
		case r.URL.Path == "/away":
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		case r.Header.Get("Authorization") == "":
			jsonError(w, "Show the token.", http.StatusUnauthorized)
		default:
			io.WriteString(w, `{"state": "changed"}`)
		}
	}))
	defer server.Close()
	dir := collection.Dir(filepath.Join(t.TempDir(), "c"))
	if err := dir.Make(collection.DefaultMode); err != nil {
		t.Fatal(err)
	}
	token, err := dir.MakeToken()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := At(dir); !errors.Is(err, ErrNobody) {
		t.Errorf("nobody is announced: %v", err)
	}
	who := collection.Running{PID: os.Getpid(), Started: time.Now(),
		Addresses: []string{strings.TrimPrefix(server.URL, "http://")}}
	if err := dir.Announce(who, collection.DefaultMode); err != nil {
		t.Fatal(err)
	}
	change := func(path string) (state struct{ State string }, err error) {
		recorder, err := At(dir)
		if err != nil {
			t.Fatal(err)
		}
		err = recorder.Switch(path, &state)
		return state, err
	}
	if state, err := change("/change"); err != nil || state.State != "changed" {
		t.Errorf("%+v %v", state, err)
	}
	if _, err := change("/away"); err == nil || !strings.Contains(err.Error(), "307") {
		t.Errorf("sent elsewhere: %v", err)
	}
	if err := dir.DropToken(); err != nil {
		t.Fatal(err)
	}
	if _, err := change("/change"); err == nil ||
		!strings.Contains(err.Error(), "the recorder asks for its token, and there is none") ||
		strings.Contains(err.Error(), "readers") { // who change nothing
		t.Errorf("no token: %v", err)
	}
	if want := []string{"POST Bearer " + token, "POST Bearer " + token, "POST "}; !slices.Equal(shown, want) {
		t.Errorf("shown %q, want %q", shown, want)
	}
}
