package recorder

import (
	"bytes"
	"strings"
	"testing"
)

// explosive is an AMF body of less than 4 KB: lists that each hold the one before twice.
func explosive() string {
	var b bytes.Buffer
	b.WriteString("\x00\x00\x00\x00\x00\x01\x00\x01t\x00\x02/1\x00\x00\x00\x00\x0a\x00\x00\x00\xbf")
	b.WriteString("\x0a\x00\x00\x00\x02\x05\x05")
	for i := range 190 {
		b.WriteString(
			"\x0a\x00\x00\x00\x02\x07\x00" + string([]byte{byte(i)}) + "\x07\x00" + string([]byte{byte(i)}))
	}
	return b.String()
}

// TestHostileBodies: whatever a page posts, its key is bounded, an ordinary exchange behind it is
// recorded, and rebuild makes the same lines. A body that counts as binary for the work that it
// asks for says so in its metadata record and in the log.
func TestHostileBodies(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := open(t, dir, allKeys)
	answer := page(200, "text/html", "", "answer")
	half := strings.Repeat("a", 512<<10)
	bodies := []struct{ name, contentType, body string }{
		{"heavy", "application/x-amf", explosive()},
		{"heavy-large", "application/x-amf", explosive() + strings.Repeat("\x00", 2<<20)},
		{"json", "text/plain", `{"` + half + `":[` + strings.Repeat("1,[],", 100<<10) + "1]}"},
		{"pattern", "multipart/form-data; boundary=a.*b|a", half + half},
		{"form", "application/x-www-form-urlencoded", strings.Repeat("&", 1<<20+1)},
	}
	for _, b := range bodies {
		c.commit("http://example.com/"+b.name,
			postOf("POST", "Content-Type: "+b.contentType+"\r\n", b.body), answer)
	}
	c.get("http://example.com/ordinary")
	c.close()
	if n := c.log.count("keyed as binary", "http://example.com/heavy"); n != 2 {
		t.Errorf("%d lines of the log", n)
	}
	found := captures(t, dir)
	if len(found) != len(bodies)+1 {
		t.Fatalf("%d captures", len(found))
	}
	for _, capture := range found {
		if len(capture.RequestBody) > 4096 || len(capture.SpecBody) > 1<<20+1 ||
			len(capture.FormKey) > 1<<20 {
			t.Errorf("%s: %d, %d and %d bytes", capture.URL, len(capture.RequestBody), len(capture.SpecBody),
				len(capture.FormKey))
		}
		heavy := strings.Contains(capture.URL, "heavy")
		if heavy && !strings.HasPrefix(capture.RequestBody, "__wb_post_data=AAAA") {
			t.Errorf("%s: %.100s", capture.URL, capture.RequestBody)
		}
	}
	notes := 0
	for _, r := range readBack(t, dir) {
		if r.get("WARC-Type") == "metadata" && strings.Contains(r.block, "requestBodyKey: binary, for ") {
			notes++
		}
	}
	if notes != 2 {
		t.Errorf("%d notes", notes)
	}
	before := exports(t, dir)
	reopenWithoutIndex(t, dir, allKeys)
	for i, after := range exports(t, dir) {
		if after != before[i] {
			t.Errorf("%+v: the export differs", allQueries()[i])
		}
	}
}
