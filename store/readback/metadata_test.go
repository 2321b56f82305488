package readback

import (
	"errors"
	"testing"

	"warcorder/recorder"
	"warcorder/recorder/recovery/foreign"
)

// TestMetadata: an exchange's metadata record is found behind its request, and no other's.
func TestMetadata(t *testing.T) {
	r := record(t, nil)
	via := func(x *recorder.Exchange) { x.Via = "socks5" }
	const head = "HTTP/1.1 200 OK\r\n\r\n"
	r.commit("http://example.com/with", head+"a", via)
	r.wait("http://example.com/with", 1)
	r.commit("http://example.com/without", head+"b", nil)
	r.wait("http://example.com/without", 1)
	r.commit("http://example.com/last", head+"c", via)
	check := func(t *testing.T) {
		for path, want := range map[string]string{"with": "socks5", "without": "", "last": "socks5"} {
			c := r.wait("http://example.com/"+path, 1)[0]
			record, err := r.files.Metadata(&c)
			if want == "" {
				if !errors.Is(err, ErrNoMetadata) {
					t.Errorf("%s: %v", path, err)
				}
				continue
			}
			if err != nil {
				t.Fatal(path, err)
			}
			if via, err := record.Fields("VIA"); via[0] != want || err != nil {
				t.Errorf("%s: %q, %v", path, via, err)
			}
			if err := record.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	t.Run("open", check)
	r.rest()
	t.Run("finished", check)
}

// TestForeignMetadata: that of other tools too, if it says what it belongs to, and has fields.
func TestForeignMetadata(t *testing.T) {
	const url = "http://example.com/a"
	of := func(more string) string {
		return foreign.Record("WARC/1.0\nWARC-Type: metadata\nWARC-Record-ID: <urn:m>\n"+
			"WARC-Target-URI: "+url+"\nWARC-Date: 2026-11-21T12:00:00Z\n"+more, "via: x|fetchTimeMs : 12|y")
	}
	const mine, fields = "WARC-Concurrent-To: <urn:" + url + ">\n", "Content-Type: application/warc-fields"
	for name, c := range map[string]struct{ more, want string }{
		"usual":      {mine + fields, "12"},
		"other type": {mine + "Content-Type: text/html", ""},
		"other's":    {fields, ""},
	} {
		files, _ := imported(t, map[string][]byte{
			"a.warc": []byte(response(url, http, "HTTP/1.1 200 OK||hello") + of(c.more))})
		record, err := files.Metadata(&captures(t, files.index, url)[0])
		if c.want == "" {
			if !errors.Is(err, ErrNoMetadata) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(name, err)
		}
		got, err := record.Fields("none", "fetchTimeMs")
		if got[0] != "" || got[1] != c.want || err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		record.Close()
	}
}
