package cmd

import (
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"warcorder/store/collection"
	"warcorder/store/outbackcdx/outbackcdxtest"
)

// TestFeedsLive: a reload begins and ends feeds; no page and no line of the log has a password; after a kill
// the next recorder goes on, and the command gives what it has not; and both leave the server with what an
// export has.
func TestFeedsLive(t *testing.T) {
	t.Parallel()
	server := outbackcdxtest.New()
	t.Cleanup(server.Close)
	b := &brokenPush{program: &program{t: t, dir: t.TempDir()}, server: server}
	file := filepath.Join(b.dir, "config.yaml")
	write(t, file, "push-every: 1s\n")
	record := func() {
		b.program = startRecordingIn(t, b.dir, "--config", file)
		b.token = collection.Dir(filepath.Join(b.dir, "collections", "default")).PushToken(server.Collection())
	}
	record()
	b.record("https://example.com/a")
	secret := strings.Replace(server.Collection(), "http://", "http://u:geheim@", 1)
	feeds := "push-every: 1s\npush: ['outbackcdx=" + secret + "']\n"
	b.reload(file, feeds)
	eventually(t, "it is fed", func() bool { return len(server.Lines()) == 1 })
	b.record("https://example.com/b")
	b.must("remove", "--url", "https://example.com/a", "--yes")
	b.isFed()
	for _, page := range []string{"/config", "/status", "/metrics"} {
		status, body := b.own(page)
		if status != http.StatusOK || strings.Contains(body, "geheim") || !strings.Contains(body, "push") {
			t.Errorf("%s: %d %s", page, status, body)
		}
	}
	server.SetHook(func(int, *http.Request) (int, string) { return http.StatusForbidden, "not you" })
	b.record("https://example.com/c")
	eventually(t, "it fails", func() bool {
		_, body := b.own("/metrics")
		_, failures, _ := strings.Cut(body, "\nwarcorder_push_failures_total{feed=\"0\"} ")
		return strings.Contains(body, `warcorder_push_up{feed="0"} 0`) && failures != "" && failures[0] > '1'
	})
	b.cmd.Process.Kill()
	<-b.ended
	if said := b.stderr.String(); strings.Contains(said, "geheim") || strings.Count(said, "a feed fails") != 1 {
		t.Error(said)
	}
	server.SetHook(nil)
	record()
	b.isFed()
	b.reload(file, "push-every: 1s\n")
	b.record("https://example.com/d")
	b.must("push", "--to", "outbackcdx", secret)
	b.isAll()
	if n := len(server.Lines()); n != 3 {
		t.Errorf("it has %d lines", n)
	}
}

// own gets one of the recorder's own pages.
func (b *brokenPush) own(page string) (status int, body string) {
	b.t.Helper()
	res, err := http.Get("http://" + b.address + page + "?token=" + b.recorder().Token)
	if err != nil {
		b.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return res.StatusCode, string(text)
}

// isFed waits until the server has what an export has.
func (b *brokenPush) isFed() {
	b.t.Helper()
	want := strings.Join(b.exported(), "\n")
	eventually(b.t, "the server has all", func() bool {
		return strings.Join(b.server.Lines(), "\n") == want
	})
}
