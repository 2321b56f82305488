package removal

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"warcorder/store/removal/tombstone"
)

// written is a record of a file that is to be surveyed: of a type, with an ID, and more fields.
type written struct {
	kind, id string
	fields   []string
}

// surveyed surveys a file of such records. The records of the type "damage" are none.
func surveyed(t *testing.T, has func(string, time.Time) bool, records []written) *survey {
	t.Helper()
	var b strings.Builder
	for i, r := range records {
		if r.kind == "damage" {
			b.WriteString("this is no record, and nobody knows what it was\r\n\r\n")
			continue
		}
		fmt.Fprintf(&b, "WARC/1.1\r\nWARC-Type: %s\r\nWARC-Date: 2026-01-01T00:00:%02dZ\r\n", r.kind, i)
		if r.id != "" {
			b.WriteString("WARC-Record-ID: " + uri(r.id) + "\r\n")
		}
		for _, field := range r.fields {
			b.WriteString(field + "\r\n")
		}
		b.WriteString("Content-Length: 4\r\n\r\ntext\r\n\r\n")
	}
	path := filepath.Join(t.TempDir(), "x.warc")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	s := &survey{size: int64(b.Len()), has: has}
	if err := s.take(t.Context(), file, "x.warc"); err != nil {
		t.Fatal(err)
	}
	return s
}

func uri(id string) string { return "<urn:uuid:" + id + ">" }

func of(name string, ids ...string) []string {
	fields := []string{"WARC-Target-URI: https://example.com/" + name}
	for _, id := range ids {
		fields = append(fields, "WARC-Concurrent-To: "+uri(id))
	}
	return fields
}

func with(field string, more ...string) []string { return append(more, field) }

var fields = "Content-Type: " + tombstone.FieldsType

// TestGoing: with a capture goes what belongs to it alone, whichever of the two stands first and names
// the other; what belongs to one that stays stays.
func TestGoing(t *testing.T) {
	hush := func(uri string, _ time.Time) bool { return strings.HasSuffix(uri, "/hush") }
	for name, test := range map[string]struct {
		records []written
		gone    []int // captures, by their numbers
		has     func(string, time.Time) bool
		want    []int
	}{
		"a request behind its response": {
			records: []written{{"warcinfo", "w", nil}, {"response", "1", of("a")}, {"request", "2", of("a", "1")},
				{"response", "3", of("b")}, {"request", "4", of("b", "3")}},
			gone: []int{1}, want: []int{1, 2},
		},
		"a request before its response": {
			records: []written{{"request", "2", of("a", "1")}, {"response", "1", of("a")}, {"response", "3", of("b")}},
			gone:    []int{1}, want: []int{0, 1},
		},
		"a response that names its request": {
			records: []written{{"request", "2", of("a")}, {"response", "1", of("a", "2")}, {"request", "4", of("b")},
				{"response", "3", of("b", "4")}},
			gone: []int{1}, want: []int{0, 1},
		},
		"a request that two name, one of which stays": {
			records: []written{{"request", "2", of("a")}, {"response", "1", of("a", "2")}, {"revisit", "3", of("b", "2")}},
			gone:    []int{1}, want: []int{1},
		},
		"a record of two captures, one of which stays": {
			records: []written{{"response", "1", of("a")}, {"response", "2", of("b")},
				{"metadata", "3", with(fields, of("a", "1", "2")...)}},
			gone: []int{0}, want: []int{0},
		},
		"a record of many captures, the last of which stays": {
			records: []written{{"response", "1", of("a")}, {"response", "2", of("b")}, {"response", "3", of("c")},
				{"response", "4", of("d")}, {"metadata", "5", with(fields, of("a", "1", "2", "3", "4")...)}},
			gone: []int{0, 1, 2}, want: []int{0, 1, 2},
		},
		"a record of many captures, of which all go": {
			records: []written{{"response", "1", of("a")}, {"response", "2", of("b")}, {"response", "3", of("c")},
				{"metadata", "5", with(fields, of("a", "1", "2", "3")...)}},
			gone: []int{0, 1, 2}, want: []int{0, 1, 2, 3},
		},
		"metadata that refers to it": {
			records: []written{{"response", "1", of("a")},
				{"metadata", "2", with("WARC-Refers-To: "+uri("1"), fields, of("a")[0])},
				{"metadata", "3", with("WARC-Refers-To: "+uri("9"), fields, of("a")[0])}},
			gone: []int{0}, want: []int{0, 1},
		},
		"a revisit that refers to it": {
			records: []written{{"response", "1", of("a")}, {"revisit", "2", with("WARC-Refers-To: "+uri("1"), of("b")...)}},
			gone:    []int{0}, want: []int{0},
		},
		"a conversion, of a conversion": {
			records: []written{{"conversion", "3", with("WARC-Refers-To: "+uri("2"), of("a")...)},
				{"conversion", "2", with("WARC-Refers-To: "+uri("1"), of("a")...)}, {"response", "1", of("a")}},
			gone: []int{2}, want: []int{0, 1, 2},
		},
		"a continuation": {
			records: []written{{"response", "1", of("a")},
				{"continuation", "2", with("WARC-Segment-Origin-ID: "+uri("1"), of("a")...)},
				{"continuation", "3", with("WARC-Segment-Origin-ID: "+uri("9"), of("a")...)}},
			gone: []int{0}, want: []int{0, 1},
		},
		"a request without an answer, of the URL": {
			records: []written{{"request", "1", of("hush")}, {"request", "2", of("other")}, {"response", "3", of("b")}},
			has:     hush, want: []int{0},
		},
		"a request of the URL that belongs to what stays": {
			records: []written{{"response", "1", of("hush")}, {"request", "2", of("hush", "1")}, {"request", "3", of("hush")}},
			has:     hush, want: []int{2},
		},
		"a request of the URL that what stays names": {
			records: []written{{"request", "2", of("hush")}, {"response", "1", of("hush", "2")}},
			has:     hush,
		},
		"captures without an ID": {
			records: []written{{"response", "", of("a")}, {"request", "", of("a")}, {"response", "", of("b")}},
			gone:    []int{0}, want: []int{0},
		},
		"neither tombstones nor damage": {
			records: []written{{"response", "1", of("a")}, {"damage", "", nil}, {"metadata", "2", []string{fields}},
				{"request", "3", of("a", "1")}},
			gone: []int{0}, want: []int{0, 2},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := surveyed(t, test.has, test.records)
			var offsets []int64
			for _, i := range test.gone {
				offsets = append(offsets, s.records[i].from)
			}
			got, err := s.going("x.warc", offsets)
			if err != nil || !slices.Equal(got, test.want) {
				t.Errorf("got %v, want %v, %v", got, test.want, err)
			}
		})
	}
}

// TestGoingWrong: where the index has a capture and the file none, nothing goes.
func TestGoingWrong(t *testing.T) {
	s := surveyed(t, nil, []written{{"response", "1", of("a")}, {"request", "2", of("a", "1")}})
	for _, offset := range []int64{1, s.records[1].from, 1 << 40} {
		if got, err := s.going("x.warc", []int64{offset}); err == nil {
			t.Errorf("at %d: %v", offset, got)
		}
	}
}
