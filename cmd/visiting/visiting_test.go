package visiting

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"warcorder/cmd/browser/devtools"
	"warcorder/cmd/visiting/chromiumtest"
)

// pages is a proxy to http://site.example/, whose pages are in a map, and to nothing else.
type pages map[string]string

func (p pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, ok := p[r.URL.Path]
	switch to, leads := strings.CutPrefix(body, "redirect "); {
	case r.URL.Host != "site.example":
		w.Header().Set("X-Refusal", "502")
		http.Error(w, "nobody is there", http.StatusBadGateway)
	case leads:
		http.Redirect(w, r, to, http.StatusFound)
	case strings.HasPrefix(body, "download"):
		w.Header().Set("Content-Disposition", "attachment")
		io.WriteString(w, body)
	case ok:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, body)
	default:
		http.NotFound(w, r)
	}
}

// drive is a browser that sees the pages.
func drive(t *testing.T, p pages) *Browser {
	t.Helper()
	proxy := httptest.NewServer(p)
	t.Cleanup(proxy.Close)
	commands, tell, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	said, say, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer say.Close()
		chromiumtest.Serve(commands, say, strings.TrimPrefix(proxy.URL, "http://"), func() { say.Close() })
	}()
	b, err := Drive(t.Context(), said, tell)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close(); <-ended; commands.Close() })
	return b
}

// options are those of an impatient visitor of site.example.
func options() Options {
	return Options{
		Quiet: time.Millisecond, Most: 2 * time.Second, Refusal: "X-Refusal",
		OnItsWay: func() bool { return true },
		Inside:   func(url string) bool { return strings.HasPrefix(url, "http://site.example/") },
	}
}

// TestVisit: what comes of a page, whatever it does.
func TestVisit(t *testing.T) {
	const page = "http://site.example/"
	for name, c := range map[string]struct {
		body     string
		status   int64
		faults   string // joined, each in its beginning
		remarks  string
		pictures int
		spent    error
	}{
		"plain":            {"some text", 200, "", "", 3, nil},
		"redirect":         {"redirect /there", 200, "", "", 3, nil},
		"redirect outside": {"redirect http://other.example/", 0, "it leads to http://other.example/", "", 0, nil},
		"goes outside": {"goes to http://other.example/x", 200, "", "it would have gone on to http://other.example/x",
			3, nil},
		"alert":       {"alerts", 200, "", "", 3, nil},
		"window":      {"opens", 200, "", "windows that it opened", 3, nil},
		"download":    {"download", 200, "", "it is a download", 0, nil},
		"never quiet": {"polls", 200, "it was still busy", "", 3, nil},
		"never ends":  {"waits", 200, "1 of what it asked for had not ended", "", 3, nil},
		"a stream":    {"streams", 200, "", "", 3, nil},
		"not loaded":  {"unloaded", 200, "it had not loaded", "", 3, nil},
		"refused":     {"needs http://nobody.example/", 200, "without an answer: 1 of what it asked for", "", 3, nil},
		"crash":       {"crash", 200, "its tab has crashed", "", 0, errCrashed},
		"death":       {"die", 200, "the browser has ended", "", 0, devtools.ErrEnded},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := drive(t, pages{"/": c.body, "/there": "there"})
			v, spent := b.Visit(t.Context(), page, options())
			if !errors.Is(spent, c.spent) || (spent == nil) != (c.spent == nil) {
				t.Errorf("%v", spent)
			}
			if v.Status != c.status || !begins(v.Faults, c.faults) || !begins(v.Remarks, c.remarks) {
				t.Errorf("%d, faults %q, remarks %q", v.Status, v.Faults, v.Remarks)
			}
			if len(v.Pictures) != c.pictures {
				t.Errorf("%d pictures", len(v.Pictures))
			}
			if want := map[string]string{"redirect": "there"}[name]; want != "" &&
				(v.Text != want || v.URL != page+"there") {
				t.Errorf("%q, %s", v.Text, v.URL)
			}
		})
	}
}

// begins reports whether there is one text with that beginning, or none at all for "".
func begins(texts []string, beginning string) bool {
	if beginning == "" {
		return len(texts) == 0
	}
	return len(texts) == 1 && strings.HasPrefix(texts[0], beginning)
}

// TestVisitInTurn: one browser visits many pages; nothing of one is taken for the next one's.
func TestVisitInTurn(t *testing.T) {
	b := drive(t, pages{"/1": `<a href="http://site.example/2">`, "/2": "opens", "/3": "three"})
	for path, want := range map[string]int64{"1": 200, "2": 200, "3": 200, "4": 404} {
		v, err := b.Visit(t.Context(), "http://site.example/"+path, options())
		if err != nil || v.Status != want || v.Requests != 1 || (len(v.Faults) > 0) != (want == 404) ||
			len(v.Remarks) > 0 != (path == "2") || len(v.Links) > 0 != (path == "1") {
			t.Errorf("%s: %v, %+v", path, err, v)
		}
	}
	v, err := b.Visit(t.Context(), "http://nobody.example/", Options{Quiet: 1, Most: time.Second,
		Refusal: "X-Refusal", Inside: func(string) bool { return true },
		OnItsWay: func() bool { return true }})
	if err != nil || !begins(v.Faults, "nothing answered") || len(v.Pictures) > 0 || v.Text != "" {
		t.Errorf("%v, %+v", err, v)
	}
}

// TestVisitBounded: a tab that hangs, or cannot be closed, is given up.
func TestVisitBounded(t *testing.T) {
	for word, want := range map[string]string{"hang": errBusy.Error(), "stays": ""} {
		t.Run(word, func(t *testing.T) {
			t.Parallel()
			b := drive(t, pages{"/": word})
			begin := time.Now()
			v, err := b.Visit(t.Context(), "http://site.example/", options())
			if took := time.Since(begin); took > readPatience+closePatience+options().Most+10*time.Second {
				t.Errorf("it took %s", took)
			}
			if !begins(v.Faults, want) || word == "stays" && !errors.Is(err, errSpent) {
				t.Errorf("%v, %q", err, v.Faults)
			}
		})
	}
}

// TestVisitEnded: whoever ends a visit waits no longer.
func TestVisitEnded(t *testing.T) {
	b := drive(t, pages{"/": "polls"})
	ctx, cancel := context.WithCancelCause(t.Context())
	o := options()
	o.Most = time.Hour
	time.AfterFunc(500*time.Millisecond, func() { cancel(errors.New("somebody ends it")) })
	v, err := b.Visit(ctx, "http://site.example/", o)
	if err != nil || !begins(v.Faults, "somebody ends it") {
		t.Errorf("%v, %q", err, v.Faults)
	}
}

// TestDriveNobody: what is no browser is not waited for.
func TestDriveNobody(t *testing.T) {
	in, say, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	commands, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer commands.Close()
	say.Close()
	if _, err := Drive(t.Context(), in, out); !errors.Is(err, devtools.ErrEnded) {
		t.Errorf("%v", err)
	}
}
