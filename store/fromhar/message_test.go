package fromhar

import (
	"strings"
	"testing"
)

// TestTarget: a request line has the address as the browser has sent it.
func TestTarget(t *testing.T) {
	for address, want := range map[string]string{
		"https://a.example":                   "/",
		"https://a.example?x":                 "/?x",
		"https://u@a.example:81/#/x":          "/",
		"https://a.example/a|b?f[a]=1|2^{}`#": "/a|b?f[a]=1|2^{}`",
		`https://a.example/100%"\`:            `/100%"\`,
		"https://a.example/ö /\r\n?\x7f":      "/%C3%B6%20/%0D%0A?%7F",
	} {
		if got := targetOf(address); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
	request := `{"method":"GET","url":"https://a.example/a|b?f[a]=1|2","headers":[]}`
	m, err := makeOf(t, logOf(entryOf(request, `{"status":200,"content":{"size":1,"text":"x"}}`)), nil)
	if err != nil || len(m.blocks) != 3 ||
		m.blocks[2] != "GET /a|b?f[a]=1|2 HTTP/1.1\r\nHost: a.example\r\n\r\n" {
		t.Errorf("%q, %v", m.blocks, err)
	}
}

// TestOurs: in a HAR of ours no text was decoded: its charset stays.
func TestOurs(t *testing.T) {
	entry := entryOf(get, `{"status":200,"headers":[{"name":"Content-Type","value":"text/html; charset=koi8-r"}],`+
		`"content":{"size":2,"text":"ö"}}`)
	har := strings.Replace(logOf(entry), `"Test"`, `"warcorder"`, 1)
	m, err := makeOf(t, har, nil)
	if err != nil || len(m.blocks) != 3 || !strings.Contains(m.blocks[1], "charset=koi8-r\r\n") {
		t.Errorf("%q, %v", m.blocks, err)
	}
}
