package v09

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"warcorder/store/warc"
)

// TestSearchEnds: a gzip member that holds nothing but what seems to begin records is given up when
// looking at them has cost what the file may cost.
func TestSearchEnds(t *testing.T) {
	var file bytes.Buffer
	w := gzip.NewWriter(&file)
	if _, err := io.WriteString(w, strings.Repeat("warc/0.9 99999999 response http://a/ "+
		"20260101000000 a/b urn:a\r\n\r\n", 40_000)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	size := int64(file.Len())
	r, err := NewReader(bytes.NewReader(file.Bytes()), "x.warc.gz")
	if err != nil {
		t.Fatal(err)
	}
	for {
		_, err := r.Next()
		if errors.As(err, new(*warc.Damage)) {
			_, err = r.Resync()
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if limit := maxSearch + searchCost*size + 64<<20; r.text.work > limit {
		t.Errorf("%d bytes for %d", r.text.work, size)
	}
}

func TestFolds(t *testing.T) {
	head := "warc/0.9 300 response http://a/ 20260101000000 a/b urn:a\r\nx: b" + strings.Repeat(
		"\r\n\t c \r\n \r\n# a comment", 9000) + "\r\ny: d\r\n  e\r\n\r\n"
	h, _, err := parseHead([]byte(head))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := h.Fields.Get("x"), "b"+strings.Repeat(" c", 9000); got != want {
		t.Errorf("%.40q", got)
	}
	if got := h.Fields.Get("y"); got != "d e" {
		t.Errorf("%q", got)
	}
}
