package cmd

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestRefusalsInStatus: refusals by the other side reach the client and the archive as they are,
// and are counted in /status and in the log, but for those of hosts that are not recorded.
func TestRefusalsInStatus(t *testing.T) {
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/limit":
			w.Header().Set("Retry-After", "Fri, 31 Dec 1999 23:59:59 GMT")
			w.WriteHeader(http.StatusTooManyRequests)
		case "/challenge":
			w.Header().Set("CF-Mitigated", "challenge")
			w.WriteHeader(http.StatusForbidden)
		}
		fmt.Fprint(w, "body of ", r.URL.Path)
	}))
	defer origin.Close()
	r := launch(t, t.TempDir(), t.TempDir(), "", "--no-record", "localhost")
	c := &client{proxy: r.address, got: newReceived()}
	defer c.close()
	unrecorded := strings.Replace(origin.URL, "127.0.0.1", "localhost", 1)
	for _, want := range []struct {
		url    string
		status int
	}{
		{origin.URL + "/", 200}, {origin.URL + "/limit", 429}, {origin.URL + "/challenge", 403},
		{origin.URL + "/challenge", 403}, {unrecorded + "/limit", 429},
	} {
		status, body, err := c.fetch("GET", want.url, nil)
		if err != nil || status != want.status || !strings.HasPrefix(string(body), "body of /") {
			t.Fatalf("%s: %d %q %v", want.url, status, body, err)
		}
	}
	eventually(t, "four exchanges are recorded", func() bool {
		_, body, err := r.get("/status")
		return err == nil && strings.Contains(body, `"exchanges": 4,`)
	})
	if _, lines, err := r.get("/export"); err != nil || strings.Count(lines, `"status":"403"`) != 2 {
		t.Errorf("%v in the index: %s", err, lines)
	}
	_, body, err := r.get("/status")
	var s struct {
		Refusals struct {
			Total map[string]int64
			Hosts []struct {
				Host, By, RetryAfter, Last    string
				TooMany, Challenge, Forbidden int64
			}
		}
	}
	if err := json.Unmarshal([]byte(body), &s); err != nil {
		t.Fatal(err)
	}
	if got := s.Refusals; err != nil || len(got.Hosts) != 1 || got.Hosts[0].Host != "127.0.0.1" ||
		got.Hosts[0].TooMany != 1 || got.Hosts[0].Challenge != 2 || got.Hosts[0].Forbidden != 0 ||
		got.Hosts[0].By != "cloudflare" || got.Hosts[0].Last == "" ||
		got.Hosts[0].RetryAfter != "Fri, 31 Dec 1999 23:59:59 GMT" || len(got.Total) != 2 {
		t.Errorf("%v: %s", err, body)
	}
	r.stop()
	if n := len(r.lines("the other side refuses")); n != 1 {
		t.Errorf("%d lines name a host", n)
	}
	if n := len(r.lines("the other side still refuses")); n != 1 {
		t.Errorf("%d lines at the end", n)
	}
}
