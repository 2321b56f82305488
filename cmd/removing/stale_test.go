package removing

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"warcorder/store"
	"warcorder/store/readback"
	"warcorder/store/selection"
)

// fileText is what a WARC file holds.
func (r *recording) fileText(name string) string {
	r.t.Helper()
	b, err := os.ReadFile(r.dir.WARC(name))
	if err != nil {
		r.t.Fatal(err)
	}
	return string(b)
}

// TestStale: a place that was read before a removal leads to no other version of its URL.
func TestStale(t *testing.T) {
	var all strings.Builder
	for i := range 5 {
		all.WriteString(stranger("response", i, "/p", page(fmt.Sprint("version", i)), "X-A: 1"))
	}
	r := strange(t, all.String())
	var list []store.Capture
	err := r.Index().Captures(store.Query{}, func(c *store.Capture) bool {
		list = append(list, *c)
		return true
	})
	if err != nil || len(list) != 5 {
		t.Fatal(list, err)
	}
	files := readback.New(r.dir, r.Index())
	defer files.Close()
	r.remove(selection.Selection{To: "20260101000000"}, nil)
	for i := range list {
		got, err := files.Response(&list[i])
		if err != nil {
			continue
		}
		body, err := io.ReadAll(got.Body)
		if err = errors.Join(err, got.Close()); err != nil || string(body) != fmt.Sprint("version", i) {
			t.Errorf("version %d is %q, %v", i, body, err)
		}
	}
}

// TestRequestOfMinutes: a date that the index takes is one to a removal too.
func TestRequestOfMinutes(t *testing.T) {
	request := stranger("request", 2, "/hush", "GET / HTTP/1.1\r\nCookie: biscuit\r\n\r\n")
	request = strings.Replace(request, dateOf(2), "2026-01-01T00:00Z", 1)
	r := strange(t, stranger("response", 1, "/hush", page("a"), "X-A: 1")+request+
		stranger("response", 3, "/o", page("b"), "X-A: 1"))
	r.remove(selection.Selection{URL: "https://example.com/hush"}, nil)
	if b := r.fileText("x0.warc"); strings.Contains(b, "biscuit") {
		t.Error("the request is still there")
	}
}
