package route

import (
	"bytes"
	"strings"
	"testing"
)

// FuzzAnswer: whatever a parent answers, no more of it is read than its bound, and of a final
// answer not a byte behind its head.
func FuzzAnswer(f *testing.F) {
	for _, text := range []string{"HTTP/1.1 200 OK\r\n\r\nSSH-2.0",
		"HTTP/1.1 103 x\n\nHTTP/1.0 407\r\n\r\n", "\r\n\r\n", "HTTP/1.1 20", strings.Repeat("HTTP/1.1 100 \r\n\r\n", 9)} {
		f.Add([]byte(text), 1)
	}
	f.Add([]byte("x"), 100_000)
	f.Fuzz(func(t *testing.T, text []byte, times int) {
		text = bytes.Repeat(text, min(max(times, 1), 1<<18/(len(text)+1)+1))
		from := bytes.NewReader(text)
		h := &hop{scheme: "http", host: "parent", port: "80"}
		status, head, err := h.readAnswer(from)
		read := len(text) - from.Len()
		if read > maxAnswer {
			t.Errorf("%d bytes are read", read)
		}
		if err == nil && !bytes.HasSuffix(text[:read], head) {
			t.Errorf("the head is %q", head)
		}
		h.unauthorized(head)
		if (err == nil) != (status >= 200) || status > 999 {
			t.Errorf("%d, %v", status, err)
		}
		if err == nil && !bytes.HasSuffix(text[:read], []byte("\n\n")) &&
			!bytes.HasSuffix(text[:read], []byte("\n\r\n")) {
			t.Errorf("read up to %q", text[:read])
		}
	})
}
