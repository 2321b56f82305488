package cmd

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// gif is an image of one pixel.
const gif = "GIF89a\x01\x00\x01\x00\x80\x00\x00\xff\x00\x00\x00\x00\x00!\xf9\x04\x01\x00\x00\x00\x00," +
	"\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"

// newGIFs is an origin of images.
func newGIFs(t *testing.T) *httptest.Server {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "image/gif")
		io.WriteString(w, gif)
	}))
	t.Cleanup(server.Close)
	return server
}

// lineOf is what names a capture.
type lineOf struct{ Filename, Offset string }

// TestPreview: an image that was recorded is shown at a listener of its own, which the proxy connects
// nobody to, by whatever name, and where nothing else is.
func TestPreview(t *testing.T) {
	rec := startRecording(t)
	rec.fetch(newGIFs(t).URL + "/a.gif")
	rec.settle()
	_, told, found := strings.Cut(rec.page("/export"), " {")
	var line lineOf
	if err := json.Unmarshal([]byte("{"+told), &line); err != nil {
		t.Fatalf("%v, %v: %q", found, err, told)
	}
	var x struct {
		Preview struct {
			Kind, Path string
			Port       int
		}
	}
	text := rec.page("/live/exchange?file=" + url.QueryEscape(line.Filename) + "&offset=" + line.Offset)
	if err := json.Unmarshal([]byte(text), &x); err != nil || x.Preview.Kind != "image" {
		t.Fatalf("%v: %s", err, text)
	}
	var state struct{ Preview string }
	if err := json.Unmarshal([]byte(rec.page("/status")), &state); err != nil {
		t.Fatal(err)
	}
	if state.Preview != fmt.Sprintf("127.0.0.1:%d", x.Preview.Port) {
		t.Errorf("%s, and port %d", state.Preview, x.Preview.Port)
	}
	at := fmt.Sprintf("http://127.0.0.1:%d", x.Preview.Port)
	direct := http.Client{Transport: &http.Transport{}}
	defer direct.CloseIdleConnections()
	for path, want := range map[string]string{x.Preview.Path + "/image": gif, "/": "", "/status": "", "/export": ""} {
		res, err := direct.Get(at + path)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(res.Body)
		res.Body.Close()
		if string(got) != want || (want == "") != (res.StatusCode == http.StatusNotFound) || err != nil {
			t.Errorf("%s: %s %q %v", path, res.Status, got, err)
		}
	}
	through := http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: rec.address})}}
	defer through.CloseIdleConnections()
	for _, host := range []string{"127.0.0.1", "localhost", "0.0.0.0", "[::ffff:127.0.0.1]"} {
		res, err := through.Get(fmt.Sprintf("http://%s:%d%s/image", host, x.Preview.Port, x.Preview.Path))
		if err != nil {
			t.Fatal(err)
		}
		got, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if res.StatusCode < 400 || strings.Contains(string(got), "GIF89a") {
			t.Errorf("by %s, through the proxy: %s %q", host, res.Status, got)
		}
	}
	tunnel, err := through.Get(fmt.Sprintf("https://127.0.0.1:%d/", x.Preview.Port))
	if err == nil {
		if tunnel.Body.Close(); tunnel.StatusCode < 400 {
			t.Errorf("by a tunnel: %s", tunnel.Status)
		}
	}
}

// TestPreviewListen: the address can be set, and one that cannot be taken says what to do.
func TestPreviewListen(t *testing.T) {
	rec := startRecording(t, "--preview-listen", "127.0.0.2:0")
	if page := rec.page("/status"); !strings.Contains(page, `"preview": "127.0.0.2:`) &&
		!strings.Contains(page, `"preview":"127.0.0.2:`) {
		t.Error(page)
	}
	for given, want := range map[string]string{
		":8091":      `--preview-listen ":8091" names no host: write 127.0.0.1:8091`,
		"x":          "--preview-listen",
		rec.address:  "with --preview-listen",
		"[::1]:x99x": "needs a port",
	} {
		said, err := command(t.TempDir(), "record", "--listen", "127.0.0.1:0", "--preview-listen", given).CombinedOutput()
		if err == nil || !strings.Contains(string(said), want) {
			t.Errorf("%s: %v %s", given, err, said)
		}
	}
}
