//go:build unix

package cmd

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"
)

// of asks recorders for the sum of them.
func (p *program) of(addresses ...string) (fleet fleetStatus, text string, code int) {
	p.t.Helper()
	list := strings.Join(addresses, ",")
	out, errs, code := p.run("status", "--of", list, "--json")
	if err := json.Unmarshal([]byte(out), &fleet); err != nil || errs != "" {
		p.t.Fatalf("%v %d %s%s", err, code, out, errs)
	}
	text, _, again := p.run("status", "--of", list)
	if again != code {
		p.t.Errorf("exit %d as JSON, %d as text", code, again)
	}
	for line := range strings.Lines(text) {
		if utf8.RuneCountInString(line) > screen+1 {
			p.t.Errorf("too wide: %q", line)
		}
	}
	return fleet, text, code
}

// states are what the recorders do, in their order.
func (f *fleetStatus) does() (all []string) {
	for _, one := range f.Recorders {
		all = append(all, one.State)
	}
	return all
}

// TestStatusOf: three recorders of one authority are summed up; then one is paused by its operator,
// one stopped by a signal and one killed, and each is said. Where something else listens, too.
func TestStatusOf(t *testing.T) {
	site := newSite(t)
	ca := filepath.Join(t.TempDir(), "ca")
	t.Setenv("WARCORDER_API_TOKEN", "the-token-of-all-three")
	var fleet []*program
	var addresses []string
	for i := range 3 {
		p := startRecording(t, "--readers", "", "--ca-dir", ca)
		for range i + 1 {
			p.fetch(site.plain.URL + "/text/1/9000")
		}
		if err := p.recorder().Work(t.Context(), settlePath, new(status)); err != nil {
			t.Fatal(err)
		}
		fleet, addresses = append(fleet, p), append(addresses, p.address)
	}
	all, text, code := fleet[0].of(addresses...)
	s := all.Sum
	if code != 0 || s.Recording != 3 || s.Exchanges != 6 || s.Captures != 6 || *s.Totals.Revisits != 3 ||
		s.Totals.Files != 3 || s.Free == nil || len(s.Versions) != 1 || len(s.Authorities) != 1 {
		t.Errorf("%d %+v", code, s)
	}
	if !strings.Contains(text, "3 recorders: 3 recording\n") || !strings.Contains(text, addresses[2]) ||
		strings.Contains(text, "differ") || strings.Contains(text, "the-token") {
		t.Errorf("%s", text)
	}
	other := startRecording(t, "--readers", "")
	garbage := httptest.NewServer(http.NotFoundHandler())
	defer garbage.Close()
	fleet[0].run("pause")
	fleet[1].cmd.Process.Signal(syscall.SIGSTOP)
	fleet[2].cmd.Process.Kill()
	<-fleet[2].ended
	all, text, code = fleet[0].of(append(addresses, other.address, garbage.URL, "http://"+other.address)...)
	want := []string{isPaused, isDown, isDown, isRecording, isDown, isTwice}
	if got := all.does(); code != 1 || !slices.Equal(got, want) || all.Sum.Exchanges != 1 {
		t.Errorf("%d %v %+v", code, got, all.Sum)
	}
	for _, want := range []string{"1 recording, 1 paused, 3 down, 1 named twice", "does not answer within 5 s",
		"refused", "answers 404 to /status", "it is the recorder at " + other.address,
		"authorities", "give each recorder the same authority"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if _, errs, code := fleet[0].run("status", "--check", "--of", garbage.URL); code != 1 ||
		strings.Count(errs, "\n") != 1 || !strings.Contains(errs, "1 down") {
		t.Errorf("%d %s", code, errs)
	}
}
