package record

import (
	"encoding/hex"
	"strings"
	"testing"

	"warcorder/store"
)

// TestFill: what the index says of a response as a part, or as the whole.
func TestFill(t *testing.T) {
	idOf := func(tag string) uint32 { return entityID([]byte(tag)) }
	const date = "Fri, 01 Jan 2026 00:00:00 GMT"
	for _, c := range []struct {
		name, head string
		truncated  bool
		want       store.Capture
	}{
		{"no validator", "200 OK", false, store.Capture{Status: 200}},
		{"a tag", "200 OK\r\nETag: \"a\"", false, store.Capture{Status: 200, Entity: idOf(`"a"`)}},
		{"weak", "200 OK\r\nEtag: W/\"a\"", false, store.Capture{Status: 200, Entity: idOf(`"a"`)}},
		{"a date", "200 OK\r\nLast-Modified: " + date, false,
			store.Capture{Status: 200, Entity: idOf(date)}},
		{"both", "200 OK\r\nLast-Modified: " + date + "\r\nETag: \"a\"", false,
			store.Capture{Status: 200, Entity: idOf(`"a"`)}},
		{"an empty tag", "200 OK\r\nETag: W/\r\nLast-Modified: " + date, false,
			store.Capture{Status: 200, Entity: idOf(date)}},
		{"two tags", "200 OK\r\nETag: \"a\"\r\nETag: \"b\"", false,
			store.Capture{Status: 200, Entity: idOf(`"a"`)}},
		{"cut", "200 OK\r\nETag: \"a\"", true,
			store.Capture{Status: 200, Entity: idOf(`"a"`), Truncated: true}},
		{"404", "404 No\r\nETag: \"a\"", false, store.Capture{Status: 404}},
		{"304", "304 No\r\nETag: \"a\"", false, store.Capture{Status: 304}},
		{"a part", "206 P\r\nETag: \"a\"\r\nContent-Range: bytes 0-8/10", false,
			store.Capture{Status: 206, Entity: idOf(`"a"`)}},
		{"the end", "206 P\r\nContent-Range: bytes 1-9/10", false, store.Capture{Status: 206}},
		{"all parts", "206 P\r\nContent-Range: bytes 0-9/10", false,
			store.Capture{Status: 206, Whole: true}},
		{"all, cut", "206 P\r\nContent-Range: bytes 0-9/10", true,
			store.Capture{Status: 206, Truncated: true}},
		{"all of what is not known", "206 P\r\nContent-Range: bytes 0-9/*", false,
			store.Capture{Status: 206}},
		{"all, twice", "206 P\r\nContent-Range: bytes 0-9/10\r\nContent-Range: bytes 0-9/10", false,
			store.Capture{Status: 206}},
		{"a range of a 200", "200 OK\r\nContent-Range: bytes 0-9/10", false, store.Capture{Status: 200}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := ParseHead([]byte("HTTP/1.1 " + c.head + "\r\n\r\n"))
			var got store.Capture
			if h.Fill(&got, c.truncated); got != c.want {
				t.Errorf("%+v, want %+v", got, c.want)
			}
		})
	}
}

// TestParseContentRange: a Content-Range is what RFC 9110 says, or none.
func TestParseContentRange(t *testing.T) {
	for value, want := range map[string]string{
		"bytes 0-0/1":                      "0-0/1",
		"BYTES 007-9/10":                   "7-9/10",
		"bytes  0-9/*":                     "0-9/-1",
		"bytes 0-9/10 ":                    "0-9/10",
		"bytes 0-999999999999999999/*":     "0-999999999999999999/-1",
		"":                                 "",
		"bytes":                            "",
		"bytes */10":                       "",
		"bytes 9-0/10":                     "",
		"bytes 0-9/9":                      "",
		"bytes 0-9/":                       "",
		"bytes 0-9":                        "",
		"bytes 0-9/-1":                     "",
		"bytes 0-9/**":                     "",
		"bytes +0-9/10":                    "",
		"bytes -0-9/10":                    "",
		"bytes 0-9,20-29/100":              "",
		"bytes=0-9/10":                     "",
		"items 0-9/10":                     "",
		"bytes 0-9/10/10":                  "",
		"bytes 0-1000000000000000000/*":    "0-1000000000000000000/-1",
		"bytes 0-9/10000000000000000000":   "",
		"bytes " + strings.Repeat("0", 40): "",
		"Bytes 5-9/10":                     "5-9/10",
		"bytes  0-9/10":                    "0-9/10",
		"bytes 0-10/10":                    "",
		"bytes 0-9/5":                      "",
		"bytes 0 - 9 / 10":                 "",
		"bytes ":                           "",
		"bytes 0-9223372036854775807/*":    "",
		"bytes 0-9223372036854775807/9223372036854775808":   "",
		"bytes 0-18446744073709551615/18446744073709551616": "",
		"bytes 0-9223372036854775806/9223372036854775807":   "0-9223372036854775806/9223372036854775807",
		"bytes 0-9/" + strings.Repeat("9", 1<<20):           "",
	} {
		r, ok := ParseContentRange([]byte(value))
		if got := string(r.append(nil)); ok != (want != "") || ok && got != want {
			t.Errorf("%.80q is %q, %v", value, got, ok)
		}
	}
}

// TestContentKeyStays: an index that was made by an earlier version goes on deduplicating.
func TestContentKeyStays(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\nContent-Encoding: GZIP, br\r\nETag: \"a\"\r\n\r\n"
	h := ParseHead([]byte(head))
	var content Content
	content.Reset(&h, 5)
	content.Write([]byte("hello"))
	key, ok := content.Key(&h, []byte(head), "com,example)/")
	const want = "78b802fe6b799307476ffabd29738f8654ffe0246136e7a56e56255b430b7204"
	if got := hex.EncodeToString(key[:]); !ok || got != want {
		t.Errorf("%s, %v", got, ok)
	}
}
