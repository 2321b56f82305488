package route

import (
	"strings"
	"testing"
)

// TestParse: each way is read as it is meant, and the text that names it has no password.
func TestParse(t *testing.T) {
	for _, c := range []struct{ text, host, want, kind string }{
		{"", "a.example", "direct", ""},
		{"direct", "a.example", "direct", ""},
		{"http://parent", "a.example", "http://parent:80", "http"},
		{"HTTPS://Parent.Example/", "a.example", "https://parent.example:443", "https"},
		{"socks5://127.0.0.1", "a.example", "socks5://127.0.0.1:1080", "socks5"},
		{"socks5h://[::1]:9050", "a.example", "socks5h://[::1]:9050", "socks5h"},
		{"http://u:p@parent:3128", "a.example", "http://parent:3128", "http"},
		{"http://u:p=w://x@parent:3128", "a.example", "", ""},
		{"*.onion=socks5h://127.0.0.1:9050", "x.onion", "socks5h://127.0.0.1:9050", "socks5h"},
		{"*.onion=socks5h://127.0.0.1:9050", "x.onion.", "socks5h://127.0.0.1:9050", "socks5h"},
		{".onion=socks5h://127.0.0.1:9050", "x.onion", "socks5h://127.0.0.1:9050", "socks5h"},
		{"*.onion=socks5h://127.0.0.1:9050", "a.example", "direct", ""},
		{"a.example=direct,http://p", "a.example", "direct", ""},
		{"a.example=direct, http://p", "b.example", "http://p:80", "http"},
		{"*.example=http://p,a.example=direct", "a.example", "http://p:80", "http"}, // the first counts
		{"[2001:db8::1]=http://p", "2001:db8:0::1", "http://p:80", "http"},
		{"*=http://p", "a.example", "http://p:80", "http"},
		{"http://a:1  socks5h://b:2 https://c", "a.example",
			"http://a:1 socks5h://b:2 https://c:443", "http > socks5h > https"},
		{"http://bücher.example", "a.example", "http://xn--bcher-kva.example:80", "http"},
	} {
		r, err := Parse(c.text)
		if c.want == "" {
			if err == nil {
				t.Errorf("%q is read", c.text)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		way := r.To(true, c.host, "443")
		if way.String() != c.want || way.Kind() != c.kind {
			t.Errorf("%q leads to %s by %q, %q; want %q, %q", c.text, c.host, way, way.Kind(), c.want,
				c.kind)
		}
	}
}

// TestParseErrors: what cannot be meant is refused, in words that name what is wrong and show no
// part of a password, wherever the mistake is.
func TestParseErrors(t *testing.T) {
	const secret = "s3cr"
	for text, want := range map[string]string{
		"proxy:3128":               "begins with http://",
		"ftp://proxy":              "begins with http://",
		"socks4://u:s3cr@proxy":    "begins with http://",
		"s3cr":                     "begins with http://",
		"http://":                  "no valid host",
		"http://u:s3cr@":           "no valid host",
		"http://u:s3cr@p:x":        "port is not a number",
		"http://u:s3cr:p":          "brackets",
		"http://u:s3cr/x@p:3128":   "%2F",
		"http://u:s3cr?x@p:3128":   "%3F",
		"http://u:s3cr#x@p:3128":   "%23",
		"http://u:s3cr%zz@p:3128":  "%25",
		"http://u%3As3cr:x@p:3128": "colon",
		"http://u:s3,s3cr@p:3128":  "comma",
		"http://u:x,s3cr=y@p:3128": "comma",
		"http://u:x,s3cr !=y@p":    "comma",
		"http://p/path":            "no path",
		"socks5://u@p":             "1 to 255 bytes",
		"socks5://:s3cr@p":         "1 to 255 bytes",
		"socks5://u:" + strings.Repeat("s3cr", 64) + "@p": "1 to 255 bytes",
		"a.example=":                         "no way is named",
		"=http://p":                          "pattern",
		"a.example=direct,x s3cr!=http://p":  "number 2",
		"a b=http://p":                       "pattern",
		"a.example:80=http://p":              "pattern",
		"direct http://p":                    "stands alone",
		"http://p direct":                    "proxy 2 of 2",
		"http://p,":                          "number 2 of the ways",
		"http://a_%zz:80":                    "neither a name nor an address",
		strings.Repeat("http://p ", 9):       "more than 8",
		"http://[::1":                        "brackets",
		"http://p:0":                         "port",
		"http://p:99999":                     "port",
		"http://p,a.example=direct":          "number 1 of the ways is for all hosts",
		"a.example=direct,*=http://p,direct": "number 2 of the ways is for all hosts",
	} {
		_, err := Parse(text)
		if err == nil {
			t.Errorf("%q is read", text)
			continue
		}
		if strings.Contains(err.Error(), secret) {
			t.Errorf("%q: the error shows it: %v", text, err)
		}
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want %q", text, err, want)
		}
	}
}

// TestCredentials: they are decoded, and a way knows that it has some.
func TestCredentials(t *testing.T) {
	r, err := Parse("http://first socks5://us%40er:p%3Aass%2C%3D@p:1")
	if err != nil {
		t.Fatal(err)
	}
	way := r.To(false, "a", "80")
	if h := way.last(); h.user != "us@er" || h.password != "p:ass,=" || !way.IsAuthenticated() {
		t.Errorf("%q %q %t", h.user, h.password, way.IsAuthenticated())
	}
	r, _ = Parse("http://Aladdin:open%20sesame@p")
	if got := r.To(false, "a", "80").Authorization(); got != "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==" {
		t.Errorf("%q", got) // RFC 7617 section 2
	}
}

// FuzzParse: no text makes the parser fail, and what it reads is named without its password.
func FuzzParse(f *testing.F) {
	f.Add("*.onion=socks5h://127.0.0.1:9050,http://u:p@x:1 https://y")
	f.Fuzz(func(t *testing.T, text string) {
		r, err := Parse(text)
		if err != nil {
			return
		}
		for _, way := range r.Ways() {
			if strings.Contains(way.String(), "@") || len(way.hops) > maxHops {
				t.Errorf("%q: %q", text, way)
			}
		}
	})
}
