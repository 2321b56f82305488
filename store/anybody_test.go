package store

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"warcorder/canon"
)

// askedAt returns the capture of a request at an offset, with the key that it has.
func askedAt(r canon.Request, file string, offset int64) Capture {
	keys := canon.Pywb.Keys(&r)
	return Capture{
		URLKey:      keys.URLKey,
		URL:         r.URL,
		Method:      r.Method,
		RequestBody: keys.RequestBody,
		Time:        testTime,
		Status:      200,
		Location:    Location{file, offset, 1},
	}
}

// anyBodies are bodies of each kind: none, arguments that sort before __wb_method and behind it,
// one whose key is cut, and one that is no text.
func anyBodies() (bodies []canon.Request) {
	const form, json = "application/x-www-form-urlencoded", "application/json"
	long := "1st=x&text=" + strings.Repeat("long+", 800)
	for _, one := range [][2]string{
		{"", ""}, {form, "a=1"}, {form, "zz=1&0=2&A=3"}, {json, `{"id": 1, "__wa": 2}`}, {form, long},
		{form, "z" + long}, {"application/octet-stream", "\x00\xff\x80" + strings.Repeat("\x01", 3000)},
	} {
		bodies = append(bodies, canon.Request{ContentType: one[0], Body: []byte(one[1])})
	}
	return bodies
}

var offsetIn = regexp.MustCompile(`"offset":"(\d+)"`)

// TestAnyBody: what was asked of a URL by other methods than GET is found whatever was sent, and
// nothing else is, in the order of the lines.
func TestAnyBody(t *testing.T) {
	deep := "http://a.example/" + strings.Repeat("deep/", 110)
	deeper := "http://a.example/" + strings.Repeat("deep/", 2000)
	urls := []string{
		"http://a.example/", "http://a.example/api", "http://a.example/api/", "http://a.example/api/x",
		"http://a.example/api?a=1", "http://a.example/api?a=1&zz=9", "http://a.example/api?0=2",
		"http://a.example/api?", "http://www.a.example:80/API", "http://a.example/apis",
		"http://b.example/api", "http://a.example/api?q=" + strings.Repeat("q", 700), deep, deep + "?a=1",
		deeper, "http://a.example/api%3Fa=1", "http://a.example/ä?ö=ü", "mailto:anna@a.example", "x?y?z",
	}
	b := newIndex(t)
	file := addFile(t, b, "w.warc.gz")
	var all []Capture
	for _, url := range urls {
		for _, method := range []string{"", "GET", "POST", "PUT", "DELETE", "post"} {
			for _, r := range anyBodies() {
				r.URL, r.Method = url, method
				all = append(all, askedAt(r, file.Name, int64(len(all))))
			}
		}
	}
	commit(t, b, all)
	lines, err := exported(b, Query{})
	if err != nil {
		t.Fatal(err)
	}
	captures := make([]*Capture, len(lines))
	asked := make([]string, len(lines))
	for i, line := range lines {
		n, err := strconv.Atoi(offsetIn.FindStringSubmatch(line)[1])
		if err != nil {
			t.Fatal(err)
		}
		captures[i] = &all[n]
		asked[i], _ = canon.SURT(all[n].URL)
	}
	for _, url := range urls {
		key, _ := canon.SURT(url)
		for _, method := range []string{"", "POST", "put", "PATCH"} {
			var want []string
			for i, c := range captures {
				if asked[i] == key && !c.isGET() && (method == "" || strings.EqualFold(method, c.Method)) {
					want = append(want, lines[i])
				}
			}
			got, err := exported(b, Query{URL: url, Match: AnyBody, Method: method})
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%.80s %s: %d lines, want %d, %v", url, method, len(got), len(want), err)
			}
			if method == "POST" && len(want) < 2*len(anyBodies()) {
				t.Errorf("%.80s: the test has %d", url, len(want))
			}
		}
	}
}

// exported returns the lines of a query.
func exported(b *Bolt, q Query) ([]string, error) {
	var out bytes.Buffer
	_, err := b.Export(&out, q, nil)
	return slices.Collect(strings.Lines(out.String())), err
}

// TestAnyBodyGoesThroughItsPath, and not through the host: whatever else lies there.
func TestAnyBodyGoesThroughItsPath(t *testing.T) {
	span, err := Query{URL: "http://a.example/api?b=1", Match: AnyBody}.span()
	if err != nil || string(span.start) != "example,a)/api?" || string(span.end) != "example,a)/api@" {
		t.Errorf("from %q to %q, %v", span.start, span.end, err)
	}
}

func TestAnyBodyRefused(t *testing.T) {
	const url = "http://a.example/"
	for _, q := range []Query{
		{Match: AnyBody}, {URL: url, Method: "POST"}, {URL: url, Match: Prefix, Method: "POST"},
		{URL: url, Match: AnyBody, Key: QueryKey}, {URL: url, Match: AnyBody, NoBodies: true},
		{URL: url, Match: AnyBody, Dialect: canon.Spec},
	} {
		if err := q.Check(); err == nil || !strings.Contains(err.Error(), "any-body") {
			t.Errorf("%+v: %v", q, err)
		}
	}
}
