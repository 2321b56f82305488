package fromhar

import (
	"slices"
	"strings"
	"testing"
)

// TestCompletion: an exchange that a recorder of ours has asked for gets the record that says so, behind
// its request, and is no page; other words there say nothing.
func TestCompletion(t *testing.T) {
	response := `{"status":200,"headers":[],"content":{"size":2,"mimeType":"text/html","text":"hi"}}`
	of := func(completion string) string {
		return strings.Replace(entryOf(get, response), "{", `{"pageref":"1","_completion":"`+completion+`",`, 1)
	}
	paged := func(entries ...string) string {
		return strings.Replace(logOf(entries...), `"pages":[]`, `"pages":[{"id":"1","title":"One"}]`, 1)
	}
	m, err := makeOf(t, paged(of(""), of("part"), of(`what\r\nfield: x`)), nil)
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, h := range m.headers {
		kinds = append(kinds, h.Get("WARC-Type"))
	}
	want := []string{"warcinfo", "response", "request", "response", "request", "metadata", "response", "request"}
	if !slices.Equal(kinds, want) {
		t.Fatal(kinds)
	}
	about, answer := m.headers[5], m.headers[3]
	if about.Get("WARC-Concurrent-To") != answer.Get("WARC-Record-ID") ||
		about.Get("WARC-Target-URI") != answer.Get("WARC-Target-URI") ||
		about.Get("Content-Type") != "application/warc-fields" || m.blocks[5] != "completion: part\r\n" {
		t.Errorf("%v, %q", about, m.blocks[5])
	}
	alone, err := makeOf(t, paged(of("part")), nil)
	if err != nil || len(alone.pages) != 0 || len(m.pages) != 1 {
		t.Errorf("%v, %v, %v", m.pages, alone.pages, err)
	}
}
