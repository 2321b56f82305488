package recovery

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"warcorder/recorder/recovery/foreign"
	"warcorder/store"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// linesOf scans a file and returns its lines, sorted, and its damage.
func linesOf(t *testing.T, name string, file []byte) (lines []string, damaged []Damaged) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := scanForeign(sourceAt(t, path), name, &store.Keyer{},
		func(*foreignScan, int64) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range s.captures {
		if c.Offset < 0 || c.Length <= 0 || c.Offset+c.Length > int64(len(file)) {
			t.Errorf("%s: %d+%d of %d", c.URL, c.Offset, c.Length, len(file))
		}
		lines = append(lines, string(c.AppendCDXJ(nil)))
	}
	slices.Sort(lines)
	return lines, s.damaged
}

// TestForeignLines compares the lines of files as other tools write them with golden files, which
// have been compared with those of cdxj-indexer.
func TestForeignLines(t *testing.T) {
	for tool, records := range foreign.Files {
		t.Run(tool, func(t *testing.T) {
			files := foreign.Layouts(t, records)
			lines, damaged := linesOf(t, tool+".warc", files[".warc"])
			if len(damaged) > 0 {
				t.Error(damaged)
			}
			golden := filepath.Join("testdata", "foreign", tool+".cdxj")
			got := strings.Join(lines, "\n") + "\n"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got\n%swant\n%s", got, want)
			}
			for layout, file := range files {
				again, damaged := linesOf(t, tool+layout, file)
				if len(damaged) > 0 || !slices.Equal(withoutPlace(again), withoutPlace(lines)) {
					t.Errorf("%s: %q %v", layout, again, damaged)
				}
			}
		})
	}
}

// withoutPlace cuts off where the captures lie.
func withoutPlace(lines []string) (cut []string) {
	for _, line := range lines {
		before, rest, _ := strings.Cut(line, `,"length":`)
		_, after, _ := strings.Cut(rest, `"filename":`)
		_, after, _ = strings.Cut(after, `"`)
		_, after, _ = strings.Cut(after, `"`)
		cut = append(cut, before+after)
	}
	return cut
}

// TestForeignPairs joins requests and responses in every order.
func TestForeignPairs(t *testing.T) {
	response := func(id, names string) string {
		return foreign.Record(
			"WARC/1.1\nWARC-Type: response\nWARC-Record-ID: "+id+names+
				"\nWARC-Target-URI: http://example.com/\nWARC-Date: 2026-11-21T12:00:00Z",
			foreign.HTML,
		)
	}
	request := func(id, names string) string {
		return foreign.Record(
			"WARC/1.1\nWARC-Type: request\nWARC-Record-ID: "+id+names+
				"\nWARC-Target-URI: http://example.com/\nWARC-Date: 2026-11-21T12:00:00Z",
			"POST / HTTP/1.1|Content-Type: application/x-www-form-urlencoded||id="+id,
		)
	}
	to := func(id string) string { return "\nWARC-Concurrent-To: " + id }
	metadata := foreign.Record(
		"WARC/1.1\nWARC-Type: metadata\nWARC-Record-ID: m\nWARC-Target-URI: http://example.com/\n"+
			"WARC-Date: 2026-11-21T12:00:00Z\nContent-Type: application/warc-fields"+to(
			"a"),
		"x: y|",
	)
	elsewhere := strings.Replace(request("b", to("a")), "example.com/", "example.com.", 1)
	for _, test := range []struct {
		name    string
		records []string
		want    []string // requestBody of each
	}{
		{"request behind, naming", []string{response("a", ""), request("b", to("a"))}, []string{"id=b"}},
		{"request behind, named", []string{response("a", to("b")), request("b", "")}, []string{"id=b"}},
		{"request before, naming", []string{request("b", to("a")), response("a", "")}, []string{"id=b"}},
		{"request before, named", []string{request("b", ""), response("a", to("b"))}, []string{"id=b"}},
		{"the second that is named", []string{response("a", to("x")+to("b")), request("b", "")},
			[]string{"id=b"}},
		{"metadata between", []string{response("a", ""), metadata, request("b", to("a"))},
			[]string{"id=b"}},
		{"all responses first",
			[]string{response("a", ""), response("c", ""), request("d", to("c")),
				request("b", to("a"))}, []string{"id=b", "id=d"}},
		{"two requests, the first counts",
			[]string{request("b", to("a")), request("d", to("a")), response("a", "")}, []string{"id=b"}},
		{"one request for two responses",
			[]string{request("b", to("a")+to("c")), response("a", ""), response("c", "")},
			[]string{"", "id=b"}},
		{"none named", []string{response("a", ""), request("b", "")}, []string{""}},
		{"another URL", []string{response("a", ""), elsewhere}, []string{""}},
		{"no IDs", []string{response("", to("")), request("", to(""))}, []string{""}},
		{"near enough",
			append(append([]string{response("a", "")}, slices.Repeat([]string{metadata}, pairWithin-2)...),
				request("b", to("a"))), []string{"id=b"}},
		{"too far",
			append(append([]string{response("a", "")}, slices.Repeat([]string{metadata}, pairWithin)...),
				request("b", to("a"))), []string{""}},
		{"too far before",
			append(append([]string{request("b", to("a"))}, slices.Repeat([]string{metadata}, pairWithin)...),
				response("a", "")), []string{""}},
	} {
		t.Run(test.name, func(t *testing.T) {
			lines, damaged := linesOf(t, "x.warc", []byte(strings.Join(test.records, "")))
			var got []string
			for _, line := range lines {
				_, body, _ := strings.Cut(line, `"requestBody":"`)
				body, _, _ = strings.Cut(body, `"`)
				got = append(got, body)
			}
			slices.Sort(got)
			if !slices.Equal(got, test.want) || len(damaged) > 0 {
				t.Errorf("%q %v in %q", got, damaged, lines)
			}
		})
	}
}

// TestForeignDamaged has what is reported, and what is found beside it.
func TestForeignDamaged(t *testing.T) {
	good := foreign.Files["warcio"][0]
	header, _, _ := strings.Cut(good, "\r\n\r\n")
	with := func(old, new string) string { return strings.Replace(good, old, new, 1) }
	for _, test := range []struct {
		name, record string
		damaged      int
		found        int // records beside those before and behind
	}{
		{"a good one", good, 0, 1},
		{"no date", with("WARC-Date", "X-Date"), 1, 0},
		{"no date that is one", with("2026-11-21T12:00:00Z", "yesterday"), 1, 0},
		{"a month", with("2026-11-21T12:00:00Z", "2026-11"), 0, 1},
		{"nine digits", with("12:00:00Z", "12:00:00.123456789Z"), 0, 1},
		{"no URI", with("WARC-Target-URI", "X-Target-URI"), 1, 0},
		{"no length", with("Content-Length: 8", "X: 8"), 1, 0},
		{"no head in the block",
			foreign.Record(strings.ReplaceAll(header[:strings.Index(header, "\r\nContent-Length")], "\r\n",
				"\n"), "no head"), 0, 1},
		{"other bytes", "other bytes\r\n\r\n", 1, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := good + test.record + good
			lines, damaged := linesOf(t, "x.warc", []byte(file))
			if len(damaged) != test.damaged || len(lines) != 2+test.found {
				t.Fatalf("%v in %q", damaged, lines)
			}
			for _, d := range damaged {
				if d.Offset != int64(len(good)) || d.Bytes > int64(len(test.record)) ||
					d.Bytes < int64(len(test.record))-4 {
					t.Errorf("%+v, want %d+%d", d, len(good), len(test.record))
				}
			}
		})
	}
}

// sourceAt opens a file until the test ends.
func sourceAt(t *testing.T, path string) *source {
	t.Helper()
	in, err := openSource(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close() })
	return in
}
