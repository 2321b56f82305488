package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"time"

	"warcorder/canon"
	"warcorder/store"
)

// captureFor makes the capture of a request that was answered with 200.
func captureFor(t *testing.T, keyer *store.Keyer, url, request string) store.Capture {
	t.Helper()
	m := RequestOf([]byte(request), Digester{})
	answer := ParseHead([]byte("HTTP/1.1 200 OK\r\n\r\n"))
	c, _ := CaptureOf(keyer, url, time.Unix(0, 0), m.Asked, &answer, false, "sha1:X")
	return c
}

func TestKeysOfRequestBodies(t *testing.T) {
	const json = "Content-Type: application/json\r\n"
	for name, c := range map[string]struct{ request, urlkey, body, spec, warciojs string }{
		"GET with a body": {postOf("GET", "Content-Length: 3\r\n", "a=b"),
			"com,example)/form?q=1", "", "", ""},
		"JSON": {postOf("POST", json, `{"a":1.0,"b":[true,"x y"]}`),
			"com,example)/form?__wb_method=post&a=1&b=true&b.2_=x+y&q=1", "a=1&b=true&b.2_=x+y",
			"&a=1&b=true&b.2_=x+y", "a=1&b=true&b.2_=x+y"},
		"chunked JSON": {postOf("PUT", json+"Transfer-Encoding: chunked\r\n",
			"4;x=y\r\n{\"a\"\r\n3\r\n:1}\r\n0\r\nT: x\r\n\r\n"), "com,example)/form?__wb_method=put&a=1&q=1",
			"a=1", "&a=1", "a=1"},
		"form": {postOf("POST", "Content-Type: application/x-www-form-urlencoded\r\n",
			"a=%26b&c=d"), "com,example)/form?__wb_method=post&a=&b&c=d&q=1", "a=&b&c=d",
			"&__wb_post_data=a%3D%26b%26c%3Dd", "a=%26b&c=d"},
		"without a type": {postOf("POST", "Content-Length: 3\r\n", "a=b"),
			"com,example)/form?__wb_method=post&__wb_post_data=yt1i&q=1", "__wb_post_data=YT1i",
			"&__wb_post_data=YT1i", "__wb_post_data=YT1i"},
		"DELETE": {postOf("DELETE", json, `{"a":1}`),
			"com,example)/form?__wb_method=delete&q=1", "", "&a=1", "a=1"},
		"a broken chunk": {postOf("POST", json+"Transfer-Encoding: chunked\r\n",
			"7\r\n{\"a\":1}\r\nzz"), "com,example)/form?__wb_method=post&a=1&q=1", "a=1", "&a=1", "a=1"},
		"broken JSON": {postOf("POST", json, `{"a"`), "com,example)/form?__wb_method=post&q=1",
			"", "", ""},
		"method as it was": {postOf("pOsT", json, `{"a":1}`),
			"com,example)/form?__wb_method=post&a=1&q=1", "a=1", "&a=1", "a=1"},
	} {
		t.Run(name, func(t *testing.T) {
			got := captureFor(t, &store.Keyer{}, "http://example.com/form?q=1", c.request)
			if got.URLKey != c.urlkey || got.RequestBody != c.body {
				t.Errorf("urlkey %q, request body %q; want %q and %q", got.URLKey, got.RequestBody, c.urlkey,
					c.body)
			}
			if strings.TrimPrefix(got.SpecBody, "&") != strings.TrimPrefix(c.spec, "&") ||
				got.WarcioJSBody != c.warciojs {
				t.Errorf("spec %q, warciojs %q; want %q and %q", got.SpecBody, got.WarcioJSBody, c.spec,
					c.warciojs)
			}
			url := canon.Pywb.Append(got.URL, got.Method, got.RequestBody)
			if key, _ := canon.SURT(url); key != got.URLKey {
				t.Errorf("the line's own fields give %q", key)
			}
		})
	}
}

// TestKeysOfALongBody: above canon.MaxBody it counts as binary, by its beginning and, in the
// dialect spec, its SHA-256.
func TestKeysOfALongBody(t *testing.T) {
	body := []byte(`{"a":"` + strings.Repeat("x", canon.MaxBody) + `"}`)
	sum := sha256.Sum256(body)
	var chunked bytes.Buffer
	for rest := body; len(rest) > 0; {
		n := min(len(rest), 1<<20)
		fmt.Fprintf(&chunked, "%x\r\n%s\r\n", n, rest[:n])
		rest = rest[n:]
	}
	chunked.WriteString("0\r\n\r\n")
	for name, request := range map[string]string{
		"sized": postOf("POST", "Content-Type: application/json\r\n", string(body)),
		"chunked": postOf("POST",
			"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n", chunked.String()),
	} {
		c := captureFor(t, &store.Keyer{}, "http://example.com/", request)
		start := "__wb_post_data=" + base64.StdEncoding.EncodeToString(body[:3072])
		if c.RequestBody != start[:4096] {
			t.Errorf("%s: pywb %.60q", name, c.RequestBody)
		}
		want := "&__wb_post_sha256=" + hex.EncodeToString(sum[:])
		if !strings.HasSuffix(c.SpecBody, want) {
			t.Errorf("%s: spec ends %q", name, c.SpecBody[max(0, len(c.SpecBody)-100):])
		}
	}
}

func TestSecondaryKeys(t *testing.T) {
	keyer, err := store.NewKeyer(
		store.KeysConfig{Extra: []string{"path", "wwwoffle", "form"}, Profiles: store.ProfileRules{
			{Name: "mediawiki", Host: "*.wiki.example", Path: "/wiki"},
			{Name: "ours", Host: "own.example", Decode: []string{"3A"}, Encode: []string{"28", "29"}},
		}},
	)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ url, request, path, wwwoffle, form string }{
		{"http://en.wiki.example/wiki/A%3aB%7E?b=1&a=%32", "GET / HTTP/1.1\r\n\r\n",
			"http://en.wiki.example/wiki/A:B~?b=1&a=%32", "http://en.wiki.example/wiki/A:B~?b=1&a=2",
			"b=1&a=2"},
		{"http://own.example/A%3aB()", "GET / HTTP/1.1\r\n\r\n", "http://own.example/A:B%28%29",
			"http://own.example/A:B()", ""},
		{"http://other.example/A%3a%7E",
			postOf("POST", "Content-Type: application/x-www-form-urlencoded; charset=utf-8\r\n", "x=%41;y"),
			"http://other.example/A%3A~", "http://other.example/A:~", "x=A&y"},
	} {
		got := captureFor(t, keyer, c.url, c.request)
		if got.PathKey != c.path || got.WWWOFFLEKey != c.wwwoffle || got.FormKey != c.form {
			t.Errorf("%s:\npath %s\nwwwoffle %s\nform %s", c.url, got.PathKey, got.WWWOFFLEKey, got.FormKey)
		}
	}
}

// postOf is a request with a body.
func postOf(method, fields, body string) string {
	return method + " /form?q=1 HTTP/1.1\r\nHost: example.com\r\n" + fields + "\r\n" + body
}
