package har

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

// TestParseHead reads heads with whatever stands in them.
func TestParseHead(t *testing.T) {
	for _, c := range []struct {
		name, head string
		start      [3]string
		fields     []field
	}{
		{name: "usual", head: "HTTP/1.1 200 OK\r\nA: b\r\na:c \r\n\r\n",
			start: [3]string{"HTTP/1.1", "200", "OK"}, fields: []field{{"A", "b"}, {"a", "c"}}},
		{name: "no reason", head: "HTTP/1.1 204\r\n\r\n", start: [3]string{"HTTP/1.1", "204", ""}},
		{name: "long reason", head: "HTTP/1.0  404  Not here \n\n",
			start: [3]string{"HTTP/1.0", "404", "Not here"}},
		{name: "folds", head: "GET /a HTTP/1.1\nA: b\n  c\r\n\td\nE:\n f\n\n",
			start: [3]string{"GET", "/a", "HTTP/1.1"}, fields: []field{{"A", "b c d"}, {"E", "f"}}},
		{name: "odd lines", head: "GET / HTTP/1.1\r\n fold\r\nnone\r\n: empty\r\nA : b:c\r\nX:\r\n\r\n",
			start: [3]string{"GET", "/", "HTTP/1.1"}, fields: []field{{"A", "b:c"}, {"X", ""}}},
		{name: "no end", head: "GET / HTTP/1.1\r\nA: b",
			start: [3]string{"GET", "/", "HTTP/1.1"}, fields: []field{{"A", "b"}}},
		{name: "behind the end", head: "GET / HTTP/1.1\r\n\r\nA: b",
			start: [3]string{"GET", "/", "HTTP/1.1"}},
		{name: "nothing"},
	} {
		h := parseHead([]byte(c.head))
		if h.start != c.start || !reflect.DeepEqual(h.fields, c.fields) {
			t.Errorf("%s: %q", c.name, h)
		}
	}
}

// TestHeadIsLinear: a head of many folds, cookies and arguments takes a moment.
func TestHeadIsLinear(t *testing.T) {
	many := strings.Repeat("a=b;&", 200<<10)
	folds := strings.Repeat("\r\n x", 300<<10)
	h := parseHead([]byte("GET / HTTP/1.1\r\nCookie: " + many + folds + "\r\n\r\n"))
	if n := len(h.fields); n != 1 || len(h.fields[0].value) < len(many) {
		t.Errorf("%d fields", n)
	}
	if n := len(sentCookies(&h)); n != mostCookies {
		t.Errorf("%d cookies", n)
	}
	const part = "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n\r\n"
	form := []byte(strings.Repeat(part, mostArguments+5) + "--b--\r\n")
	if n := len(paramsOf("multipart/form-data; boundary=b", form)); n != mostArguments {
		t.Errorf("%d parts", n)
	}
	if n := len(arguments("http://example.com/?" + many)); n != mostArguments {
		t.Errorf("%d arguments", n)
	}
}

// TestSentCookies takes cookies apart, those too that are no good ones.
func TestSentCookies(t *testing.T) {
	h := parseHead([]byte("GET / HTTP/1.1\r\nCookie: a=b; c=\"d e\";;=x; y ;j={\"k\":\"l=m\"}\r\n" +
		"Set-Cookie: no=one\r\ncookie: n=\xe9\r\n\r\n"))
	want := []cookie{{Name: "a", Value: "b"}, {Name: "c", Value: `"d e"`}, {Value: "x"}, {Value: "y"},
		{Name: "j", Value: `{"k":"l=m"}`}, {Name: "n", Value: "é"}}
	if got := sentCookies(&h); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
}

// TestSetCookie reads what a response sets.
func TestSetCookie(t *testing.T) {
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	const dated = "2015-10-21T07:28:00.000Z"
	for value, want := range map[string]cookie{
		"a=b":  {Name: "a", Value: "b"},
		"a":    {Value: "a"},
		"=":    {},
		"a= b": {Name: "a", Value: "b"},
		"a=b; Path=/x; Domain=.example.com; Secure; HTTPOnly; SameSite=Lax; Other=1": {Name: "a",
			Value: "b", Path: "/x", Domain: ".example.com", Secure: true, HTTPOnly: true, SameSite: "Lax"},
		"a=b;expires=Wed, 21 Oct 2015 07:28:00 GMT":            {Name: "a", Value: "b", Expires: dated},
		"a=b;Expires=Wed, 21-Oct-2015 07:28:00 GMT":            {Name: "a", Value: "b", Expires: dated},
		"a=b;Expires=Wednesday, 21-Oct-15 07:28:00 GMT":        {Name: "a", Value: "b", Expires: dated},
		"a=b;Expires=soon":                                     {Name: "a", Value: "b"},
		"a=b;Max-Age=60;Expires=Wed, 21 Oct 2015 07:28:00 GMT": {Name: "a", Value: "b", Expires: "2026-03-04T05:07:07.000Z"},
		"a=b;max-age=-1":                                       {Name: "a", Value: "b", Expires: "2026-03-04T05:06:07.000Z"},
		"a=b;max-age=9223372036854775807":                      {Name: "a", Value: "b", Expires: "2126-02-08T05:06:07.000Z"},
		"a=b;max-age=x":                                        {Name: "a", Value: "b"},
	} {
		if got := setCookie(value, at); got != want {
			t.Errorf("%s: %+v", value, got)
		}
	}
}

// TestArguments takes queries apart as URLSearchParams does.
func TestArguments(t *testing.T) {
	for address, want := range map[string]string{
		"http://example.com/":                     "[]",
		"http://example.com/?":                    "[]",
		"http://example.com/#?a=b":                "[]",
		"http://example.com/?a=b&a=c&d&=e&&f=g=h": "[{a b } {a c } {d  } { e } {f g=h }]",
		"http://example.com/?a+b=%C3%A9%26#c=d":   "[{a b é& }]",
		"http://example.com/?a=%E9&b=%zz%41%4+%":  "[{a é } {b %zzA%4 % }]",
	} {
		if got := fmt.Sprint(arguments(address)); got != want {
			t.Errorf("%s: %s", address, got)
		}
	}
}

// TestParams takes forms apart.
func TestParams(t *testing.T) {
	const parts = "--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nb\xe9\r\n--x\r\n" +
		"Content-Disposition: form-data; name=\"c\"; filename=\"d.png\"\r\nContent-Type: image/png\r\n\r\n" +
		"\x89PNG\r\n--x--\r\n"
	for _, c := range []struct{ kind, body, want string }{
		{"application/x-www-form-urlencoded", "a=b&c=+", "[{a b  } {c    }]"},
		{"Application/X-WWW-form-urlencoded; charset=UTF-8", "a=b", "[{a b  }]"},
		{"application/x-www-form-urlencoded; charset", "a=b", "[{a b  }]"},
		{"multipart/form-data; boundary=x", parts, "[{a bé  } {c  d.png image/png}]"},
		{"multipart/form-data; boundary=x", parts[:40], "[]"},
		{"multipart/form-data", parts, "[]"},
		{"multipart/form-data; boundary=x; " + strings.Repeat("y", mostType), parts, "[]"},
		{"text/plain", "a=b", "[]"},
		{"", "a=b", "[]"},
	} {
		if got := fmt.Sprint(paramsOf(c.kind, []byte(c.body))); got != c.want {
			t.Errorf("%s: %s", c.kind, got)
		}
	}
}
