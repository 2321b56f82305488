package store

import (
	"strings"
	"testing"
	"time"
)

func TestQuery(t *testing.T) {
	b := newIndex(t)
	file := addFile(t, b, "w.warc.gz")
	var captures []Capture
	for i, key := range []string{
		"com,example)/", "com,example)/?a=1", "com,example)/a", "com,example)/a/b", "com,example)/a?x=1",
		"com,example)/ab",
		"com,example,www2)/", "com,example,sub)/a", "com,example:8080)/", "com,example-x)/",
		"com,examplf)/", "com,exampl)/", "com)/", "org,example)/",
		"mailto:foo@example.com", "1,0,0,127)/",
	} {
		captures = append(captures,
			Capture{URLKey: key, Time: testTime, URL: key, Location: Location{file.Name, int64(i), 1}})
	}
	for i, year := range []int{-2, -1, 0, 1} {
		captures = append(captures, Capture{URLKey: "com,times)/", Time: testTime.AddDate(year, 0, 0),
			URL: "http://times.com/", Location: Location{file.Name, int64(100 + i), 1}})
	}
	commit(t, b, captures)
	for _, test := range []struct {
		name string
		q    Query
		want string // URL keys, and years of com,times; "error": an error
	}{
		{"exact", Query{URL: "http://example.com/a"}, "com,example)/a"},
		{"exact, spelled out", Query{URL: "https://WWW.Example.com:443/a/?", Match: Exact},
			"com,example)/a"},
		{"exact, none", Query{URL: "http://example.com/b"}, ""},
		{"exact of the root", Query{URL: "http://example.com/"}, "com,example)/"},
		{"exact without host", Query{URL: "mailto:foo@example.com"}, "mailto:foo@example.com"},
		{"prefix", Query{URL: "http://example.com/a", Match: Prefix}, "com,example)/a com,example)/a/b " +
			"com,example)/a?x=1 com,example)/ab"},
		{"prefix with slash", Query{URL: "http://example.com/a/", Match: Prefix}, "com,example)/a/b"},
		{"prefix with question mark", Query{URL: "http://example.com/a?", Match: Prefix},
			"com,example)/a?x=1"},
		{"prefix of the root", Query{URL: "http://example.com/", Match: Prefix},
			"com,example)/ com,example)/?a=1 com,example)/a com,example)/a/b com,example)/a?x=1 " +
				"com,example)/ab"},
		{"host", Query{URL: "http://example.com/a", Match: Host}, "com,example)/ com,example)/?a=1 " +
			"com,example)/a com,example)/a/b com,example)/a?x=1 com,example)/ab"},
		{"host with port", Query{URL: "http://example.com:8080/", Match: Host}, "com,example:8080)/"},
		{"other ports", Query{URL: "http://example.com/a", Match: Ports}, "com,example:8080)/"},
		{"other ports of a port", Query{URL: "https://example.com:8080/", Match: Ports}, "com,example:8080)/"},
		{"other ports of none", Query{URL: "http://sub.example.com/", Match: Ports}, ""},
		{"ports of no host", Query{URL: "mailto:foo@example.com", Match: Ports}, "error"},
		{"host that is an address", Query{URL: "http://127.0.0.1/x", Match: Host}, "1,0,0,127)/"},
		{"domain", Query{URL: "http://example.com/a", Match: Domain},
			"com,example)/ com,example)/?a=1 com,example)/a com,example)/a/b com,example)/a?x=1 " +
				"com,example)/ab com,example,sub)/a com,example,www2)/"},
		{"top-level domain", Query{URL: "http://org/", Match: Domain}, "org,example)/"},
		{"host of none", Query{URL: "mailto:foo@example.com", Match: Host}, "error"},
		{"unknown match", Query{URL: "http://example.com/", Match: "regex"}, "error"},
		{"all of a year", Query{URL: "http://times.com/", From: "2026", To: "2026"}, "2026"},
		{"from", Query{URL: "http://times.com/", From: "20261121054512"}, "2026 2027"},
		{"from a second later", Query{URL: "http://times.com/", From: "20261121054513"}, "2027"},
		{"to", Query{URL: "http://times.com/", To: "20261121054512"}, "2024 2025 2026"},
		{"to a second earlier", Query{URL: "http://times.com/", To: "20261121054511"}, "2024 2025"},
		{"to, half a month", Query{URL: "http://times.com/", To: "2026111"}, "2024 2025"},
		{"time alone", Query{From: "2027"}, "2027"},
		{"no time", Query{URL: "http://times.com/", From: "2028"}, ""},
		{"from after to", Query{From: "2027", To: "2026"}, ""},
		{"15 digits", Query{From: "202611210545120"}, "error"},
		{"not a timestamp", Query{To: "2026-11"}, "error"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			err := b.Captures(test.q, func(c *Capture) bool {
				name := c.URLKey
				if name == "com,times)/" {
					name = c.Time.Format("2006")
				}
				got = append(got, name)
				return true
			})
			if test.want == "error" {
				if err == nil {
					t.Errorf("got %q and no error", got)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if strings.Join(got, " ") != test.want {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
	all := 0
	if err := b.Captures(Query{}, func(*Capture) bool { all++; return true }); err != nil ||
		all != len(captures) {
		t.Errorf("the zero query selects %d of %d, %v", all, len(captures), err)
	}
}

// TestQueryOfLongURLs asks for URLs around the length up to which their SURT is a key, among others
// that begin like them.
func TestQueryOfLongURLs(t *testing.T) {
	b := newIndex(t)
	file := addFile(t, b, "w.warc.gz")
	const base = "http://example.com/?q="
	surtBase := len("com,example)/?q=")
	var urls []string
	for _, n := range []int{-2, -1, 0, 1, 2, 3, 100, 1 << 20} {
		for _, end := range []string{"", "x", "y"} {
			urls = append(urls, base+strings.Repeat("a", maxURLKey-surtBase+n)+end)
		}
	}
	var captures []Capture
	for i, url := range urls {
		captures = append(captures, captureOf(url, testTime, file.Name, int64(i)))
	}
	commit(t, b, captures)
	for _, match := range []Match{Exact, Prefix, Host, Domain, Ports} {
		for _, url := range urls {
			want := make(map[string]bool)
			for _, other := range urls {
				if match != Ports && other == url || match == Prefix && strings.HasPrefix(other, url) ||
					match == Host || match == Domain {
					want[other] = true
				}
			}
			err := b.Captures(Query{URL: url, Match: match}, func(c *Capture) bool {
				if !want[c.URL] {
					t.Errorf("%s of %d bytes gives a URL of %d bytes", match, len(url), len(c.URL))
				}
				delete(want, c.URL)
				return true
			})
			if err != nil || len(want) > 0 {
				t.Errorf("%s of %d bytes: %d missing, %v", match, len(url), len(want), err)
			}
		}
	}
}

// TestOneKeyByTime: of a URL with many captures no others are looked at than those of the time that is
// asked for.
func TestOneKeyByTime(t *testing.T) {
	b := newIndex(t)
	file := addFile(t, b, "w.warc.gz")
	var all []Capture
	for i := range 10_000 {
		at := testTime.Add(time.Duration(i) * time.Second)
		all = append(all, captureOf("http://example.com/", at, file.Name, int64(i)))
	}
	commit(t, b, all, File{ID: file.ID, Committed: 10_000})
	q := Query{
		URL:  "http://example.com/",
		From: all[7000].Time.Format("20060102150405"),
		To:   all[7009].Time.Format("20060102150405"),
	}
	span, err := q.span()
	if err != nil {
		t.Fatal(err)
	}
	var found []Capture
	keys := 0
	err = b.slices(span, func(s *slice) (bool, error) {
		keys += s.keys
		found = append(found, s.captures...)
		return true, nil
	})
	if err != nil || len(found) != 10 || keys != 10 {
		t.Fatalf("%d captures of %d keys: %v", len(found), keys, err)
	}
	if !found[0].Time.Equal(all[7000].Time) || !found[9].Time.Equal(all[7009].Time) {
		t.Errorf("from %v to %v", found[0].Time, found[9].Time)
	}
}
