package inspect

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// images are bodies that are shown, by the type that their bytes tell.
var images = map[string]string{
	"image/png": "\x89PNG\r\n\x1a\n....", "image/jpeg": "\xff\xd8\xff\xe0....", "image/gif": "GIF89a....",
	"image/webp": "RIFF....WEBPVP8 ", "image/avif": "\x00\x00\x00\x1cftypmif1\x00\x00\x00\x00mif1avifmiaf",
	"image/bmp":    "BM....\x00\x00\x00\x00" + strings.Repeat(".", 20),
	"image/x-icon": "\x00\x00\x01\x00....",
}

// image asks for what the listener of images has.
func (s *shown) image(path string, fields ...string) (*http.Response, string) {
	s.t.Helper()
	r, err := http.NewRequest("GET", s.images.URL+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	for i := 0; i < len(fields); i += 2 {
		r.Header.Set(fields[i], fields[i+1])
	}
	if host := r.Header.Get("Host"); host != "" {
		r.Host = host
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		body = []byte("broke off")
	}
	return res, string(body)
}

// TestPreviews: images are shown by their bytes, whatever their heads say, within a document that does
// nothing, at the origin of previews alone.
func TestPreviews(t *testing.T) {
	s := recorded(t)
	for kind, body := range images {
		c := s.commit("http://example.com/"+kind, get, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"+body)
		x := s.exchange(&c)
		if x.Preview.Kind != "image" || x.Preview.Port != 1 || x.Preview.Text != isPlain([]byte(body)) {
			t.Errorf("%s: %+v", kind, x.Preview)
			continue
		}
		res, got := s.image(x.Preview.Path + "/image")
		policy := res.Header.Get("Content-Security-Policy")
		if res.Header.Get("Content-Type") != kind || got != body ||
			!strings.HasPrefix(policy, "sandbox; default-src 'none'") ||
			!strings.HasSuffix(policy, "frame-ancestors "+s.pages.URL) ||
			res.Header.Get("X-Content-Type-Options") != "nosniff" || res.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %q %v", kind, got, res.Header)
		}
		res, got = s.image(x.Preview.Path)
		if !strings.HasPrefix(res.Header.Get("Content-Type"), "text/html") || strings.Contains(got, "<script") ||
			!strings.Contains(got, `src="`+x.Preview.Path+`/image"`) ||
			!strings.HasPrefix(res.Header.Get("Content-Security-Policy"), "sandbox; default-src 'none'") {
			t.Errorf("%s: %s %v", kind, got, res.Header)
		}
	}
	svg := s.commit("http://example.com/svg", get, "HTTP/1.1 200 OK\r\nContent-Type: image/svg+xml\r\n\r\n"+
		"<?xml version='1.0'?><svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>")
	if x := s.exchange(&svg); x.Preview.Kind != "image" || !x.Preview.Text {
		t.Errorf("%+v", x.Preview)
	}
	for name, response := range map[string]string{
		"HTML":     "Content-Type: image/png\r\n\r\n<html><script>alert(1)</script>",
		"SVG":      "Content-Type: text/html\r\n\r\n<svg onload='alert(1)'></svg>",
		"PDF":      "Content-Type: application/pdf\r\n\r\n%PDF-1.7",
		"too-long": "Content-Type: image/png\r\n\r\n\x89PNG\r\n\x1a\n" + strings.Repeat("x", mostImage),
		"nothing":  "Content-Type: image/png\r\n\r\n",
	} {
		c := s.commit("http://example.com/"+name, get, "HTTP/1.1 200 OK\r\n"+response)
		if x := s.exchange(&c); x.Preview.Kind == "image" || x.Preview.Path != "" {
			t.Errorf("%s: %+v", name, x.Preview)
		}
		if res, got := s.image(s.previews.path(c.Location, "") + "/image"); res.StatusCode != 404 || got != "" {
			t.Errorf("%s: %s %q", name, res.Status, got)
		}
	}
	long := s.commit("http://example.com/bomb", get, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"+
		pack("GIF89a"+strings.Repeat("x", mostImage)))
	if _, got := s.image(s.previews.path(long.Location, "") + "/image"); got != "broke off" {
		t.Errorf("a long image is shown: %d bytes", len(got))
	}
}

// TestKeys: nothing is told but to who has a key that the page has given, for as long as it is good, under
// a name of ours and in a frame.
func TestKeys(t *testing.T) {
	s := recorded(t)
	c := s.commit("http://example.com/", get, "HTTP/1.1 200 OK\r\n\r\nGIF89a....")
	other := s.commit("http://example.com/other", get, "HTTP/1.1 200 OK\r\n\r\nGIF89a,,,,")
	path := s.exchange(&c).Preview.Path
	nothing := func(name, path string, fields ...string) {
		t.Helper()
		res, got := s.image(path, fields...)
		if res.StatusCode != 404 || got != "" || len(res.Header) != 3 { // Cache-Control, Content-Length, Date
			t.Errorf("%s: %s %q %v", name, res.Status, got, res.Header)
		}
	}
	raw, err := base64.RawURLEncoding.DecodeString(path[1:])
	if err != nil {
		t.Fatal(err)
	}
	for at := 0; at < len(raw); at += 7 {
		changed := []byte(string(raw))
		changed[at] ^= 1
		nothing("changed", "/"+base64.RawURLEncoding.EncodeToString(changed))
	}
	foreign := NewPreviews(1, s.previews.isOwn)
	nothing("another process's", foreign.path(c.Location, ""))
	nothing("no key", "/")
	nothing("no key, image", "/image")
	nothing("a path", path+"/../image")
	nothing("a query", path+"?x")
	nothing("long", "/"+strings.Repeat("A", 1<<14))
	nothing("cut", path[:len(path)-1])
	nothing("behind it", path+"A")
	nothing("another name", path, "Host", "evil.example:1")
	nothing("a tab", path, "Sec-Fetch-Dest", "document")
	nothing("a script", path+"/image", "Sec-Fetch-Dest", "script")
	if res, _ := s.image(path, "Sec-Fetch-Dest", "iframe", "Sec-Fetch-Site", "same-site"); res.StatusCode != 200 {
		t.Errorf("in the frame: %s", res.Status)
	}
	if res, got := s.image(path+"/image", "Sec-Fetch-Dest", "image"); got != "GIF89a...." {
		t.Errorf("in the document: %s %q", res.Status, got)
	}
	if s.exchange(&other).Preview.Path == path {
		t.Error("two images have one key")
	}
	s.previews.now = func() time.Time { return time.Now().Add(keyTime + time.Second) }
	nothing("old", path)
}

// TestFramesOf: an image is shown in frames of the page that its key was given to, by the Host at which
// that is; nothing else of a Host gets into a policy.
func TestFramesOf(t *testing.T) {
	s := recorded(t)
	c := s.commit("http://example.com/", get, "HTTP/1.1 200 OK\r\n\r\nGIF89a....")
	for page, want := range map[string]string{
		"localhost:9090": "http://localhost:9090", "127.0.0.1": "http://127.0.0.1",
		"[::1]:8080": "http://*:8080", "Studio-1.local:80": "http://Studio-1.local:80",
		"[::1]:*": "'none'", "a; script-src *": "'none'", "a,b": "'none'", "*": "'none'", "a\x00b": "'none'", "": "'none'",
		strings.Repeat("a", mostHost+1): "'none'",
	} {
		if at, host, opens := s.previews.placeOf(s.previews.path(c.Location, page)[1:]); strings.Count(page, "\x00") == 0 &&
			(at.File != c.File || at.Offset != c.Offset || !opens || host != page && len(page) <= mostHost) {
			t.Errorf("%q: %+v %q %v", page, at, host, opens)
		}
		if got := sourceOf(page); len(page) <= mostHost && got != want {
			t.Errorf("%q: %s", page, got)
		}
	}
	r, err := http.NewRequest("GET", s.pages.URL+ExchangePath+fmt.Sprint("?file=", c.File, "&offset=", c.Offset), nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = "localhost:9090"
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var x exchange
	if err := json.NewDecoder(res.Body).Decode(&x); err != nil {
		t.Fatal(err)
	}
	for _, behind := range []string{"", "/image"} {
		res, _ := s.image(x.Preview.Path + behind)
		if policy := res.Header.Get("Content-Security-Policy"); !strings.HasSuffix(policy, " http://localhost:9090") {
			t.Errorf("%q: %s", behind, policy)
		}
	}
}

// TestPlaces: no more images are sent at a time than there are places.
func TestPlaces(t *testing.T) {
	s := recorded(t)
	c := s.commit("http://example.com/", get, "HTTP/1.1 200 OK\r\n\r\nGIF89a....")
	path := s.exchange(&c).Preview.Path
	for range mostImages {
		s.previews.places <- struct{}{}
	}
	if res, _ := s.image(path); res.StatusCode != http.StatusServiceUnavailable {
		t.Error(res.Status)
	}
	<-s.previews.places
	if res, _ := s.image(path); res.StatusCode != http.StatusOK {
		t.Error(res.Status)
	}
}
