package cmd

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// TestReadAfterKill: whoever reads a collection whose recorder was killed is told what is not in
// the index, and in the list of gaps, before the next start.
func TestReadAfterKill(t *testing.T) {
	const large = 4 << 20
	end := make(chan struct{})
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Write(make([]byte, large))
		http.NewResponseController(w).Flush()
		<-end
	}))
	defer origin.Close()
	defer close(end)
	p := startRecording(t)
	client := http.Client{
		Transport: &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: p.address})},
	}
	res, err := client.Get(origin.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if _, err := io.CopyN(io.Discard, res.Body, large); err != nil {
		t.Fatal(err)
	}
	p.cmd.Process.Kill()
	<-p.ended

	const lies, unclean = "1 exchange with large bodies", "did not come to its end"
	tells := func(when string, expected bool) {
		t.Helper()
		for _, c := range []struct{ command, says string }{
			{"export -o -", lies}, {"lookup " + origin.URL, lies},
			{"gaps", unclean}, {"gaps --json", unclean},
		} {
			_, errs, code := p.run(strings.Fields(c.command)...)
			said, status := strings.Contains(errs, c.says), 0
			if expected {
				status = 1
			}
			if said != expected || code != status || !expected && errs != "" {
				t.Errorf("%s, %s: exit status %d, and says %q", c.command, when, code, errs)
			}
		}
	}
	tells("after the end", true)
	if out, errs, code := p.run("recover"); code != 0 {
		t.Fatalf("%s%s", out, errs)
	}
	tells("after a recovery", false)
}
