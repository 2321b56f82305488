package store

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"warcorder/canon"
)

func TestQueriesBySecondaryKeys(t *testing.T) {
	b := newIndex(t)
	file := addFile(t, b, "w.warc.gz")
	var captures []Capture
	for i, keys := range [][4]string{ // path, wwwoffle, form, query
		{"/a", "http://example.com/a", "", "com,example)/#query=1"},
		{"/a", "", "", ""},
		{"/a/b", "", "x=1", "com,example)/#query=2"},
		{"", "http://example.com/a?b", "x=1", "com,example)/#body=1"},
		{"", "", "", ""},
		{"/\u00e4 ~", "", "x=1&y", ""},
	} {
		c := captureOf(fmt.Sprintf("http://example.com/%d", i), testTime.AddDate(i-3, 0, 0), file.Name,
			int64(i))
		c.PathKey, c.WWWOFFLEKey, c.FormKey, c.QueryKey = keys[0], keys[1], keys[2], keys[3]
		captures = append(captures, c)
	}
	slices.Reverse(captures)
	commit(t, b, captures)
	for _, test := range []struct {
		name string
		q    Query
		want string // of which offset
	}{
		{"all of path", Query{Key: PathKey}, "5 0 1 2"},
		{"all of wwwoffle", Query{Key: WWWOFFLEKey}, "0 3"},
		{"all of form", Query{Key: FormKey}, "2 3 5"},
		{"all of query", Query{Key: QueryKey}, "3 0 2"},
		{"exact of query", Query{Key: QueryKey, URL: "com,example)/#query=2"}, "2"},
		{"prefix of query", Query{Key: QueryKey, URL: "com,example)/#query=", Match: Prefix}, "0 2"},
		{"all", Query{Key: URLKey}, "0 1 2 3 4 5"},
		{"exact", Query{Key: PathKey, URL: "/a"}, "0 1"},
		{"exact, one", Query{Key: WWWOFFLEKey, URL: "http://example.com/a?b", Match: Exact}, "3"},
		{"exact, none", Query{Key: WWWOFFLEKey, URL: "http://www.example.com/a"}, ""},
		{"exact, odd bytes", Query{Key: PathKey, URL: "/\u00e4 ~"}, "5"},
		{"exact, as in the line", Query{Key: PathKey, URL: "/%C3%A4%20~"}, "5"},
		{"prefix", Query{Key: PathKey, URL: "/a", Match: Prefix}, "0 1 2"},
		{"prefix of form", Query{Key: FormKey, URL: "x=1", Match: Prefix}, "2 3 5"},
		{"time", Query{Key: FormKey, From: "2026", To: "2027"}, "3"},
		{"another dialect", Query{Key: FormKey, URL: "x=1", Dialect: canon.WarcioJS}, "2 3"},
		{"host", Query{Key: PathKey, URL: "/a", Match: Host}, "error"},
		{"domain", Query{Key: PathKey, URL: "/a", Match: Domain}, "error"},
		{"unknown key", Query{Key: "surt"}, "error"},
		{"unknown dialect", Query{Dialect: "klingon"}, "error"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var lines bytes.Buffer
			_, err := b.Export(&lines, test.q, nil)
			if test.want == "error" {
				if err == nil {
					t.Errorf("no error, but %s", lines.String())
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, c := range allOf(t, b, test.q) {
				got = append(got, fmt.Sprint(c.Offset))
				key := *captures[len(captures)-1-int(c.Offset)].key(test.q.Key)
				if *c.key(test.q.Key) != string(appendURLKey(nil, key)) {
					t.Errorf("the key is %q, want %q", *c.key(test.q.Key), key)
				}
			}
			if strings.Join(got, " ") != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if n := strings.Count(lines.String(), "\n"); n != len(got) {
				t.Errorf("exported %d lines of %d captures", n, len(got))
			}
			checkSorted(t, lines.Bytes())
		})
	}
}

// TestExportBySecondaryKeys has keys that begin like one another, are the same, or are long; beside
// URL keys that are.
func TestExportBySecondaryKeys(t *testing.T) {
	b := newIndex(t)
	files := []File{addFile(t, b, "a.warc.gz"), addFile(t, b, "b.warc.gz")}
	random := rand.New(rand.NewPCG(7, 8))
	captures := nastyCaptures(2*sliceKeys, files)
	for i := range captures {
		c := &captures[i]
		c.Offset = int64(i)
		key := captures[random.IntN(len(captures))].URL
		switch random.IntN(4) {
		case 0:
			c.PathKey = key
		case 1:
			c.WWWOFFLEKey, c.FormKey = key, c.URL
			c.QueryKey = c.URLKey + key
		case 2:
			c.PathKey, c.Method, c.RequestBody, c.SpecBody, c.WarcioJSBody = key, "post", "a=1",
				fmt.Sprint(random.IntN(100)), "a=1"
		}
	}
	for batch := range slices.Chunk(captures, 1000) {
		commit(t, b, batch)
	}
	b.sortMemory = 100_000
	for _, name := range secondaryKeys {
		for _, d := range dialects {
			t.Run(fmt.Sprintf("%s/%s", name, d), func(t *testing.T) {
				var want []string
				for i := range captures {
					c := &captures[i]
					if *c.key(name) == "" {
						continue
					}
					method, body := c.Method, c.RequestBody
					switch d {
					case canon.Pywb:
						method = strings.ToUpper(method)
					case canon.Spec:
						body = c.SpecBody
					}
					want = append(want, string(c.appendLine(nil, *c.key(name), method, body))+"\n")
				}
				slices.Sort(want)
				got, _ := exportOf(t, b, Query{Key: name, Dialect: d})
				sameLines(t, got, strings.Join(want, ""))
			})
		}
	}
}

// TestReplacedSecondaryKeys: the keys that a capture had are gone when it is committed again.
func TestReplacedSecondaryKeys(t *testing.T) {
	b := newIndex(t)
	file := addFile(t, b, "a.warc.gz")
	c := captureOf("http://example.com/", testTime, file.Name, 1)
	long := strings.Repeat("/long\x00", maxURLKey)
	for _, keys := range [][4]string{{"/1", "w", "f", "q"}, {"/2", "w", "", ""}, {long, "", "", long},
		{long + "/", "w", "f", "com,example)/q"}, {"", "", "", ""}, {"/1", "w", "f", ""}} {
		c.PathKey, c.WWWOFFLEKey, c.FormKey, c.QueryKey = keys[0], keys[1], keys[2], keys[3]
		commit(t, b, []Capture{c})
		if len(secondaryKeys) != len(keys) {
			t.Fatalf("there are keys %v: give each one a value here", secondaryKeys)
		}
		for i, name := range secondaryKeys {
			var want []string
			if keys[i] != "" {
				want = []string{string(appendURLKey(nil, keys[i]))}
			}
			var got []string
			for _, c := range allOf(t, b, Query{Key: name}) {
				got = append(got, *c.key(name))
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: got %.100q, want %.100q", name, got, want)
			}
		}
	}
}

// TestSecondaryKeyWithoutCapture: a damaged index is an error, and no wrong capture.
func TestSecondaryKeyWithoutCapture(t *testing.T) {
	key := appendKey(nil, []byte("/a"), testTime, 1, 2)
	primary := appendKey(nil, []byte("com,example)/a"), testTime, 1, 2)
	for name, value := range map[string][]byte{
		"no capture": appendSecondary(nil, PathKey, []byte("/a"), primary),
		"no value":   {},
		"cut value":  appendSecondary(nil, PathKey, []byte("/a"), primary)[:5],
		"version":    {9, 0, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			b := newIndex(t)
			addFile(t, b, "a.warc.gz")
			if err := put(b, []byte(PathKey), key, value); err != nil {
				t.Fatal(err)
			}
			err := b.Captures(Query{Key: PathKey}, func(c *Capture) bool {
				t.Errorf("found %+v", c)
				return true
			})
			if err == nil || !strings.Contains(err.Error(), "damaged") {
				t.Errorf("got %v", err)
			}
		})
	}
}

// FuzzSecondary: any two keys lead from the one to the other, and a value that we have not written
// leads nowhere or somewhere, but does no harm.
func FuzzSecondary(f *testing.F) {
	f.Add("http://example.com/a", "com,example)/a", []byte{1, 0, 2, 0})
	f.Add(strings.Repeat("x", maxURLKey+1), "x", []byte{1, 3, 200, 1, 0})
	f.Add("x", strings.Repeat("x", maxURLKey+1), []byte{})
	f.Add("com,example)/a#query=0", "com,example)/a?b", []byte{2, 0, 14, 2, '?', 'b'})
	f.Fuzz(func(t *testing.T, key, urlKey string, value []byte) {
		escaped, escapedURL := appendURLKey(nil, key), appendURLKey(nil, urlKey)
		row := appendKey(nil, escaped, testTime, 1, 2)
		primary := appendKey(nil, escapedURL, testTime, 1, 2)
		for _, name := range []Key{PathKey, QueryKey} {
			text, found, err := decodeSecondary(nil, row, appendSecondary(nil, name, escaped, primary))
			if err != nil || !bytes.Equal(text, escaped) || !bytes.Equal(found, primary) {
				t.Fatalf("%q leads to %q, not to %q: %v", text, found, primary, err)
			}
		}
		longSecondary(value)
		_, _, _ = decodeSecondary(nil, row, value)
		_, _, _ = decodeSecondary(nil, value, value)
	})
}

// BenchmarkCommitWithKeys is BenchmarkCommit with two secondary keys for each capture.
func BenchmarkCommitWithKeys(b *testing.B) {
	index := benchIndex(b, 0)
	random := rand.New(rand.NewPCG(3, 4))
	batch := make([]Capture, 1000)
	for n := 0; b.Loop(); n++ {
		b.StopTimer()
		for i := range batch {
			batch[i] = benchCapture(random, n*len(batch)+i)
			batch[i].PathKey, batch[i].WWWOFFLEKey = batch[i].URL, batch[i].URL
		}
		b.StartTimer()
		commit(b, index, batch)
	}
	b.ReportMetric(float64(b.N*len(batch))/b.Elapsed().Seconds(), "puts/s")
}

// BenchmarkExportInDialects has an index of which one capture in ten is a POST of 500 bytes.
func BenchmarkExportInDialects(b *testing.B) {
	const n = 100_000
	index := newIndex(b)
	addFile(b, index, "w-20261121054512000-00000-host.warc.gz")
	random := rand.New(rand.NewPCG(1, 2))
	for done := 0; done < n; done += 10_000 {
		batch := make([]Capture, 10_000)
		for i := range batch {
			c := benchCapture(random, done+i)
			if i%10 == 0 {
				r := canon.Request{
					URL:         c.URL,
					Method:      "POST",
					ContentType: "application/x-www-form-urlencoded",
					Body:        []byte(longText(500, uint64(i))),
				}
				c = captured(r, c.Time.Add(time.Hour), c.File, c.Offset).capture
			}
			c.PathKey = c.URL
			batch[i] = c
		}
		commit(b, index, batch)
	}
	for _, q := range []Query{{}, {Dialect: canon.Spec}, {Dialect: canon.WarcioJS}, {Key: PathKey}} {
		b.Run(
			string(cmp.Or(q.Key, URLKey))+"/"+string(cmp.Or(q.Dialect, canon.Pywb)),
			func(b *testing.B) {
				for b.Loop() {
					if done, err := index.Export(new(bytes.Buffer), q, nil); err != nil || done.Lines != n {
						b.Fatal(done, err)
					}
				}
				b.ReportMetric(float64(b.N)*n/b.Elapsed().Seconds(), "lines/s")
			},
		)
	}
}
