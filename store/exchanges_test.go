package store

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"warcorder/canon"
)

// dialects are all of them.
var dialects = []canon.Dialect{canon.Pywb, canon.Spec, canon.WarcioJS}

// exchange is a request and what its capture says beside.
type exchange struct {
	canon.Request
	capture Capture
}

// captured returns the capture that a recorder makes of a request.
func captured(r canon.Request, at time.Time, file string, offset int64) exchange {
	c := Capture{
		Time:     at,
		URL:      r.URL,
		MIME:     "text/html",
		Status:   200,
		Method:   r.Method,
		Location: Location{file, offset, 1000},
	}
	keys := canon.Pywb.Keys(&r)
	c.URLKey, c.RequestBody = keys.URLKey, keys.RequestBody
	c.SpecBody, c.WarcioJSBody = canon.Spec.Query(&r), canon.WarcioJS.Query(&r)
	c.QueryKey = canon.QueryKey(&r, c.RequestBody)
	return exchange{r, c}
}

// line returns the line that the dialect makes of an exchange, by canon alone.
func (x *exchange) line(d canon.Dialect) string {
	keys, c := d.Keys(&x.Request), x.capture
	line := fmt.Sprintf(`%s %s {"url":%s,"mime":"text/html","status":"200"`,
		appendURLKey(nil, keys.URLKey), c.Time.UTC().Format("20060102150405"), appendJSON(nil, x.URL))
	line += fmt.Sprintf(`,"length":"1000","offset":"%d","filename":"%s"`, c.Offset, c.File)
	if keys.Method != "GET" {
		line += fmt.Sprintf(`,"method":%s`, appendJSON(nil, keys.Method))
	}
	if keys.RequestBody != "" {
		line += fmt.Sprintf(`,"requestBody":%s`, appendJSON(nil, keys.RequestBody))
	}
	return line + "}\n"
}

// someExchanges returns n exchanges of all kinds, in a random order, many of one URL.
func someExchanges(n int, file string, seed uint64) []exchange {
	random := rand.New(rand.NewPCG(seed, 5))
	pick := func(from ...string) string { return from[random.IntN(len(from))] }
	all := make([]exchange, n)
	for i := range all {
		url := pick("http", "https", "HTTP") + "://" + pick("example.com", "www.Example.com:8080",
			"www2.example.com", "bücher.example", "127.0.0.1", "exa mple.com") +
			pick("", "/", "/a", "/A/", "/a//b", "/a/../c/", "/%c3%a9", "/é",
				"/a;jsessionid=0123456789ABCDEF0123456789ABCDEF") +
			pick("", "?", "?b=1&a=2", "?__wb_method=POST", "?a=ä b", "?x&", "#f")
		if i%40 == 0 {
			url += "?" + strings.Repeat("q", maxURLKey)
		}
		r := canon.Request{URL: url}
		if random.IntN(2) == 0 {
			r.Method = pick("", "GET", "POST", "PUT", "post", "get", "Post", "PATCH", "DELETE", "OPTIONS",
				"HEAD", "M-SEARCH")
			r.ContentType = pick("", "application/json", "application/x-www-form-urlencoded", "text/plain",
				"multipart/form-data; boundary=b", "application/octet-stream")
			r.Body = []byte(pick("", "a=1&b=2", `{"a":1,"b":[2,{"a":"x y"}]}`, "ä=ö&ü", "a=%26b", "\xff\x00",
				"--b\r\nContent-Disposition: form-data; name=\"n\"\r\n\r\nv\r\n--b--\r\n", `{"1":2,"":"e"}`,
				fmt.Sprintf(`{"n":%d}`, i)))
			if i%40 < 4 {
				r.Body = []byte(pick(`{"t":"`+strings.Repeat("long ", 3000)+`"}`, strings.Repeat("\x80", 9000)))
			}
		}
		all[i] = captured(r, testTime.Add(time.Duration(random.IntN(3000))*time.Millisecond), file,
			int64(i))
	}
	return all
}

func capturesOf(exchanges []exchange) []Capture {
	captures := make([]Capture, len(exchanges))
	for i := range exchanges {
		captures[i] = exchanges[i].capture
	}
	return captures
}

// dialectLines returns what an export of exchanges in d must be.
func dialectLines(exchanges []exchange, d canon.Dialect) string {
	var lines []string
	for i := range exchanges {
		lines = append(lines, exchanges[i].line(d))
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// those returns the lines that keep takes.
func those(lines string, keep func(key, line string) bool) string {
	var kept strings.Builder
	for line := range strings.Lines(lines) {
		if key, _, _ := strings.Cut(line, " "); keep(key, line) {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

func exportOf(t testing.TB, b *Bolt, q Query) (string, Exported) {
	t.Helper()
	var out bytes.Buffer
	done, err := b.Export(&out, q, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), done
}

// sameLines says which is the first line that differs.
func sameLines(t *testing.T, got, want string) {
	t.Helper()
	if got == want {
		return
	}
	gotLines, wantLines := strings.SplitAfter(got, "\n"), strings.SplitAfter(want, "\n")
	t.Errorf("%d lines, want %d", len(gotLines)-1, len(wantLines)-1)
	for i := range min(len(gotLines), len(wantLines)) {
		if gotLines[i] != wantLines[i] {
			t.Errorf("line %d\n got %.500s\nwant %.500s", i+1, gotLines[i], wantLines[i])
			return
		}
	}
}
