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

// TestPartsAndTheWhole: as long as there are parts alone they have lines, and then the whole has;
// the index keeps all, and so does one that is made anew.
func TestPartsAndTheWhole(t *testing.T) {
	page := strings.NewReader(strings.Repeat("0123456789", 1000))
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"v1"`)
		http.ServeContent(w, r, "page.txt", time.Unix(1e9, 0), page)
	}))
	defer origin.Close()
	p := startRecording(t)
	client := http.Client{
		Transport: &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: p.address})},
	}
	defer client.CloseIdleConnections()
	get := func(status int, field, value string) {
		t.Helper()
		r, err := http.NewRequest(http.MethodGet, origin.URL+"/page.txt", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set(field, value)
		res, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		if _, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode != status {
			t.Fatalf("%s: %d, %v", value, res.StatusCode, err)
		}
	}
	said := func(want string, args ...string) string {
		t.Helper()
		if _, errs, code := p.run(args...); code != 0 || errs != "" {
			t.Errorf("%v: %d, and without a terminal it says %q", args, code, errs)
		}
		out, errs, code := p.atTerminal(args...)
		if code != 0 || strings.Count(errs, "without a line") != strings.Count(want, "without a line") ||
			!strings.Contains(errs, want) {
			t.Errorf("%v: %d, %q, want %q", args, code, errs, want)
		}
		return out
	}
	statuses := func(lines string) string {
		var all []string
		for line := range strings.Lines(lines) {
			_, status, _ := strings.Cut(line, `"status":"`)
			all = append(all, status[:3])
		}
		slices.Sort(all) // within a second the rest of the line decides
		return strings.Join(all, " ")
	}
	lines := func(want, says string, args ...string) {
		t.Helper()
		if got := statuses(said(says, args...)); got != want {
			t.Errorf("%v: %s, want %s", args, got, want)
		}
	}
	export := []string{"export", "-o", "-"}
	await := func(n int) {
		t.Helper()
		for until := time.Now().Add(time.Minute); ; {
			all, _, _ := p.run(append(export, "--all")...)
			if strings.Count(all, "\n") == n {
				return
			}
			if time.Now().After(until) {
				t.Fatalf("never %d captures:\n%s", n, all)
			}
		}
	}
	get(206, "Range", "bytes=0-4095")
	get(206, "Range", "bytes=4096-")
	get(206, "Range", "bytes=0-4095")
	await(3)
	lines("206 206 206", "", export...)
	get(200, "Accept", "*/*")
	await(4)
	lines("200", "3 captures without a line", export...)
	get(304, "If-None-Match", `"v1"`)
	await(5)
	check := func() {
		t.Helper()
		lines("200", "4 captures without a line", export...)
		lines("200", "4 captures without a line", append(export, "--url", origin.URL+"/page.txt")...)
		lines("200 206 206 206 304", "", append(export, "--all")...)
		lines("200 206 206 206 304", "", append(export, "--dialect", "spec")...)
		lines("200 206 206 206 304", "", "lookup", origin.URL+"/page.txt")
	}
	check()
	if code := p.stop(); code != 0 {
		t.Fatal(p.stderr)
	}
	check()
	if _, errs, code := p.run(append(export, "--verbose")...); code != 0 ||
		!strings.Contains(errs, "4 captures without a line") {
		t.Errorf("--verbose: %d %q", code, errs)
	}
	said("", "verify")
	if all := said("", append(export, "--all")...); strings.Count(all, "warc/revisit") != 2 {
		t.Errorf("want a part and the 304 as revisits: %s", all)
	}
	said("", "rebuild")
	check()
}
