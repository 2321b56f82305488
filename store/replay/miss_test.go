package replay

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

const asDocument = "Sec-Fetch-Dest: document\r\n"

// TestMissAmongBodies: what large bodies were sent to a URL is not read to say that another was not.
func TestMissAmongBodies(t *testing.T) {
	r := archived(t, Config{})
	const n = 16
	sent := func(i int) exchange {
		return exchange{method: "POST", at: i, url: fmt.Sprint("http://example.com/api?", i),
			fields: "Content-Type: text/plain\r\n", body: fmt.Sprint(i) + noise(400<<10)}
	}
	for i := range n {
		r.add(sent(i))
	}
	r.settle()
	missed := sent(n)
	missed.body = "x"
	before := allocated()
	if answer, _ := r.ask(missed); answer.status() != "404" {
		t.Error(answer)
	}
	if took := allocated() - before; took > 2<<20 {
		t.Errorf("%d KB were allocated", took>>10)
	}
}

// TestMisses: each miss says why, and which capture was the nearest.
func TestMisses(t *testing.T) {
	const typed = "Content-Type: text/x\r\n"
	r := archived(t, Config{Explain: true},
		exchange{at: 1, url: "http://example.com/a?x=1", text: "1"},
		exchange{at: 2, url: "http://example.com/a?x=2&y=3", text: "2"},
		exchange{at: 3, url: "http://example.com/b", text: "b"},
		exchange{at: 4, url: "http://example.com/not-modified", response: "HTTP/1.1 304 Not Modified"},
		exchange{at: 5, url: "http://example.com/self", response: "HTTP/1.1 302 F\nLocation: /self"},
		exchange{at: 6, method: "POST", url: "http://example.com/api", fields: typed, body: "1"},
		exchange{at: 7, url: "http://example.com/socket", response: "HTTP/1.1 101 Switching"},
		exchange{at: 8, url: "http://example.com/poll", text: "polled"})
	get := func(path string) exchange { return exchange{url: "http://example.com" + path} }
	for _, c := range []struct {
		name    string
		asked   exchange
		why     string
		nearest string // its time in minutes, and its URL
	}{
		{"nothing like it", get("/c"), whyNotCaptured, ""},
		{"another query", get("/a?x=2&y=4"), whyNotCaptured, "2 http://example.com/a?x=2&y=3"},
		{"a query of its own", get("/b?1"), whyNotCaptured, "3 http://example.com/b"},
		{"no query", get("/a"), whyNotCaptured, "1 http://example.com/a?x=1"},
		{"not modified", get("/not-modified"), whyNotModified, "4 http://example.com/not-modified"},
		{"to itself", get("/self"), whyItself, "5 http://example.com/self"},
		{"another body", exchange{method: "POST", url: "http://example.com/api", fields: typed,
			body: "2"}, whyOtherBody, "6 http://example.com/api"},
		{"another method", exchange{method: "PUT", url: "http://example.com/api", body: "2"},
			whyNotCaptured, "6 http://example.com/api"},
		{"a socket", exchange{url: "http://example.com/socket",
			fields: "Connection: Upgrade\r\nUpgrade: websocket\r\n"}, whyFrames,
			"7 http://example.com/socket"},
		{"a socket in the place of what was polled", exchange{url: "http://example.com/poll",
			fields: "Connection: Upgrade\r\nUpgrade: WebSocket\r\n"}, whyFrames,
			"8 http://example.com/poll"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.asked.fields += "Referer: https://page.test/" + c.name + "#top\r\n"
			for range 2 {
				answer, body := r.ask(c.asked)
				if answer.status() != "404" || body != "" || answer.first("X-Warcorder-Miss") != c.why {
					t.Errorf("%s %q", answer, body)
				}
			}
			d := r.Report().Documents
			last := d[len(d)-1]
			if last.URL != "https://page.test/"+c.name || last.Missed != 2 || len(last.Misses) != 1 {
				t.Fatalf("reported as %+v", last)
			}
			miss := last.Misses[0]
			if miss.Why != c.why || miss.Count != 2 || miss.Method != c.asked.verb() ||
				miss.URL != c.asked.target() {
				t.Errorf("reported as %+v", miss)
			}
			nearest := ""
			if n := miss.Nearest; n != nil {
				nearest = fmt.Sprintf("%v %s", n.Time.Sub(begun).Minutes(), n.URL)
				if n.File == "" || n.Key == "" || n.Status == 0 {
					t.Errorf("the nearest is %+v", n)
				}
			}
			if nearest != c.nearest {
				t.Errorf("the nearest is %q, want %q", nearest, c.nearest)
			}
		})
	}
	if missed := r.Report().Missed; missed != 20 {
		t.Errorf("%d missed", missed)
	}
}

// TestMissPage: a person gets a page that says what is missing, a program nothing.
func TestMissPage(t *testing.T) {
	r := archived(t, Config{At: minute(7)},
		exchange{at: 1, url: `http://example.com/x?"'><script>alert(1)</script>`})
	for fields, isPage := range map[string]bool{
		asDocument:                   true,
		"Sec-Fetch-Dest: iframe\r\n": true,
		"Sec-Fetch-Dest: frame\r\n":  true,
		"Sec-Fetch-Dest: script\r\n": false,
		"Sec-Fetch-Dest: empty\r\n":  false,
		"Accept: text/html,*/*\r\n":  true,
		"Accept: Text/HTML;q=1\r\n":  true,
		"Accept: */*, text/html\r\n": false,
		"Accept: image/avif,*/*\r\n": false,
		"":                           false,
		"Accept: text/html\r\n" + "Sec-Fetch-Dest: image\r\n": false,
	} {
		answer, body := r.ask(exchange{url: `http://example.com/x?"'><script>`, fields: fields})
		if (body != "") != isPage || answer.first("Cache-Control") != "no-store" ||
			answer.status() != "404" || answer.first("Content-Length") != fmt.Sprint(len(body)) {
			t.Errorf("%q: %s %d bytes", fields, answer, len(body))
		}
	}
	answer, body := r.ask(exchange{url: `http://example.com/x?"'><script>`, fields: asDocument})
	for _, want := range []string{"GET http://example.com/x?%22&#39;%3E%3Cscript%3E", whyNotCaptured,
		"2026-03-04T05:07:00Z", "2026-03-04T05:01:00Z, status 200", "alert(1)", ".warc.gz at "} {
		if !strings.Contains(body, want) {
			t.Errorf("the page has no %q: %s", want, body)
		}
	}
	if strings.Contains(body, "<script") || !strings.Contains(answer.get("Content-Security-Policy"),
		"default-src 'none'") {
		t.Errorf("a script may run: %s%s", answer, body)
	}
	head, body := r.ask(exchange{method: "HEAD", url: "http://example.com/y", fields: asDocument})
	if body != "" || head.first("Content-Length") == "0" {
		t.Errorf("HEAD: %s%s", head, body)
	}
	if head.has("X-Warcorder-Miss") {
		t.Errorf("why, and nobody has asked: %s", head)
	}
}

// TestMissAdvice: the page says what to do, with a command that does nothing else to who types it.
func TestMissAdvice(t *testing.T) {
	const browse = "<code>warcorder browser "
	near := &Nearest{URL: "http://example.com/a?2"}
	for _, c := range []struct {
		miss      Miss
		want, not string
	}{
		{Miss{Why: whyNotCaptured, URL: "http://example.com/~a/b_c.html"},
			browse + "http://example.com/~a/b_c.html</code>", "replay-rules"},
		{Miss{Why: whyNotCaptured, URL: "http://example.com/a?1", Nearest: near}, "replay-rules", "a?1"},
		{Miss{Why: whyNotCaptured, URL: "http://example.com/$(reboot)"}, browse + "URL</code>", "reboot"},
		{Miss{Why: whyNotCaptured, URL: "http://example.com/;reboot"}, browse + "URL</code>", "reboot"},
		{Miss{Why: whyNotCaptured, URL: "http://example.com/'&<b>"}, browse + "URL</code>", "<b>"},
		{Miss{Why: whyNotCaptured, URL: shortened("http://a/" + strings.Repeat("x", maxText))},
			browse + "URL</code>", "xxx"},
		{Miss{Why: whyNotCaptured, Method: "POST", URL: "http://a/"}, "do the same", browse},
		{Miss{Why: whyOtherBody, Method: "POST", URL: "http://a/"}, "something else", browse},
		{Miss{Why: whyPart, URL: "http://a/"}, browse + "http://a/</code>", "replay-rules"},
		{Miss{Why: whyCut, URL: "http://a/"}, browse + "http://a/</code>", "replay-rules"},
		{Miss{Why: whyNotModified, URL: "http://a/"}, browse + "http://a/</code>", "replay-rules"},
		{Miss{Why: whyItself, URL: "http://a/"}, "nothing to show", browse},
		{Miss{Why: whyFrames, URL: "http://a/"}, "is not recorded", browse},
		{Miss{Why: whyMissing, URL: "http://a/"}, "Put the file back", browse},
		{Miss{Why: whyNoOriginal, URL: "http://a/"}, "Put the file back", browse},
		{Miss{Why: whyOutside, URL: "http://a/"}, "warcorder report", browse},
		{Miss{Why: whyNoMessage, URL: "http://a/"}, "warcorder verify", browse},
		{Miss{Why: whyDamaged, URL: "http://a/"}, "warcorder verify", browse},
		{Miss{Why: whyUnread, URL: "http://a/"}, "warcorder verify", browse},
		{Miss{Why: whyStorage, URL: "http://a/"}, "verify --remote", browse},
	} {
		if c.miss.Method == "" {
			c.miss.Method = "GET"
		}
		said := advice(&c.miss)
		if !strings.Contains(said, c.want) || strings.Contains(said, c.not) {
			t.Errorf("%+v: %s", c.miss, said)
		}
	}
}

// TestQuiet: misses of hosts that browsers ask by themselves are counted, and not listed.
func TestQuiet(t *testing.T) {
	r := archived(t, Config{Quiet: func(host string) bool {
		return host == "chatter.test" || host == "::1"
	}})
	for _, url := range []string{"https://chatter.test:8443/a", "http://CHATTER.test/",
		"http://[::1]:80/", "http://[::1]"} {
		if answer, _ := r.ask(exchange{url: url}); answer.status() != "404" {
			t.Errorf("%s: %s", url, answer)
		}
	}
	r.ask(exchange{url: "http://not-chatter.test/"})
	if got := r.Report(); got.Quiet != 4 || got.Missed != 1 || len(got.Documents) != 1 {
		t.Errorf("report: %+v", got)
	}
}

// TestReportJSON: the names in the report are those that are drawn.
func TestReportJSON(t *testing.T) {
	r := archived(t, Config{}, exchange{url: "http://example.com/a?1", text: "1", at: 2})
	r.ask(exchange{url: "http://example.com/a?1"})
	r.ask(exchange{url: "http://example.com/a?2"})
	report := r.Report()
	nearest := report.Documents[0].Misses[0].Nearest
	nearest.File, nearest.Offset = "FILE.warc.gz", 5
	got, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"answered":1,"rules":{"exact":1},"preflights":0,"notModified":0,"ranges":0,` +
		`"missed":1,"quiet":0,"fellBack":0,"documents":[{"url":"","missed":1,"misses":[` +
		`{"method":"GET","url":"http://example.com/a?2","count":1,"why":"not captured","nearest":` +
		`{"url":"http://example.com/a?1","method":"GET","status":200,"time":"2026-03-04T05:02:00Z",` +
		`"file":"FILE.warc.gz","offset":5,"key":"com,example)/a?1"}}]}],"unlisted":0}`
	if string(got) != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	empty, err := json.Marshal(archived(t, Config{}).Report())
	if err != nil || !strings.Contains(string(empty), `"rules":{}`) ||
		!strings.Contains(string(empty), `"documents":[]`) {
		t.Errorf("of nothing: %s, %v", empty, err)
	}
}

// TestTallyBounded: a page may have its requests found by ever other rules together; these are
// counted, and a bounded number is named.
func TestTallyBounded(t *testing.T) {
	var tally tally
	for i := range 3 * maxTallied {
		tally.answered(fmt.Sprint("a+", i))
	}
	tally.answered("a+0")
	all := tally.byRule()
	if len(all) != maxTallied+1 || all[otherRules] != 2*maxTallied || all["a+0"] != 2 {
		t.Errorf("%d named, %d others, %d of the first", len(all), all[otherRules], all["a+0"])
	}
}

// TestMissesBounded: however much is missed, what is listed is bounded, and the rest is counted.
func TestMissesBounded(t *testing.T) {
	var m misses
	add := func(by, url string) {
		m.add(shortened(by), request{"GET", shortened(url)}, func() (Miss, error) {
			n := &Nearest{URL: shortened(url), Key: shortened(url), Time: time.Now()}
			return Miss{Method: "GET", URL: shortened(url), Nearest: n}, nil
		})
	}
	long, n := strings.Repeat("x", 8<<10), 0
	for ; n < 5000; n++ {
		add(fmt.Sprint("http://example.com/", n%2000), fmt.Sprint(n, long))
	}
	all, unlisted := m.list()
	listed, size := int64(0), 0
	for _, d := range all {
		size += len(d.URL)
		for _, miss := range d.Misses {
			listed, size = listed+miss.Count, size+miss.size()
		}
	}
	if len(all) != maxDocuments || listed+unlisted != int64(n) || size > maxListed || listed < 1000 {
		t.Errorf("%d documents, %d misses of %d bytes listed, %d not", len(all), listed, size, unlisted)
	}
	for ; n < 3*maxMisses; n++ {
		add("", fmt.Sprint(n))
	}
	if m.listed > maxMisses || m.text > maxListed {
		t.Errorf("%d misses of %d bytes", m.listed, m.text)
	}
}
