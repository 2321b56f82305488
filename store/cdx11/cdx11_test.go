package cdx11

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"warcorder/store"
)

var moment = time.Date(2026, 11, 21, 5, 45, 12, 0, time.UTC)

// written returns what becomes of lines, which are sorted first.
func written(t *testing.T, lines []string, tempDir string) []string {
	t.Helper()
	slices.Sort(lines)
	var out bytes.Buffer
	w, err := New(&out, tempDir)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		if _, err := w.Write([]byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got := slices.Collect(strings.Lines(out.String()))
	if got[0] != " CDX N b a m s k r M S V g\n" || !slices.IsSorted(got) || len(got) != len(lines)+1 {
		t.Errorf("%d lines, %q first, sorted %v", len(got), got[0], slices.IsSorted(got))
	}
	for _, line := range got[1:] {
		if n := len(strings.Split(line, " ")); n != 11 {
			t.Errorf("%d fields: %q", n, line)
		}
	}
	return got[1:]
}

func lineOf(c store.Capture) string {
	c.Time = moment
	return string(c.AppendCDXJ(nil)) + "\n"
}

// TestLines: what a line says is in its fields, whatever it holds.
func TestLines(t *testing.T) {
	at := store.Location{File: "w 1.warc.gz", Offset: 1 << 40, Length: 345}
	for name, of := range map[string]struct {
		capture store.Capture
		want    string
	}{
		"all of it": {store.Capture{URLKey: "com,example)/a?b=c", URL: "https://example.com/A?b=c",
			MIME: "text/html", Status: 200, Digest: "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ", Location: at},
			"com,example)/a?b=c 20261121054512 https://example.com/A?b=c text/html 200 " +
				"3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ - - 345 1099511627776 w%201.warc.gz\n"},
		"a revisit of a POST": {store.Capture{URLKey: "com,example)/?__wb_method=post&a=b", Method: "POST",
			RequestBody: "a=b", URL: "https://example.com/", MIME: "warc/revisit", Digest: "sha256:00",
			Location: store.Location{File: "w.warc.gz"}},
			"com,example)/?__wb_method=post&a=b 20261121054512 https://example.com/ warc/revisit - 00 - - 0 0 " +
				"w.warc.gz\n"},
		"nothing": {store.Capture{}, "- 20261121054512 - - - - - - - - -\n"},
		"odd bytes": {store.Capture{URLKey: "x", URL: "http://x/a b\t\n\x00\x7f\u00fc\u2028", MIME: "a b"},
			"x 20261121054512 http://x/a%20b%09%0A%00%7F%C3%BC%E2%80%A8 a%20b - - - - - - -\n"},
	} {
		if got := written(t, []string{lineOf(of.capture)}, ""); got[0] != of.want {
			t.Errorf("%s:\n%s, not\n%s", name, got[0], of.want)
		}
	}
	if got := written(t, nil, ""); len(got) > 0 {
		t.Error(got)
	}
}

// TestOrder: lines of one key and time have another order here than in CDXJ, and are sorted; also if
// they are more than memory may hold, of which nothing is left.
func TestOrder(t *testing.T) {
	for name, n := range map[string]int{"few": 40, "many": 8_000} {
		dir := t.TempDir()
		var lines []string
		for i := range n {
			c := store.Capture{URLKey: "com,example)/", URL: "http://example.com/" + string(rune('!'+i*7%90))}
			if i%3 > 0 {
				c.URL += fmt.Sprint(i)
			}
			if i%5 == 0 {
				c.MIME = "\u00fc"
			}
			c.Digest = "sha256:" + strings.Repeat("0", n/10)
			lines = append(lines, lineOf(c), lineOf(store.Capture{URLKey: fmt.Sprintf("com,example)/%d", i)}))
		}
		written(t, lines, dir)
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%s: left %v, %v", name, left, err)
		}
	}
}

// TestNoLine: what is no line of an export is an error.
func TestNoLine(t *testing.T) {
	w, err := New(new(bytes.Buffer), "")
	if err == nil {
		_, err = w.Write([]byte("no line\n"))
	}
	if err == nil {
		t.Error("taken")
	}
}
