package inspect

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"

	"warcorder/recorder/recovery/foreign"
	"warcorder/store"
	"warcorder/store/warc"
)

// TestExchange: an exchange is shown as it was recorded, a request with a body too, which is a part of
// its key.
func TestExchange(t *testing.T) {
	s := recorded(t)
	const address = "http://example.com/login?x=1"
	request := "POST /login?x=1 HTTP/1.1\r\nHost: example.com\r\nX-Odd: \xff\xfe\r\n" +
		"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 7\r\n\r\na=1&b=2"
	response := "HTTP/1.1 201 Créé\r\nContent-Type: text/plain; charset=iso-8859-1\r\n\r\ncaf\xe9"
	c := s.commit(address, request, response)
	x := s.exchange(&c)
	head, _, _ := strings.Cut(request, "a=1&b=2")
	for name, got := range map[string]bool{
		"request head":  decode(t, x.Request.Head) == head,
		"request size":  x.Request.Size == 7,
		"response head": decode(t, x.Response.Head)+"caf\xe9" == response,
		"response size": x.Response.Size == 4 && *x.Capture.Size == 4,
		"ids": strings.HasPrefix(x.Request.RecordID, "<urn:uuid:") &&
			x.Request.RecordID != x.Response.RecordID,
		"capture": x.Capture.URL == address && x.Capture.Method == "POST" && x.Capture.Status == 201 &&
			x.Capture.Stored == "response" && x.Capture.Host == "example.com",
		"keys": x.Keys["pywb"] == "com,example)/login?__wb_method=post&a=1&b=2&x=1" && x.Keys["spec"] != "" &&
			x.Keys["warciojs"] != "" && x.Keys["query"] != "",
		"records": len(x.Records) == 2 && x.Records[0].Type == "response" && x.Records[1].Type == "request" &&
			x.Records[0].Offset == c.Offset && x.Records[0].Digests["WARC-Payload-Digest"] != "",
		"preview": x.Preview.Kind == "text" && x.Preview.Path == "",
	} {
		if !got {
			t.Errorf("%s: %+v %+v %+v", name, x, x.Request, x.Response)
		}
	}
	if p := s.piece(&c, ""); p.Text != "café" || p.Charset != "windows-1252" || p.More || p.Size != 5 {
		t.Errorf("%+v", p)
	}
	if p := s.piece(&c, "&of=request"); p.Text != "a=1&b=2" {
		t.Errorf("%+v", p)
	}
	if p := s.piece(&c, "&as=hex"); p.Text != "00000000  63 61 66 e9"+strings.Repeat(" ", 38)+"|caf.|\n" {
		t.Errorf("%q", p.Text)
	}
}

func decode(t *testing.T, text string) string {
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestRecord: the records come as they lie in the file, and can be read alone.
func TestRecord(t *testing.T) {
	s := recorded(t)
	s.commit("http://example.com/before", get, "HTTP/1.1 200 OK\r\n\r\nbefore")
	c := s.commit("http://example.com/", get, "HTTP/1.1 200 OK\r\nA: \xff\r\n\r\nhello")
	s.commit("http://example.com/behind", get, "HTTP/1.1 200 OK\r\n\r\nbehind")
	status, file := s.ask(RecordPath, c.Location, "")
	if status != http.StatusOK {
		t.Fatalf("%d %s", status, file)
	}
	r, err := warc.NewForeignReader(bytes.NewReader(file), "x.warc.gz", 0)
	if err != nil {
		t.Fatal(err)
	}
	var types []string
	for {
		one, err := r.Next()
		if err != nil {
			break
		}
		types = append(types, one.Type()+" "+one.TargetURI())
	}
	if got := strings.Join(types, ", "); got != "response http://example.com/, request http://example.com/" {
		t.Errorf("records: %s", got)
	}
	if status, said := s.ask(RecordPath, c.Location, "&check=true"); status != http.StatusOK ||
		strings.TrimSpace(string(said)) != `{"selected":true}` {
		t.Errorf("check: %d %q", status, said)
	}
	_, text := s.ask(RecordPath, c.Location, "&as=text")
	if !strings.HasPrefix(string(text), "WARC/1.1\r\n") ||
		!strings.HasSuffix(string(text), "\r\n\r\nHTTP/1.1 200 OK\r\nA: \uFFFD\r\n\r\n") {
		t.Errorf("%q", text)
	}
}

const get = "GET / HTTP/1.1\r\nHost: example.com\r\n\r\n"

// TestRevisit: a revisit shows the original's body, and says whose; one without an original says that.
func TestRevisit(t *testing.T) {
	s := recorded(t)
	body := strings.Repeat("the same ", 400)
	response := "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n" + body
	first := s.commit("http://example.com/a", get, response)
	second := s.commit("http://example.com/b", get, response)
	x := s.exchange(&second)
	if x.RevisitOf == nil || x.RevisitOf.URI != "http://example.com/a" ||
		x.RevisitOf.Offset != first.Offset || x.RevisitOf.File != first.File || x.Capture.Stored != "revisit" ||
		x.Response.Truncated != "" || x.Capture.Truncated {
		t.Errorf("%+v %+v", x, x.RevisitOf)
	}
	if p := s.piece(&second, ""); p.Text != body {
		t.Errorf("%+v", p)
	}
	lost := imported(t, map[string][]byte{"lost.warc": []byte(foreign.Record(
		"WARC/1.0\nWARC-Type: revisit\nWARC-Record-ID: <urn:1>\nWARC-Target-URI: http://example.com/c\n"+
			"WARC-Date: 2026-11-21T12:00:00Z\nContent-Type: application/http\nWARC-Payload-Digest: sha1:"+
			strings.Repeat("A", 32)+"\nWARC-Refers-To-Target-URI: http://example.com/no\n"+
			"WARC-Refers-To-Date: 2026-11-20T12:00:00Z", "HTTP/1.1 200 OK|A: b||"))})
	c := lost.captures("http://example.com/c")[0]
	x = lost.exchange(&c)
	if x.RevisitOf == nil || x.RevisitOf.File != "" || x.RevisitOf.URI != "http://example.com/no" ||
		x.Why == "" || x.Capture.Size != nil || decode(t, x.Response.Head) != "HTTP/1.1 200 OK\r\nA: b\r\n\r\n" {
		t.Errorf("%+v", x)
	}
	if status, said := lost.ask(BodyPath, c.Location, ""); status != http.StatusNotFound ||
		!bytes.Contains(said, []byte("original is not in the archive")) {
		t.Errorf("%d %s", status, said)
	}
}

// TestForeign shows all captures of other tools' files, in each form, and nothing of any other place.
func TestForeign(t *testing.T) {
	for tool, records := range foreign.Files {
		for layout, file := range foreign.Layouts(t, records) {
			s := imported(t, map[string][]byte{"a" + layout: file})
			for _, c := range s.captures("") {
				x := s.exchange(&c)
				if x.Capture.URL != c.URL || x.Records[0].Offset > c.Offset || len(x.Keys) < 3 {
					t.Errorf("%s%s: %s: %+v", tool, layout, c.URL, x)
				}
				status, download := s.ask(RecordPath, c.Location, "")
				unpacked, err := gzip.NewReader(bytes.NewReader(download))
				if status != http.StatusOK || err != nil || unpacked.Close() != nil {
					t.Errorf("%s%s: %s: %d, %v", tool, layout, c.URL, status, err)
				}
			}
		}
	}
}

// TestNowhere: what is no place of a capture shows nothing, though the bytes there may be a record that
// somebody has sent.
func TestNowhere(t *testing.T) {
	forged := foreign.Record("WARC/1.0\nWARC-Type: response\nWARC-Record-ID: <urn:f>\nWARC-Target-URI: "+
		"http://bank.example/\nWARC-Date: 2026-11-21T12:00:00Z\nContent-Type: application/http",
		"HTTP/1.1 200 OK||forged")
	file := foreign.Record("WARC/1.0\nWARC-Type: response\nWARC-Record-ID: <urn:1>\nWARC-Target-URI: "+
		"http://example.com/\nWARC-Date: 2026-11-21T12:00:00Z\nContent-Type: application/http",
		"HTTP/1.1 200 OK||"+forged)
	s := imported(t, map[string][]byte{"a.warc": []byte(file)})
	within := int64(strings.Index(file, "HTTP/1.1") + len("HTTP/1.1 200 OK\r\n\r\n"))
	for _, at := range []store.Location{
		{File: "a.warc", Offset: within}, {File: "a.warc", Offset: 7}, {File: "a.warc", Offset: 1 << 50},
		{File: "a.warc", Offset: int64(len(file))}, {File: "b.warc"}, {File: "../archive/a.warc"},
		{File: "../../../etc/passwd"}, {File: "a.warc\x00"}, {File: "/a.warc"},
	} {
		for _, path := range []string{ExchangePath, BodyPath, RecordPath} {
			status, said := s.ask(path, at, "")
			if status != http.StatusNotFound || !json.Valid(said) || bytes.Contains(said, []byte("forged")) {
				t.Errorf("%s of %+v: %d %s", path, at, status, said)
			}
		}
	}
	for _, query := range []string{"", "?file=a.warc", "?file=a.warc&offset=-1", "?offset=0",
		"?file=a.warc&offset=0x1", "?file=a.warc&offset=99999999999999999999"} {
		res, err := http.Get(s.pages.URL + ExchangePath + query)
		if err != nil || res.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: %v %v", query, res.Status, err)
		}
		res.Body.Close()
	}
	c := s.captures("")[0]
	for _, more := range []string{"&as=html", "&of=both", "&from=-1"} {
		if status, said := s.ask(BodyPath, c.Location, more); status != http.StatusBadRequest {
			t.Errorf("%s: %d %s", more, status, said)
		}
	}
}

// TestLies: records that are cut, or lie about their lengths, show what is there or say why not.
func TestLies(t *testing.T) {
	good := foreign.Record("WARC/1.0\nWARC-Type: response\nWARC-Record-ID: <urn:1>\nWARC-Target-URI: "+
		"http://example.com/\nWARC-Date: 2026-11-21T12:00:00Z\nContent-Type: application/http",
		"HTTP/1.1 200 OK|Content-Type: text/plain||hello")
	s := imported(t, map[string][]byte{"a.warc": []byte(good)})
	c := s.captures("")[0]
	path := s.dir.WARCPaths("a.warc")[0]
	for name, change := range map[string]func(string) string{
		"longer": func(f string) string { return strings.Replace(f, "Length: 50", "Length: 99", 1) },
		"short":  func(f string) string { return f[:len(f)-12] },
		"other":  func(f string) string { return strings.Replace(f, "example.com", "example.org", 1) },
		"junk":   func(f string) string { return strings.Repeat("x", len(f)) },
	} {
		if err := os.WriteFile(path, []byte(change(good)), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, page := range []string{ExchangePath, BodyPath} {
			status, said := s.ask(page, c.Location, "")
			isSaid := status >= 400 && json.Valid(said) || bytes.Contains(said, []byte("damaged behind"))
			if !isSaid && !(name == "longer" && page == ExchangePath) {
				t.Errorf("%s: %s: %d %s", name, page, status, said)
			}
		}
	}
}

// TestPageOf: an exchange names the page to which it belongs; null where that is not known.
func TestPageOf(t *testing.T) {
	s := recorded(t)
	c := s.commit("http://example.com/", get, "HTTP/1.1 200 OK\r\n\r\nx")
	if x := s.exchange(&c); x.Page != nil {
		t.Errorf("%s", *x.Page)
	}
	s.inspector.PageOf = func(_ context.Context, at store.Location) string {
		return map[store.Location]string{{File: c.File, Offset: c.Offset}: "it"}[store.Location{
			File: at.File, Offset: at.Offset}]
	}
	if x := s.exchange(&c); x.Page == nil || *x.Page != "it" {
		t.Errorf("%v", x.Page)
	}
}
