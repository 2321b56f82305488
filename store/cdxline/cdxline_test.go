package cdxline

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"warcorder/store"
)

var captures = map[string]store.Capture{
	"all of it": {URLKey: "com,example)/a?b=c", URL: "https://example.com/A?b=c", MIME: "text/html",
		Status: 200, Digest: "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ",
		Location: store.Location{File: "w.warc.gz", Offset: 1 << 40, Length: 345}},
	"a POST": {URLKey: "com,example)/?__wb_method=post&x=%22", URL: "https://example.com/", Method: "POST",
		RequestBody: `x="\`, MIME: "warc/revisit"},
	"nothing": {},
	"escapes": {URLKey: "a b", URL: "http://x/\"\\\x01\x7f \xff\u00fc", MIME: `"`},
}

// TestParse: what a capture is comes out of its line.
func TestParse(t *testing.T) {
	for name, c := range captures {
		c.Time = time.Date(2026, 11, 21, 5, 45, 12, 0, time.UTC)
		text := c.AppendCDXJ(nil)
		var l Line
		if err := l.Parse(append(text, '\n')); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if string(l.Time) != "20261121054512" || !bytes.HasPrefix(text, append(l.Key, ' ')) ||
			string(Key(text)) != string(l.Key) ||
			string(KeyAndTime(text)) != string(l.Key)+" 20261121054512" {
			t.Errorf("%s: %q %q", name, l.Key, l.Time)
		}
		url := strings.ReplaceAll(c.URL, "\xff", "\ufffd")
		if string(l.URL) != url || string(l.MIME) != c.MIME || l.Status != c.Status ||
			string(l.Digest) != c.Digest || string(l.File) != c.File || l.Offset != c.Offset ||
			l.Length != c.Length || string(l.Method) != c.Method {
			t.Errorf("%s: %+v of %s", name, l, text)
		}
	}
}

// TestNoLine: what is no line of an export is refused.
func TestNoLine(t *testing.T) {
	for _, text := range []string{"", "a", "a ", "a 20261121054512", "a 20261121054512 ", "a 2026 {}",
		"a 2026112105451x {}", " 20261121054512 {}", `a 20261121054512 {"url":"b"`, `a 20261121054512 {"url":"b`,
		`a 20261121054512 {"url":"b\"}`, `a 20261121054512 {"url":1}`, `a 20261121054512 {"url"}`,
		`a 20261121054512 {"status":"x"}`, `a 20261121054512 {"url":"b"} `, `a 20261121054512 {"url":"\x"}`,
		`a 20261121054512 {"url":"b",}`, `a 20261121054512 {"length":"99999999999999999999"}`} {
		if err := new(Line).Parse([]byte(text)); err == nil {
			t.Errorf("%q is taken for a line", text)
		}
	}
}

// FuzzParse: what is taken for a line has the members that encoding/json finds.
func FuzzParse(f *testing.F) {
	for _, c := range captures {
		f.Add(c.AppendCDXJ(nil))
	}
	f.Add([]byte(`a 20261121054512 {"url":"b\\","offset":"-1","else":"\ud83d\ude00"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var l Line
		if l.Parse(text) != nil || !utf8.Valid(text) { // an export writes nothing but UTF-8
			return
		}
		_, object, _ := strings.Cut(string(text), " ")
		_, object, _ = strings.Cut(object, " ")
		var want map[string]string
		if err := json.Unmarshal([]byte(object), &want); err != nil {
			return // a control byte in a string: encoding/json wants it escaped
		}
		got := map[string]string{"url": string(l.URL), "mime": string(l.MIME), "digest": string(l.Digest),
			"filename": string(l.File), "method": string(l.Method)}
		for name, value := range got {
			if value != want[name] {
				t.Errorf("%s is %q, not %q", name, value, want[name])
			}
		}
		if n, _ := strconv.ParseInt(want["offset"], 10, 64); n != l.Offset {
			t.Errorf("offset %d, not %d", l.Offset, n)
		}
	})
}
