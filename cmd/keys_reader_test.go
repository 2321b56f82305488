package cmd

import (
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// readerKeys say who may read, and who may change.
func readerKeys() []keyRow {
	return []keyRow{
		{key: "readers", shows: showReaders},
		{key: "page-control", shows: showPageControl},
		{key: "api-token", shows: showAPIToken},
	}
}

// token is the one in recorder.token.
func (r *keyed) token(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(r.dir, "recorder.token"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

func showReaders(t *testing.T, b *keyBench) {
	direct := keyClient("", nil)
	for _, c := range []struct {
		r      *keyed
		status int
	}{
		{b.plain, 200}, {b.record(t, "readers: []"), 401}, {b.record(t, "readers: 192.0.2.0/28"), 401},
	} {
		for _, path := range []string{"/status", "/gaps", "/export"} {
			url := "http://" + c.r.address + path
			askBy(direct, "GET", url, "").wants(t, c.status, "")
			askBy(direct, "GET", url, "", "Authorization", "Bearer "+c.r.token(t)).wants(t, 200, "")
		}
	}
	own := ownAddress(t)
	if own == "" {
		return
	}
	r := b.record(t, `readers: ["@loopback"]`+"\nlisten: 0.0.0.0:0\nclients: '@any'")
	at := "http://" + net.JoinHostPort(own, portOf(t, r.address))
	askBy(direct, "GET", at+"/status", "").wants(t, 401, "")
	askBy(direct, "GET", "http://127.0.0.1:"+portOf(t, r.address)+"/status", "").wants(t, 200, "recording")
}

// presses does what the live page does in the browser of who has come to its host: it reports whether
// the page is shown, and may pause recording and remove what was recorded.
func presses(t *testing.T, host string) (shown, pauses, removes bool) {
	t.Helper()
	direct, at := keyClient("", nil), "http://"+host
	page := askBy(direct, "GET", at+"/", "", "User-Agent", "Mozilla/5.0", "Referer", at+"/trust",
		"Sec-Fetch-Site", "same-origin", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document")
	if page.err != nil {
		t.Fatal(page.err)
	}
	cookie, _, _ := strings.Cut(page.header.Get("Set-Cookie"), ";")
	change := func(path, form string) bool {
		got := askBy(direct, "POST", at+path, form, "Cookie", cookie, "Origin", at, "Referer", at+"/",
			"User-Agent", "Mozilla/5.0", "Sec-Fetch-Site", "same-origin", "Sec-Fetch-Mode", "cors",
			"Sec-Fetch-Dest", "empty", "Content-Type", "application/x-www-form-urlencoded")
		if got.err != nil || got.status >= 300 && got.status != http.StatusUnauthorized &&
			got.status != http.StatusForbidden {
			t.Errorf("POST %s: %d %q %v", path, got.status, got.body, got.err)
		}
		return got.status < 300
	}
	pauses = change("/pause", "") && change("/resume", "")
	removes = change(liveRemovePath, "url=http%3A%2F%2Fa.example%2F&dry-run=true")
	return strings.Contains(page.body, "live/app.js"), pauses, removes
}

func showPageControl(t *testing.T, b *keyBench) {
	own := ownAddress(t)
	for control, c := range map[string]struct{ here, there bool }{ // who presses its buttons
		"":                       {true, false},
		"page-control: loopback": {true, false},
		"page-control: readers":  {true, true},
		"page-control: token":    {false, false},
	} {
		file := control + "\nlisten: 0.0.0.0:0\nclients: '@any'\nreaders: '@any'"
		r := b.record(t, file)
		port := portOf(t, r.address)
		shown, pauses, removes := presses(t, "127.0.0.1:"+port)
		if !shown || pauses != c.here || removes != c.here {
			t.Errorf("%q here: shown %t, pauses %t, removes %t", control, shown, pauses, removes)
		}
		if shown, pauses, removes = presses(t, net.JoinHostPort(own, port)); own != "" &&
			(!shown || pauses != c.there || removes != c.there) {
			t.Errorf("%q beyond: shown %t, pauses %t, removes %t", control, shown, pauses, removes)
		}
	}
}

func showAPIToken(t *testing.T, b *keyBench) {
	const record = "/record?type=resource&uri=urn:x:1"
	direct := keyClient("", nil)
	r := b.record(t, "api-token: sesame-sesame-sesame\nreaders: []")
	for _, c := range []struct {
		r      *keyed
		token  string
		status int
	}{
		{r, "sesame-sesame-sesame", 201}, {r, r.token(t), 201}, {r, "another", 401}, {r, "", 401},
		{b.plain, b.plain.token(t), 201}, {b.plain, "sesame-sesame-sesame", 401},
	} {
		at := "http://" + c.r.address
		askBy(direct, "POST", at+record, "text", "Authorization", "Bearer "+c.token,
			"Content-Type", "text/plain").wants(t, c.status, "")
		if c.r == r && c.status == 201 {
			askBy(direct, "GET", at+"/status", "", "Authorization", "Bearer "+c.token).wants(t, 200, "recording")
		}
	}
	old := r.token(t)
	r.stop()
	if b.recordIn(t, filepath.Dir(r.dir), "", "").token(t) == old {
		t.Error("two starts have the same token")
	}
	if own := ownAddress(t); own != "" { // from everywhere
		r := b.record(t, "api-token: sesame-sesame-sesame\nlisten: 0.0.0.0:0\nclients: '@loopback'")
		at := "http://" + net.JoinHostPort(own, portOf(t, r.address))
		askBy(direct, "POST", at+record, "text", "Authorization", "Bearer sesame-sesame-sesame",
			"Content-Type", "text/plain").wants(t, 201, "")
	}
}
