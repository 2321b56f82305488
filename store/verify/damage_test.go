package verify_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"warcorder/recorder"
	"warcorder/store"
	"warcorder/store/collection"
)

// The members of the file that the damage table begins with: three exchanges.
const (
	info = iota
	response1
	request1
	response2
	request2
	response3
	request3
)

// damage is a row of the damage table: what is done to a member, what verify says, and which of the
// three exchanges recover keeps in the index if the file was not finished.
type damage struct {
	name string
	at   int // the member
	edit func(raw, text string) string
	want []string // member and code
	keep string
}

// damages is the damage table.
var damages = []damage{
	{"none", response2, flip(4), nil, "123"}, // the time of a gzip header means nothing

	// What is no whole record.
	{"cut in the middle of the last member", request3, cut(50),
		[]string{"5 pair", "6 torn"}, "12"},
	{"cut before the trailer", request3, cut(-8), []string{"5 pair", "6 torn"}, "12"},
	{"the last byte is missing", request3, cut(-1), []string{"5 pair", "6 torn"}, "12"},
	{"cut after the first byte of a member", request3, cut(1), []string{"5 pair", "6 torn"}, "12"},
	{"the last member is missing", request3, cut(0), []string{"5 pair"}, "12"},
	{"empty member", response2, set(packPlain("")), []string{"3 empty-member"}, "123"},
	{"empty member inside an exchange", request2, set(packPlain("")),
		[]string{"3 pair", "4 empty-member", "@ pair"}, "123"},
	{"zeros at the end", request3,
		func(raw, _ string) string { return raw + string(make([]byte, 5000)) },
		[]string{"@ zeros"}, "123"},
	{"garbage between", response2, set("garbage"), []string{"3 not-member"}, "123"},
	{"garbage at the end", request3, func(raw, _ string) string { return raw + "garbage" },
		[]string{"@ not-member"}, "123"},
	{"two records in a member", response2,
		func(_, text string) string { return pack(text + text) },
		[]string{"3 second-record", "4 pair"}, "13"},
	{"a record over two members", response2,
		func(_,
			text string) string {
			return packPlain(text[:len(text)-6]) + packPlain(text[len(text)-6:])
		},
		[]string{"3 content-length", "4 pair"}, "13"},
	{"header of gzip", response2, flip(0), []string{"3 not-member", "4 pair"}, "13"},
	{"reserved flag of gzip", response2,
		func(raw, _ string) string { return raw[:3] + "\x24" + raw[4:] },
		[]string{"3 not-member", "4 pair"}, "13"},
	// a kind of block that is none
	{"deflate stream", response2,
		func(raw, _ string) string { return raw[:24] + string([]byte{raw[24] | 6}) + raw[25:] },
		[]string{"3 corrupt", "4 pair"}, "13"},
	{"checksum of gzip", response2, flip(-8), []string{"3 checksum", "4 pair"}, "13"},
	{"size of gzip", response2, flip(-1), []string{"3 checksum", "4 pair"}, "13"},
	{"compressed length of sl", response2, func(_, text string) string { return packWith(text, 1, 0) },
		[]string{"3 sl"}, "123"},
	{"length of the record in sl", response2,
		func(_, text string) string { return packWith(text, 0, 1) }, []string{"3 sl"}, "123"},
	{"no sl", response2, func(_, text string) string { return packPlain(text) },
		[]string{"3 sl"}, "123"},
	{"subfields that do not fill the extra field", response2,
		func(raw, _ string) string { return raw[:14] + "\x07" + raw[15:] }, []string{"3 sl"}, "123"},
	{"Content-Length too small", response2, field("Content-Length", "3"),
		[]string{"3 content-length", "4 pair"}, "13"},
	{"Content-Length too large", response2, field("Content-Length", "3000"),
		[]string{"3 content-length", "4 pair"}, "13"},
	{"Content-Length too large by the line breaks", response2,
		field("Content-Length", fmt.Sprint(len(page("x"))+4)),
		[]string{"3 content-length", "4 pair"}, "13"},
	{"no Content-Length", response2, field("Content-Length", ""),
		[]string{"3 header", "4 pair"}, "13"},
	{"line breaks missing", response2, edited(func(text string) string { return text[:len(text)-2] }),
		[]string{"3 content-length", "4 pair"}, "13"},
	{"line breaks too many", response2, edited(func(text string) string { return text + "\r\n" }),
		[]string{"3 content-length", "4 pair"}, "13"},
	{"no WARC header", response2, edited(func(text string) string { return "X" + text }),
		[]string{"3 header", "4 pair"}, "13"},
	{"a line that is no field", response2,
		swap("\r\n", "\r\nno field\r\n"),
		[]string{"3 header", "4 pair"}, "13"},

	// Whole records that say something wrong.
	{"payload", response2, swap("\r\n\r\nx\r\n", "\r\n\r\ny\r\n"),
		[]string{"3 block-digest", "3 payload-digest"}, "123"},
	{"block digest", response2, field("WARC-Block-Digest", sha("other")),
		[]string{"3 block-digest"}, "123"},
	{"payload digest", response2, field("WARC-Payload-Digest", sha("other")),
		[]string{"3 payload-digest"}, "123"},
	{"no digest at all", response2, field("WARC-Payload-Digest", "sha1:short"),
		[]string{"3 payload-digest"}, "123"},
	{"unknown algorithm", response2, field("WARC-Payload-Digest", "blake3:abc"),
		[]string{"3 payload-digest note"}, "123"},
	{"no date", request2, field("WARC-Date", ""), []string{"4 field", "4 pair"}, "123"},
	{"local date", request2, field("WARC-Date", "2020-01-01T00:00:00+01:00"),
		[]string{"4 date", "4 pair"}, "123"},
	{"date that is none", request2, field("WARC-Date", "2020-02-30T00:00:00Z"),
		[]string{"4 date", "4 pair"}, "123"},
	{"a date long ago", info, field("WARC-Date", "1996-01-01T00:00:00Z"), nil, "123"},
	{"date in the future", info, field("WARC-Date", "2996-01-01T00:00:00Z"),
		[]string{"0 date note"}, "123"},
	{"no type", request2, field("WARC-Type", ""), []string{"3 pair", "4 field"}, "123"},
	{"no ID", request2, field("WARC-Record-ID", ""), []string{"4 field"}, "123"},
	{"ID without brackets", request2, field("WARC-Record-ID", "urn:uuid:1"), []string{"4 id"}, "123"},
	{"no URI", request2, field("WARC-Target-URI", ""), []string{"4 field", "4 pair"}, "123"},
	{"URI with UTF-8", request2, field("WARC-Target-URI", "http://example.com/ä"),
		[]string{"4 uri note", "4 pair"}, "123"},
	{"URI that is none", request2, field("WARC-Target-URI", "example"),
		[]string{"4 uri", "4 pair"}, "123"},
	{"not UTF-8", request2, field("WARC-Protocol", "\xff"), []string{"4 field"}, "123"},
	{"address that is none", request2, field("WARC-IP-Address", "example.com"),
		[]string{"4 field"}, "123"},
	{"field twice", request2, swap("\r\n", "\r\nWARC-Type: request\r\n"),
		[]string{"4 field"}, "123"},
	{"folded field", request2, swap("WARC-Protocol: ", "WARC-Protocol:\r\n "),
		[]string{"4 form note"}, "123"},
	{"lines of LF", request2, swap("\r\nWARC-Protocol", "\nWARC-Protocol"),
		[]string{"4 form note"}, "123"},
	{"old version", request2,
		swap("WARC/1.1", "WARC/0.18"),
		[]string{"4 form note"}, "123"},
	{"warcinfo of nothing", request2, field("WARC-Warcinfo-ID", "<urn:x:1>"),
		[]string{"4 warcinfo note"}, "123"},

	// HTTP messages.
	{"header cut", response2, block("HTTP/1.1 200 OK\r\nContent-Ty"), []string{"3 http"}, "123"},
	{"header cut, and said so", response2, edited(func(text string) string {
		return strings.Replace(withBlock(text, "HTTP/1.1 200 OK\r\nContent-Ty"), "\r\n",
			"\r\nWARC-Truncated: disconnect\r\n", 1)
	}), nil, "123"},
	{"body short of Content-Length", response2,
		block("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"), []string{"3 http"}, "123"},
	{"no body", response2, block("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"),
		[]string{"3 http"}, "123"},
	{"body longer than Content-Length", response2,
		block("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nhello"), []string{"3 http"}, "123"},
	{"chunks cut", response2,
		block("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"),
		[]string{"3 http"}, "123"},
	{"103 before 200", response2, block("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\n\r\n"),
		[]string{"3 http note"}, "123"},
	{"no chunks", response2, block("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n<p>hello"),
		[]string{"3 http"}, "123"},
	{"bytes behind the chunks", response2,
		block("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nhello"),
		[]string{"3 http"}, "123"},
	// whose header ends before the one that the digest means
	{"lines of LF", response2, block("HTTP/1.1 200 OK\n\r\n\r\nhello"),
		[]string{"3 payload-digest"}, "123"},
	{"ICY", response2, block("ICY 200 OK\r\n\r\nhello"), []string{"3 http"}, "123"},
	{"HTTP/0.9", response2, block("<p>hello"), []string{"3 http"}, "123"},
	{"request line that is none", request2, block("GET\r\n\r\n"), []string{"4 http"}, "123"},
	{"request short of Content-Length", request2,
		block("POST / HTTP/1.1\r\nContent-Length: 4\r\n\r\na"), []string{"4 http"}, "123"},

	// Exchanges that are not whole.
	{"the request is in another file", request2, cut(0), []string{"3 pair"}, "123"},
	{"the response is in another file", response2, cut(0), []string{"4 pair"}, "13"},
	{"a request of another record", request2, field("WARC-Concurrent-To", "<urn:x:1>"),
		[]string{"3 pair", "4 pair"}, "13"},
	{"a request of another URI", request2, field("WARC-Target-URI", "http://example.com/9"),
		[]string{"4 pair"}, "123"},
	{"a request of another date", request2, field("WARC-Date", "2020-01-01T00:00:00Z"),
		[]string{"4 pair"}, "123"},
	{"the same exchange twice", request2, nil, []string{"@ id-twice", "@ id-twice"}, "1223"},
}

// TestDamage shows what verify says of each damage, and what recover keeps.
func TestDamage(t *testing.T) {
	dir := t.TempDir()
	record(t, recorder.Config{}, dir, []exchange{
		{url: "http://example.com/a", request: get, response: page("x")},
		{url: "http://example.com/b", request: get, response: page("x")},
		{url: "http://example.com/c", request: get, response: page("x")},
	}) // in any order
	path := archive(t, dir)[0]
	content := read(t, path)
	all := membersOf(t, content)
	if len(all) != request3+1 {
		t.Fatal(all)
	}
	number := make(map[string]string)
	for i, m := range []int{response1, response2, response3} {
		_, uri, _ := strings.Cut(all[m].text, "WARC-Target-URI: ")
		uri, _, _ = strings.Cut(uri, "\r\n")
		number[uri] = fmt.Sprint(i + 1)
	}
	for _, d := range damages {
		t.Run(d.name, func(t *testing.T) {
			m := all[d.at]
			with := ""
			if d.edit == nil {
				with = string(content[m.offset:][:m.length]) + string(
					content[all[d.at-1].offset:m.offset+m.length])
			} else {
				with = d.edit(string(content[m.offset:][:m.length]), m.text)
			}
			broken := replaced(content, all, d.at, with)
			path := filepath.Join(t.TempDir(), filepath.Base(path))
			write(t, path, broken)
			found := files(t, path)
			if got := found.byMember(all, d.at, len(with)-m.length); !slices.Equal(got, d.want) {
				t.Errorf("verify says %v, want %v\n%+v", got, d.want, found.all)
			}
			wrong := slices.ContainsFunc(d.want,
				func(s string) bool { return !strings.HasSuffix(s, " note") })
			if (found.Findings > 0) != wrong {
				t.Errorf("%d findings", found.Findings)
			}
			var kept string
			for _, url := range keptBy(t, filepath.Base(path), broken) {
				kept += number[url]
			}
			if kept != d.keep {
				t.Errorf("recover keeps %q, want %q", kept, d.keep)
			}
		})
	}
}

// byMember says which members the findings are about, by their numbers in the file before one of
// them grew.
func (c *checked) byMember(all []member, grown, by int) (codes []string) {
	for _, code := range c.codes() {
		var offset int
		var rest string
		fmt.Sscan(code, &offset)
		_, rest, _ = strings.Cut(code, " ")
		where := "@"
		for i, m := range all {
			if at := m.offset; i <= grown && at == offset || i > grown && at+by == offset {
				where = fmt.Sprint(i)
			}
		}
		codes = append(codes, where+" "+rest)
	}
	return codes
}

// keptBy recovers a file that was not finished, and returns the URLs in the index, in the order of
// the file.
func keptBy(t *testing.T, name string, content []byte) (urls []string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "archive"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "archive", name+".open"), content)
	if _, err := recorder.Recover(recorder.Config{}, collection.Dir(dir), zerolog.Nop()); err != nil {
		t.Fatal(err)
	}
	kept := captures(t, dir)
	slices.SortFunc(kept, func(a, b store.Capture) int { return cmp.Compare(a.Offset, b.Offset) })
	for _, c := range kept {
		urls = append(urls, c.URL)
	}
	return urls
}
