package parquet

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"warcorder/proxy/raced"
	"warcorder/store"
)

// groupLines is how many rows the groups of tests have.
const groupLines = 256

// files are the parts of a table.
type files struct {
	names []string
	parts []*bytes.Buffer
	open  int
}

type part1 struct {
	*bytes.Buffer
	files *files
}

func (p part1) Close() error {
	p.files.open--
	return nil
}

func (f *files) create(name string) (io.WriteCloser, error) {
	f.names = append(f.names, name)
	f.parts = append(f.parts, new(bytes.Buffer))
	f.open++
	return part1{f.parts[len(f.parts)-1], f}, nil
}

// written returns a table of lines.
func written(t *testing.T, part int64, lines []string) *files {
	t.Helper()
	f := &files{}
	w := New(Settings{Part: part, Create: f.create})
	w.limits.lines = groupLines
	for _, line := range lines {
		if _, err := w.Write([]byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil || f.open != 0 {
		t.Fatal(f.open, err)
	}
	return f
}

// rows returns those of a part, by the names of columns; nulls are not among them.
func (f *files) rows(t *testing.T, n int) (rows []map[string]string) {
	t.Helper()
	file, err := parquet.OpenFile(bytes.NewReader(f.parts[n].Bytes()), int64(f.parts[n].Len()))
	if err != nil {
		t.Fatal(err)
	}
	r := parquet.NewReader(file)
	names := file.Schema().Columns()
	batch := make([]parquet.Row, 16)
	for {
		got, err := r.ReadRows(batch)
		for _, values := range batch[:got] {
			one := map[string]string{}
			for _, v := range values {
				if !v.IsNull() {
					one[names[v.Column()][0]] = v.String()
				}
			}
			rows = append(rows, one)
		}
		if err == io.EOF {
			return rows
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

var moment = time.Date(2026, 11, 21, 5, 45, 12, 0, time.UTC)

func lineOf(c store.Capture) string {
	c.Time = moment
	return string(c.AppendCDXJ(nil)) + "\n"
}

// TestRows: what a line says is in the columns of Common Crawl, and what it does not say is null.
func TestRows(t *testing.T) {
	for name, of := range map[string]struct {
		capture store.Capture
		want    map[string]string
	}{
		"all of it": {store.Capture{URLKey: "com,example,www)/a?b=c", MIME: "text/html", Status: 200,
			URL: "https://www.example.co.uk:8443/A?b=c", Digest: "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ",
			Location: store.Location{File: "w.warc.gz", Offset: 1 << 40, Length: 345}},
			map[string]string{"url_host_name": "www.example.co.uk", "url_host_tld": "uk",
				"url_host_2nd_last_part": "co", "url_host_3rd_last_part": "example",
				"url_host_4th_last_part": "www", "url_host_registry_suffix": "co.uk",
				"url_host_registered_domain": "example.co.uk", "url_host_private_suffix": "co.uk",
				"url_host_private_domain": "example.co.uk", "url_host_name_reversed": "uk.co.example.www",
				"url_protocol": "https", "url_port": "8443", "url_path": "/A", "url_query": "b=c",
				"fetch_status": "200", "content_digest": "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ",
				"content_mime_type": "text/html", "warc_filename": "w.warc.gz",
				"warc_record_offset": "1099511627776", "warc_record_length": "345"}},
		"a revisit of a POST": {store.Capture{URLKey: "1)/?__wb_method=post", URL: "http://127.0.0.1/?",
			Method: "POST", MIME: "warc/revisit", Location: store.Location{File: "w.warc.gz"}},
			map[string]string{"url_host_name": "127.0.0.1", "url_protocol": "http", "url_path": "/",
				"url_query": "", "content_mime_type": "warc/revisit", "warc_filename": "w.warc.gz",
				"warc_record_offset": "0", "warc_record_length": "0"}},
		"a lookup": {store.Capture{URLKey: "dns:example.com", URL: "dns:example.com"},
			map[string]string{"url_host_name": "example.com", "url_host_tld": "com",
				"url_host_2nd_last_part": "example", "url_host_registry_suffix": "com",
				"url_host_registered_domain": "example.com", "url_host_private_suffix": "com",
				"url_host_private_domain": "example.com", "url_host_name_reversed": "com.example",
				"url_protocol": "dns"}},
		"of a page":    {store.Capture{URL: "urn:view:https://example.com/"}, map[string]string{"url_protocol": "urn"}},
		"nothing":      {store.Capture{}, map[string]string{}},
		"no URL":       {store.Capture{URL: "\x00\xff:"}, map[string]string{}},
		"a far status": {store.Capture{URL: "x", Status: 1 << 20}, map[string]string{}},
	} {
		got := written(t, 0, []string{lineOf(of.capture)}).rows(t, 0)[0]
		of.want["url_surtkey"] = strings.Fields(lineOf(of.capture))[0]
		of.want["url"] = strings.ToValidUTF8(of.capture.URL, "\ufffd")
		of.want["fetch_time"] = fmt.Sprint(moment.UnixMicro())
		if fmt.Sprint(got) != fmt.Sprint(of.want) {
			t.Errorf("%s:\n%q, not\n%q", name, got, of.want)
		}
	}
}

// TestHosts: of a host the columns have what the public suffix list says.
func TestHosts(t *testing.T) {
	for name, want := range map[string]string{
		"WWW.Example.com.":    "www.example.com com example www   com example.com com example.com com.example.www",
		"a.b.c.d.e.f.g.org":   "a.b.c.d.e.f.g.org org g f e d org g.org org g.org org.g.f.e.d.c.b.a",
		"me.github.io":        "me.github.io io github me   io github.io github.io me.github.io io.github.me",
		"github.io":           "github.io io github    io github.io github.io  io.github",
		"x.blogspot.co.uk":    "x.blogspot.co.uk uk co blogspot x  co.uk blogspot.co.uk ",
		"co.uk":               "co.uk uk co    co.uk  co.uk  uk.co",
		"localhost":           "localhost localhost         localhost",
		"x.internal":          "x.internal internal x        internal.x",
		"b\u00fccher.example": "xn--bcher-kva.example example xn--bcher-kva        example.xn--bcher-kva",
		"b%C3%BCcher.de": "xn--bcher-kva.de de xn--bcher-kva    de xn--bcher-kva.de de xn--bcher-kva.de " +
			"de.xn--bcher-kva",
		"[::1]":                     "[::1]          ",
		"127.0.0.1":                 "127.0.0.1          ",
		"0x7f.1":                    "0x7f.1          ",
		"":                          "          ",
		"\u00fc" + "\u2048\uffff.x": "          ",
		strings.Repeat("a.", 600):   strings.Repeat("a.", 600) + "          ",
	} {
		var got []string
		for _, v := range valuesOf(hostOf(name)) {
			got = append(got, string(v.ByteArray()))
		}
		if text := strings.Join(got, " "); !strings.HasPrefix(text, want) {
			t.Errorf("%q: %q, not %q", name, text, want)
		}
	}
}

// TestURLs: whatever a URL is, its columns are parts of it.
func TestURLs(t *testing.T) {
	for text, want := range map[string]string{
		"http://u:p@Example.com:80/a/b?c?d#e?f": `http Example.com 80 "/a/b" "c?d"`,
		"https://example.com":                   `https example.com -1 ""`,
		"https://example.com?":                  `https example.com -1 "" ""`,
		"http://[::1]:8080/":                    `http [::1] 8080 "/"`,
		"http://[::1]/":                         `http [::1] -1 "/"`,
		"http://x:/":                            `http x -1 "/"`,
		"http://x:99999/":                       `http x -1 "/"`,
		"http://x:8a/":                          `http x -1 "/"`,
		"http:///a":                             `http  -1 "/a"`,
		"dns:example.com":                       `dns example.com -1`,
		"urn:a?b":                               `urn  -1 "b"`,
		"ws://x/#?":                             `ws x -1 "/"`,
		"1http://x/":                            ` -1`,
		"no URL":                                ` -1`,
	} {
		l := locationOf([]byte(text))
		got := fmt.Sprintf("%s %s %d", l.scheme, l.host, l.port)
		for _, part := range [][]byte{l.path, l.query} {
			if part != nil {
				got += fmt.Sprintf(" %q", part)
			}
		}
		if strings.TrimSpace(got) != strings.TrimSpace(want) {
			t.Errorf("%q: %s, not %s", text, got, want)
		}
	}
}

// FuzzLocation: whatever a URL is, it is taken apart into what it has, and its host is judged.
func FuzzLocation(f *testing.F) {
	f.Add("http://u@b\u00fccher.example:80/a?b#c")
	f.Add("dns:example.com")
	f.Fuzz(func(t *testing.T, text string) {
		l := locationOf([]byte(text))
		for _, part := range [][]byte{l.host, l.path, l.query} {
			if !strings.Contains(text, string(part)) {
				t.Errorf("%q is not in %q", part, text)
			}
		}
		h := hostOf(string(l.host))
		if h.registeredDomain != "" && !strings.HasSuffix(h.name, h.registeredDomain) {
			t.Errorf("%+v", h)
		}
	})
}

// TestParts: rows are in order, in parts that end with a key, in groups of which each has its least and
// greatest key.
func TestParts(t *testing.T) {
	var lines []string
	for i := range 3 * groupLines / 2 {
		lines = append(lines, lineOf(store.Capture{URLKey: fmt.Sprintf("com,example)/%06d", i/10),
			URL: "http://example.com/", Location: store.Location{File: "w", Offset: int64(i)}}))
	}
	for part, wantGroups := range map[int64][]int{0: {2}, int64(len(lines)) - 15: {2, 1}} {
		f := written(t, part, lines)
		var got []string
		for n, groups := range wantGroups {
			file, err := parquet.OpenFile(bytes.NewReader(f.parts[n].Bytes()), int64(f.parts[n].Len()))
			if err != nil {
				t.Fatal(err)
			}
			if len(file.RowGroups()) != groups {
				t.Errorf("%d groups in part %d", len(file.RowGroups()), n)
			}
			keys := f.rows(t, n)
			for _, g := range file.Metadata().RowGroups {
				stats := g.Columns[0].MetaData.Statistics
				if least, most := keys[0]["url_surtkey"], keys[g.NumRows-1]["url_surtkey"]; string(stats.MinValue) !=
					least || string(stats.MaxValue) != most || len(g.SortingColumns) != 1 {
					t.Errorf("%s to %s, not %s to %s", stats.MinValue, stats.MaxValue, least, most)
				}
				for _, one := range keys[:g.NumRows] {
					got = append(got, one["url_surtkey"])
				}
				keys = keys[g.NumRows:]
			}
		}
		if len(f.parts) != len(wantGroups) || len(got) != len(lines) || !slices.IsSorted(got) {
			t.Errorf("%v, %d rows", f.names, len(got))
		}
		if len(f.parts) == 2 && f.rows(t, 0)[len(f.rows(t, 0))-1]["url_surtkey"] == f.rows(t, 1)[0]["url_surtkey"] {
			t.Error("a key is in two parts")
		}
	}
	if f := written(t, 1, nil); len(f.parts) != 1 || len(f.rows(t, 0)) != 0 {
		t.Errorf("nothing: %v", f.names)
	}
}

// TestBounded: memory does not grow with long lines, neither of one key nor of many.
func TestBounded(t *testing.T) {
	length, all := 1<<18, 150
	if raced.Enabled { // it is slow, and takes memory of its own
		length, all = 1<<13, 100
	}
	long := strings.Repeat("x", length)
	for name, keys := range map[string]int{"one key": 1, "many keys": 1 << 20} {
		parts := 0
		w := New(Settings{Create: func(string) (io.WriteCloser, error) { parts++; return nothing{}, nil }})
		w.limits = limits{1 << 16, 8 * length, int64(16 * length), int64(64 * length)}
		var before, after runtime.MemStats
		most, longest := int64(0), 0
		for i := range all {
			line := lineOf(store.Capture{URLKey: fmt.Sprintf("com,example)/%s%06d", long, i%keys),
				URL: "http://example.com/" + long})
			if _, err := w.Write([]byte(line)); err != nil {
				t.Fatal(err)
			}
			most = max(most, w.bounds)
			if w.filling != nil {
				longest = max(longest, w.filling.text.Len())
			}
			if i == all/5 {
				readMemory(&before)
			}
		}
		readMemory(&after)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if most > w.limits.mostBounds+4*perLine*int64(length) || parts < 2 ||
			longest > 8*length {
			t.Errorf("%s: %d parts, bounds of %d KB, groups of %d KB", name, parts, most>>10, longest>>10)
		}
		if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 64<<20 && !raced.Enabled {
			t.Errorf("%s: 100 MB of lines took %d MB", name, grown>>20)
		}
	}
}

// readMemory says what is in use; what lies in pools is gone after the second collection.
func readMemory(stats *runtime.MemStats) {
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(stats)
}

type nothing struct{}

func (nothing) Write(p []byte) (int, error) { return len(p), nil }
func (nothing) Close() error                { return nil }

// TestPartition: a name is safe in that of a folder.
func TestPartition(t *testing.T) {
	for name, want := range map[string]string{"default": "default", "a b/c=d": "a%20b%2Fc%3Dd", "2026-11.x_": "2026-11.x_",
		"größe": "größe", "%": "%25"} {
		if got := Partition(name); got != want {
			t.Errorf("%q: %q", name, got)
		}
	}
}

// TestNoLine: what is no line of an export is an error, and no job is left.
func TestNoLine(t *testing.T) {
	w := New(Settings{Create: new(files).create})
	defer w.Abandon()
	_, err := w.Write([]byte("no line\n"))
	if err == nil {
		err = w.Close()
	}
	if err == nil {
		t.Error("taken")
	}
}
