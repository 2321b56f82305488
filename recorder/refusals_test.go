package recorder

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"warcorder/proxy/raced"
	"warcorder/recorder/record"
	"warcorder/store/refusal"
)

// answer is a response with that status line and those fields.
func answer(status string, fields ...string) string {
	return "HTTP/1.1 " + status + "\r\n" + strings.Join(append(fields, "Content-Length: 4"), "\r\n") +
		"\r\n\r\nbody"
}

// TestRefusals: what the other side refuses is counted by host, small or large, and in the log once
// it is recorded; what is forgotten is not.
func TestRefusals(t *testing.T) {
	c := open(t, t.TempDir(), Config{})
	defer c.close()
	all := []struct{ url, answer string }{
		{"http://a.example/", answer("403 Forbidden")},
		{"https://A.example:8443/x?y", answer("429 Slow", "Retry-After: 120")},
		{"https://user@a.example/", answer("503 No", "Retry-After: \x1b[31m"+strings.Repeat("9", 100))},
		{"http://[2001:db8::1]:80/", answer("202 Accepted", "x-amzn-waf-action: challenge")},
		{"http://b.example", answer("403 No", "CF-Mitigated: challenge") + strings.Repeat("x", 2<<20)},
		{"http://c.example/", answer("200 OK", "Retry-After: 1", "CF-Ray: 1")},
		{"http://c.example/none", answer("404 Not Found")},
	}
	for i, a := range all {
		c.commit(a.url, exampleRequest, a.answer)
		eventually(t, "record of "+a.url, func() bool { return c.Status().Exchanges == int64(i+1) })
	}
	c.begin("http://forgotten.example/", exampleRequest, answer("403 Forbidden")).Discard()
	c.Index() // all that is on disk is counted
	s := c.Status().Refusals
	if want := (RefusalCounts{Forbidden: 1, TooMany: 1, Unavailable: 1, Challenge: 2}); s.Total != want ||
		s.Others != (RefusalCounts{}) || len(s.Hosts) != 3 {
		t.Fatalf("%+v", s)
	}
	for i, want := range []RefusingHost{
		{Host: "a.example", RefusalCounts: RefusalCounts{Forbidden: 1, TooMany: 1, Unavailable: 1},
			RetryAfter: "?[31m" + strings.Repeat("9", maxRetryAfter-5)},
		{Host: "[2001:db8::1]", RefusalCounts: RefusalCounts{Challenge: 1}, By: "aws-waf"},
		{Host: "b.example", RefusalCounts: RefusalCounts{Challenge: 1}, By: "cloudflare"},
	} {
		got := s.Hosts[i]
		if got.Last.IsZero() || got.Host != want.Host || got.RefusalCounts != want.RefusalCounts ||
			got.By != want.By || got.RetryAfter != want.RetryAfter {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	for _, line := range [][]string{
		{`"warn"`, "refuses", `"host":"a.example"`, `"status":403`, `"kind":"forbidden"`},
		{`"warn"`, "refuses", `"host":"b.example"`, `"kind":"challenge"`, `"by":"cloudflare"`},
	} {
		if c.log.count(line...) != 1 {
			t.Errorf("the log has %d lines with %q", c.log.count(line...), line)
		}
	}
	if n := c.log.count("refuses"); n != 3 {
		t.Errorf("%d lines for three hosts", n)
	}
}

// TestRefusalsLog: a host is named when it begins to refuse, then once a minute with how often, and
// as new when it has been quiet for one.
func TestRefusalsLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := new(logBuffer)
		r := newRefusals(zerolog.New(log))
		refuse := func(host string, n int) {
			for range n {
				r.note(&refused{kind: refusal.TooMany, status: 429, host: host})
			}
		}
		after := func(d time.Duration, what string, begins, still int) {
			t.Helper()
			time.Sleep(d)
			synctest.Wait()
			if a, b := log.count("other side refuses"), log.count("still refuses"); a != begins ||
				b != still {
				t.Errorf("%s: named %d times, counted %d times", what, a, b)
			}
		}
		refuse("a", 5)
		after(0, "at once", 1, 0)
		after(refusalsEvery, "a minute", 1, 1)
		if log.count(`"host":"a"`, `"tooMany":4`) != 1 {
			t.Error("the summary has another count")
		}
		refuse("a", 1)
		after(0, "a second minute begins", 1, 1)
		after(refusalsEvery, "a second minute", 1, 2)
		after(refusalsEvery-time.Second, "nearly quiet", 1, 2)
		refuse("b", 1)
		after(time.Second, "b began just before the summary", 2, 2)
		refuse("b", 1)
		after(0, "b is not new", 2, 2)
		refuse("a", 1)
		after(0, "a is", 3, 2)
		after(3*refusalsEvery, "all are quiet", 3, 3)
		refuse("b", 3)
		r.close()
		after(refusalsEvery, "the end", 4, 4)
	})
}

// TestRefusalsFlood: whoever has a million names is counted, and takes neither memory nor log.
// Names and times cannot break out of their line. No time passes meanwhile, or a slow machine would
// see a summary in between.
func TestRefusalsFlood(t *testing.T) { synctest.Test(t, flood) }

func flood(t *testing.T) {
	log := new(logBuffer)
	r := newRefusals(zerolog.New(log))
	for range 5 {
		r.note(&refused{kind: refusal.Forbidden, host: "often.example"})
	}
	nasty := strings.Repeat("\u2028\x1b\", \"recording\": false, \"", 20)
	response := record.Parse([]byte(answer("403 No", "Retry-After: "+nasty)))
	before := heap()
	hosts := int64(raced.Of(1_000_000))
	for i := range hosts {
		r.note(refusedIn(&Exchange{}, fmt.Sprintf("http://%d%s:80/", i, nasty), &response))
		if i%500 == 0 {
			r.note(&refused{kind: refusal.Forbidden, host: "often.example"})
		}
	}
	if grown := heap() - before; grown > 4<<20 {
		t.Errorf("%d bytes more", grown)
	}
	s := r.status()
	if s.Total.Forbidden != hosts+5+hosts/500 || len(s.Hosts) != refusingListed ||
		s.Hosts[0].Host != "often.example" || s.Hosts[0].Forbidden != 5+hosts/500 ||
		s.Others.Forbidden != s.Total.Forbidden-s.Hosts[0].Forbidden-refusingListed+1 {
		t.Errorf("total %+v, others %+v, %d hosts, first %+v", s.Total, s.Others, len(s.Hosts),
			s.Hosts[0])
	}
	text, err := json.Marshal(s)
	if err != nil || len(text) > 100<<10 || strings.ContainsAny(string(text), "\n\x00\u2028") {
		t.Errorf("%v, %d bytes of JSON", err, len(text))
	}
	r.close()
	if n := strings.Count(log.b.String(), "\n"); n > 2*refusalLines+1 || log.b.Len() > 64<<10 {
		t.Errorf("%d lines of %d bytes", n, log.b.Len())
	}
	if log.count("other hosts refuse too") != 1 {
		t.Error("the log does not say that there are others")
	}
	for line := range strings.Lines(log.b.String()) {
		var fields map[string]any
		if err := json.Unmarshal([]byte(line), &fields); err != nil || fields["recording"] != nil {
			t.Errorf("%v: %s", err, line)
		}
	}
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
