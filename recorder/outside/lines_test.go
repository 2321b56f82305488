package outside

import (
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// TestAnswers: what a server answers is an original where URL, status and digest agree, and nothing
// else is.
func TestAnswers(t *testing.T) {
	t.Parallel()
	cdxj := func(fields string) string { return "com,example)/a?x=* 20240102030405 {" + fields + "}\n" }
	line := func(url, mime, status, digest string) string {
		return cdxj(fmt.Sprintf(`"url": %q, "mime": %q, "status": %q, "digest": %q`, url, mime, status, digest))
	}
	good := line(page, "text/html", "200", digest)
	later := strings.Replace(good, "20240102030405", "20250102030405", 1)
	const first, second = "2024-01-02T03:04:05Z", "2025-01-02T03:04:05Z"
	for _, c := range []struct {
		name, answer string
		date, digest string // of the original; "" if there is none
		failed       bool
	}{
		{"CDXJ", good, first, "sha1:" + digest, false},
		{"with a label", line(page, "text/html", "200", "sha1:"+digest), first, "sha1:" + digest, false},
		{"in hexadecimal digits", line(page, "text/html", "200", "sha1:"+hex.EncodeToString(sum[:])), first,
			"sha1:" + hex.EncodeToString(sum[:]), false},
		{"a status that is a number", cdxj(`"url":"` + page + `","status":200,"digest":"` + digest + `"`),
			first, "sha1:" + digest, false},
		{"seven fields", "com,example)/a?x=* 20240102030405 " + page + " text/html 200 " + digest + " 1043\n",
			first, "sha1:" + digest, false},
		{"eleven fields, with their names", " CDX N b a m s k r M S V g\ncom,example)/a?x=* 20240102030405 " +
			page + " text/html 200 " + digest + " - - 1043 333 a.warc.gz\n", first, "sha1:" + digest, false},
		{"the last one of two", good + later, second, "sha1:" + digest, false},
		{"the last one of two, which comes first", later + good, second, "sha1:" + digest, false},
		{"among others", line(page, "text/html", "200", other) + good + line(page, "text/html", "404", other),
			first, "sha1:" + digest, false},
		{"with CRLF", strings.Replace(good, "\n", "\r\n\r\n", 1), first, "sha1:" + digest, false},
		{"a line without its end", strings.TrimSuffix(good, "\n"), first, "sha1:" + digest, false},
		{"nothing", "", "", "", false},
		{"another digest", line(page, "text/html", "200", other), "", "", false},
		{"another status", line(page, "text/html", "203", digest), "", "", false},
		{"another URL", line(page+"x", "text/html", "200", digest), "", "", false},
		{"a revisit", line(page, "warc/revisit", "200", digest), "", "", false},
		{"a revisit without a status", line(page, "warc/revisit", "-", digest), "", "", false},
		{"a POST", cdxj(`"url":"` + page + `","status":"200","digest":"` + digest + `","method":"POST"`), "", "",
			false},
		{"a POST by its key", strings.Replace(good, "?x=*", "?__wb_method=post&x=*", 1), "", "", false},
		{"of the future", strings.Replace(good, "2024", "2999", 1), "", "", false},
		{"of before the web", strings.Replace(good, "2024", "1970", 1), "", "", false},
		{"another algorithm", line(page, "text/html", "200", "sha256:"+digest), "", "", false},
		{"no digest", line(page, "text/html", "200", "-"), "", "", false},
		{"HTML", "<html><p>It works!</p></html>\n", "", "", true},
		{"a page behind a line", good + "<html><p>It works!</p></html>\n", "", "", true},
		{"half a line", "com,example)/a?x=* 20240102030405 {\"url\": \n", "", "", true},
		{"a time that is none", strings.Replace(good, "20240102030405", "20249902030405", 1), "", "", true},
		{"bytes", "\x00\x01\x02", "", "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Write([]byte(c.answer))
			}))
			defer s.Close()
			a := archives(t, new(logged), s.URL+"/cdx")
			for range 2 { // the second time it is known
				o := a.Find(want())
				if o == nil && c.date != "" || o != nil && (o.URL != page || !o.Seconds ||
					o.Time.Format(time.RFC3339) != c.date || o.Digest != c.digest || o.RecordID != [16]byte{}) {
					t.Errorf("%+v", o)
				}
			}
			status := a.Status()[0]
			asked, failed := int64(1), int64(0)
			if c.failed {
				asked, failed = 2, 2
			}
			if status.Asked != asked || status.Failed != failed || status.Found != map[bool]int64{true: 2}[c.date != ""] {
				t.Errorf("%+v", status)
			}
		})
	}
}

// FuzzAnswer: whatever a server answers, what is taken of it is of the URL, and of bounded size.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte("k 20240102030405 {\"url\": \""+page+"\", \"status\": \"200\", \"digest\": \""+digest+
		"\"}\n"), false)
	f.Add([]byte("k 20240102030405 "+page+" text/html 200 "+digest+" 1\n CDX\n"), true)
	f.Add([]byte("k 20240102030405 {\"status\": {\"a\":[[[["), true)
	f.Fuzz(func(t *testing.T, text []byte, cut bool) {
		all, err := parseAnswer(text, cut, page)
		if err != nil && all != nil || len(all) > mostCaptures || cap(all) > 2*mostCaptures {
			t.Errorf("%d captures, %v", len(all), err)
		}
		for _, c := range all {
			sum, ok := sha1Of(c.digest)
			if !ok || sum != c.sha1 || len(c.digest) > 64 {
				t.Errorf("%+v", c)
			}
		}
	})
}
