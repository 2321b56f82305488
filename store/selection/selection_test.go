package selection

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"warcorder/store"
)

// site records pages of one host, with revisits across URLs, and posts.
func site(t *testing.T) *recording {
	r := record(t, nil)
	long := strings.Repeat("the same body ", 100)
	r.get("https://example.com/a", page(long))     // 12:00:01
	r.get("https://example.com/b", page(long))     // a revisit of /a
	r.get("https://example.com/c", page("c"))      // 12:00:03
	r.get("https://example.com/b/deep", page("d")) // 12:00:04
	r.send("POST", "https://example.com/c", "x=1&y="+strings.Repeat("z", 5000), page("posted"))
	r.send("POST", "https://example.com/c?q=1", "x=2", page("posted with q"))
	r.get("https://www.example.com/w", page("w"))
	r.get("https://example.com/b", page(long)) // 12:00:08, a revisit again
	return r
}

func TestCaptures(t *testing.T) {
	s := site(t).source()
	for _, test := range []struct {
		name string
		sel  Selection
		want string
	}{
		{"all", Selection{}, "/a\n/b revisit\n/b revisit\n/b/deep\n/c\nPOST /c?q=1\nPOST /c\n" +
			"https://www.example.com/w\n"},
		{"a URL, with what was posted to it", Selection{URL: "https://example.com/c"}, "/c\nPOST /c\n"},
		{"a URL whose revisits need another", Selection{URL: "https://example.com/b"},
			"/a needed\n/b revisit\n/b revisit\n"},
		{"prefix", Selection{URL: "https://example.com/b", Match: store.Prefix},
			"/a needed\n/b revisit\n/b revisit\n/b/deep\n"},
		{"host", Selection{URL: "https://www.example.com/", Match: store.Host}, // www. is no other
			"/a\n/b revisit\n/b revisit\n/b/deep\n/c\nPOST /c?q=1\nPOST /c\nhttps://www.example.com/w\n"},
		{"time", Selection{From: "20260501120003", To: "20260501120004"}, "/b/deep\n/c\n"},
		{"time and URL", Selection{URL: "https://example.com/b", From: "20260501120008"},
			"/a needed\n/b revisit\n"},
		{"no file", Selection{Files: []string{"other.warc.gz"}}, ""},
		{"a URL that was not captured", Selection{URL: "https://example.com/none"}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := all(t, s, test.sel)
			if short(got) != test.want {
				t.Errorf("got\n%swant\n%s", short(got), test.want)
			}
			for _, c := range got {
				if c.IsRevisit() != (c.Original != nil) {
					t.Errorf("%s: its original is %v", c.URL, c.Original)
				}
			}
		})
	}
}

// TestComplete: captures come with the bodies of all dialects, whichever way they come.
func TestComplete(t *testing.T) {
	s := site(t).source()
	for _, sel := range []Selection{{}, {URL: "https://example.com/c"}} {
		n := 0
		for _, c := range all(t, s, sel) {
			if c.Method != "POST" || c.URL != "https://example.com/c" {
				continue
			}
			n++
			if len(c.SpecBody) < 5000 || len(c.WarcioJSBody) < 4000 || len(c.RequestBody) < 4000 ||
				!strings.Contains(c.URLKey, "__wb_method=post") {
				t.Errorf("bodies of %d, %d and %d bytes", len(c.SpecBody), len(c.WarcioJSBody),
					len(c.RequestBody))
			}
		}
		if n != 1 {
			t.Errorf("%d captures", n)
		}
	}
}

func TestValues(t *testing.T) {
	for _, sel := range []Selection{
		{},
		{URL: "https://example.com/?a=b&c", Match: store.Prefix, From: "2026", To: "202605",
			Page: "https://example.com/", Files: []string{"a.warc.gz", "b.warc"}},
	} {
		got, err := Of(sel.Values())
		if err != nil || !reflect.DeepEqual(got, sel) {
			t.Errorf("%+v became %+v, %v", sel, got, err)
		}
	}
	for _, sel := range []Selection{
		{From: "yesterday"},
		{Match: store.Host},
		{URL: "https://example.com/", Match: "near"},
		{URL: "https://example.com/", Match: store.AnyBody},
		{Files: []string{"../a.warc.gz"}},
		{Files: []string{"."}},
		{To: "202"},
		{To: "20269999"},
		{From: "2027", To: "2026"},
		{URL: "nonsense"},
		{URL: "127.0.0.1", Match: store.Host},
		{URL: "example.com", Match: store.Domain},
		{URL: "127.0.0.1:8080/a"},
		{URL: "localhost:8080"},
		{URL: "https:///a"},
		{URL: "http:"},
		{URL: ":"},
	} {
		if _, err := Of(sel.Values()); err == nil {
			t.Errorf("%+v is taken", sel)
		}
	}
}

// TestWhole: a URL of any scheme is taken, however it is written.
func TestWhole(t *testing.T) {
	for _, text := range []string{"http://a.example", "HTTPS://a.example/%zz", "https://[::1]:8080/?a b",
		"dns:a.example", "urn:view:https://a.example/", "ftp://a.example/", "file:///a"} {
		if err := (Selection{URL: text}).Check(); err != nil {
			t.Error(err)
		}
	}
}

// TestChosen: what is sorted comes back as it was.
func TestChosen(t *testing.T) {
	s := site(t).source()
	for _, c := range all(t, s, Selection{URL: "https://example.com/", Match: store.Host}) {
		c.Page, c.Needed, c.QueryKey = "p\xff", true, ""
		got, err := Decode(c.Append(nil))
		if err != nil || !reflect.DeepEqual(got, c) {
			t.Errorf("%.500v became %.500v, %v", c, got, err)
		}
		whole := c.Append(nil)
		for n := range whole {
			if _, err := Decode(whole[:n]); err == nil {
				t.Fatalf("%d of %d bytes are taken", n, len(whole))
			}
		}
	}
}

// BenchmarkHas: whether a capture is selected by its file costs the same however many files are named:
// who splits a collection names thousands.
func BenchmarkHas(b *testing.B) {
	s := record(b, nil).source()
	for _, n := range []int{1, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			sel := Selection{}
			for i := range n {
				sel.Files = append(sel.Files, fmt.Sprintf("%05d.warc.gz", i))
			}
			h, err := s.here(sel, Detail{})
			if err != nil {
				b.Fatal(err)
			}
			c := store.Capture{Location: store.Location{File: sel.Files[n-1]}}
			for b.Loop() {
				if !h.has(&c) {
					b.Fatal("it is not selected")
				}
			}
			if err := h.choice.Close(); err != nil {
				b.Fatal(err)
			}
		})
	}
}
