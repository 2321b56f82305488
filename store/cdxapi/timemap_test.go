package cdxapi

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"warcorder/store"
)

// TestTimeMap: a time map of RFC 7089, whose links lead to what was recorded.
func TestTimeMap(t *testing.T) {
	s := server(t, newIndex(t, some()), usual)
	base := s.URL + "/a%20b/web/"
	head := `<http://a.example/page?a=1>; rel="original",` + "\n" +
		`<` + base + `timemap/link/http://a.example/page?a=1>; rel="self"; type="application/link-format"`
	const at = "Sat, 21 Nov 2026 05:45:17 GMT"
	want := head + `; from="` + at + `"; until="` + at + `"` + ",\n<" + base +
		`20261121054517id_/http://a.example/page?a=1>; rel="first last memento"; datetime="` + at + "\"\n"
	if _, body := ask(t, s, "/web/timemap/link/http://a.example/page?a=1"); body != want {
		t.Errorf("got %s\nnot %s", body, want)
	}
	_, body := ask(t, s, "/web/timemap/link?url=http://a.example/page")
	if strings.Count(body, `rel="memento"`) != 4 || strings.Count(body, `rel="last memento"`) != 1 ||
		strings.Count(body, `rel="first memento"`) != 1 {
		t.Error(body)
	}
	if _, body := ask(t, s, "/web/timemap/link/http://none.example/"); strings.Contains(body, "memento") ||
		!strings.Contains(body, `rel="original"`) {
		t.Error(body)
	}
}

// TestWholeTimeMap: where the URL is in the path, nothing but the URL bounds how many lines there are.
func TestWholeTimeMap(t *testing.T) {
	for path, want := range map[string]int{
		"/web/timemap/cdx/http://a.example/": 0, "/web/timemap/link/a.example/?limit=1": 0,
		"/web/timemap/cdx?url=a.example": waybackLimit, "/web/timemap/json?url=a.example&limit=2": 2,
	} {
		q, err := askedOfTimeMap(httptest.NewRequest(http.MethodGet, path, nil), "")
		if err != nil || q.limit != want {
			t.Errorf("%s: %d lines, %v", path, q.limit, err)
		}
	}
}

// TestEndsOfTimeMap: what the first and the last capture of a URL are is said of these alone, whatever
// part of the captures is asked for, in which order; and the time of all only where all are there.
func TestEndsOfTimeMap(t *testing.T) {
	s := server(t, newIndex(t, some()), usual)
	const page = "/web/timemap/link?url=a.example/page"
	const first, middle, last = "20 first memento", "21 memento", "21 last memento"
	all := []string{first, middle, middle, middle, middle, last}
	for path, want := range map[string][]string{
		"/web/timemap/link/a.example/page": append([]string{"20 until 21"}, all...),
		page:                               all, page + "&limit=2": all[:2], page + "&limit=-2": all[4:],
		page + "&offset=1": all[1:], page + "&sort=reverse&limit=2": {last, middle},
		page + "&from=20261121&to=2026112106": all[1:5], page + "&filter=statuscode:404": {middle},
		page + "&sort=closest&closest=2027&limit=1": {last}, page + "&page=0": all,
		page + "*&limit=2": {"20 memento", middle}, "/web/timemap/link/a.example/page?a*": {middle},
		"/web/timemap/link/none.example/": nil,
	} {
		_, body := ask(t, s, path)
		var got []string
		for _, link := range strings.Split(body, ",\n")[1:] {
			parts := strings.Split(strings.TrimSpace(link), "; ")
			if len(parts) == 5 {
				got = append(got, parts[3][11:13]+" until "+parts[4][12:14])
			} else if len(parts) == 3 && strings.HasPrefix(parts[2], "datetime") {
				got = append(got, parts[2][15:17]+" "+parts[1][5:len(parts[1])-1])
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, not %q\n%s", path, got, want, body)
		}
	}
}

// TestGrowingTimeMap: to find the ends of very many captures few are looked at, and what comes while a
// map is read does not make it say what is not so.
func TestGrowingTimeMap(t *testing.T) {
	b := newIndex(t, repeated(10_000))
	told, ends := 0, 0
	s := telling(t, b, usual, func(_ context.Context, n int) {
		if told++; told > 2 {
			return
		}
		if ends += n; told == 2 {
			add(t, b, []store.Capture{captureOf("http://a.example/", 20_000, "text/html", 200, "A")})
		}
	})
	_, body := ask(t, s, "/web/timemap/link/a.example/")
	lines := strings.Split(strings.TrimSpace(body), "\n")
	if n := strings.Count(body, `memento"`); n != 10_000 || ends > 100 ||
		!strings.Contains(lines[len(lines)-1], `rel="last memento"`) {
		t.Errorf("%d captures, %d looked at for the ends, at last %s", n, ends, lines[len(lines)-1])
	}
	captures := repeated(6000)
	for i := range captures[1:] {
		captures[i+1].Status = 304
	}
	s = server(t, newIndex(t, captures), small)
	if status, body := ask(t, s, "/web/timemap/link?url=a.example&limit=1"); status != 200 ||
		!strings.Contains(body, `rel="first memento"`) {
		t.Error(status, body)
	}
}

// TestLateLast: the last capture of a URL is the last one of all, though it lies behind what is asked for
// and is not in the index yet.
func TestLateLast(t *testing.T) {
	const page = "http://a.example/page"
	b := newIndex(t, []store.Capture{captureOf(page, 0, "text/html", 200, "A")})
	late := captureOf(page, 86400, "text/html", 200, "B")
	c := Collection{IndexFor: func(_ context.Context, q store.Question) *store.Bolt {
		if p := store.PendingOf(&late); q(&p) {
			add(t, b, []store.Capture{late})
		}
		return b
	}}
	w := httptest.NewRecorder()
	TimeMap(c).ServeHTTP(w, httptest.NewRequest(http.MethodGet,
		"/web/timemap/link?url=a.example/page&to=20261121&all=yes", nil))
	if body := w.Body.String(); !strings.Contains(body, `rel="first memento"`) || strings.Contains(body, "last") {
		t.Error(body)
	}
}
