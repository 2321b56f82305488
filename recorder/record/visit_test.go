package record

import (
	"testing"
	"time"

	"warcorder/store"
)

// TestVisitWithoutFetchMetadata: what is told of the page by a client that sends no Sec-Fetch fields.
func TestVisitWithoutFetchMetadata(t *testing.T) {
	const (
		agent    = "User-Agent: Mozilla/5.0 (X11; Linux x86_64) Firefox/130.0\r\n"
		language = "Accept-Language: en\r\n"
		upgrades = "Upgrade-Insecure-Requests: 1\r\n"
		html     = "200 OK\r\nContent-Type: text/html\r\n"
		same     = "304 Not Modified\r\n"
		page     = store.HTML | store.OK
	)
	for name, test := range map[string]struct {
		request, response string
		want              store.Traits
	}{
		"a browser, a document":       {agent + language + upgrades, html, store.Browser | store.Upgrades | page},
		"one without a language":      {agent + upgrades, html, store.Browser | store.Upgrades | page},
		"a browser's script":          {language + agent, html, store.Browser | page},
		"a crawler":                   {"User-Agent: Wget/1.21\r\n", html, page},
		"a crawler with another name": {agent, html, page},
		"one that names another": {"User-Agent: Mozilla/5.0 (compatible; bot)\r\n" + language, html,
			page},
		"a document, not modified":  {agent + upgrades, same, store.Browser | store.Upgrades | page},
		"something, not modified":   {agent + language, same, store.Browser},
		"a crawler's, not modified": {"User-Agent: Wget/1.21\r\n" + upgrades, same, store.Upgrades},
		"a document that is not there": {agent + upgrades, "404 Not Found\r\nContent-Type: text/html\r\n",
			store.Browser | store.Upgrades | store.HTML},
		"with the fields, not modified": {agent + upgrades + "Sec-Fetch-Mode: navigate\r\n", same,
			store.Browser | store.Upgrades | store.Told | store.Navigates},
	} {
		m := RequestOf([]byte("GET / HTTP/1.1\r\n"+test.request+"\r\n"), Digester{})
		answer := ParseHead([]byte("HTTP/1.1 " + test.response + "\r\n"))
		c, _ := CaptureOf(new(store.Keyer), "http://a/", time.Unix(0, 0), m.Asked, &answer, false, "")
		if c.Visit.Traits != test.want {
			t.Errorf("%s: %b, want %b", name, c.Visit.Traits, test.want)
		}
	}
}
