package selection

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"warcorder/store"
	"warcorder/store/cdxserver"
	"warcorder/store/collection"
	"warcorder/store/readback"
)

// asked returns the Source of a server that stands in a recorder's place.
func askedOf(t *testing.T, r *recording, page http.Handler) (*Source, error) {
	t.Helper()
	server := httptest.NewServer(page)
	t.Cleanup(server.Close)
	s, err := Ask(cdxserver.Recorder{
		PID:     os.Getpid(),
		Address: strings.TrimPrefix(server.URL, "http://"),
	}, r.dir)
	if err == nil {
		t.Cleanup(func() { s.files.Close() })
	}
	return s, err
}

// TestBeside: beside a recorder a selection gives what it gives at rest, and everything is read.
func TestBeside(t *testing.T) {
	r := site(t)
	s, err := askedOf(t, r, Page(readback.New(r.dir, r.Index()), r.IndexFor))
	if err != nil {
		t.Fatal(err)
	}
	selections := []Selection{
		{},
		{URL: "https://example.com/b"},
		{URL: "https://example.com/c"},
		{URL: "https://example.com/", Match: store.Host, From: "20260501120004", To: "20260501120008"},
		{URL: "https://example.com/none"},
	}
	var got [][]Chosen
	for _, sel := range selections {
		got = append(got, all(t, s, sel))
	}
	for _, c := range got[0] {
		response, err := s.Files().Response(&c.Capture)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		if err := errors.Join(err, response.Close()); err != nil {
			t.Error(err)
		}
		if c.IsRevisit() != (len(body) == 1400 && c.URL == "https://example.com/b") {
			t.Errorf("%s has %d bytes", c.URL, len(body))
		}
		by, err := s.Files().ResponseBy(&c.Capture, c.Original)
		if err != nil {
			t.Fatal(err)
		}
		again, err := io.ReadAll(by.Body)
		if err := errors.Join(err, by.Close()); err != nil || string(again) != string(body) ||
			string(by.Head) != string(response.Head) {
			t.Errorf("%s is read in two ways, %v", c.URL, err)
		}
	}
	// What is recorded and finished meanwhile is found by its name.
	if _, err := r.Rotate(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.get("https://example.com/late", page("late"))
	for _, c := range all(t, s, Selection{URL: "https://example.com/late"}) {
		if response, err := s.Files().Response(&c.Capture); err != nil {
			t.Error(err)
		} else {
			response.Close()
		}
	}
	if response, err := s.Files().Response(&got[0][0].Capture); err != nil {
		t.Error(err)
	} else {
		response.Close()
	}
	rest := r.source()
	for i, sel := range selections[1:] {
		if want := all(t, rest, sel); !reflect.DeepEqual(got[i+1], want) {
			t.Errorf("%+v: got\n%swant\n%s", sel, short(got[i+1]), short(want))
		}
	}
}

// TestRemovedMeanwhile: an answer of which the beginning is of before a removal is none, and neither is
// one that is given while a removal takes its places.
func TestRemovedMeanwhile(t *testing.T) {
	for name, path := range map[string]func(collection.Dir) string{
		"a removal": collection.Dir.Removed, "one that takes its places": collection.Dir.Removal,
	} {
		r := site(t)
		answer := Page(readback.New(r.dir, r.Index()), r.IndexFor)
		s, err := askedOf(t, r, http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			if q.URL.Query().Get(paramList) == listPages {
				w = &during{w, func() { os.WriteFile(path(r.dir), []byte(name), 0o600) }}
			}
			answer.ServeHTTP(w, q)
		}))
		if err != nil || s.Check() != nil {
			t.Fatal(err, s.Check())
		}
		for _, err = range s.Pages(t.Context(), Selection{}) {
		}
		if !errors.Is(err, store.ErrReplaced) || !errors.Is(s.Check(), store.ErrReplaced) {
			t.Errorf("%s: %v, %v", name, err, s.Check())
		}
		again, err := Ask(s.asked.recorder, r.dir)
		if path(r.dir) == r.dir.Removal() && !errors.Is(err, store.ErrReplaced) ||
			path(r.dir) == r.dir.Removed() && (err != nil || again.Check() != nil) {
			t.Errorf("%s, asked again: %v", name, err)
		}
	}
}

// during lets something happen while an answer is written.
type during struct {
	http.ResponseWriter
	happens func()
}

func (d *during) Write(p []byte) (int, error) {
	d.happens()
	return d.ResponseWriter.Write(p)
}

func (d *during) Unwrap() http.ResponseWriter { return d.ResponseWriter }

// TestBrokenAnswer: what ends too early is never taken for all there is.
func TestBrokenAnswer(t *testing.T) {
	r := site(t)
	for _, test := range []struct {
		name, answer string
		is           error
		says         string
	}{
		{"broken off", `{"file":{"name":"a.warc.gz","committed":1}}` + "\n" + `{"capture":{"urlkey":"a"}}` +
			"\n", cdxserver.ErrBrokeOff, ""},
		{"in a line", `{"capture":{"urlk`, cdxserver.ErrBrokeOff, ""},
		{"at once", "", cdxserver.ErrBrokeOff, ""},
		{"an error", `{"error":"the disk is full"}` + "\n", nil, "the disk is full"},
		{"a removal", `{"error":"the index was replaced while it was read"}` + "\n", store.ErrReplaced, ""},
		{"other lines", `{"thing":1}` + "\n" + `{"end":{}}` + "\n", nil, "another version"},
		{"no lines", "<html>\n", nil, "another version"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, err := askedOf(t, r, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Query().Get(paramList) == listFiles {
					fmt.Fprintln(w, `{"end":{}}`)
					return
				}
				io.WriteString(w, test.answer)
			}))
			if err != nil {
				t.Fatal(err)
			}
			for _, err = range s.Captures(t.Context(), Selection{}) {
			}
			if err == nil || test.is != nil && !errors.Is(err, test.is) ||
				!strings.Contains(err.Error(), test.says) {
				t.Errorf("the error is %v", err)
			}
			for _, err = range s.Pages(t.Context(), Selection{}) {
			}
			if err == nil {
				t.Error("the pages have no error")
			}
		})
	}
	if _, err := askedOf(t, r, http.NotFoundHandler()); err == nil ||
		!strings.Contains(err.Error(), "older version") {
		t.Errorf("an older recorder: %v", err)
	}
}

// TestCancelled: whoever waits for a recorder's answer can go.
func TestCancelled(t *testing.T) {
	r := site(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s, err := askedOf(t, r, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get(paramList) == listFiles {
			fmt.Fprintln(w, `{"end":{}}`)
			return
		}
		fmt.Fprintln(w, `{"capture":{"urlkey":"a"}}`)
		http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	if err != nil {
		t.Fatal(err)
	}
	for _, err = range s.Captures(ctx, Selection{}) {
		cancel()
	}
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestLines: a capture is told as it is, also where its texts are no UTF-8.
func TestLines(t *testing.T) {
	c := Chosen{Page: "p", Needed: true, Original: &store.Location{File: "a", Offset: 1, Length: 2}}
	c.URL, c.SpecBody, c.File, c.Time = "http://a/\xff", "\x00\"", "é.warc.gz", time.Unix(0, 1000).UTC()
	got := lineOf(&c).chosen()
	b, err := text("\xff").MarshalJSON()
	var back text
	if err := errors.Join(err, back.UnmarshalJSON(b)); err != nil || back != "\xff" ||
		!reflect.DeepEqual(got, c) {
		t.Errorf("%+v became %+v, %v; %q", c, got, err, back)
	}
}
