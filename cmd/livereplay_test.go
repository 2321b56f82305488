//go:build unix

package cmd

import (
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
)

// TestLiveReplay: who is on the recorder's machine gets a browser that asks the archive alone; where
// none can be seen, the command that opens one is told, and why.
func TestLiveReplay(t *testing.T) {
	t.Parallel()
	b := installBrowser(t)
	recorder := b.startLively("DISPLAY=:none", "FAKE_STAYS=1")
	recorder.fetch("http://site.example/seen")
	recorder.page("/export")
	page := opens(t, recorder)
	var told opened
	page.does(200, openPath, url.Values{"url": {"http://site.example/seen"}, "ts": {"2099"}}, &told)
	if !told.Started || told.Why != "" ||
		!strings.Contains(told.Command, "replay --at=2099 http://site.example/seen") {
		t.Errorf("%+v", told)
	}
	eventually(t, "a browser is open", func() bool { _, err := os.Stat(b.app + ".shown"); return err == nil })
	for form, why := range map[string]string{
		"url=--report=x": "scheme", "url=http://a.example/&ts=--x": "", "": "scheme",
	} {
		values, _ := url.ParseQuery(form)
		if said := page.does(400, openPath, values, nil); !strings.Contains(said, why) {
			t.Errorf("%s: %s", form, said)
		}
	}
	if code := recorder.stop(); code != 0 {
		t.Errorf("%d: %s", code, recorder.stderr)
	}
	b.isClean()
}

// TestLiveReplayElsewhere: nobody gets a browser on a machine that is not the own one, or without a
// screen.
func TestLiveReplayElsewhere(t *testing.T) {
	t.Parallel()
	page := opens(t, installBrowser(t).startLively())
	var told opened
	page.does(200, openPath, url.Values{"url": {"http://site.example/"}}, &told)
	if told.Started || !strings.Contains(told.Why, "no display") ||
		strings.Contains(told.Why, "--headless") || !strings.Contains(told.Command, "replay ") {
		t.Errorf("%+v", told)
	}
	var typed opened
	page.cookie = nil // as who may only read
	page.sees(openPath+"?url=http://site.example/&ts=2099", &typed)
	if typed.Started || typed.Why == "" || !strings.Contains(typed.Command, "replay --at=2099 http://site.example/") {
		t.Errorf("%+v", typed)
	}
	r := httptest.NewRequest("POST", openPath, strings.NewReader(""))
	r.RemoteAddr = "192.0.2.9:1"
	if err := new(serving).startReplay(r, nil); err == nil || !strings.Contains(err.Error(), "another one") {
		t.Error(err)
	}
}
