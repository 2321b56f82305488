package replay

import (
	"fmt"
	"strings"
	"testing"

	"warcorder/store/replay/rules"
)

// TestRules: what changes by chance is left out, where nothing stricter finds a capture.
func TestRules(t *testing.T) {
	own, err := rules.Parse([]byte(`
- {name: busters, for: a test, known: here, query: {_: any, r: any}}
- {name: one, for: a test, known: here, query: {_: any}}
- {name: tokens, for: a test, known: here, body: {token: any}}
- {name: states, for: a test, known: here, body: {state: any}}
`))
	if err != nil {
		t.Fatal(err)
	}
	post := func(path, body, text string, at int) exchange {
		return exchange{method: "POST", url: "http://example.com/" + path, fields: formType, body: body,
			text: text, at: at}
	}
	long := strings.Repeat("s", 5000)
	r := archived(t, Config{Rules: own, Explain: true, At: minute(10)},
		exchange{url: "http://example.com/a?_=1", text: "1", at: 1},
		exchange{url: "http://example.com/a?_=2", text: "2", at: 9},
		exchange{url: "http://example.com/a?_=3", text: "3", at: 19},
		exchange{url: "http://example.com/b?r=1&_=1", text: "both", at: 1},
		exchange{url: "http://example.com/c", text: "bare", at: 1},
		exchange{url: "https://example.com/d?_=1", text: "d", at: 1,
			response: "HTTP/1.1 200 OK\nAccess-Control-Allow-Origin: *"},
		exchange{url: "http://example.com/e?_=1", text: "e", at: 1,
			response: "HTTP/1.1 302 F\nLocation: /e?_=2"},
		post("form", "token=1&name=x", "x", 1), post("form", "token=2&name=y", "y", 2),
		post("long", "state="+long+"1&page=1", "page 1", 1),
		post("long", "state="+long+"2&page=2", "page 2", 2))
	for _, c := range []struct {
		asked      exchange
		text, rule string
	}{
		{exchange{url: "http://example.com/a?_=2"}, "2", "exact"},
		{exchange{url: "http://example.com/a?_=4"}, "2", "busters"},
		{exchange{url: "http://example.com/a?_=4",
			fields: "Accept-Datetime: Wed, 04 Mar 2026 05:00:59 GMT\r\n"}, "1", "busters"},
		{exchange{url: "http://example.com/a?_=4&x=1"}, "", ""},
		{exchange{url: "http://example.com/b?r=2&_=2"}, "both", "busters"},
		{exchange{url: "http://example.com/c?_=1"}, "bare", "busters"},
		{exchange{url: "http://example.com/d?_=1"}, "d", "pywb"},
		{exchange{url: "https://example.com/d?_=2"}, "d", "busters"},
		{exchange{method: "POST", url: "http://example.com/a?_=2"}, "", ""},
		{exchange{url: "http://example.com/e?_=3"}, "e", "busters"},
		{exchange{url: "http://example.com/e?_=2"}, "", ""}, // the redirect leads to it
		{post("form", "token=3&name=x", "", 0), "x", "tokens"},
		{post("form", "token=3&name=z", "", 0), "", ""},
		{post("long", "state="+long+"3&page=1", "", 0), "page 1", "states"},
		{post("long", "state="+long+"3&page=2", "", 0), "page 2", "states"},
		{post("long", "state="+long+"3&page=3", "", 0), "page 2", "pywb"},
	} {
		answer, text := r.ask(c.asked)
		if rule := answer.first("X-Warcorder-Rule"); text != c.text || rule != c.rule {
			t.Errorf("%s %s %.100s: %q, found by %q; want %q by %q", c.asked.verb(), c.asked.target(),
				c.asked.body, text, rule, c.text, c.rule)
		}
	}
	answer, _ := r.ask(exchange{method: "HEAD", url: "http://example.com/a?_=4"})
	if answer.status() != "200" || answer.first("X-Warcorder-Rule") != "busters" {
		t.Errorf("HEAD: %s", answer)
	}
	answer, _ = r.ask(preflightOf("GET", "https://example.com/d?_=5", ""))
	if answer.status() != "204" {
		t.Errorf("a preflight: %s", answer)
	}
}

// TestBodiesBounded: of bodies that were sent to a URL no more are read for a request than a bound.
func TestBodiesBounded(t *testing.T) {
	set, err := rules.Parse([]byte("- {name: any, for: a test, known: here, body: {a: any}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	const size = 900 << 10
	sent := func(i int) exchange {
		return exchange{method: "POST", fields: "Content-Type: application/json\r\n", at: i,
			body: fmt.Sprintf(`{"a":%d,"b":"%s"}`, i, strings.Repeat(fmt.Sprint(i%10), size))}
	}
	r := archived(t, Config{Rules: set})
	const n = maxWeighed/size + 20
	for i := range n {
		r.add(sent(i))
	}
	r.settle()
	other := sent(n)
	other.body = `{"a":1,"b":"x"}`
	asked := r.asked(other)
	got, err := r.choose(asked)
	if err != nil || got.found() {
		t.Fatal(got, err)
	}
	if asked.weighed < maxWeighed || asked.weighed > maxWeighed+2*size {
		t.Errorf("%d bytes of bodies", asked.weighed)
	}
}

// TestRulesBounded: the rules of a request make no more captures be looked at than a bound.
func TestRulesBounded(t *testing.T) {
	own := ""
	for i := range 6 {
		own += fmt.Sprintf("- {name: rule%d, for: a test, known: here, query: {a%d: any}}\n", i, i)
	}
	set, err := rules.Parse([]byte(own))
	if err != nil {
		t.Fatal(err)
	}
	r := crowd(t, exchange{url: "http://example.com/?z=1"}, 2*maxUnder)
	r.cfg.Rules = set
	asked := r.asked(exchange{url: "http://example.com/?a0=1&a1=1&a2=1&a3=1&a4=1&a5=1&z=2"})
	got, err := r.choose(asked)
	if err != nil || got.found() {
		t.Fatal(got, err)
	}
	if asked.walked != maxWalked {
		t.Errorf("%d captures were walked over", asked.walked)
	}
}
