package replay

import "testing"

// TestRedirects: a redirect that leads to what is asked for is no answer to it.
func TestRedirects(t *testing.T) {
	const moved, kept = "HTTP/1.1 301 Moved\nLocation: ", "HTTP/1.1 307 Moved\nLocation: "
	round := []exchange{ // / leads to /b, that to /c, and that to /
		{at: 1, text: "there"},
		{at: 2, response: moved + "/b", text: "a"},
		{at: 3, url: "http://example.com/b", response: moved + "/c", text: "b"},
		{at: 4, url: "http://example.com/c", response: moved + "/", text: "c"},
	}
	round = round[:len(round):len(round)]
	for _, c := range []struct {
		name     string
		captured []exchange
		asked    string
		method   string
		want     string
	}{
		{"to https", []exchange{{response: moved + "https://example.com/", text: "moved"}},
			"https://example.com/", "GET", whyItself},
		{"from http", []exchange{{response: moved + "https://example.com/", text: "moved"}},
			"http://example.com/", "GET", "moved"},
		{"to https, which is there", []exchange{
			{at: 1, url: "https://example.com/", text: "there"},
			{at: 2, response: moved + "https://example.com/", text: "moved"}},
			"https://example.com/", "GET", "there"},
		{"to www, as any spelling", []exchange{
			{response: moved + "http://www.example.com/", text: "moved"}},
			"https://example.com/", "GET", whyItself},
		{"to www, as recorded", []exchange{
			{response: moved + "http://www.example.com/", text: "moved"}},
			"http://example.com/", "GET", "moved"},
		{"to itself", []exchange{{response: moved + "/", text: "moved"}},
			"http://example.com/", "GET", whyItself},
		{"to itself with a fragment", []exchange{{response: moved + "#a", text: "moved"}},
			"http://example.com/", "GET", whyItself},
		{"to itself with a port", []exchange{{response: moved + "HTTP://EXAMPLE.com:80", text: "moved"}},
			"http://example.com/", "GET", whyItself},
		{"to itself with a cookie, after which it was there", []exchange{
			{at: 1, text: "there"}, {at: 2, response: moved + "/\nSet-Cookie: a=b", text: "moved"}},
			"http://example.com/", "GET", "there"},
		{"HEAD to itself", []exchange{{response: moved + "/", text: "moved"}},
			"http://example.com/", "HEAD", whyItself},
		{"elsewhere", []exchange{{response: moved + "/b", text: "moved"}},
			"http://example.com/", "GET", "moved"},
		{"to another order of arguments", []exchange{
			{url: "http://example.com/?b&a", response: moved + "/?a&b", text: "moved"}},
			"http://example.com/?b&a", "GET", "moved"},
		{"a form that leads to its page", []exchange{
			{method: "POST", response: moved + "/", text: "moved"}}, "http://example.com/", "POST", "moved"},
		{"a form that is to be sent again", []exchange{
			{method: "POST", response: kept + "/", text: "moved"}},
			"http://example.com/", "POST", whyItself},
		{"what is deleted and leads to its page", []exchange{
			{method: "DELETE", response: "HTTP/1.1 303 See\nLocation: /", text: "moved"}},
			"http://example.com/", "DELETE", "moved"},
		{"what is to be deleted again", []exchange{
			{method: "DELETE", response: moved + "/", text: "moved"}},
			"http://example.com/", "DELETE", whyItself},
		{"to itself, with an apostrophe", []exchange{
			{url: "http://example.com/?a=%27", response: moved + "/?a='", text: "moved"}},
			"http://example.com/?a=%27", "GET", whyItself},
		{"round, and later let in", round, "http://example.com/", "GET", "there"},
		{"round, from within", round, "http://example.com/b", "GET", "b"},
		{"round alone", round[1:], "http://example.com/", "GET", whyRound},
		{"round alone, from within", round[1:], "http://example.com/c", "GET", whyRound},
		{"to what goes round", append(round[1:], exchange{url: "http://example.com/d",
			response: moved + "/b", text: "d"}), "http://example.com/d", "GET", whyRound},
		{"round, but for a form", append(round[1:], exchange{method: "POST", url: "http://example.com/c",
			response: moved + "/b", text: "posted"}), "http://example.com/c", "POST", "posted"},
		{"to what is not there", round[1:2], "http://example.com/", "GET", "a"},
		{"nowhere", []exchange{{response: "HTTP/1.1 302 Found", text: "moved"}},
			"http://example.com/", "GET", "moved"},
		{"to itself, in escapes that are none", []exchange{
			{url: "http://example.com/%zz?%", response: moved + "/%zz?%", text: "moved"}},
			"http://example.com/%zz?%", "GET", whyItself},
		{"to itself, with backslashes", []exchange{
			{url: "http://example.com/a/b", response: moved + "\\\\example.com\\a\\b", text: "moved"}},
			"http://example.com/a/b", "GET", whyItself},
		{"to itself, with a blank and a password", []exchange{
			{url: "http://example.com/a b", response: moved + "http:// u:p@example.com:080/./a b",
				text: "moved"}},
			"http://example.com/a%20b", "GET", whyItself},
		{"to what is no URL", []exchange{{response: moved + "http://[", text: "moved"}},
			"http://example.com/", "GET", "moved"},
		{"300 leads nowhere", []exchange{{response: "HTTP/1.1 300 Choose\nLocation: /", text: "choose"}},
			"http://example.com/", "GET", "choose"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := archived(t, Config{}, c.captured...)
			got, err := r.choose(r.asked(exchange{method: c.method, url: c.asked}))
			if err != nil {
				t.Fatal(err)
			}
			text := r.textOf(&got)
			if !got.found() {
				text = got.missing(&asked{}).why
			}
			if text != c.want {
				t.Errorf("%q, want %q", text, c.want)
			}
		})
	}
}
