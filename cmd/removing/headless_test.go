package removing

import (
	"maps"
	"os"
	"strings"
	"testing"
)

// TestRemoveHeadless: revisits without an HTTP head show the head that they showed before, and not that of
// another revisit that has got the body.
func TestRemoveHeadless(t *testing.T) {
	headless := func(second int) string {
		return stranger("revisit", second, "/r", "", digestA,
			"WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest",
			"WARC-Refers-To-Target-URI: https://example.com/hush", "WARC-Refers-To-Date: "+dateOf(1))
	}
	own := strings.Replace(page(text("aaaa")), "text/html\r\n", "text/html\r\nX-Own: of what goes\r\n", 1)
	r := strange(t, stranger("response", 1, "/hush", own, digestA)+again(2, "/r", digestA, "/hush", 1)+
		headless(3)+again(4, "/r", digestA, "/hush", 1)+headless(5))
	before := r.all()
	done := r.remove(hush, nil)
	if done.Captures != 1 || done.Moved != 2 || done.Redirected != 2 {
		t.Errorf("%+v", done)
	}
	maps.DeleteFunc(before, func(_ string, s shown) bool { return s.isOf([]string{"/hush"}) })
	r.same(before)
	b, err := os.ReadFile(r.dir.WARC("x0.warc"))
	if err != nil || strings.Contains(string(b), "To-Target-URI: https://example.com/hush") {
		t.Errorf("%s, %v", b, err)
	}
	r.verified()
}

// TestHeadlessAstray: a revisit without an HTTP head shows the head of the response of its own URL, also
// when the revisit that it names becomes a response.
func TestHeadlessAstray(t *testing.T) {
	own := strings.Replace(page(text("aaaa")), "text/html\r\n", "text/html\r\nX-Own: of its URL\r\n", 1)
	r := strange(t, stranger("response", 1, "/hush", page(text("aaaa")), digestA)+
		again(2, "/other", digestA, "/hush", 1)+stranger("response", 3, "/r", own, digestA)+
		stranger("revisit", 4, "/r", "", digestA,
			"WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest",
			"WARC-Refers-To-Target-URI: https://example.com/other", "WARC-Refers-To-Date: "+dateOf(2)))
	before := r.all()
	done := r.remove(hush, nil)
	if done.Captures != 1 || done.Moved != 1 || done.Redirected != 1 {
		t.Errorf("%+v", done)
	}
	maps.DeleteFunc(before, func(_ string, s shown) bool { return s.isOf([]string{"/hush"}) })
	r.same(before)
	r.verified()
}
