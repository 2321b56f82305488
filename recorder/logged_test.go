package recorder

import (
	"strings"
	"testing"
)

// TestLongTextsInTheLog are cut there, and whole in the index.
func TestLongTextsInTheLog(t *testing.T) {
	c := open(t, t.TempDir(), Config{})
	url := "http://example.com/" + strings.Repeat("x", 500<<10)
	c.commit(url, exampleRequest, page(200, strings.Repeat("\x01", 500<<10), "", "body"))
	eventually(t, "capture in the log",
		func() bool { return c.log.count(`"capture"`, "http://example.com/xxx") == 1 })
	if urls := c.urls(); len(urls) != 1 || urls[0] != url {
		t.Errorf("%.200q", urls)
	}
	c.close()
	if n := c.log.b.Len(); n > 64<<10 {
		t.Errorf("%d bytes in the log", n)
	}
	if got := Logged("http://example.com/"); got != "http://example.com/" {
		t.Errorf("%q", got)
	}
}
