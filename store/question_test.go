package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"warcorder/canon"
)

// TestQuestion: what a question leaves out, who asks it does not find; and what lies elsewhere it does
// leave out.
func TestQuestion(t *testing.T) {
	long := "http://example.com/" + strings.Repeat("long/", 300)
	index := newIndex(t)
	file := addFile(t, index, "a.warc.gz")
	var all []Capture
	add := func(method, url, query, body string) {
		c := Capture{
			URL: url, Method: method, RequestBody: query, Status: 200, FormKey: body,
			Time:     time.Date(2026, 1, 1+len(all), 0, 0, 0, 0, time.UTC),
			Location: Location{File: file.Name, Offset: int64(len(all)), Length: 1},
		}
		c.URLKey, _ = canon.SURT(canon.Pywb.Append(url, method, query))
		all = append(all, c)
	}
	for _, url := range []string{
		"http://example.com/", "http://example.com/a", "http://example.com/a?b=c", "http://example.com/ab",
		"http://www.example.com/a", "http://b.example.com/", "http://example.org/a", "http://other.test:8080/a?x",
		"http://[not to be read/ \x01\xff", "http://[not", "urn:x:A", long, long + "?b", long + "x", "",
	} {
		add("", url, "", "")
		add("POST", url, "d=e&f="+strings.Repeat("g", 2000), "d=e f")
	}
	file.Committed = int64(len(all))
	if err := index.Commit(slices.Clone(all), []File{file}); err != nil {
		t.Fatal(err)
	}
	// ask compares what a question says of each capture with what who asks it finds.
	ask := func(name string, q Question, exactly bool, find func(yield func(*Capture) bool) error) {
		t.Helper()
		found := map[int64]bool{}
		err := find(func(c *Capture) bool { found[c.Offset] = true; return true })
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for i := range all {
			p := PendingOf(&all[i])
			if is := found[all[i].Offset]; is && !q(&p) || exactly && !is && q(&p) {
				t.Errorf("%s: %s %q is found: %v", name, all[i].Method, all[i].URLKey, is)
			}
		}
		if record := (Pending{File: file.Name}); exactly && q(&record) {
			t.Errorf("%s: finds what is no capture", name)
		}
	}
	for i := range all {
		c := &all[i]
		for _, q := range []Query{
			{URL: c.URL}, {URL: c.URL, Match: Prefix}, {URL: c.URL, Match: Host}, {URL: c.URL, Match: Domain},
			{URL: c.URL, Match: Ports},
			{URL: c.URL, From: "2026", To: "20260103"}, {URL: c.URL, Match: Prefix, From: "20260104"},
			{URL: c.URL, Match: AnyBody}, {URL: c.URL, Match: AnyBody, Method: "PUT"},
		} {
			if q.Check() != nil || q.URL == "" {
				continue
			}
			q.All = true
			ask(fmt.Sprintf("%+v", q), q.Question(), q.Match != AnyBody,
				func(yield func(*Capture) bool) error { return index.Captures(q, yield) })
		}
		ask("key "+c.URLKey, OfKey(URLKey, c.URLKey), true, func(yield func(*Capture) bool) error {
			return index.Nearest(URLKey, c.URLKey, time.Time{}, 1000, yield)
		})
		for end := range min(len(c.URLKey), 40) {
			prefix := c.URLKey[:end]
			ask("prefix "+prefix, OfPrefix(prefix), true, func(yield func(*Capture) bool) error {
				_, err := index.Under(prefix, 1000, yield)
				return err
			})
		}
	}
	ask("form", OfKey(FormKey, "d=e f"), true, func(yield func(*Capture) bool) error {
		return index.Nearest(FormKey, "d=e f", time.Time{}, 1000, yield)
	})
	for _, q := range []Query{
		{}, {URL: "http://x.test/", Dialect: canon.WarcioJS}, {URL: "http://x.test/", NoBodies: true},
		{URL: "x", Key: FormKey}, {URL: "http://x.test/", Match: "odd"},
	} {
		if p := PendingOf(&all[0]); !q.Question()(&p) {
			t.Errorf("%+v leaves something out", q)
		}
	}
}

// TestQuestionCopiesNothing: who asks holds up the recording, so a question compares keys where they are.
func TestQuestionCopiesNothing(t *testing.T) {
	keys := []string{"-", "a=1", "a%20b", "a b", "a b\xff", strings.Repeat("x", 8<<10), " ",
		strings.Repeat("\xfe", 8<<10), "a%20", "a ", "%", "%2"}
	for _, asked := range append(keys, "") {
		text := string(appendURLKey(nil, asked))
		form, query := OfKey(FormKey, asked), Query{URL: "http://example.com/a" + asked, From: "2026", All: true}.Question()
		for _, key := range keys {
			c := captureOf("http://example.com/a"+key, testTime, "a.warc.gz", 0)
			c.FormKey = key
			p := PendingOf(&c)
			if is, want := form(&p), string(appendURLKey(nil, key)) == text; is != want {
				t.Errorf("%.20q of %.20q: %v", asked, key, is)
			}
			if n := testing.AllocsPerRun(10, func() { form(&p); query(&p) }); n > 0 {
				t.Errorf("%.20q of %.20q: %v allocations", asked, key, n)
			}
		}
	}
}
