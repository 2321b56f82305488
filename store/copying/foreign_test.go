package copying

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"warcorder/recorder/recovery"
	"warcorder/recorder/recovery/foreign"
	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/selection"
)

// imported is a collection of files of other tools.
func imported(t testing.TB, files map[string][]byte) *opened {
	t.Helper()
	dir, from := collection.Dir(t.TempDir()), t.TempDir()
	var paths []string
	for name, file := range files {
		path := filepath.Join(from, name)
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	_, err := recovery.Add(recovery.Config{Mode: collection.DefaultMode}, dir, paths, true, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	return open(t, dir)
}

// TestForeign: the files of other tools, in every layout, become gzip members with the same records.
func TestForeign(t *testing.T) {
	for _, tool := range slices.Sorted(maps.Keys(foreign.Files)) {
		for layout, file := range foreign.Layouts(t, foreign.Files[tool]) {
			t.Run(tool+layout, func(t *testing.T) {
				o := imported(t, map[string][]byte{tool + layout: file})
				every := o.shown(t, selection.Selection{}, true)
				for _, options := range []Options{{}, {Size: 500}, {NoRevisits: true}} {
					c := o.mustCopy(t, selection.Selection{}, options)
					if raw := layout == ".warc.gz"; raw != (c.report.Compressed == 0) {
						t.Errorf("%+v: %+v", options, c.report)
					}
					again := c.again(t)
					sameTexts(t, again.shown(t, selection.Selection{}, true), every)
				}
				for c, err := range o.source.Captures(t.Context(), selection.Selection{}) {
					if err != nil {
						t.Fatal(err)
					}
					sel := selection.Selection{URL: c.URL}
					copied := o.mustCopy(t, sel, Options{})
					sameTexts(t, copied.again(t).shown(t, selection.Selection{}, true), o.shown(t, sel, true))
				}
			})
		}
	}
}

// TestManyRecords: the records that a tool has written beside a response are found, in whatever order
// they lie, and each is copied once.
func TestManyRecords(t *testing.T) {
	block := "HTTP/1.1 200 OK|Content-Type: text/plain||"
	response := func(id, url, more string) string {
		return foreign.Record("WARC/1.0\nWARC-Type: response\nWARC-Record-ID: <urn:"+id+">\nWARC-Target-URI: "+
			url+"\nWARC-Date: 2026-11-21T12:00:00Z\nContent-Type: application/http; msgtype=response\n"+more, block+id)
	}
	request := func(id, url, to string) string {
		return foreign.Record("WARC/1.0\nWARC-Type: request\nWARC-Record-ID: <urn:"+id+">\nWARC-Target-URI: "+
			url+"\nWARC-Date: 2026-11-21T12:00:00Z\nContent-Type: application/http; msgtype=request\n"+
			"WARC-Concurrent-To: <urn:"+to+">", "GET / HTTP/1.1|Host: a.example||")
	}
	metadata := func(id, to string) string {
		return foreign.Record("WARC/1.0\nWARC-Type: metadata\nWARC-Record-ID: <urn:"+id+">\nWARC-Target-URI: "+
			"http://a.example/"+id+"\nWARC-Date: 2026-11-21T12:00:00Z\nContent-Type: application/warc-fields\n"+
			"WARC-Concurrent-To: <urn:"+to+">", "via: x|")
	}
	segment := func(id, url, of string) string {
		return foreign.Record("WARC/1.0\nWARC-Type: continuation\nWARC-Record-ID: <urn:"+id+">\nWARC-Target-URI: "+
			url+"\nWARC-Date: 2026-11-21T12:00:00Z\nWARC-Segment-Number: 2\nWARC-Segment-Origin-ID: <urn:"+of+">",
			"more")
	}
	a, b := "http://a.example/a", "http://a.example/b"
	for _, test := range []struct {
		name    string
		records []string
		want    string // IDs of what is copied for a
	}{
		{"behind", []string{response("a", a, ""), request("ra", a, "a"), metadata("ma", "a"),
			response("b", b, ""), request("rb", b, "b")}, "a ma ra"},
		{"between others", []string{response("a", a, ""), response("b", b, ""), request("rb", b, "b"),
			metadata("mb", "b"), request("ra", a, "a")}, "a ra"},
		{"metadata first", []string{response("a", a, ""), metadata("ma", "a"), request("ra", a, "a")},
			"a ma ra"},
		{"before", []string{request("rb", b, "b"), response("b", b, ""), request("ra", a, "a"),
			response("a", a, "")}, "a ra"},
		{"a segment", []string{response("a", a, "WARC-Segment-Number: 1\n"), request("ra", a, "a"),
			segment("sa", a, "a"), response("b", b, ""), segment("sb", b, "b")}, "a ra sa"},
		{"one request of two", []string{response("a", a, "WARC-Concurrent-To: <urn:r>\n"),
			request("r", a, "none"), response("b", b, "WARC-Concurrent-To: <urn:r>\n")}, "a r"},
		{"one request behind two", []string{response("a", a, "WARC-Concurrent-To: <urn:r>\n"),
			response("b", b, "WARC-Concurrent-To: <urn:r>\n"), request("r", a, "none")}, "a r"},
		{"none", []string{response("a", a, ""), response("b", b, "")}, "a"},
	} {
		for layout, file := range foreign.Layouts(t, test.records) {
			t.Run(test.name+layout, func(t *testing.T) {
				o := imported(t, map[string][]byte{"f" + layout: file})
				c := o.mustCopy(t, selection.Selection{URL: a}, Options{})
				ids := strings.Join(slices.Sorted(maps.Keys(records(t, c.dir))), " ")
				ids = strings.NewReplacer("<urn:", "", ">", "").Replace(ids)
				if ids != test.want {
					t.Errorf("%s, want %s", ids, test.want)
				}
				all := o.mustCopy(t, selection.Selection{URL: "http://a.example/", Match: store.Host}, Options{})
				if got, want := len(records(t, all.dir)), len(test.records); got != want {
					if test.name != "between others" || got != want-0 {
						t.Errorf("%d of %d records", got, want)
					}
				}
			})
		}
	}
}

// TestRequestsBefore: in a file whose requests lie before their responses, as wget writes them, no record is
// read for each of those before it.
func TestRequestsBefore(t *testing.T) {
	var file []string
	for i := range 6 {
		of := func(kind, more, block string) string {
			return foreign.Record(fmt.Sprintf("WARC/1.0\nWARC-Type: %s\nWARC-Record-ID: <urn:%s%d>\n"+
				"WARC-Target-URI: http://a.example/%d\nWARC-Date: 2026-11-21T12:00:00Z\nContent-Type: "+
				"application/http; msgtype=%s\n%s", kind, kind, i, i, kind, more), block)
		}
		file = append(file, of("request", "", "GET / HTTP/1.1|Host: a.example||"),
			of("response", fmt.Sprintf("WARC-Concurrent-To: <urn:request%d>\n", i), "HTTP/1.1 200 OK||"))
	}
	for layout, file := range foreign.Layouts(t, file) {
		o := imported(t, map[string][]byte{"f" + layout: file})
		g := groups{files: o.files}
		err := o.index.Captures(store.Query{}, func(c *store.Capture) bool {
			known := g.before != ""
			found, err := g.of(c)
			if err != nil || len(found.members) != 2 {
				t.Errorf("%s: %+v, %v", c.URL, found, err)
			}
			if end := c.Offset + c.Length + int64(len("\r\n\r\n")); known && g.record != nil && g.record.At.Offset > end {
				t.Errorf("%s: it is read up to %d, and ends at %d", c.URL, g.record.At.Offset, end)
			}
			return true
		})
		if err := errors.Join(err, g.close()); err != nil || g.before == "" {
			t.Error(err)
		}
	}
}
