package store

import (
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var testTime = time.Date(2026, 11, 21, 5, 45, 12, 123_456_000, time.UTC)

// golden are captures whose lines stand in testdata/cdxj.golden, in this order.
var golden = []Capture{
	{
		URLKey:   "com,example)/",
		Time:     testTime,
		URL:      "https://example.com/",
		MIME:     "text/html",
		Status:   200,
		Digest:   "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ",
		Location: Location{"w-20261121054512000-00000-host.warc.gz", 0, 345},
	},
	{
		URLKey:   "com,example)/large",
		Time:     testTime,
		URL:      "https://example.com/Large",
		MIME:     "video/mp4",
		Status:   206,
		Digest:   "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		Location: Location{"w.warc.gz", 1<<48 - 1, 1 << 40},
	},
	{
		URLKey:      "com,example)/json?__wb_method=post&a=1",
		Time:        testTime,
		URL:         "https://example.com/json",
		MIME:        "application/json",
		Status:      201,
		Digest:      "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ",
		Method:      "POST",
		RequestBody: "a=1",
		Location:    Location{"w.warc.gz", 5, 6},
	},
	{
		URLKey:   "com,example)/?__wb_method=delete",
		Time:     testTime,
		URL:      "https://example.com/",
		Status:   204,
		Method:   "DELETE",
		Location: Location{"w.warc.gz", 5, 6},
	},
	{
		URLKey:   "com,example)/get",
		Time:     testTime,
		URL:      "https://example.com/get",
		MIME:     "warc/revisit",
		Method:   "GET",
		Location: Location{"w.warc.gz", 5, 6},
	},
	{
		URLKey:   "com,example)/zone",
		Time:     testTime.In(time.FixedZone("", -8*3600)),
		URL:      "https://example.com/zone",
		Location: Location{"w.warc.gz", 5, 6},
	},
	{URLKey: "com,example)/nowhere", Time: testTime, URL: "https://example.com/nowhere", Status: 200},
	{
		URLKey:   "http://exa mple.com/ä\n\x7f%20",
		Time:     testTime,
		URL:      "http://exa mple.com/ä\n\x7f%20",
		Location: Location{"w.warc.gz", 5, 6},
	},
	{URLKey: "", Time: time.Time{}, URL: "", Location: Location{"w.warc.gz", 5, 6}},
	{
		URLKey:   "com,example)/odd",
		Time:     time.Date(12026, 1, 2, 3, 4, 5, 0, time.UTC),
		URL:      "http://example.com/\"\\/\t\x00\x1f<&>\u2028\xff\xc3é😀\xed\xa0\x80",
		MIME:     "text/\"x\"",
		Status:   -1,
		Digest:   "sha1:lower",
		Location: Location{"w\n.warc.gz", 5, 6},
	},
}

func TestAppendCDXJ(t *testing.T) {
	const path = "testdata/cdxj.golden"
	var lines []byte
	for i := range golden {
		lines = append(golden[i].AppendCDXJ(lines), '\n')
	}
	if *update {
		if err := os.WriteFile(path, lines, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.SplitAfter(string(file), "\n")
	got := strings.SplitAfter(string(lines), "\n")
	if len(got) != len(want) {
		t.Fatalf("%d lines, want %d", len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("line %d\n got %s want %s", i+1, got[i], want[i])
		}
	}
}

// checkLine proves that a line has three fields, of which the last is a JSON object that says what
// the capture does.
func checkLine(t *testing.T, c Capture) {
	t.Helper()
	line := string(c.AppendCDXJ(nil))
	fields := strings.SplitN(line, " ", 3)
	if len(fields) != 3 || fields[0] == "" || len(fields[1]) != 14 ||
		strings.ContainsAny(line, "\n\r\x00") {
		t.Fatalf("not a line: %q", line)
	}
	var got map[string]string
	if err := json.Unmarshal([]byte(fields[2]), &got); err != nil {
		t.Fatalf("%v in %q", err, line)
	}
	for name, want := range map[string]string{"url": c.URL, "mime": c.MIME, "digest": c.Digest,
		"filename": c.File, "requestBody": c.RequestBody} {
		if got[name] != asJSON(want) {
			t.Fatalf("%s is %q, want %q", name, got[name], want)
		}
	}
}

// asJSON returns what s becomes in JSON: every byte that is no UTF-8 is U+FFFD.
func asJSON(s string) string {
	var b strings.Builder
	for _, r := range s { // range gives U+FFFD for each of them
		b.WriteRune(r)
	}
	return b.String()
}

func TestLinesAreJSON(t *testing.T) {
	for _, c := range golden {
		checkLine(t, c)
	}
}

// TestPrefixes puts every byte at every place of a string.
func TestPrefixes(t *testing.T) {
	for c := range 256 {
		for at := range 20 {
			b := []byte("01234567abcdefgh~!{}")
			b[at] = byte(c)
			key, plain := len(b), len(b)
			if c <= ' ' || c >= 0x7f {
				key = at
			}
			if c < ' ' || c >= 0x7f || c == '"' || c == '\\' {
				plain = at
			}
			if got := keyPrefix(string(b)); got != key {
				t.Errorf("keyPrefix(%q) = %d, want %d", b, got, key)
			}
			if got := jsonPrefix(string(b)); got != plain {
				t.Errorf("jsonPrefix(%q) = %d, want %d", b, got, plain)
			}
		}
	}
}

func FuzzAppendCDXJ(f *testing.F) {
	for _, c := range golden {
		f.Add(c.URLKey, c.URL, c.MIME, c.Digest, c.Method, c.RequestBody, c.File, c.Status, c.Offset)
	}
	f.Fuzz(
		func(t *testing.T, key, url, mime, digest, method, body, file string, status int, offset int64) {
			checkLine(t, Capture{URLKey: key, Time: testTime, URL: url,
				MIME: mime, Status: status, Digest: digest, Method: method,
				RequestBody: body, Location: Location{file, offset, 7}})
		},
	)
}

func FuzzAppendURLKey(f *testing.F) {
	f.Add("com,example)/")
	f.Add("http://exa mple.com/ä\x7f")
	f.Fuzz(func(t *testing.T, key string) {
		got := string(appendURLKey(nil, key))
		if got == "" || strings.ContainsFunc(got, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
			t.Fatalf("%q became %q", key, got)
		}
		if again := string(appendURLKey(nil, got)); again != got {
			t.Fatalf("%q became %q", got, again)
		}
	})
}
