package replay

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"warcorder/recorder"
	"warcorder/store"
	"warcorder/store/replay/rules"
)

// lag replays beside a recorder that puts into the index only what is asked for.
func lag(t *testing.T) *recording {
	t.Helper()
	cfg := Config{Explain: true, Rules: rules.Shipped()}
	r := archivedBy(t, cfg, func(c *recorder.Config) { c.Keys, c.IndexInterval = formKeys, lagging })
	r.Archive.cfg.Await = func(ctx context.Context, q store.Question) {
		if err := r.recorder.SettleFor(ctx, q); err != nil {
			t.Error(err)
		}
	}
	return r
}

// write waits until what has come is on disk, and returns how many captures the index has.
func (r *recording) write() int64 {
	r.t.Helper()
	if all, err := r.recorder.OnDiskWithin(r.t.Context(), time.Minute); !all || err != nil {
		r.t.Fatal(all, err)
	}
	return r.indexed()
}

func (r *recording) indexed() int64 {
	r.t.Helper()
	n, err := r.index.Count()
	if err != nil {
		r.t.Fatal(err)
	}
	return n
}

// TestCurrent: beside a recorder that has not put into the index yet what is on disk, whatever finds a
// request finds what answers it; and who asks for something else makes no transaction.
func TestCurrent(t *testing.T) {
	const at = "http://example.com/dir/a"
	form := exchange{method: "POST", url: at, fields: formType, body: "x=1&y=2"}
	spelled := form
	spelled.body = "x=1;y=%32"
	others := []exchange{
		{url: "http://example.com/dir/"}, {url: at + "b"}, {method: "HEAD", url: at + "/x"},
		{url: "http://example.com/dir/b?_=1700000000000"},
		{method: "POST", url: "http://example.com/dir/b", fields: formType, body: "x=3"},
		preflightOf("GET", "http://example.com/dir/b", ""), preflightOf("PUT", "http://example.com/dir/b", ""),
		batch("other", "page"),
	}
	batched := batch("one", "page")
	batched.url = at + "?$batch"
	again := batch("two", "page")
	again.url = batched.url
	for _, c := range []struct {
		name     string
		captured exchange
		asked    exchange
		status   string
		why      string // X-Warcorder-Rule, or X-Warcorder-Miss
	}{
		{"a URL", exchange{url: at}, exchange{url: at}, "200", ruleExact},
		{"another spelling", exchange{url: at + "?b&c"}, exchange{url: at + "?c&b"}, "200", rulePywb},
		{"a HEAD by a GET", exchange{url: at}, exchange{method: "HEAD", url: at}, "200", ruleExact},
		{"a body", form, form, "200", ruleQuery},
		{"another spelling of a form", form, spelled, "200", ruleForm},
		{"parts", batched, again, "200", ruleParts},
		{"a rule", exchange{url: at + "?_=1600000000000"}, exchange{url: at + "?_=1700000000000"}, "200",
			"jquery-cache"},
		{"a rule without the argument", exchange{url: at}, exchange{url: at + "?_=1700000000000"}, "200",
			"jquery-cache"},
		{"a preflight", exchange{url: at, response: "HTTP/1.1 200 OK\nAccess-Control-Allow-Origin: *"},
			preflightOf("GET", at, ""), "204", rulePreflight},
		{"a preflight of any body", exchange{method: "PUT", url: at, body: "x",
			response: "HTTP/1.1 200 OK\nAccess-Control-Allow-Origin: *"}, preflightOf("PUT", at, ""), "204",
			rulePreflight},
		{"what is missed by its query", exchange{url: at + "?b"}, exchange{url: at + "?c"}, "404", whyNotCaptured},
		{"what is missed by its body", form, exchange{method: "POST", url: at, body: "z"}, "404", whyOtherBody},
		{"what a redirect leads to", exchange{url: at, response: "HTTP/1.1 302 Found\nLocation: /from"},
			exchange{url: "http://example.com/from"}, "404", whyRound},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := lag(t)
			r.add(exchange{url: "http://example.com/from", response: "HTTP/1.1 302 Found\nLocation: " + at})
			r.settle()
			r.add(c.captured)
			if n := r.write(); n != 1 {
				t.Fatalf("%d captures are in the index before anybody asks", n)
			}
			for _, x := range others {
				answer, _ := r.ask(x)
				if n := r.indexed(); n != 1 || answer.status() != "404" {
					t.Errorf("%s %s: %s, %d captures in the index", x.verb(), x.target(), answer.status(), n)
				}
			}
			answer, _ := r.ask(c.asked)
			why := answer.first("X-Warcorder-Rule") + answer.first("X-Warcorder-Miss")
			if answer.status() != c.status || why != c.why {
				t.Errorf("%s", answer)
			}
			if n := r.indexed(); n != 2 {
				t.Errorf("%d captures in the index", n)
			}
			nearest := r.Report().Documents
			last := nearest[len(nearest)-1].Misses
			if miss := last[len(last)-1]; c.status == "404" && (miss.Nearest == nil ||
				!strings.HasPrefix(miss.Nearest.URL, "http://example.com/")) {
				t.Errorf("%+v", miss)
			}
		})
	}
}

// TestCurrentGone: what is asked for a client that has gone waits for nothing.
func TestCurrentGone(t *testing.T) {
	r := lag(t)
	var of context.Context
	r.Archive.cfg.Await = func(ctx context.Context, _ store.Question) { of = ctx }
	ctx, leave := context.WithCancel(t.Context())
	leave()
	r.Answer(ctx, http.MethodGet, "http://example.com/", []byte("GET / HTTP/1.1\r\n\r\n"), nil)
	if of == nil || of.Err() == nil {
		t.Error("it would wait")
	}
}
