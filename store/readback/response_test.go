package readback

import (
	"strings"
	"testing"

	"warcorder/recorder"
)

// TestVerbatim records messages, and reads back what went in: while their file is open, and when it
// is finished.
func TestVerbatim(t *testing.T) {
	r := record(t, nil)
	responses := map[string][2]string{
		"plain":   {"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n", "hello"},
		"odd":     {"HTTP/1.1 200\r\nX: a\r\n b\r\ncolonless\r\nZ: \xe9\r\n\r\n", "x"},
		"lf":      {"HTTP/1.1 200 OK\nContent-Type: text/html\n\n", "hello"},
		"empty":   {"HTTP/1.1 204 No Content\r\n\r\n", ""},
		"chunked": {"HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n", "5;a=b\r\nhello\r\n0\r\n\r\n"},
		"long":    {"HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 300<<10) + "\r\n\r\n", "hello"},
		"large":   {"HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\n\r\n", strings.Repeat("film", 1<<20)},
	}
	for name, response := range responses {
		r.commit("http://example.com/"+name, response[0]+response[1], nil)
	}
	check := func(t *testing.T) {
		for name, want := range responses {
			c := r.wait("http://example.com/"+name, 1)[0]
			got, err := r.files.Response(&c)
			if err != nil {
				t.Fatal(err)
			}
			if body := all(t, got.Body); string(got.Head) != want[0] || body != want[1] ||
				got.Size != int64(len(want[1])) || got.Made || got.Unended || got.Truncated != "" ||
				got.Status != c.Status || got.Chunked != (name == "chunked") || got.Original != nil {
				t.Errorf("%s: %+v\n%.100q", name, got, body)
			}
			if err := got.Close(); err != nil {
				t.Error(err)
			}
			request, err := r.files.Request(&c)
			if err != nil {
				t.Fatal(err)
			}
			if body := all(t, request.Body); string(request.Head) != getRequest || body != "" {
				t.Errorf("%s: request %q, %q", name, request.Head, body)
			}
			if err := request.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	t.Run("open", check)
	r.rest()
	t.Run("finished", check)
}

// TestRevisit: a revisit has its own head, and the body of its original.
func TestRevisit(t *testing.T) {
	r := record(t, nil)
	body := strings.Repeat("the same body ", 1000)
	head := "HTTP/1.1 200 OK\r\nX-Number: "
	r.commit("http://example.com/a", head+"1\r\n\r\n"+body, nil)
	r.wait("http://example.com/a", 1)
	r.commit("http://example.com/b", head+"2\r\n\r\n"+body, nil)
	r.commit("http://example.com/cut", head+"3\r\n\r\n"+body,
		func(x *recorder.Exchange) { x.Truncated = "disconnect" })
	check := func(t *testing.T) {
		for url, want := range map[string]string{"b": "2", "cut": "3"} {
			c := r.wait("http://example.com/"+url, 1)[0]
			got, err := r.files.Response(&c)
			if err != nil {
				t.Fatal(err)
			}
			if (got.Original != nil) != (c.MIME == "warc/revisit") || url == "b" && got.Original == nil {
				t.Errorf("%s: %+v, %v", url, c, got.Original)
			}
			if string(got.Head) != head+want+"\r\n\r\n" || all(t, got.Entity()) != body {
				t.Errorf("%s: %q", url, got.Head)
			}
			if size, known := got.EntitySize(); size != int64(len(body)) || !known {
				t.Errorf("%s: %d bytes, %v", url, size, known)
			}
			if (got.Truncated != "") != (url == "cut") {
				t.Errorf("%s: truncated %q", url, got.Truncated)
			}
			got.Close()
		}
	}
	t.Run("open", check)
	r.rest()
	t.Run("finished", check)
}
