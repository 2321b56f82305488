package replay

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestChoose: of the captures of a URL key the one that answers.
func TestChoose(t *testing.T) {
	const of = "HTTP/1.1 200 OK\nETag: "
	const part = "HTTP/1.1 206 Partial\nContent-Range: bytes 0-3/10\nETag: "
	post := func(at int, body, text string) exchange {
		const typed = "Content-Type: text/x\r\n"
		return exchange{method: "POST", body: body, fields: typed, text: text, at: at}
	}
	for _, c := range []struct {
		name     string
		at       time.Time
		captured []exchange
		asked    exchange
		want     string // text of the whole, or of the parts, with + between them
		why      string // if there is nothing
	}{
		{name: "the latest", want: "3",
			captured: []exchange{{at: 1, text: "1"}, {at: 3, text: "3"}, {at: 2, text: "2"}}},
		{name: "the nearest", at: minute(2).Add(29 * time.Second), want: "2",
			captured: []exchange{{at: 1, text: "1"}, {at: 2, text: "2"}, {at: 3, text: "3"}}},
		{name: "of two as near the later", at: minute(2), want: "3",
			captured: []exchange{{at: 1, text: "1"}, {at: 3, text: "3"}}},
		{name: "long before all", at: minute(-1e6), want: "1",
			captured: []exchange{{at: 1, text: "1"}, {at: 3, text: "3"}}},
		{name: "an error as recorded", want: "503",
			captured: []exchange{{at: 1, text: "1"}, {at: 2, response: "HTTP/1.1 503 No", text: "503"}}},
		{name: "the same URL before a nearer one of the key", want: "https",
			asked: exchange{url: "https://example.com/"}, captured: []exchange{
				{at: 1, url: "https://example.com/", text: "https"}, {at: 2, text: "http"},
				{at: 3, url: "https://www.example.com/", text: "www"}}},
		{name: "the same site before the same host", want: "order",
			asked: exchange{url: "https://example.com/?a=1&b=2"}, captured: []exchange{
				{at: 1, url: "https://example.com/?b=2&a=1", text: "order"},
				{at: 2, url: "http://example.com/?a=1&b=2", text: "scheme"},
				{at: 3, url: "https://www.example.com/?a=1&b=2", text: "www"}}},
		{name: "the same host before another", want: "scheme",
			asked: exchange{url: "https://example.com/"}, captured: []exchange{{at: 1, text: "scheme"},
				{at: 2, url: "https://www.example.com/", text: "www"}}},
		{name: "another spelling before nothing", want: "www",
			asked:    exchange{url: "https://example.com/"},
			captured: []exchange{{url: "https://www.example.com/", text: "www"}}},
		{name: "a whole before parts", want: "old", captured: []exchange{{at: 1, text: "old"},
			{at: 2, response: part + `"a"`, text: "part"}, {at: 3, text: "cut", truncated: "disconnect"}}},
		{name: "an error before parts", want: "no", captured: []exchange{
			{at: 1, response: "HTTP/1.1 404 No", text: "no"},
			{at: 2, response: part + `"a"`, text: "part"}}},
		{name: "parts of the nearest entity first", want: "3+cut+1+2", captured: []exchange{
			{at: 1, response: part + `"a"`, text: "1"}, {at: 2, response: part + `"b"`, text: "2"},
			{at: 4, response: part + `"a"`, text: "3"},
			{at: 3, response: of + `"a"`, text: "cut", truncated: "length"}}},
		{name: "parts of the entity that is whole first", want: "0123456789+1+2", captured: []exchange{
			{at: 1, response: part + `"a"`, text: "1"}, {at: 3, response: part + `"b"`, text: "2"},
			{at: 2, response: "HTTP/1.1 206 P\nETag: \"a\"\nContent-Range: bytes 0-9/10",
				text: "0123456789"}}},
		{name: "parts of the same URL", want: "s", asked: exchange{url: "https://example.com/"},
			captured: []exchange{{at: 1, url: "https://example.com/", response: part + `"a"`, text: "s"},
				{at: 2, response: part + `"a"`, text: "t"}}},
		{name: "what is cut before nothing", want: "cut",
			captured: []exchange{{at: 1, text: "cut", truncated: "time"}}},
		{name: "a part before a cut error", want: "p", captured: []exchange{
			{at: 1, response: part + `"a"`, text: "p"},
			{at: 2, response: "HTTP/1.1 500 No", text: "cut", truncated: "time"}}},
		{name: "a cut error before nothing", want: "cut", captured: []exchange{
			{at: 2, response: "HTTP/1.1 500 No", text: "cut", truncated: "time"}}},
		{name: "a redirect whose body is cut is whole", want: "moved", captured: []exchange{
			{at: 1, text: "1"},
			{at: 2, response: "HTTP/1.1 302 F\nLocation: /x", text: "moved", truncated: "disconnect"}}},
		{name: "304s never", want: "old", captured: []exchange{
			{at: 1, text: "old"}, {at: 2, response: "HTTP/1.1 304 Not Modified"}}},
		{name: "nothing but 304s", why: whyNotModified,
			captured: []exchange{{at: 2, response: "HTTP/1.1 304 Not Modified"}}},
		{name: "101 never", why: whyFrames,
			captured: []exchange{{response: "HTTP/1.1 101 Switching Protocols\nUpgrade: websocket"}}},
		{name: "416 after parts", want: "part", captured: []exchange{
			{at: 1, response: part + `"a"`, text: "part"},
			{at: 2, response: "HTTP/1.1 416 No", text: "416"}}},
		{name: "416 before nothing", want: "416",
			captured: []exchange{{at: 2, response: "HTTP/1.1 416 No", text: "416"}}},
		{name: "416 of the URL that is asked for", want: "416", captured: []exchange{
			{at: 1, response: "HTTP/1.1 416 No", text: "416"},
			{at: 2, url: "http://www.example.com/", response: "HTTP/1.1 416 No", text: "www"}}},
		{name: "HEAD of HEAD", want: "head", asked: exchange{method: "HEAD"}, captured: []exchange{
			{at: 1, method: "HEAD", text: "head"}, {at: 2, text: "get"}}},
		{name: "HEAD of GET", want: "get", asked: exchange{method: "HEAD"},
			captured: []exchange{{text: "get"}}},
		{name: "GET never of HEAD", why: whyNotCaptured, captured: []exchange{{method: "HEAD"}}},
		{name: "OPTIONS never of GET", why: whyNotCaptured, asked: exchange{method: "OPTIONS"},
			captured: []exchange{{text: "get"}}},
		{name: "POST never of GET", why: whyNotCaptured, asked: exchange{method: "POST"},
			captured: []exchange{{text: "get"}}},
		{name: "a method's case", why: whyNotCaptured, asked: exchange{method: "Post", body: "x"},
			captured: []exchange{{method: "POST", body: "x"}}},
		{name: "a GET that looks like a POST", why: whyNotCaptured,
			asked: exchange{method: "POST"}, captured: []exchange{
				{url: "http://example.com/?__wb_method=POST", text: "get"}}},
		{name: "the same body before one that is cut to the same", want: "1",
			asked: post(0, strings.Repeat("a", 5000)+"1", ""), captured: []exchange{
				post(1, strings.Repeat("a", 5000)+"1", "1"), post(2, strings.Repeat("a", 5000)+"2", "2")}},
		{name: "what is cut to the same before nothing", want: "2",
			asked: post(0, strings.Repeat("a", 5000)+"1", ""), captured: []exchange{
				post(2, strings.Repeat("a", 5000)+"2", "2")}},
		{name: "a POST cut short", want: "cut", asked: post(0, "b", ""), captured: []exchange{
			{method: "POST", body: "b", fields: "Content-Type: text/x\r\n", text: "cut",
				truncated: "time"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := archived(t, Config{At: c.at}, c.captured...)
			got, err := r.choose(r.asked(c.asked))
			if err != nil {
				t.Fatal(err)
			}
			if text := r.textOf(&got); text != c.want {
				t.Errorf("%q, want %q", text, c.want)
			}
			if !got.found() && got.missing(&asked{}).why != c.why {
				t.Errorf("missing as %q, want %q", got.missing(&asked{}).why, c.why)
			}
		})
	}
}

// textOf is the text of what was chosen. It closes it.
func (r *recording) textOf(c *choice) string {
	r.t.Helper()
	if c.whole != nil {
		defer c.close()
		return r.read(c.response.Body)
	}
	var all []string
	for i := range c.parts {
		response, err := r.files.Response(&c.parts[i])
		if err != nil {
			r.t.Fatal(err)
		}
		all = append(all, r.read(response.Body))
		response.Close()
	}
	return strings.Join(all, "+")
}

// TestExactParts: a part of the URL that is asked for is found by it, as a whole is.
func TestExactParts(t *testing.T) {
	r := archived(t, Config{Explain: true})
	const part = "HTTP/1.1 206 Partial\nETag: \"a\"\nContent-Range: bytes 0-3/10"
	r.add(exchange{response: part, text: "0123"})
	r.settle()
	answer, text := r.ask(exchange{fields: "Range: bytes=0-3\r\n"})
	if text != "0123" || answer.first("X-Warcorder-Rule") != ruleExact {
		t.Errorf("%s%s", answer, text)
	}
}

// TestChooseForm: with the key form, spellings of a data set are the same, of one URL alone.
func TestChooseForm(t *testing.T) {
	r := archivedWith(t, Config{Explain: true}, formKeys,
		exchange{method: "POST", fields: formType, body: "a=1&b=%61", text: "posted"},
		exchange{method: "POST", url: "http://example.com/json?a=1",
			fields: "Content-Type: application/json\r\n", body: "{}", text: "json"},
		exchange{url: "http://example.com/q?a=1&b=x%20y", text: "got"})
	for _, c := range []struct {
		asked      exchange
		text, rule string
	}{
		{exchange{method: "POST", fields: formType, body: "a=1&b=a"}, "posted", ruleQuery},
		{exchange{method: "POST", fields: formType, body: "a=1;b=%61"}, "posted", ruleForm},
		{exchange{method: "PUT", fields: formType, body: "a=1;b=%61"}, "", ""},
		{exchange{method: "POST", url: "http://example.com/other", fields: formType, body: "a=1;b=%61"},
			"", ""},
		{exchange{method: "POST", url: "http://example.com/json?a=1",
			fields: "Content-Type: application/json\r\n", body: `{"c":1}`}, "", ""},
		{exchange{url: "http://example.com/q?a=1;b=x+y"}, "got", ruleForm},
		{exchange{url: "http://example.com/r?a=1;b=x+y"}, "", ""},
	} {
		answer, text := r.ask(c.asked)
		if rule := answer.first("X-Warcorder-Rule"); text != c.text || rule != c.rule {
			t.Errorf("%s %s %s: %q, found by %q", c.asked.verb(), c.asked.target(), c.asked.body, text, rule)
		}
	}
}

// TestRevisits: a revisit is what it stands for, in whatever file its original lies.
func TestRevisits(t *testing.T) {
	body := strings.Repeat("body ", 1000)
	r := archived(t, Config{At: minute(2), Explain: true}, exchange{at: 1, text: body},
		exchange{at: 2, response: "HTTP/1.1 200 OK\nX: revisit", text: body},
		exchange{at: 4, response: "HTTP/1.1 200 OK\nX: later", text: body})
	answer, text := r.ask(exchange{})
	if text != body || answer.first("X") != "revisit" {
		t.Errorf("a revisit: %s, %d bytes", answer, len(text))
	}
	var kinds []string
	captures(t, r.index, "http://example.com/", &kinds)
	if got := fmt.Sprint(kinds); got != "[ warc/revisit warc/revisit]" {
		t.Errorf("captures of the kinds %s", got)
	}
}
