package wacz

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"warcorder/store"
)

// indexOf returns the lines of an index, after it has checked its members and their list.
func indexOf(t *testing.T, entries map[string][]byte) []string {
	t.Helper()
	if plain, is := entries[plainPath]; is {
		return slices.Collect(strings.Lines(string(plain)))
	}
	var lines []string
	members := entries[membersPath]
	list := slices.Collect(strings.Lines(string(entries[listPath])))
	if list[0] != `!meta 0 {"format": "cdxj-gzip-1.0", "filename": "index.cdx.gz"}`+"\n" {
		t.Errorf("the list begins %q", list[0])
	}
	keys := map[string]bool{}
	for _, entry := range list[1:] {
		key, text, _ := strings.Cut(entry, " {")
		var at struct {
			Offset, Length   int
			Digest, Filename string
		}
		if err := json.Unmarshal([]byte("{"+text), &at); err != nil || at.Offset != len(entries[membersPath])-len(members) {
			t.Fatalf("%s: %v", entry, err)
		}
		sum := sha256.Sum256(members[:at.Length])
		if at.Digest != "sha256:"+hex.EncodeToString(sum[:]) || at.Filename != "index.cdx.gz" || keys[key] {
			t.Errorf("%s: digest %x", entry, sum)
		}
		keys[key] = true
		in, err := gzip.NewReader(bytes.NewReader(members[:at.Length]))
		if err != nil {
			t.Fatal(err)
		}
		text2, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		block := slices.Collect(strings.Lines(string(text2)))
		if len(block) > blockLines || len(text2) > blockBytes && len(block) > 1 {
			t.Errorf("a member of %d lines, %d bytes", len(block), len(text2))
		}
		if first, _, _ := strings.Cut(block[0], " {"); !strings.HasPrefix(key, first) {
			t.Errorf("a member begins with %q, the list says %q", first, key)
		}
		lines = append(lines, block...)
		members = members[at.Length:]
	}
	if len(members) > 0 {
		t.Errorf("%d bytes of members are in no list", len(members))
	}
	if !slices.IsSorted(list[1:]) {
		t.Error("the list is not sorted")
	}
	return lines
}

// TestMembers: an index that is too long for one piece is the same in members, sorted, whatever the
// order in which captures come; also where many have one key and time, and where lines are long.
func TestMembers(t *testing.T) {
	var captures []*store.Capture
	for i := range 10_000 {
		c := capture(fmt.Sprintf("http://example.com/%d?%s", i*7919%10_000, strings.Repeat("q", i%50)), 200)
		c.Offset = int64(i)
		captures = append(captures, c)
	}
	for i := range 5000 { // more than four members of one key and time
		c := capture("http://same.example/", 200)
		c.Offset = int64(i)
		captures = append(captures, c)
	}
	for i := range 4 {
		captures = append(captures, capture("http://long.example/?"+strings.Repeat(fmt.Sprint(i), 300_000), 200))
	}
	wacz, part := write(t, Settings{Created: created}, func(w *Writer) {
		for _, c := range captures {
			if err := w.Capture(c, ""); err != nil {
				t.Fatal(err)
			}
		}
	})
	lines := indexOf(t, read(t, wacz))
	if len(lines) != len(captures) || part.Captures != int64(len(captures)) || !slices.IsSorted(lines) {
		t.Errorf("%d lines, %+v", len(lines), part)
	}
	var want []string
	for _, c := range captures {
		want = append(want, string(c.AppendLine(nil, "warciojs"))+"\n")
	}
	slices.Sort(want)
	if !slices.Equal(lines, want) {
		t.Error("other lines")
	}
}

// TestPlainLimit: up to the limit an index stands in one piece.
func TestPlainLimit(t *testing.T) {
	for _, over := range []int{0, 1} {
		c := capture("http://example.com/?", 200)
		c.URL += strings.Repeat("q", over+(maxPlain-len(c.AppendLine(nil, "warciojs")))/2)
		wacz, _ := write(t, Settings{}, func(w *Writer) { w.Capture(c, "") })
		entries := read(t, wacz)
		if _, plain := entries[plainPath]; plain != (len(c.AppendLine(nil, "warciojs")) < maxPlain) {
			t.Errorf("%d bytes: plain is %v", len(c.AppendLine(nil, "warciojs")), plain)
		}
		if lines := indexOf(t, entries); len(lines) != 1 {
			t.Errorf("%d lines", len(lines))
		}
	}
}

// TestLeftOut: 304s have no line, nor have parts of what is there whole.
func TestLeftOut(t *testing.T) {
	at := func(url string, status int, entity uint32, change ...func(*store.Capture)) *store.Capture {
		c := capture(url, status)
		c.Entity = entity
		for _, f := range change {
			f(c)
		}
		return c
	}
	cut := func(c *store.Capture) { c.Truncated = true }
	joined := func(c *store.Capture) { c.Whole = true }
	post := func(c *store.Capture) { c.Method = "POST" }
	late := func(c *store.Capture) { c.Time = c.Time.Add(time.Hour) }
	for _, c := range []struct {
		name     string
		captures []*store.Capture
		want     int
	}{
		{"a 304 alone", []*store.Capture{at("a", 304, 0)}, 0},
		{"a part alone", []*store.Capture{at("a", 206, 0)}, 1},
		{"a part and its whole", []*store.Capture{at("a", 206, 7, late), at("a", 200, 7)}, 1},
		{"the whole comes later", []*store.Capture{at("a", 206, 7), at("a", 200, 7, late)}, 1},
		{"a part of another version", []*store.Capture{at("a", 206, 8), at("a", 200, 7)}, 2},
		{"a part of an unknown version", []*store.Capture{at("a", 206, 0), at("a", 200, 7)}, 1},
		{"the whole of an unknown version", []*store.Capture{at("a", 206, 8), at("a", 200, 0)}, 1},
		{"a whole that was cut", []*store.Capture{at("a", 200, 7, cut), at("a", 200, 7, late)}, 1},
		{"what was cut alone", []*store.Capture{at("a", 200, 7, cut)}, 1},
		{"all bytes as a part", []*store.Capture{at("a", 206, 7), at("a", 206, 7, joined, late)}, 1},
		{"all bytes as a part, and the whole", []*store.Capture{at("a", 206, 7, joined), at("a", 200, 7)}, 1},
		{"all bytes twice", []*store.Capture{at("a", 206, 7, joined), at("a", 206, 7, joined, late)}, 2},
		{"another URL", []*store.Capture{at("a", 206, 7), at("ab", 200, 7), at("a?", 404, 7)}, 3},
		{"an error is no whole", []*store.Capture{at("a", 206, 7), at("a", 500, 7)}, 2},
		{"a POST is no whole", []*store.Capture{at("a", 206, 7), at("a", 200, 7, post)}, 2},
	} {
		for range 2 { // in either order
			slices.Reverse(c.captures)
			wacz, part := write(t, Settings{}, func(w *Writer) {
				for _, capture := range c.captures {
					one := *capture
					one.URL = "http://example.com/" + one.URL
					if err := w.Capture(&one, ""); err != nil {
						t.Fatal(err)
					}
				}
			})
			lines := indexOf(t, read(t, wacz))
			if len(lines) != c.want || part.LeftOut != int64(len(c.captures)-c.want) || part.Captures != int64(c.want) {
				t.Errorf("%s: %d lines, %+v, want %d", c.name, len(lines), part, c.want)
			}
		}
	}
}

// TestManyEntities: of a URL key with endless versions the first ones count.
func TestManyEntities(t *testing.T) {
	wacz, part := write(t, Settings{}, func(w *Writer) {
		for i := range uint32(maxEntities + 10) {
			for _, status := range []int{200, 206} {
				c := capture("http://example.com/", status)
				c.Entity = i + 1
				w.Capture(c, "")
			}
		}
	})
	if lines := indexOf(t, read(t, wacz)); len(lines) < maxEntities+10 || part.LeftOut != maxEntities {
		t.Errorf("%d lines, %+v", len(lines), part)
	}
}

// TestCookies: they stand in the line if they are given.
func TestCookies(t *testing.T) {
	wacz, _ := write(t, Settings{}, func(w *Writer) {
		w.Capture(capture("http://example.com/", 200), "a=\"b\"; c=\x01\xff")
	})
	lines := indexOf(t, read(t, wacz))
	_, text, _ := strings.Cut(lines[0], " {")
	var fields map[string]string
	unmarshal(t, []byte("{"+text), &fields)
	if fields["req.http:cookie"] != "a=\"b\"; c=\x01\uFFFD" || fields["filename"] != "a.warc.gz" {
		t.Errorf("%q", fields)
	}
}

// FuzzCapture: whatever a capture holds, each gives a line of its own that can be read.
func FuzzCapture(f *testing.F) {
	f.Add("http://example.com/?a=1", "POST", "a=b", "text/html", "sid=1", 200, uint32(1))
	f.Add("\x01o0\n {", "\x01", "\x01p", "\n", "\x01", 206, uint32(1<<31))
	f.Fuzz(func(t *testing.T, url, method, body, mime, cookie string, status int, entity uint32) {
		c := capture(url, status)
		c.Method, c.WarcioJSBody, c.MIME, c.Entity = method, body, mime, entity
		var out bytes.Buffer
		w := New(&out, Settings{TempDir: t.TempDir()})
		defer w.Close()
		for range 3 {
			if err := w.Capture(c, cookie); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Page(&Page{URL: url, Title: mime, Text: body, Status: status}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Finish(); err != nil {
			t.Fatal(err)
		}
		entries, _ := entriesOf(t, out.Bytes())
		lines := indexOf(t, entries)
		want := 3
		if status == 304 {
			want = 0
		}
		if len(lines) != want {
			t.Fatalf("%q", lines)
		}
		for _, line := range lines {
			key, text, _ := strings.Cut(line, " {")
			if !json.Valid([]byte("{"+text)) || strings.Count(key, " ") != 1 {
				t.Fatalf("%q", line)
			}
		}
		for line := range bytes.Lines(entries[pagesPath]) {
			if !json.Valid(line) {
				t.Fatalf("%q", line)
			}
		}
	})
}
