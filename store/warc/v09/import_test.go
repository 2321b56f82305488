package v09

import (
	"crypto/md5"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"warcorder/store/warc"
)

const textLine = "resource http://a.example/ 20060102030405 text/plain uuid:1"

func TestImportChecksum(t *testing.T) {
	const block = "a block"
	const sha1 = "sha1:5FVZ5YDVFTV3YUB3VZQ6GA4G7KGUAKQV"
	right, err := sha1Of(strings.NewReader(block))
	if err != nil {
		t.Fatal(err)
	}
	m, s := md5.Sum([]byte(block)), sha256.Sum256([]byte(block))
	tests := map[string]struct{ said, want, kept string }{
		"none":                 {"", right, ""},
		"base32":               {right, right, ""},
		"base32 in lower case": {strings.ToLower(right), strings.ToLower(right), ""},
		"another label":        {"SHA-1:" + right[5:], right, ""},
		"md5": {
			"md5:" + hex.EncodeToString(m[:]),
			"md5:" + hex.EncodeToString(m[:]),
			"",
		},
		"sha256 in base32": {
			"sha256:" + base32.StdEncoding.EncodeToString(s[:]),
			"sha256:" + base32.StdEncoding.EncodeToString(s[:]),
			"",
		},
		"wrong": {sha1, right, sha1},
		// the document's own example
		"too short": {
			"sha1:AB2CD3EF4GH5IJ6KL7MN8OPQ",
			right,
			"sha1:AB2CD3EF4GH5IJ6KL7MN8OPQ",
		},
		"an algorithm not known": {"crc32:01020304", right, "crc32:01020304"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var fields []string
			if test.said != "" {
				fields = []string{"Checksum: " + test.said}
			}
			c := imported(t, record(textLine, fields, block))
			h := c.records[0].header
			if got := h.Get("WARC-Block-Digest"); got != test.want {
				t.Errorf("WARC-Block-Digest: %s, want %s", got, test.want)
			}
			if got := h.Get("Checksum"); got != test.kept {
				t.Errorf("Checksum: %s, want %s", got, test.kept)
			}
			if reported := len(c.findings) == 1 &&
				errors.Is(c.findings[0].Reason, ErrChecksum); reported != (test.kept != "") {
				t.Errorf("findings %v", c.findings)
			}
		})
	}
}

// TestImportFields converts one field or word at a time.
func TestImportFields(t *testing.T) {
	tests := map[string]struct {
		line   string
		fields []string
		want   []string // lines of the 1.1 header
		note   string   // in a finding
	}{
		"other URI as record-id": {
			line: "resource http://a.example/ 20060102030405 text/plain http://abc.org/12026/987654321/_s1",
			want: []string{"WARC-Record-ID: <http://abc.org/12026/987654321/_s1>"},
		},
		"urn:uuid as record-id": {
			line: "resource http://a.example/ 20060102030405 text/plain urn:uuid:1",
			want: []string{"WARC-Record-ID: <urn:uuid:1>"},
		},
		"IPv6 as RFC 1884 has it": {line: textLine, fields: []string{"IP-Address: 2001:DB8:0:0:0:0:0:1"},
			want: []string{"WARC-IP-Address: 2001:db8::1"}},
		"no IP address": {
			line:   textLine,
			fields: []string{"IP-Address: localhost"},
			want:   []string{"IP-Address: localhost"},
			note:   "localhost",
		},
		"truncated": {
			line:   textLine,
			fields: []string{"truncated: time"},
			want:   []string{"WARC-Truncated: time"},
		},
		"warcinfo-id": {
			line:   textLine,
			fields: []string{"Warcinfo-ID: uuid:i"},
			want:   []string{"WARC-Warcinfo-ID: <urn:uuid:i>"},
		},
		"several relations of a response": {
			line:   "response http://a.example/ 20060102030405 message/http uuid:1",
			fields: []string{"Related-Record-ID: uuid:2", "Related-Record-ID: http://b/"},
			want:   []string{"WARC-Concurrent-To: <urn:uuid:2>", "WARC-Concurrent-To: <http://b/>"},
		},
		"metadata of an unknown record": {
			line:   "metadata http://a.example/ 20060102030405 text/xml uuid:1",
			fields: []string{"Related-Record-ID: uuid:2"},
			want:   []string{"WARC-Refers-To: <urn:uuid:2>"},
		},
		"a conversion of two": {line: "conversion http://a.example/ 20060102030405 text/xml uuid:1",
			fields: []string{"Related-Record-ID: uuid:2", "Related-Record-ID: uuid:3"},
			want:   []string{"WARC-Refers-To: <urn:uuid:2>", "Related-Record-ID: uuid:3"}, note: "uuid:3"},
		"request with a parameter": {
			line: "request http://a.example/ 20060102030405 message/http;msgtype=request uuid:1",
			want: []string{"Content-Type: application/http; msgtype=request"},
		},
		"warcinfo that is no file": {
			line: "warcinfo http://a.example/w 20060102030405 text/xml uuid:1",
			want: []string{"Subject-URI: http://a.example/w"},
		},
		"escaped file name": {
			line: "warcinfo filedesc:a%20b.warc 20060102030405 text/xml uuid:1",
			want: []string{"WARC-Filename: a b.warc"},
		},
		"a type of the future": {
			line: "screenshot http://a.example/ 20060102030405 image/png uuid:1",
			want: []string{"WARC-Type: screenshot"},
			note: "screenshot",
		},
		"a field of someone's": {
			line:   textLine,
			fields: []string{"Content-Type: image/png", "My Field: x"},
			want:   []string{"Verbatim-Content-Type: image/png", "My-Field: x"},
			note:   "My Field",
		},
		"continuation without origin": {
			line:   "continuation http://a.example/ 20060102030405 text/plain uuid:1",
			fields: []string{"Segment-Number: 2"},
			want:   []string{"WARC-Type: continuation", "WARC-Segment-Number: 2"},
			note:   "continuation",
		},
		"revisit in a format of its own": {
			line:   "revisit http://a.example/ 20060102030405 text/x-diff uuid:1",
			fields: []string{"Related-Record-ID: uuid:2"},
			want: []string{"WARC-Profile: " + unknownRevisit, "WARC-Refers-To: <urn:uuid:2>",
				"WARC-Refers-To-Target-URI: http://a.example/"},
			note: "revisit",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c := imported(t, record(test.line, test.fields, "block"))
			var lines []string
			for _, f := range c.records[0].header {
				lines = append(lines, f.Name+": "+f.Value)
			}
			for _, want := range test.want {
				if !slices.Contains(lines, want) {
					t.Errorf("no %q in %q", want, lines)
				}
			}
			if test.note == "" && len(c.findings) > 0 || test.note != "" &&
				(len(c.findings) != 1 || !strings.Contains(c.findings[0].String(), test.note)) {
				t.Errorf("findings %v", c.findings)
			}
		})
	}
}

// TestImportWarcinfo shows which warcinfo record is named: the last one, as long as nothing is
// damaged.
func TestImportWarcinfo(t *testing.T) {
	info := func(n int) string {
		return record(fmt.Sprintf("warcinfo filedesc:%d 20060102030405 text/xml uuid:info%d", n, n), nil,
			"")
	}
	broken := strings.Replace(five[2], "20060102", "20069999", 1)
	c := imported(t, five[0]+info(1)+five[0]+info(2)+five[0]+broken+five[0], five[0])
	var got []string
	for _, m := range c.records {
		got = append(got, m.header.Get("WARC-Warcinfo-ID"))
	}
	if want := []string{"", "", "<urn:uuid:info1>", "", "<urn:uuid:info2>", "", ""}; !slices.Equal(
		got,
		want,
	) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// segment is the n-th of those of uuid:0.
func segment(n int, block string, fields ...string) string {
	line := "response http://a.example/ 20060102030405 text/plain uuid:0"
	if n > 1 {
		line = fmt.Sprintf("continuation http://a.example/ 20060102030405 text/plain uuid:%d", n)
		fields = append(fields, "Segment-Origin-ID: uuid:0")
	}
	return record(line, append(fields, fmt.Sprint("Segment-Number: ", n)), block)
}

func TestImportSegments(t *testing.T) {
	large := strings.Repeat("0123456789abcdef", memory/10)
	end := func(n int) string { return fmt.Sprint("End-Length: ", n) }
	tests := map[string]struct {
		files    []string
		want     []string // type, truncation, block of each record
		findings int
	}{
		"in order, over files": {
			[]string{
				segment(1, "one"), resource(9, "nine") + segment(2, "two"), segment(3, "three", end(11)),
			},
			[]string{"resource  nine", "response  onetwothree"},
			0,
		},
		"backwards": {
			[]string{segment(3, "three", end(11)), segment(2, "two"), segment(1, "one")},
			[]string{"response  onetwothree"},
			0,
		},
		"alone": {[]string{segment(1, "one", end(3))}, []string{"response  one"}, 0},
		"large": {
			[]string{segment(1, large), segment(2, large, end(2*len(large)))},
			[]string{"response  " + large + large},
			0,
		},
		"truncated": {
			[]string{segment(1, "one"), segment(2, "two", end(6), "Truncated: time")},
			[]string{"response time onetwo"},
			0,
		},
		"one missing": {
			[]string{segment(1, "one"), segment(3, "three", end(11))},
			[]string{"response unspecified one", "continuation  three"},
			2,
		},
		"the first one missing": {
			[]string{segment(2, "two"), segment(3, "three", end(11))},
			[]string{"continuation  two", "continuation  three"},
			2,
		},
		"the last one missing": {
			[]string{segment(1, "one"), segment(2, "two")},
			[]string{"response unspecified onetwo"},
			1,
		},
		"another length": {
			[]string{segment(1, "one"), segment(2, "two", end(7))},
			[]string{"response unspecified onetwo"},
			1,
		},
		"one twice": {
			[]string{segment(1, "one"), segment(1, "one"), segment(2, "two", end(6))},
			[]string{"response  one", "response  onetwo"},
			1,
		},
		"a segment's checksum wrong": {
			[]string{
				segment(1, "one"), segment(2, "two", end(6), "Checksum: md5:00000000000000000000000000000000"),
			},
			[]string{"response  onetwo"},
			1,
		},
		"the first checksum wrong": {
			[]string{
				segment(1, "one", "Checksum: md5:00000000000000000000000000000000"), segment(2, "two", end(6)),
			},
			[]string{"response  onetwo"},
			1,
		},
		"checksum of the whole": {
			[]string{
				segment(1, "one", "Checksum: md5:5b9164ad6f496d9dee12ec7634ce253f"), segment(2, "two", end(6)),
			},
			[]string{"response  onetwo"},
			0,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c := imported(t, test.files...)
			var got []string
			for _, m := range c.records {
				got = append(got,
					strings.Join([]string{m.header.Get("WARC-Type"), m.header.Get("WARC-Truncated"), m.block},
						" "))
				digest, err := sha1Of(strings.NewReader(m.block))
				if said := m.header.Get("WARC-Block-Digest"); said != digest &&
					!strings.HasPrefix(said, "md5:5b91") || err != nil {
					t.Errorf("WARC-Block-Digest of %.50s is %s, want %s", m.block, said, digest)
				}
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %.500q", got)
			}
			if len(c.findings) != test.findings {
				t.Errorf("findings %v", c.findings)
			}
			for _, f := range c.findings {
				if !errors.Is(f.Reason, ErrSegments) && !errors.Is(f.Reason, ErrChecksum) ||
					f.File != "f.warc" {
					t.Errorf("finding %v", f)
				}
			}
		})
	}
}

// TestImportManySegments begins more records than are kept waiting.
func TestImportManySegments(t *testing.T) {
	var file strings.Builder
	for n := range 3 * maxPending {
		line := fmt.Sprintf("response http://a.example/ 20060102030405 text/plain uuid:%d", n)
		file.WriteString(record(line, []string{"Segment-Number: 1"}, "x"))
		line = fmt.Sprintf("continuation http://a.example/ 20060102030405 text/plain uuid:c%d", n)
		file.WriteString(
			record(line, []string{"Segment-Number: " + fmt.Sprint(n+5), "Segment-Origin-ID: uuid:none"},
				"x"),
		)
	}
	var c collected
	im := c.importer(t)
	if err := im.Read(newReader(t, file.String())); err != nil {
		t.Fatal(err)
	}
	if n := im.waiting(); n > maxPending {
		t.Errorf("%d are kept", n)
	}
	if err := im.Close(); err != nil {
		t.Fatal(err)
	}
	if len(c.records) != 6*maxPending {
		t.Errorf("%d records", len(c.records))
	}
}

func TestImportDamage(t *testing.T) {
	c := imported(t, five[0]+"other bytes"+five[1]+five[4][:5000])
	if len(c.records) != 2 || len(c.findings) != 2 {
		t.Fatal(c)
	}
	first := len(five[0])
	want := []string{
		fmt.Sprintf(
			`f.warc: damaged at byte %d: no good WARC header: it begins with "other by": left out up to byte %d`,
			first,
			first+11,
		),
		fmt.Sprintf(
			`f.warc: damaged at byte %d: %v: left out to the end of the file`,
			first+11+len(five[1]),
			ErrEnd,
		),
	}
	for i, f := range c.findings {
		var d *warc.Damage
		if f.String() != want[i] || !errors.As(f.Reason, &d) || d.Offset != f.Offset {
			t.Errorf("%v", f)
		}
	}
}

// TestImportOutFails stops at an error of Out, and leaves no temporary files.
func TestImportOutFails(t *testing.T) {
	var c collected
	im := c.importer(t)
	full := errors.New("full")
	im.Out = func([]byte, io.Reader, int64) error { return full }
	err := importAll(im, "testdata/segment-1.warc", "testdata/appendix-b.warc")
	if !errors.Is(err, full) {
		t.Error(err)
	}
	if len(im.pending) > 0 {
		t.Error("segments are kept")
	}
}
