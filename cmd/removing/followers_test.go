package removing

import (
	"strings"
	"testing"
)

// TestRemoveFollowers: what is in no index goes with what it belongs to, whatever it is, or with its URL.
func TestRemoveFollowers(t *testing.T) {
	const secret = "SECRET"
	of := "WARC-Concurrent-To: " + idOf(1)
	undated := func(text string) string {
		return strings.Replace(text, "WARC-Date: "+dateOf(2), "WARC-Date: yesterday", 1)
	}
	kept := stranger("response", 3, "/kept", page(text("bbbb")), digestB)
	for name, text := range map[string]string{
		"an unknown type": stranger("screenshot", 2, "/hush", secret, of),
		"fields in a resource": strings.Replace(stranger("resource", 2, "/hush", secret),
			"application/http; msgtype=response", "application/warc-fields", 1),
		"a response without a date": undated(stranger("response", 2, "/hush", page(secret))),
		"metadata without a URL": strings.Replace(stranger("metadata", 2, "/hush", secret,
			"Content-Type: application/json", of), "WARC-Target-URI: https://example.com/hush\r\n", "", 1),
	} {
		t.Run(name, func(t *testing.T) {
			stays := undated(stranger("response", 2, "/kept", page("WHISPER")))
			r := strange(t, stranger("response", 1, "/hush", page("aaaa"), "X-A: 1")+text+stays+kept)
			done := r.remove(hush, nil)
			b := r.fileText("x0.warc")
			if done.Captures != 1 || strings.Contains(b, secret) || !strings.Contains(b, "WHISPER") {
				t.Errorf("%+v: %s", done, b)
			}
			r.all()
		})
	}
}
