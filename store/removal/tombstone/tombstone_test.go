package tombstone

import (
	"strings"
	"testing"
	"time"

	"warcorder/store/warc"
)

// TestTombstone: a tombstone is known by its header and its beginning, whatever the reason says, and
// says what went unless it is to forget.
func TestTombstone(t *testing.T) {
	var l List
	l.Add("2026-05-01T12:00:00Z", "sha1:A", "https://example.com/a\r\nremoval: x")
	l.Add("2026-05-01T12:00:01Z", "", "https://example.com/b")
	f := Facts{ID: "<urn:uuid:01234567-89ab-4def-8123-456789abcdef>", Time: time.Unix(1e9, 0),
		Reason: "by court\norder", Captures: 2, Records: 5, Bytes: 99}
	block := Block(&f, &l)
	const want = "removal: <urn:uuid:01234567-89ab-4def-8123-456789abcdef>\r\nremoved: 2001-09-09T01:46:40Z\r\n" +
		"reason: by court order\r\ncaptures: 2\r\nrecords: 5\r\nbytes: 99\r\n" +
		"capture: 2026-05-01T12:00:00Z sha1:A https://example.com/a  removal: x\r\n" +
		"capture: 2026-05-01T12:00:01Z - https://example.com/b\r\n"
	if string(block) != want {
		t.Errorf("got %s", block)
	}
	for _, version := range []string{warc.Version, warc.Version10} {
		head := Header(version, f.ID, "<urn:uuid:w>", f.Time, block)
		got, h, err := warc.ParseHeader(head)
		if err != nil || got != version || !Is(h, block) || !MayBe(h) || Is(h, []byte("removed: x")) {
			t.Errorf("%s: %v", head, err)
		}
	}
	if Is(warc.Header{{Name: "WARC-Type", Value: "metadata"}, {Name: "Content-Type", Value: FieldsType},
		{Name: "WARC-Target-URI", Value: "https://example.com/"}}, block) {
		t.Error("one of a URI is none")
	}
}

// TestForget: a capture that is forgotten later is counted, and no longer named.
func TestForget(t *testing.T) {
	var l List
	for _, name := range []string{"a", "b", "a"} {
		l.Add("2026-05-01", "", "https://example.com/"+name) // a date that the index takes
	}
	f := Facts{ID: "<urn:uuid:1>", Reason: "capture: 2026-05-01 - https://example.com/a"}
	block := Block(&f, &l)
	isA := func(uri string, _ time.Time) bool { return strings.HasSuffix(uri, "/a") }
	once := Forget(block, "", isA)
	if n := strings.Count(string(once), "example.com/a"); n != 1 || // in the reason
		!strings.Contains(string(once), "unlisted: 2\r\n") || !strings.Contains(string(once), "/b\r\n") {
		t.Errorf("got %s", once)
	}
	if Forget(once, "", isA) != nil {
		t.Error("it is forgotten twice")
	}
	all := Forget(once, "", func(string, time.Time) bool { return true })
	if strings.Contains(string(all), "/b") || !strings.Contains(string(all), "unlisted: 3\r\n") {
		t.Errorf("got %s", all)
	}
}

// TestForgetPage: what a page has taken along is forgotten by the page, and by nothing else's; the page
// is named for as long as anything is listed, unless it is itself what is forgotten.
func TestForgetPage(t *testing.T) {
	var l List
	l.Add("2026-05-01T12:00:00Z", "", "https://example.com/page")
	l.Add("2026-05-01T12:00:01Z", "", "https://example.com/picture")
	block := Block(&Facts{ID: "<urn:uuid:1>", Page: "https://example.com/page", Captures: 2}, &l)
	ends := func(end string) func(string, time.Time) bool {
		return func(uri string, _ time.Time) bool { return strings.HasSuffix(uri, end) }
	}
	if Forget(block, "https://example.com/other", ends("")) != nil {
		t.Error("it is forgotten by another page")
	}
	for name, test := range map[string]struct {
		page string
		end  string
		want string // behind the counts
	}{
		"the page":   {"https://example.com/page", "", "unlisted: 2\r\n"},
		"everything": {"", "", "unlisted: 2\r\n"},
		"the picture": {"", "picture", "capture: 2026-05-01T12:00:00Z - https://example.com/page\r\n" +
			"page: https://example.com/page\r\nunlisted: 1\r\n"},
		"the document": {"", "page", "capture: 2026-05-01T12:00:01Z - https://example.com/picture\r\nunlisted: 1\r\n"},
	} {
		_, got, _ := strings.Cut(string(Forget(block, test.page, ends(test.end))), "bytes: 0\r\n")
		if got != test.want {
			t.Errorf("%s: %s", name, got)
		}
	}
	picture := Forget(block, "", ends("picture"))
	if got := string(Forget(picture, "https://example.com/page", ends(""))); strings.Contains(got, "example") {
		t.Errorf("forgotten bit by bit: %s", got)
	}
}

// TestLongList: a list has a bound, behind which captures are counted.
func TestLongList(t *testing.T) {
	var l List
	long := strings.Repeat("x", 1<<20)
	for range 20 {
		l.Add("2026-05-01T12:00:00Z", "", long)
	}
	block := Block(&Facts{}, &l)
	if len(block) > MaxList+1<<20 || !strings.Contains(string(block), "unlisted: 5\r\n") {
		t.Errorf("%d bytes: %.200s", len(block), block[len(block)-200:])
	}
}
