package cmd

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// TestStatusOfToken: a recorder that asks for a token gets it from a file, and who has none, or
// another one, is told what to do. None is shown to where a redirect leads.
func TestStatusOfToken(t *testing.T) {
	p := startRecording(t, "--readers", "", "--api-token", "right-right-right-right")
	for name, c := range map[string]struct{ token, want string }{
		"none":      {"", "set WARCORDER_API_TOKEN or --token-file"},
		"another":   {"wrong", "refuses the token"},
		"right":     {"right-right-right-right\n", "1 recorder: 1 recording"},
		"no token":  {"two words", "holds no token"},
		"too large": {strings.Repeat("a", tokenBytes+1), "holds no token"},
	} {
		t.Run(name, func(t *testing.T) {
			args := []string{"status", "--of", p.address}
			if c.token != "" {
				args = append(args, "--token-file", writeFile(t, c.token))
			}
			out, errs, code := p.run(args...)
			if !strings.Contains(out+errs, c.want) || (code == 0) != (name == "right") {
				t.Errorf("%d %s%s", code, out, errs)
			}
		})
	}
	shown := make(chan string, 10)
	thief := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		shown <- r.URL.Path
	}))
	defer thief.Close()
	leads := httptest.NewServer(http.RedirectHandler(thief.URL+"/stolen", http.StatusFound))
	defer leads.Close()
	out, _, code := p.run("status", "--of", leads.URL, "--token-file", writeFile(t, "right"))
	if code != 1 || len(shown) != 0 || !strings.Contains(out, "answers 302") {
		t.Errorf("%d %s", code, out)
	}
}

// TestStatusOfAddresses: what is no address of a recorder is refused before anybody is asked.
func TestStatusOfAddresses(t *testing.T) {
	for _, wrong := range []string{"http://user:secret@localhost:8080", "localhost", ":8080", "ftp://localhost:1",
		"http://localhost:8080/status", "localhost:8080?token=x", "a b:1", "localhost:99x"} {
		if _, err := siteOf(wrong); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", wrong, err)
		}
	}
	for address, want := range map[string]string{
		"192.0.2.7:8080":            "http://192.0.2.7:8080",
		"[2001:db8::1]:80":          "http://[2001:db8::1]:80",
		"https://recorder.example/": "https://recorder.example",
		"http://localhost":          "http://localhost",
	} {
		if at, err := siteOf(address); err != nil || at.String() != want {
			t.Errorf("%q: %v %v", address, at, err)
		}
	}
}

// TestStatusOfHostile: whoever listens at an address costs no more than askPatience and 1 MiB, and
// is not taken for a recorder; what one says of itself neither leaves its line nor spoils a sum.
func TestStatusOfHostile(t *testing.T) {
	const like = `{"version":"1","started":"2026-01-01T00:00:00Z","recording":true`
	for name, c := range map[string]struct{ body, state string }{
		"nothing":       {"", isDown},
		"HTML":          {"<html>", isDown},
		"an array":      {"[" + strings.Repeat("[", 100000), isDown},
		"endless":       {strings.Repeat(" ", askedPage+1), isDown},
		"another mode":  {`{"mode":"replay\u001b[31m","version":"1"}`, isDown},
		"no recorder":   {`{"recording":true}`, isDown},
		"wrong types":   {like + `,"captures":"many"}`, isDown},
		"too large":     {like + `,"captures":1e30}`, isDown},
		"below nothing": {like + `,"captures":-5,"queued":-1,"gaps":{"write":-7}}`, isRecording},
		"full":          {like + `,"captures":9223372036854775807}`, isRecording},
		"reasons": {like + `,"gaps":{` + manyReasons() + `"\u001b[31mred":2,"` +
			strings.Repeat("a", 9999) + `":3}}`, isRecording},
		"off": {strings.Replace(like, "true", "false", 1) + `,"reason":"\u001b[31m` +
			strings.Repeat("x", 9999) + `"}`, isOff},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				io.WriteString(w, c.body)
			}))
			defer server.Close()
			one, err := askAll(t.Context(), []string{server.URL, server.URL}, "")
			if err != nil {
				t.Fatal(err)
			}
			one[1].Status = one[0].Status
			if one[1].Status != nil {
				two := *one[0].Status
				two.Started = two.Started.Add(time.Second)
				one[1].Status = &two
			}
			fleet := summed(one)
			if got := fleet.Recorders[0].State; got != c.state || len(fleet.Sum.Gaps) > mostReasons+1 ||
				fleet.Sum.Captures < 0 || sum(fleet.Sum.Gaps) < 0 {
				t.Errorf("%s %+v", got, fleet.Sum)
			}
			for line := range strings.Lines(fleet.text() + fleet.line()) {
				if strings.ContainsAny(line, "\x1b\u202e") || !strings.HasPrefix(line, "2 ") &&
					utf8.RuneCountInString(line) > screen+1 {
					t.Errorf("%q", line)
				}
			}
		})
	}
}

func manyReasons() string {
	var b strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&b, `"reason-%d":1,`, i)
	}
	return b.String()
}

// TestStatusOfSilent: one that drips its answer, and one that takes connections and says nothing, are
// given up together after askPatience.
func TestStatusOfSilent(t *testing.T) {
	t.Parallel()
	drips := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			io.WriteString(w, " ")
			http.NewResponseController(w).Flush()
			select {
			case <-r.Context().Done():
			case <-time.After(100 * time.Millisecond):
			}
		}
	}))
	defer drips.Close()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	begun := time.Now()
	all, err := askAll(t.Context(), []string{drips.URL, silent.Addr().String()}, "")
	if err != nil || time.Since(begun) > 2*askPatience {
		t.Errorf("%v after %s", err, time.Since(begun))
	}
	for _, one := range all {
		if one.Status != nil || !strings.Contains(one.Error, "does not answer within 5 s") {
			t.Errorf("%+v", one)
		}
	}
}

// TestShared: of what recorders share counts are added, the longest delay and the worst state stand;
// other lines, and what is no number, are passed over; there is a bound.
func TestShared(t *testing.T) {
	const one = "# HELP warcorder_upload_up x\nwarcorder_upload_up 1\nwarcorder_upload_lag_seconds 5\n" +
		"warcorder_upload_files{state=\"finished\"} 2\nwarcorder_upload_files{state=\"away\"} 1e3\n" +
		"warcorder_dedup_shared_asked_total 10\nwarcorder_dedup_shared_found_total 6\n" +
		"warcorder_push_lag_seconds{feed=\"0\"} 1\nwarcorder_push_lag_seconds{feed=\"1\"} 90\n" +
		"warcorder_captures_total 7\nwarcorder_push_up NaN\nwarcorder_push_lines_total x\nwarcorder_push_up"
	all := sharedSeries{}
	all.add(sharedOf([]byte(one)))
	all.add(sharedOf([]byte(strings.ReplaceAll(one, "upload_up 1", "upload_up 0"))))
	if all.of("upload_files") != 2004 || all[`upload_files{state="away"}`] != 2000 || all["upload_up"] != 0 ||
		all.worst("upload_lag_seconds") != 5 || all.worst("push_lag_seconds") != 90 ||
		all.of("push_up") != -1 || len(all) != 8 {
		t.Errorf("%+v", all)
	}
	var l labelled
	all.write(&l)
	for _, want := range []string{"5 s behind at most, 0 failures; not reached by each", "12 of 20 asked for",
		"1 min behind"} {
		if !strings.Contains(l.String(), want) {
			t.Errorf("no %q in\n%s", want, l.String())
		}
	}
	var many strings.Builder
	for i := range 10000 {
		fmt.Fprintf(&many, "warcorder_upload_files{state=\"%d\"} 1\n", i)
	}
	if got := len(sharedOf([]byte(many.String()))); got != mostShared {
		t.Errorf("%d", got)
	}
}
