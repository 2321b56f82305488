package unpacking

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestForm tells files by their bytes, whatever their names are.
func TestForm(t *testing.T) {
	wacz := zipOf(t, member{name: "archive/a.warc.gz", content: gzipped})
	gz := func(text string) string { return gzipOf(t, text) }
	for name, test := range map[string]struct {
		path, content string
		want          Form
		said          string
	}{
		"WACZ":            {path: wacz, want: WACZ},
		"HAR in a zip":    {path: zipOf(t, member{name: "har.har", content: "{}"}), want: HARZip},
		"another zip":     {path: zipOf(t, member{name: "a.txt"}), said: `"a.txt"`},
		"an empty zip":    {path: zipOf(t), said: "nothing in it"},
		"HAR":             {content: "\n{ \"comment\": [1, {\"resources\": 1}], \"log\": {}", want: HAR},
		"HAR with a mark": {content: "\xef\xbb\xbf{\"log\":", want: HAR},
		"HAR, gz":         {content: gz(`{"log":{}}`), want: HAR},
		"list":            {content: `{"profile":"multi-wacz-package","resources":[]}`, want: Multi},
		"0.9":             {content: "warc/0.9 100 resource", want: WARC09},
		"0.9, gz":         {content: gz("warc/0.9 100 resource"), want: WARC09},
		"WARC":            {content: gz("WARC/1.0\r\n"), want: WARC1},
		"JSON":            {content: `{"a":"log"}`, said: "none of what can be imported"},
		"a list of JSON":  {content: `["log"]`, said: "none of what can be imported"},
		"text":            {content: "text", said: "a WACZ file, a multi-WACZ JSON, a HAR"},
		"nothing":         {content: "", said: "none of what can be imported"},
		"half a zip":      {content: "PK\x03\x04", said: "is all of it there"},
		"half a gzip":     {content: "\x1f\x8b", said: "cannot be read"},
		"a directory":     {path: t.TempDir(), said: "no regular file: name files"},
		"a name alone":    {path: filepath.Join(t.TempDir(), "x"), said: "no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			if test.path == "" {
				test.path = filepath.Join(t.TempDir(), "x.bin")
				if err := os.WriteFile(test.path, []byte(test.content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			form, err := FormOf(test.path)
			if form != test.want || (err == nil) != (test.said == "") ||
				err != nil && !strings.Contains(err.Error(), test.said) {
				t.Errorf("%v, %v", form, err)
			}
		})
	}
}
