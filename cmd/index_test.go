package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestIndexCommand adds files of another tool to a collection, also while it is being recorded,
// which is refused.
func TestIndexCommand(t *testing.T) {
	record := "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: <http://example.com/%s>\r\n" +
		"WARC-Date: 2026-11-21T12:00:00Z\r\nContent-Length: 19\r\n\r\nHTTP/1.1 200 OK\r\n\r\n\r\n\r\n"
	from := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(from, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := file("good.warc", fmt.Sprintf(record, "a")+fmt.Sprintf(record, "b"))
	damaged := file("damaged.warc", fmt.Sprintf(record, "c")+"garbage")
	p := startRecording(t)
	if _, errs, code := p.run("index", good); code != 1 ||
		!strings.Contains(errs, "already being recorded by process") {
		t.Errorf("while recording: %d %q", code, errs)
	}
	p.stop()
	for _, test := range []struct {
		args []string
		out  string
		errs string
		code int
		all  int
	}{
		{[]string{good}, "good.warc: 2 captures\n", "", 0, 2},
		{[]string{good}, "good.warc: is in the index already\n", "", 0, 2},
		{[]string{good, damaged}, "good.warc: is in the index already\ndamaged.warc: 1 capture\n" +
			"damaged.warc:150: 7 bytes passed over: no WARC record begins here\n", "1 finding", 1, 3},
		{[]string{file("old.warc", "warc/0.9 1")}, "", "warcorder import --from-format 0.9", 1, 3},
		{nil, "", "index needs FILE", 1, 3},
	} {
		out, errs, code := p.run(append([]string{"index", "--keys-extra", "path"}, test.args...)...)
		if out != test.out || !strings.Contains(errs, test.errs) || code != test.code {
			t.Errorf("%v: %d %q %q, want %d %q %q", test.args, code, out, errs, test.code, test.out,
				test.errs)
		}
		for _, key := range []string{"url", "path"} {
			if lines, errs, code := p.run("export", "-o", "-", "--key", key); code != 0 ||
				strings.Count(lines, "\n") != test.all {
				t.Errorf("%v: by %s, want %d lines: %d\n%s%s", test.args, key, test.all, code, lines, errs)
			}
		}
	}
}
