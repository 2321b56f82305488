package verify_test

import (
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"warcorder/store/verify"
)

// warcRecord makes a record of another program, with the mandatory fields; of those given again the
// last value counts, and "" takes one away.
func warcRecord(kind, id, block string, fields ...string) string {
	names := []string{"WARC-Type", "WARC-Record-ID", "WARC-Date"}
	values := map[string]string{
		"WARC-Type": kind, "WARC-Record-ID": "<urn:x:" + id + ">",
		"WARC-Date": "2020-01-01T00:00:00Z",
	}
	more := append([]string{"Content-Length", fmt.Sprint(len(block))}, fields...)
	switch kind {
	case "warcinfo":
		more = append([]string{"Content-Type", "application/warc-fields"}, more...)
	case "revisit":
		const profile = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
		more = append([]string{"WARC-Profile", profile}, more...)
		fallthrough
	case "response", "request":
		more = append([]string{"Content-Type", "application/http; msgtype=response",
			"WARC-Target-URI", "http://example.com/"}, more...)
	}
	for i := 0; i < len(more); i += 2 {
		if _, known := values[more[i]]; !known {
			names = append(names, more[i])
		}
		values[more[i]] = more[i+1]
	}
	text := "WARC/1.1\r\n"
	for _, name := range names {
		if values[name] != "" {
			text += name + ": " + values[name] + "\r\n"
		}
	}
	return text + "\r\n" + block + "\r\n\r\n"
}

func warcinfo() string { return warcRecord("warcinfo", "info", "software: Wget/1.21\r\n") }

// each packs each record by itself.
func each(records ...string) (file string) {
	for _, r := range records {
		file += packPlain(r)
	}
	return file
}

func ofSHA256(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256:" + hex.EncodeToString(sum[:])
}

const chunkedPage = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"

// TestForeign checks files of other programs, each of which has a warcinfo record and what the case
// gives it; codes are those of the findings, by file and in their order.
func TestForeign(t *testing.T) {
	named := func(id string) []string { return []string{"WARC-Concurrent-To", "<urn:x:" + id + ">"} }
	request := warcRecord("request", "q", get, named("r")...)
	with := func(fields ...string) []string { return append(named("q"), fields...) }
	response := warcRecord("response", "r", page("hello"), named("q")...)
	original := warcRecord("response", "r", page("hello"), "WARC-Payload-Digest", sha("hello"),
		"WARC-Concurrent-To", "<urn:x:q>")
	revisit := func(fields ...string) string {
		return warcRecord(
			"revisit",
			"v",
			"HTTP/1.1 200 OK\r\n\r\n",
			append([]string{"WARC-Payload-Digest", sha("hello")}, fields...)...)
	}
	gz := func(records ...string) map[string]string {
		return map[string]string{"a.warc.gz": each(warcinfo()) + each(records...)}
	}
	date := []string{"WARC-Refers-To-Target-URI", "http://example.com/", "WARC-Refers-To-Date",
		"2020-01-01T00:00:00Z"}
	zst, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string
		check func(verify.Summary) bool
	}{
		{"request behind", gz(response, request), "", nil},
		{"request before", gz(request, response), "", nil},
		{"request names its response", gz(request, warcRecord("response", "r", page("hello"))), "", nil},
		{"request far away",
			gz(warcRecord("response", "r", page("hello")), warcRecord("metadata", "m", ""), request),
			"", nil},
		{"no request", gz(warcRecord("response", "r", page("hello"))), "pair note", nil},
		{"a record that is nowhere", gz(response), "reference note", nil},
		{"no warcinfo", map[string]string{"a.warc.gz": each(response, request)}, "form note", nil},
		{"not compressed", map[string]string{"a.warc": warcinfo() + response + request}, "", nil},
		{"not compressed, line breaks too many",
			map[string]string{"a.warc": warcinfo() + response + "\r\n" + request}, "form note", nil},
		{"not compressed, cut",
			map[string]string{"a.warc": warcinfo() + response + request[:len(request)-10]},
			"torn,reference note", nil},
		{"not compressed, wrong Content-Length",
			map[string]string{"a.warc": warcinfo() + withField(response, "Content-Length", "9") + request},
			"content-length,reference note", nil},
		{"zstd",
			map[string]string{"a.warc.zst": string(zst.EncodeAll([]byte(warcinfo()), nil)) +
				string(zst.EncodeAll([]byte(response), nil)) +
				string(zst.EncodeAll([]byte(request), nil))}, "",
			func(s verify.Summary) bool { return s.Records["request"] == 1 }},
		{"line breaks too many", gz(response+"\r\n", request), "form note", nil},
		{"no line breaks", gz(response[:len(response)-4], request), "form note", nil},
		{"1.0, with brackets",
			gz(strings.NewReplacer("WARC/1.1", "WARC/1.0", "http://example.com/",
				"<http://example.com/>").Replace(response), request), "form note", nil},
		{"1.0, with microseconds",
			gz(strings.NewReplacer("WARC/1.1", "WARC/1.0", ":00Z", ":00.5Z").Replace(response), request),
			"form note", nil},
		{"digests of all kinds", gz(request,
			warcRecord("response", "r", page("hello"),
				with("WARC-Payload-Digest", ofSHA256("hello"), "WARC-Block-Digest",
					fmt.Sprintf("md5:%X", md5.Sum([]byte(page("hello")))))...),
			warcRecord("response", "s", page("hello"),
				with("WARC-Payload-Digest", strings.ToLower(sha("hello")), "WARC-Block-Digest",
					"SHA-256:"+ofSHA256(page("hello"))[7:])...)), "",
			func(s verify.Summary) bool { return s.Digests == verify.Digests{Block: 2, Both: 2} }},
		{"wire",
			gz(request,
				warcRecord("response", "r", chunkedPage,
					with("WARC-Payload-Digest", sha("5\r\nhello\r\n0\r\n\r\n"))...)),
			"", func(s verify.Summary) bool { return s.Digests == verify.Digests{Wire: 1} }},
		{"entity",
			gz(request,
				warcRecord("response", "r", chunkedPage, with("WARC-Payload-Digest", ofSHA256("hello"))...)),
			"", func(s verify.Summary) bool { return s.Digests == verify.Digests{Entity: 1} }},
		{"neither",
			gz(request,
				warcRecord("response", "r", chunkedPage, with("WARC-Payload-Digest", sha("hell"))...)),
			"payload-digest", nil},
		{"decoded, with the field of chunks", gz(request,
			warcRecord("response", "r", strings.Replace(chunkedPage, "5\r\nhello\r\n0\r\n\r\n", "hello", 1),
				with()...)), "http", nil},
		{"HEAD", gz(warcRecord("request", "q", "HEAD / HTTP/1.1\r\n\r\n"),
			warcRecord("response", "r", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", with()...)),
			"", nil},
		{"no body, and not asked for",
			gz(warcRecord("response", "r", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"), request),
			"http", nil},
		{"no body, and nobody knows",
			gz(warcRecord("response", "r", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n")),
			"http note,pair note", nil},
		{"segments", gz(request,
			warcRecord("response", "r", page("hello")[:20],
				with("WARC-Segment-Number", "1", "WARC-Payload-Digest", sha("hello"))...),
			warcRecord("continuation", "s", page("hello")[20:], "WARC-Segment-Number", "2",
				"WARC-Segment-Origin-ID", "<urn:x:r>", "WARC-Target-URI", "http://example.com/")), "", nil},
		{"unknown type", gz(warcRecord("screenshot", "r", "x")), "field note", nil},

		{"revisit", gz(request, original, revisit("WARC-Refers-To", "<urn:x:r>")), "", nil},
		{"revisit, all fields",
			gz(request, original, revisit(append(slices.Clone(date), "WARC-Refers-To", "<urn:x:r>")...)),
			"", nil},
		{"revisit by date",
			map[string]string{"a.warc.gz": each(warcinfo(), request, original),
				"b.warc.gz": each(withField(warcinfo(), "WARC-Record-ID", "<urn:x:info2>"), revisit(date...))},
			"", nil},
		{"revisit of nothing", gz(revisit("WARC-Refers-To", "<urn:x:r>")), "original note", nil},
		{"revisit by date of nothing", gz(revisit(date...)), "original note", nil},
		{"revisit of another payload",
			gz(request, withField(original, "WARC-Payload-Digest", ofSHA256("hello")),
				revisit("WARC-Refers-To", "<urn:x:r>"),
				withField(withField(revisit("WARC-Refers-To", "<urn:x:r>"), "WARC-Payload-Digest",
					ofSHA256("x")), "WARC-Record-ID", "<urn:x:v2>")), "original", nil},
		{"revisit by date of another payload",
			gz(request, original, withField(revisit(date...), "WARC-Payload-Digest", sha("x"))),
			"original", nil},
		{"revisit of another URI",
			gz(request, original,
				revisit("WARC-Refers-To", "<urn:x:r>", "WARC-Refers-To-Target-URI", "http://example.com/x")),
			"original", nil},
		{"revisit of another date",
			gz(request, original,
				revisit("WARC-Refers-To", "<urn:x:r>", "WARC-Refers-To-Date", "2020-01-01T00:00:01Z")),
			"original", nil},
		{"revisit of a revisit", gz(revisit("WARC-Refers-To", "<urn:x:v>")), "original note", nil},
		{"revisit without profile",
			gz(request, original, revisit("WARC-Refers-To", "<urn:x:r>", "WARC-Profile", "")), "field", nil},
		{"ID in two files",
			map[string]string{"a.warc.gz": each(warcinfo()), "b.warc.gz": each(warcinfo())},
			"id-twice", nil},
		{"warcinfo that is none",
			gz(request,
				warcRecord("response", "r", page("hello"), with("WARC-Warcinfo-ID", "<urn:x:q>")...)),
			"warcinfo", nil},

		{"ARC",
			map[string]string{"a.arc": "filedesc://a.arc 0.0.0.0 20200101000000 text/plain 76\n1 0 x\n"},
			"other-format", nil},
		{"ARC, compressed", map[string]string{"a.warc.gz": packPlain("filedesc://a.arc 0.0.0.0 " +
			"20200101000000 text/plain 76\n1 0 x\n")}, "other-format", nil},
		{"WARC 0.9", map[string]string{"a.warc": "warc/0.9 100 warcinfo filedesc:a 20200101000000 " +
			"text/xml uuid:1\r\n\r\n"}, "other-format", nil},
		{"nothing", map[string]string{"a.warc.gz": ""}, "", nil},
		{"no WARC at all", map[string]string{"a.warc": "<html>"}, "not-member", nil},

		// What one of the other judges misses.
		{"warcio: last member cut",
			map[string]string{"a.warc.gz": each(warcinfo(), response,
				request)[:len(each(warcinfo(), response, request))-1]}, "torn", nil},
		{"warcio: Content-Length too small", gz(withField(response, "Content-Length", "9"), request),
			"content-length,reference note", nil},
		{"warcio: Content-Length too large", gz(withField(response, "Content-Length", "99"), request),
			"content-length,reference note", nil},
		{"gowarc: second record in a member", gz(response + request), "second-record", nil},
		{"gowarc: all in one member",
			map[string]string{"a.warc.gz": packPlain(warcinfo() + response + request)},
			"second-record", nil},
		{"gowarc: what follows an empty member",
			gz("", withField(response, "Content-Length", "9"),
				warcRecord("request", "q", get, with("WARC-Block-Digest", sha("x"))...)),
			"empty-member,content-length,block-digest", nil},
		{"jwarc: no date on a capture", gz(withField(response, "WARC-Date", ""), request), "field", nil},
		{"jwarc: no URI on a capture", gz(withField(response, "WARC-Target-URI", ""), request),
			"field", nil},
		{"jwarc: bad ID on a capture", gz(strings.Replace(response, "<urn:x:r>", "urn:x:r", 1), request),
			"id,reference note", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			var paths []string
			for name, content := range c.files {
				write(t, filepath.Join(dir, name), []byte(content))
				paths = append(paths, filepath.Join(dir, name))
			}
			slices.Sort(paths)
			found := files(t, paths...)
			var got []string
			for _, f := range found.codes() {
				_, code, _ := strings.Cut(f, " ")
				got = append(got, code)
			}
			if text := strings.Join(got, ","); text != c.want {
				t.Errorf("%s, want %s\n%+v", text, c.want, found.all)
			}
			if c.check != nil && !c.check(found.Summary) {
				t.Errorf("%+v", found.Summary)
			}
		})
	}
}

// TestUnreadable goes on behind a file that is not there, or that is none.
func TestUnreadable(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.warc.gz")
	write(t, path, []byte(each(warcinfo())))
	found := files(t, filepath.Join(dir, "none.warc.gz"), dir, path)
	if !slices.Equal(found.codes(), []string{"0 read", "0 read"}) || found.Records["warcinfo"] != 1 {
		t.Errorf("%+v %+v", found.all, found.Summary)
	}
}

// TestMany lists some findings of a kind and counts the others; notes even less.
func TestMany(t *testing.T) {
	records := []string{warcinfo()}
	for i := range 1200 {
		records = append(records,
			warcRecord("metadata", fmt.Sprint(i), "", "WARC-Date", "x", "WARC-Target-URI", "http://ä/"))
	}
	path := filepath.Join(t.TempDir(), "a.warc.gz")
	write(t, path, []byte(each(records...)))
	found := files(t, path)
	var dates, uris []verify.Finding
	for _, f := range found.all {
		if f.Note {
			uris = append(uris, f)
		} else {
			dates = append(dates, f)
		}
	}
	if len(dates) != 1000 || dates[999].More != 200 || dates[998].More != 0 || len(uris) != 1 ||
		uris[0].More != 1199 || found.Findings != 1200 || found.Notes != 1200 {
		t.Errorf("%d and %d, %+v", len(dates), len(uris), found.Summary)
	}
}
