package cdxapi

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"warcorder/store"
)

// shortly returns of each line of columns the time of the day and the path of the URL.
func shortly(body string) string {
	var all []string
	for line := range strings.Lines(body) {
		columns := strings.Fields(line)
		if len(columns) < 3 {
			all = append(all, strings.TrimSpace(line))
			continue
		}
		all = append(all, columns[1][6:]+columns[2][strings.LastIndex(columns[2], "/"):])
	}
	return strings.Join(all, " ")
}

// TestSearch: what the parameters of the Wayback Machine select.
func TestSearch(t *testing.T) {
	s := server(t, newIndex(t, some()), usual)
	page := "/cdx/search/cdx?url=a.example/page"
	for _, test := range []struct{ path, want string }{
		{page, "20054512/page 21044512/page 21054512/page 21054512/page 21054513/page 21074512/page"},
		{page + "&limit=2", "20054512/page 21044512/page"},
		{page + "&limit=-2", "21054513/page 21074512/page"},
		{page + "&limit=-1&filter=!mimetype:warc/revisit", "21074512/page"},
		{page + "&limit=-1&filter=!mimetype:warc/revisit&filter=statuscode:200", "21054512/page"},
		{page + "&fastLatest=true", "21074512/page"},
		{page + "&limit=-100&offset=4", "21054513/page 21074512/page"},
		{page + "&limit=-1&offset=6", ""},
		{page + "&limit=-2&collapse=digest", "21054512/page 21074512/page"},
		{page + "&offset=4", "21054513/page 21074512/page"},
		{page + "&from=20261121&to=2026112105", "21044512/page 21054512/page 21054512/page 21054513/page"},
		{page + "&filter=statuscode:2", ""},
		{page + "&filter=statuscode:2..&limit=1", "20054512/page"},
		{page + "&filter=status:200|404&filter=!4:200", "21044512/page"},
		{page + "&filter=.*/page%20text.*%20301%20.*", "21074512/page"},
		{page + "&collapse=digest", "20054512/page 21044512/page 21054512/page 21074512/page"},
		{page + "&collapse=timestamp:8", "20054512/page 21044512/page"},
		{page + "&collapse=timestamp:8&collapse=digest", "20054512/page 21044512/page"},
		{page + "*&collapse=urlkey",
			"20054512/page 21054532/page 21054533/page 21054517/page?a=1"},
		{"/cdx/search/cdx?url=*.a.example&collapse=urlkey:11", "21054332/ 21054515/x"},
		{page + "&sort=reverse&limit=2", "21074512/page 21054513/page"},
		{page + "&sort=closest&closest=20261121054513&limit=1", "21054513/page"},
		{page + "&page=0&pageSize=1", "20054512/page 21044512/page 21054512/page 21054512/page " +
			"21054513/page 21074512/page"},
		{page + "&page=1", ""}, {page + "&page=1&output=json", ""},
		{page + "&showNumPages=true", "1"},
		{"/cdx/search/cdx?url=none.example&showNumPages=true", "0"},
		{"/cdx/search/cdx?url=none.example", ""}, {"/cdx/search/cdx?url=none.example&output=json", "[]"},
		{"/web/timemap/cdx?url=http%3A%2F%2Fa.example%2Fpage&limit=-1", "21074512/page"},
		{"/web/timemap/cdx/http://a.example/page?a=1", "21054517/page?a=1"},
		{"/web/timemap/cdx/http:/a.example/page?a=1", "21054517/page?a=1"},
		{"/web/timemap/cdx/http%3A%2F%2Fa.example%2Fpage%3Fa=1", "21054517/page?a=1"},
		{"/web/timemap/cdx/a.example/*", "21054332/ 20054512/page 21044512/page 21054512/page " +
			"21054512/page 21054513/page 21074512/page 21054532/page 21054533/page 21054517/page?a=1"},
	} {
		if status, body := ask(t, s, test.path); status != 200 || shortly(body) != test.want {
			t.Errorf("%s\n\t%d %q, not %q\n%.300s", test.path, status, shortly(body), test.want, body)
		}
	}
}

// TestLast: less than 0 as limit gives the last of the lines that there are without it.
func TestLast(t *testing.T) {
	captures := some()
	for i := range 40 {
		captures = append(captures, captureOf("http://a.example/page", 100+i, "text/html", 200+i/3%2,
			string(rune('A'+i*i%7/3))))
	}
	s := server(t, newIndex(t, captures), usual)
	for _, more := range []string{"", "&collapse=digest", "&collapse=statuscode&collapse=digest",
		"&collapse=digest&collapse=statuscode", "&collapse=timestamp:13&collapse=digest&collapse=mimetype",
		"&offset=3", "&offset=7&collapse=digest", "&offset=2&filter=statuscode:200", "&offset=1000",
		"&collapse=digest&filter=!statuscode:201"} {
		path := "/cdx/search/cdx?url=a.example/*&fl=timestamp,offset" + more
		_, body := ask(t, s, path)
		all := strings.SplitAfter(body, "\n")
		all = all[:len(all)-1]
		for _, last := range []int{1, 2, 5, 1000} {
			want := strings.Join(all[max(0, len(all)-last):], "")
			if _, got := ask(t, s, fmt.Sprintf("%s&limit=-%d", path, last)); got != want {
				t.Errorf("%s: the last %d are\n%snot\n%s", path, last, got, want)
			}
		}
	}
}

// TestDeduplication: lines as those who deduplicate by us read them: internetarchive/gowarc takes the
// second, third, fourth, sixth and seventh of the words, warcprox both of two.
func TestDeduplication(t *testing.T) {
	s := server(t, newIndex(t, some()), usual)
	target := url.QueryEscape("http://a.example/page?a=1")
	_, body := ask(t, s, "/web/timemap/cdx?url="+target+"&limit=-1")
	digest := strings.Repeat("F", 32)
	want := "example,a)/page?a=1 20261121054517 http://a.example/page?a=1 application/json 200 " + digest +
		" 100\n"
	if body != want {
		t.Errorf("gowarc gets %q, not %q", body, want)
	}
	_, body = ask(t, s, "/cdx/search/cdx?url="+target+
		"&fl=timestamp,digest&filter=!mimetype:warc/revisit&limit=-1")
	if want := "20261121054517 " + digest + "\n"; body != want {
		t.Errorf("warcprox gets %q, not %q", body, want)
	}
	if _, body := ask(t, s, "/web/timemap/cdx?url=none.example&limit=-1"); body != "" {
		t.Errorf("for nothing gowarc gets %q", body)
	}
}

// TestColumns: columns of text have neither spaces nor nothing, and those of JSON a header.
func TestColumns(t *testing.T) {
	odd := captureOf("http://a.example/a", 0, "a b", 0, "A")
	odd.Digest, odd.URL = "", "http://a.example/a b\nc"
	s := server(t, newIndex(t, []store.Capture{odd}), usual)
	_, body := ask(t, s, "/cdx/search/cdx?url=a.example/a")
	if want := "example,a)/a 20261121054512 http://a.example/a%20b%0Ac a%20b - - 100\n"; body != want {
		t.Errorf("got %q, not %q", body, want)
	}
	_, body = ask(t, s, "/cdx/search/cdx?url=a.example/a&output=json&fl=original,statuscode,offset")
	var rows [][]string
	if err := json.Unmarshal([]byte(body), &rows); err != nil {
		t.Fatal(err, body)
	}
	if len(rows) != 2 || rows[0][0] != "original" || rows[1][0] != odd.URL || rows[1][1] != "-" || rows[1][2] != "0" {
		t.Errorf("got %q", rows)
	}
}

// TestResume: whoever goes on with the key at the end of an answer gets every capture once, whatever
// the limit is, also where many are of one second and where keys are long.
func TestResume(t *testing.T) {
	captures := some()
	for i := range 16 {
		captures = append(captures,
			captureOf("http://a.example/same", i/6, "text/html", 200+i, "A"),
			captureOf("http://a.example/"+strings.Repeat("long", 200)+string(rune('a'+i%3)), i, "text/html",
				200+i, "B"),
			posted("POST", "http://a.example/api", strings.Repeat("x=1&", 800)+string(rune('a'+i)), i%7))
	}
	// A key of 512 bytes, and others that begin with it.
	edge := "http://a.example/" + strings.Repeat("e", 501)
	for i, more := range []string{"", "", "!", "!", "x", "x/" + strings.Repeat("y", 9000)} {
		captures = append(captures, captureOf(edge+more, i, "text/html", 200, "C"),
			captureOf(edge+more, i, "text/html", 201, "D"))
	}
	s := server(t, newIndex(t, captures), usual)
	for _, path := range []string{
		"/cdx/search/cdx?url=example&matchType=domain", "/web/timemap/json?url=a.example/*",
		"/cdx/search/cdx?url=a.example/same", "/cdx/search/cdx?url=*.a.example&filter=statuscode:..[13579]",
		"/cdx/search/cdx?url=*.a.example&from=20261121054514", "/cdx/search/cdx?url=a.example/eee*",
		"/cdx/search/cdx?url=a.example/*&collapse=digest", "/cdx/search/cdx?url=a.example/*&offset=5",
		"/cdx/search/cdx?url=*.a.example&collapse=timestamp:13&collapse=statuscode:1",
	} {
		path += "&fl=urlkey,timestamp,offset"
		_, want := ask(t, s, path)
		limits := []string{"3", "7", "1000"}
		if strings.Contains(path, "/same") || strings.Contains(path, "/eee") || strings.Contains(path, "collapse") {
			limits = append(limits, "1", "2")
		}
		for _, limit := range limits {
			if got := resumed(t, path+"&showResumeKey=true&limit="+limit, func(path string) string {
				_, body := ask(t, s, path)
				return body
			}); got != want {
				t.Errorf("%s by %s: %d bytes, not %d", path, limit, len(got), len(want))
			}
		}
	}
}

// resumed asks as long as answers have a key to go on, and returns all their lines.
func resumed(t *testing.T, path string, ask func(string) string) (all string) {
	t.Helper()
	isJSON := strings.Contains(path, "json")
	for key, n := "", 0; ; n++ {
		if n > 1000 {
			t.Fatal("there is no end")
		}
		body := ask(path + "&resumeKey=" + url.QueryEscape(key))
		lines, after, found := strings.Cut(body, "\n\n")
		if isJSON {
			lines, after, found = strings.Cut(body, ",\n[],\n")
		}
		switch {
		case isJSON && n > 0:
			_, lines, _ = strings.Cut(lines, ",\n")
			all += ",\n" + lines
		case found && !isJSON && lines != "":
			all += lines + "\n"
		default:
			all += lines
		}
		if !found {
			return all
		}
		if isJSON {
			all = strings.TrimSuffix(all, "]\n")
			after = strings.Trim(after, "[\"]\n")
		}
		key = strings.TrimSpace(after)
	}
}

// TestTruncated: a column says which responses are not there to their end, and no line of CDXJ has it.
func TestTruncated(t *testing.T) {
	cut := captureOf("http://a.example/", 1, "text/html", 200, "A")
	cut.Truncated = true
	s := server(t, newIndex(t, []store.Capture{captureOf("http://a.example/", 0, "text/html", 200, "B"), cut}), usual)
	_, body := ask(t, s, "/cdx/search/cdx?url=a.example&all=true&fl=timestamp,truncated")
	if want := "20261121054512 -\n20261121054513 yes\n"; body != want {
		t.Errorf("%q, not %q", body, want)
	}
	if _, body := ask(t, s, "/cdx?url=a.example&all=true"); strings.Contains(body, "truncated") {
		t.Error(body)
	}
	if _, body := ask(t, s, "/cdx/search/cdx?url=a.example&all=true&filter=truncated:yes&fl=offset"); body != "1\n" {
		t.Errorf("filtered: %q", body)
	}
}
