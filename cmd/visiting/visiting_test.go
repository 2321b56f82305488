package visiting

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/target"

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
	case body == "empty":
		w.WriteHeader(http.StatusNoContent)
	case r.URL.Path == "/torn":
		w.Header().Set("Content-Length", "1000000")
		io.WriteString(w, "the beginning")
	case ok:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, body)
	default:
		http.NotFound(w, r)
	}
}

// drive is a browser that sees the pages.
func drive(t *testing.T, p pages) *Browser { return driveThrough(t, p) }

// driveThrough is a browser behind that proxy.
func driveThrough(t *testing.T, p http.Handler) *Browser {
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
	t.Parallel()
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
		"no content":  {"empty", 204, "", "it has no content", 0, nil},
		"torn": {"needs http://site.example/torn", 200,
			"1 of what it asked for broke off: http://site.example/torn (net::ERR_CONNECTION_CLOSED)", "", 3, nil},
		"unsent":     {"needs http://site.example:6000/x.png", 200, "", "", 3, nil},
		"worker":     {"works", 200, "1 of what it asked for broke off", "", 3, nil},
		"loads late": {"late", 200, "", "", 3, nil},
		"tall":       {"tall", 200, "", "its picture was cut at 8000 pixels", 3, nil},
		"goes on":    {"flees to /there", 200, "", "", 3, nil},
		"goes round": {"flees to /", 200, "it goes from page to page", "", 0, nil},
		"crash":      {"crash", 200, "its tab has crashed", "", 0, errCrashed},
		"death":      {"die", 200, "the browser has ended", "", 0, devtools.ErrEnded},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := drive(t, pages{"/": c.body, "/there": "there"})
			o := options()
			if name == "loads late" {
				o.Most = 8 * time.Second // of which it may be still for a fourth
			}
			v, spent := b.Visit(t.Context(), page, o)
			if !errors.Is(spent, c.spent) || (spent == nil) != (c.spent == nil) {
				t.Errorf("%v", spent)
			}
			if v.Status != c.status || !begins(v.Faults, c.faults) || !begins(v.Remarks, c.remarks) {
				t.Errorf("%d, faults %q, remarks %q", v.Status, v.Faults, v.Remarks)
			}
			if len(v.Pictures) != c.pictures {
				t.Errorf("%d pictures", len(v.Pictures))
			}
			if want := map[string]string{"redirect": "there", "goes on": "there"}[name]; want != "" &&
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
	t.Parallel()
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

// TestVisitFrame: what a page embeds comes from wherever it lies; a fragment is no part of its URL.
func TestVisitFrame(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 10)
	proxy := pages{"/": "frames http://other.example/frame"}
	b := driveThrough(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.URL.String()
		proxy.ServeHTTP(w, r)
	}))
	v, err := b.Visit(t.Context(), "http://site.example/#/route", options())
	if err != nil || v.URL != "http://site.example/" {
		t.Errorf("%v, %s", err, v.URL)
	}
	if <-asked; len(asked) != 1 || <-asked != "http://other.example/frame" {
		t.Error("the frame was not asked for")
	}
}

// TestVisitEndless: a page without an end is scrolled so far and no farther, whatever time there is.
func TestVisitEndless(t *testing.T) {
	t.Parallel()
	b := drive(t, pages{"/": "endless"})
	o := options()
	o.Most = time.Hour
	v, err := b.Visit(t.Context(), "http://site.example/", o)
	if err != nil || !begins(v.Faults, "it goes on below what was scrolled to (screens: 100)") {
		t.Errorf("%v, %q", err, v.Faults)
	}
}

// TestWatchBounded: of frames and workers without end so many are watched, and it is said; those that
// end make room.
func TestWatchBounded(t *testing.T) {
	b := drive(t, pages{})
	w := newWatch("", "")
	for i := range 2 * mostSessions {
		id := target.SessionID(fmt.Sprint(i))
		w.add(id, b.conn.Session(id))
	}
	if len(w.sessions) != mostSessions || w.counted().unwatched != mostSessions {
		t.Errorf("%d are watched, %d not", len(w.sessions), w.counted().unwatched)
	}
	w.drop("0")
	if !w.add("a", b.conn.Session("a")) {
		t.Error("one that ended makes no room")
	}
}

// TestVisitBounded: a tab that hangs, or cannot be closed, is given up.
func TestVisitBounded(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
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

// TestScrollLate: a page that took all the time is looked at once: of one that ends there nothing is
// said.
func TestScrollLate(t *testing.T) {
	t.Parallel()
	for body, fault := range map[string]string{
		"some text": "",
		"endless":   "it goes on below what was scrolled to (screens: 1)",
	} {
		b := drive(t, pages{"/": body})
		tab, err := b.open(t.Context(), options())
		if err != nil {
			t.Fatal(err)
		}
		v := new(Visit)
		if !tab.navigate(v, "http://site.example/", tab.deadline()) {
			t.Fatalf("%q", v.Faults)
		}
		tab.scroll(v, time.Now())
		if !begins(v.Faults, fault) {
			t.Errorf("%s: %q", body, v.Faults)
		}
		if err := tab.close(); err != nil {
			t.Error(err)
		}
	}
}
