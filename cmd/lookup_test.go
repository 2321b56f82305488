package cmd

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestKeysOfACollection: bodies in the keys, other dialects, secondary keys and lookups, while
// recording and afterwards.
func TestKeysOfACollection(t *testing.T) {
	origin := httptest.NewServer(
		http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.Copy(w, r.Body) }))
	defer origin.Close()
	p := startRecording(t, "--keys-extra", "path,wwwoffle,form")
	client := http.Client{
		Transport: &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: p.address})},
	}
	defer client.CloseIdleConnections()
	for _, body := range []string{`{"a":1.0}`, `{"a":2}`} {
		res, err := client.Post(origin.URL+"/form", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
	}
	p.fetch(origin.URL + "/a%7Eb?x=%41;y=2")
	host := strings.TrimPrefix(origin.URL, "http://")
	secret := "http://user:secret@" + host
	check := func(when string) {
		t.Helper()
		for _, c := range []struct {
			args  []string
			lines int
			want  string
		}{
			{[]string{"export", "-o", "-"}, 3, `"requestBody":"a=2"`},
			{[]string{"export", "-o", "-", "--dialect", "spec"}, 3, "__wb_method=post"},
			{[]string{"export", "-o", "-", "--dialect", "warciojs"}, 3, "__wb_method=post"},
			{[]string{"export", "-o", "-", "--key", "path"}, 3, "http://" + host + "/a~b?x=%41;y=2 "},
			{[]string{"export", "-o", "-", "--key", "path", "--url", origin.URL + "/%61~b?x=%41;y=2"}, 1,
				"http://" + host + "/a~b?x=%41;y=2 "},
			{[]string{"export", "-o", "-", "--key", "form"}, 1, "x=A&y=2 "},
			{[]string{"lookup", origin.URL + "/%61~b?x=%41;y=2", "--key", "path"}, 1, "/a~b?x=%41;y=2 "},
			{[]string{"lookup", origin.URL + "/%61~b?x=A;y=2", "--key", "wwwoffle"}, 1, "/a~b?x=A;y=2 "},
			{[]string{"lookup", "http://elsewhere.example/?x=A&y=2", "--key", "form"}, 1, "x=A&y=2 "},
			{[]string{"lookup", secret + "/a~b?x=%41;y=2#part", "--key", "path"}, 1, "/a~b?x=%41;y=2 "},
			{[]string{"lookup", origin.URL + "/form"}, 0, ""},
			{[]string{"lookup", origin.URL + "/form", "--any-body"}, 2, `"requestBody":"a=2"`},
			{[]string{"lookup", origin.URL + "/form", "--any-body", "--method", "post"}, 2,
				`"requestBody":"a=1"`},
			{[]string{"lookup", origin.URL + "/form", "--any-body", "--method", "PUT"}, 0, ""},
			{[]string{"lookup", origin.URL + "/form?a=1", "--any-body"}, 0, ""},
			{[]string{"lookup", origin.URL + "/form", "--method", "POST", "--content-type",
				"application/json", "--body", writeFile(t, `{"a":1}`)}, 1, `"requestBody":"a=1"`},
			{[]string{"lookup", origin.URL + "/form", "--method", "POST", "--content-type",
				"application/json", "--body", writeFile(t, `{ "a":2}`), "--key", "query"}, 1,
				`"requestBody":"a=2"`},
			{[]string{"export", "-o", "-", "--key", "query"}, 2, "/form?__wb_method=post#query="},
		} {
			out, errs, code := p.run(c.args...)
			if (code == 0) != (c.lines > 0) || strings.Count(out, "\n") != c.lines || !strings.Contains(out, c.want) {
				t.Errorf("%s: %v: %d, want %d lines with %q\n%s%s", when, c.args, code, c.lines, c.want, out,
					errs)
			}
			if lines := strings.Split(out, "\n"); !slices.IsSorted(lines[:len(lines)-1]) {
				t.Errorf("%s: %v: not sorted", when, c.args)
			}
		}
	}
	for deadline := time.Now().Add(10 * time.Second); ; {
		if out, _, _ := p.run("export", "-o", "-"); strings.Count(out, "\n") == 3 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("never 3 captures in the index")
		}
	}
	if out, errs, code := p.run("lookup", "http://nowhere.example/", "--key", "form"); code != 1 ||
		out != "" || !strings.Contains(errs, "no key") {
		t.Errorf("a URL without that key: %d %q %q", code, out, errs)
	}
	for _, args := range [][]string{{"--key", "query"}, {"--method", "get"}, {"--body", "-"}} {
		args = append([]string{"lookup", "--any-body", origin.URL}, args...)
		if out, errs, code := p.run(args...); code != 1 || out != "" ||
			!strings.Contains(errs, "lookup: --any-body ") {
			t.Errorf("%v: %d %q %q", args, code, out, errs)
		}
	}
	check("while recording")
	if code := p.stop(); code != 0 {
		t.Fatal(p.stderr)
	}
	check("afterwards")
}
