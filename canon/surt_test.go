package canon

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// vector is one line of testdata/ref_surt.json, what the reference
// implementations gave for a URL.
type vector struct {
	ID    string `json:"id"`
	Level string `json:"level"`
	URL   string `json:"url"`
	Key   string `json:"surt_pywb"`
}

func readVectors(t testing.TB) []vector {
	t.Helper()
	data, err := os.ReadFile("testdata/ref_surt.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Meta    struct{ Count int }
		Vectors []vector
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Vectors) == 0 || len(file.Vectors) != file.Meta.Count {
		t.Fatalf("read %d vectors of %d", len(file.Vectors), file.Meta.Count)
	}
	return file.Vectors
}

func TestSURTVectors(t *testing.T) {
	advisory, same := 0, 0
	for _, v := range readVectors(t) {
		key, ok := SURT(v.URL)
		if v.Level != "required" {
			advisory++
			if ok && key == v.Key {
				same++
			} else {
				t.Logf("advisory %s: SURT(%+q) = %q, reference %q", v.ID, v.URL, key, v.Key)
			}
			continue
		}
		t.Run(v.ID, func(t *testing.T) {
			if !ok || key != v.Key {
				t.Errorf("SURT(%+q) = %q, %v, want %q", v.URL, key, ok, v.Key)
			}
		})
	}
	t.Logf("advisory: %d of %d as the reference", same, advisory)
}

func TestSURT(t *testing.T) {
	const session = "0123456789abcdefghijklmnopqrstuv"
	tests := []struct{ name, url, want string }{
		{"white space alone", " \t\n", "http:"},
		{"breaks inside", "ht\ntp://exa\rmple.com/\ta", "com,example)/a"},
		{"host and port are a scheme", "example.com:8080/", "example.com:8080"},
		{"no scheme", "//example.com/x", "com,example)/x"},
		{"host in the path", "http:/example.com/x", "com,example)/x"},
		{"no host, empty path, query", "mailto:?subject=x", "mailto:/?subject=x"},
		{"no host, query was a session", "foo:?sid=" + session, "foo:"},
		{"user information with @", "http://u:p@ss@example.com/", "com,example)/"},
		{"port without digits", "http://example.com:::/", "com,example)/"},
		{"port with zeros", "https://example.com:0000443/", "com,example)/"},
		{"port behind brackets", "http://[2001:DB8::1]:8080/", "2001:db8::1:8080)/"},
		{"IPv6 with dots", "http://[::ffff:1.2.3.4]/", "4,3,2,::ffff:1)/"},
		{"escaped www", "http://%77ww.example.com/", "com,example)/"},
		{"www of a name server", "dns://www.example.com/", "com,example,www)/"},
		{"octal address", "http://0177.0.0.01/", "1,0,0,127)/"},
		{"short address", "http://127.1/", "1,0,0,127)/"},
		{"short address too large", "http://1.16777216/", "16777216,1)/"},
		{"number as address", "http://4294967297/", "1,0,0,0)/"},
		{"not octal", "http://08.1/", "1,08)/"},
		{"not octal later", "http://0.1.9/", "9,1,0)/"},
		{"hexadecimal is a name", "http://0x7f.1/", "1,0x7f)/"},
		{"five numbers", "http://1.2.3.4.5/", "5,4,3,2,1)/"},
		{"ideographic dot", "http://www\u3002b\u00fccher\uff0ech/", "ch,xn--bcher-kva)/"},
		{"not UTF-8", "http://b%FF\u00fccher.ch/", "ch,xn--bcher-kva)/"},
		{"only not UTF-8", "http://%FF/", "http:/"},
		{"no ASCII form", "http://\u00dc..ch/", "ch,%c3%9c)/"},
		{
			"label too long",
			"http://" + strings.Repeat("\u00fc", 60) + ".ch/",
			"ch," + strings.Repeat("%c3%bc", 60) + ")/",
		},
		{"mixed directions", "http://\u05d0a.example/", "example,%d7%90a)/"},
		{"right to left", "http://\u05d0\u05d1.example/", "example,xn--4dbc)/"},
		{"prohibited", "http://\ue000.example/", "example,%ee%80%80)/"},
		{"soft hyphen", "http://a\u00adb.example/", "example,ab)/"},
		{"not an A-label", "http://xn--\u00fc.example/", "example,xn--%c3%bc)/"},
		{"dots past the root", "http://example.com/../../../a", "com,example)/../a"},
		{"dots over an empty segment", "http://example.com/a//../b", "com,example)/a/b"},
		{"escaped dots and slashes", "http://example.com/a%2F%2e%2e%2Fb", "com,example)/b"},
		{"no dots without a host", "urn:a/../b//", "urn:a/../b/"},
		{
			"session segment",
			"http://example.com/(4hqa0555fwsecu455xqckv45)/b/c.aspx",
			"com,example)/b/c.aspx",
		},
		{
			"session segments",
			"http://example.com/(A(4hqa0555fwsecu455xqckv45)F(4hqa0555fwsecu455xqckv45))/c.aspx",
			"com,example)/c.aspx",
		},
		{
			"session without a page",
			"http://example.com/(4hqa0555fwsecu455xqckv45)/.aspx",
			"com,example)/(4hqa0555fwsecu455xqckv45)/.aspx",
		},
		{
			"page behind a question mark",
			"http://example.com/(4hqa0555fwsecu455xqckv45)/%3Fc.aspx",
			"com,example)/(4hqa0555fwsecu455xqckv45)/?c.aspx",
		},
		{"session inside a name", "http://example.com/?xsid=" + session + "&a", "com,example)/?xa"},
		{
			"session too long",
			"http://example.com/?sid=" + session + "w",
			"com,example)/?sid=" + session + "w",
		},
		{
			"last session only",
			"http://example.com/?xsid=" + session + "&sid=" + session,
			"com,example)/?&xsid=" + session,
		},
		{
			"ASP session",
			"http://example.com/?ASPSESSIONIDABCDEFGH=abcdefghijklmnopqrstuvwx&a",
			"com,example)/?a",
		},
		{"ColdFusion session", "http://example.com/?b=1&cfid=1&cftoken=2&a=1", "com,example)/?a=1&b=1"},
		{
			"ColdFusion session, the last",
			"http://example.com/?cfid=1&cftoken=2&cfid=3&cftoken=4",
			"com,example)/?&cfid=1&cftoken=2",
		},
		{
			"ColdFusion session, empty",
			"http://example.com/?cfid=&cftoken=2",
			"com,example)/?cfid=&cftoken=2",
		},
		{"query was a session", "http://example.com/?jsessionid=" + session, "com,example)/"},
		{
			"arguments without =",
			"http://example.com/?b=&b&b=1&a-b=1&a=2",
			"com,example)/?a=2&a-b=1&b&b=&b=1",
		},
		{
			"many arguments",
			"http://example.com/?" + strings.Repeat("b&a=1&", 40),
			"com,example)/?" + strings.Repeat("&a=1", 40) + strings.Repeat("&b", 40),
		},
		{"deeply escaped", "http://example.com/%" + strings.Repeat("25", 40000) + "41", "com,example)/a"},
		{"escape made of escapes", "http://example.com/%%34%31", "com,example)/a"},
		{
			"longer than the stack's room",
			"http://example.com/" + strings.Repeat("\u00fc", 2000),
			"com,example)/" + strings.Repeat("%c3%bc", 2000),
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if key, ok := SURT(tt.url); !ok || key != tt.want {
				t.Errorf("SURT(%+q) = %q, %v, want %q", tt.url, key, ok, tt.want)
			}
		})
	}
}

// TestSURTErrors: a URL that cannot be parsed is its own key, and that is said.
func TestSURTErrors(t *testing.T) {
	for _, url := range []string{
		"http://example.com:65536/", "http://example.com:x/A?b&a#c", "http://example.com:80:80/",
		"http://example.com:-1/", "http://example.com:%38%30/", "http://[::1]:99999999999999999999/",
		" HTTP://:y/ ", "foo://:70000",
	} {
		if key, ok := SURT(url); ok || key != url {
			t.Errorf("SURT(%q) = %q, %v, want it unchanged, false", url, key, ok)
		}
	}
}

func TestSURTAllocates(t *testing.T) {
	for _, u := range typical {
		allocations := testing.AllocsPerRun(10, func() { SURT(u.url) })
		if allocations > 3 && u.name != "idn" {
			t.Errorf("%s: %v allocations, want 3 at most", u.name, allocations)
		}
	}
}
