package ranges

import (
	"bytes"
	"io"
	"mime"
	"mime/multipart"
	"slices"
	"testing"
)

// TestContent: what a Content-Range says, and that it is written as it was read.
func TestContent(t *testing.T) {
	for value, want := range map[string]string{
		"bytes 0-499/1234":                "bytes 0-499/1234",
		"bytes 0-0/1":                     "bytes 0-0/1",
		"bytes 5-6/*":                     "bytes 5-6/*",
		"BYTES   0-4 / 5 ":                "bytes 0-4/5",
		"bytes 0-9223372036854775806/*":   "bytes 0-9223372036854775806/*",
		"bytes 0-9223372036854775807/*":   "",
		"bytes 0-99999999999999999999/*":  "",
		"bytes 0-5/5":                     "",
		"bytes 3-2/5":                     "",
		"bytes */5":                       "",
		"bytes 0-4":                       "",
		"bytes 0-4/":                      "",
		"bytes 0-4/x":                     "",
		"bytes -4/5":                      "",
		"bytes=0-4/5":                     "",
		"items 0-4/5":                     "",
		"":                                "",
		"bytes 0-4/5, bytes 0-4/5":        "",
		"bytes 0-4/99999999999999999999":  "bytes 0-4/9223372036854775807",
		"bytes 18446744073709551616-17/5": "",
	} {
		c, ok := ParseContent(value)
		if ok != (want != "") || ok && c.String() != want {
			t.Errorf("%q: %s, %v, want %q", value, c, ok, want)
		}
	}
	if c, _ := ParseContent("bytes 0-4/5"); !c.IsAll() {
		t.Error("all is not all")
	}
	for _, part := range []string{"bytes 0-3/5", "bytes 1-4/5", "bytes 0-4/*"} {
		if c, ok := ParseContent(part); !ok || c.IsAll() {
			t.Errorf("%s is all", part)
		}
	}
	if got := Unsatisfied(12) + Unsatisfied(-1); got != "bytes */12bytes */*" {
		t.Error(got)
	}
}

// TestCover: which parts have a span together.
func TestCover(t *testing.T) {
	for _, c := range []struct {
		name  string
		span  Span
		parts []Span
		want  []Piece
	}{
		{"none", Span{0, 9}, nil, nil},
		{"itself", Span{3, 5}, []Span{{3, 5}}, []Piece{{Span{3, 5}, 0}}},
		{"the nearest that has all", Span{3, 5}, []Span{{0, 4}, {2, 6}, {0, 9}},
			[]Piece{{Span{3, 5}, 1}}},
		{"two", Span{0, 9}, []Span{{5, 9}, {0, 4}}, []Piece{{Span{0, 4}, 1}, {Span{5, 9}, 0}}},
		{"two that overlap", Span{0, 9}, []Span{{3, 9}, {0, 6}},
			[]Piece{{Span{0, 6}, 1}, {Span{7, 9}, 0}}},
		{"as few as can be", Span{0, 9}, []Span{{0, 1}, {2, 3}, {4, 9}, {0, 3}},
			[]Piece{{Span{0, 3}, 3}, {Span{4, 9}, 2}}},
		{"the nearer of two", Span{0, 9}, []Span{{4, 9}, {3, 9}, {0, 3}, {0, 3}},
			[]Piece{{Span{0, 3}, 2}, {Span{4, 9}, 0}}},
		{"up to a hole", Span{0, 9}, []Span{{0, 3}, {5, 9}}, []Piece{{Span{0, 3}, 0}}},
		{"behind a hole", Span{0, 9}, []Span{{5, 9}}, nil},
		{"of what is there", Span{4, 9}, []Span{{0, 6}}, []Piece{{Span{4, 6}, 0}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Cover(c.span, c.parts); !slices.Equal(got, c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

// FuzzCover holds Cover against a model that looks at each byte.
func FuzzCover(f *testing.F) {
	f.Add(uint8(0), uint8(9), []byte{0, 4, 3, 9, 5, 5})
	f.Add(uint8(2), uint8(200), []byte{100, 200, 0, 100, 101, 101, 0, 5})
	f.Fuzz(func(t *testing.T, first, last uint8, ends []byte) {
		span := Span{int64(min(first, last)), int64(max(first, last))}
		var parts []Span
		var has [256]bool
		for ; len(ends) > 1; ends = ends[2:] {
			part := Span{int64(min(ends[0], ends[1])), int64(max(ends[0], ends[1]))}
			parts = append(parts, part)
			for b := part.First; b <= part.Last; b++ {
				has[b] = true
			}
		}
		want := span.First
		for want <= span.Last && has[want] {
			want++
		}
		at := span.First
		pieces := Cover(span, parts)
		for _, p := range pieces {
			if p.First != at || p.Last < p.First || p.Last > span.Last || !parts[p.Part].Has(p.Span) {
				t.Fatalf("%v of %v: %v", span, parts, pieces)
			}
			at = p.Last + 1
		}
		if at != want {
			t.Fatalf("%v of %v: up to %d, want %d", span, parts, at, want)
		}
	})
}

// TestCoverMany: a hundred thousand parts are gone through a few times, not each for each.
func TestCoverMany(t *testing.T) {
	const many = 100_000
	parts := make([]Span, many)
	for i := range parts {
		parts[i] = Span{int64(many - i - 1), int64(many - i - 1)}
	}
	if pieces := Cover(Span{0, many - 1}, parts); len(pieces) != many {
		t.Errorf("%d pieces", len(pieces))
	}
}

// TestMultipart: what is framed is read back by the standard library, and has the length that was
// said.
func TestMultipart(t *testing.T) {
	const entity = "0123456789"
	for _, contentType := range []string{"", "text/plain; charset=utf-8"} {
		spans := []Span{{7, 9}, {0, 0}, {2, 3}}
		heads, end, length := Multipart("abc", contentType, spans, int64(len(entity)))
		var body bytes.Buffer
		for i, s := range spans {
			body.WriteString(heads[i] + entity[s.First:s.Last+1])
		}
		body.WriteString(end)
		if int64(body.Len()) != length {
			t.Errorf("%d bytes, said were %d", body.Len(), length)
		}
		_, params, err := mime.ParseMediaType("multipart/byteranges; boundary=abc")
		if err != nil {
			t.Fatal(err)
		}
		parts := multipart.NewReader(&body, params["boundary"])
		for _, s := range spans {
			part, err := parts.NextPart()
			if err != nil {
				t.Fatal(err)
			}
			content, err := io.ReadAll(part)
			if err != nil || string(content) != entity[s.First:s.Last+1] ||
				part.Header.Get("Content-Type") != contentType ||
				part.Header.Get("Content-Range") != (Content{s, 10}).String() {
				t.Errorf("%v: %q, %v, %v", s, content, part.Header, err)
			}
		}
		if _, err := parts.NextPart(); err != io.EOF {
			t.Errorf("behind the last part: %v", err)
		}
	}
	if _, _, length := Multipart("b", "", []Span{{0, 9}}, -1); length !=
		int64(len("--b\r\nContent-Range: bytes 0-9/*\r\n\r\n")+10+len("\r\n--b--\r\n")) {
		t.Error(length)
	}
}
