package har

import (
	"bytes"
	"encoding/json"
	"io"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"warcorder/store/readback"
)

// TestText: what is no UTF-8 is Latin-1.
func TestText(t *testing.T) {
	for s, want := range map[string]string{
		"": "", "a\x00é\u2028": "a\x00é\u2028", "\xe9": "é", "é\xff": "Ã©ÿ", "\xed\xa0\x80": "í\u00a0\u0080",
	} {
		if got := text(s); got != want || !utf8.ValidString(got) {
			t.Errorf("%q: %q", s, got)
		}
	}
}

// TestIsText: which media types are those of texts.
func TestIsText(t *testing.T) {
	for kind, want := range map[string]bool{
		"text/html": true, "Text/HTML; charset=utf-8": true, " application/json ;x": true,
		"image/svg+xml": true, "application/problem+json": true, "application/x-www-form-urlencoded": true,
		"": false, "image/png": false, "application/octet-stream": false, "video/mp4": false, noType: false,
	} {
		if readback.IsTextType(kind) != want {
			t.Errorf("%q: %v", kind, !want)
		}
	}
}

// FuzzPieces: text that is read in pieces of any length is whole, each piece is UTF-8 if all of it
// is, and it is quoted as the JSON of the whole is.
func FuzzPieces(f *testing.F) {
	for _, s := range []string{"", "a", "é€😀 \x00\"\\\u2028", "é€\xf0\x9f\x98", "\xe9", "\xff\xfe", "€\x80",
		"\xf0\x9f\x98\x80\xf0", "<&>"} {
		f.Add([]byte(s), byte(7))
		f.Add([]byte(s), byte(0))
	}
	f.Fuzz(func(t *testing.T, b []byte, size byte) {
		q, valid := newQuoter(), true
		var all, quoted []byte
		in := iotest.OneByteReader(bytes.NewReader(b))
		if size%2 == 0 {
			in = iotest.DataErrReader(bytes.NewReader(b))
		}
		err := pieces(in, make([]byte, utf8.UTFMax+int(size)), func(p []byte) error {
			all, valid = append(all, p...), valid && utf8.Valid(p)
			inner, err := q.inner(p)
			quoted = append(quoted, inner...)
			return err
		})
		if err != nil || !bytes.Equal(all, b) || valid != utf8.Valid(b) {
			t.Fatalf("%q: %q, %v, %v", b, all, valid, err)
		}
		var back string
		if err := json.Unmarshal([]byte(`"`+string(quoted)+`"`), &back); err != nil || valid && back != string(b) {
			t.Fatalf("%q: %q, %v", b, quoted, err)
		}
		if err := pieces(iotest.ErrReader(io.ErrNoProgress), make([]byte, 8), func([]byte) error { return nil }); err !=
			io.ErrNoProgress {
			t.Fatal(err)
		}
	})
}
