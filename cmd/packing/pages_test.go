package packing

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"warcorder/store/cdxserver"
	"warcorder/store/pages"
	"warcorder/store/readback"
	"warcorder/store/selection"
	"warcorder/store/wacz"
)

// shareOf begins a package, and plans all of it.
func shareOf(t *testing.T, p *Package) *share {
	t.Helper()
	if err := p.begin(); err != nil {
		t.Fatal(err)
	}
	plan, err := p.plan(t.Context(), p.Selection)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { plan.Close() })
	return &share{p.Selection, plan}
}

// TestLatePage: a page that comes while a collection is being packed is not in the list of pages, since
// its captures are not in the package.
func TestLatePage(t *testing.T) {
	r := begin(t, nil)
	site(r)
	files := readback.New(r.dir, r.Index())
	defer files.Close()
	p := &Package{Source: selection.New(r.Index(), files, pages.New(r.Index(), files)), TempDir: t.TempDir()}
	all := shareOf(t, p)
	r.visit("https://example.com/late", html("200 OK", "<title>Late</title>"))
	var out bytes.Buffer
	if _, err := p.part(t.Context(), new(Report), all, &out, "packed"); err != nil {
		t.Fatal(err)
	}
	in := unpack(t, out.Bytes())
	if listed := in.pages("pages/extraPages.jsonl"); len(listed) != 2 || len(in.urls()) != 4 {
		t.Errorf("pages %v, captures %v", listed, in.urls())
	}
}

// TestListedText: pages that lists of imports name have the titles and the texts of the lists, each
// page of one document its own; of what a list does not give the HTML tells.
func TestListedText(t *testing.T) {
	r := begin(t, nil)
	r.visit("https://spa.example/", html("200 OK", "<title>Shell</title><p>please wait"))
	r.get("https://spa.example/paper", "HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\n\r\n%PDF")
	p := r.pack()
	p.Text = true
	list := `{"format":"json-pages-1.0","id":"pages","title":"Pages of imports"}
{"ts":"2026-05-01T12:00:01.000000Z","url":"https://spa.example/","id":"1"}
{"ts":"2026-05-01T12:00:05.000000Z","url":"https://spa.example/#/a","id":"2","title":"A","text":"words a"}
{"ts":"2026-05-01T12:00:06.000000Z","url":"https://spa.example/#/b","id":"","title":"B","text":"words b"}
{"ts":"2026-05-01T12:00:07.000000Z","url":"https://spa.example/paper","id":"4","title":"Paper","text":"words p"}
`
	if err := os.WriteFile(r.dir.Pages(), []byte(list), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, p.Text = range []bool{true, false} {
		want := []string{"https://spa.example/ Shell please wait", "https://spa.example/#/a A words a",
			"https://spa.example/#/b B words b", "https://spa.example/paper Paper words p"}
		in, _ := write(t, p)
		var got []string
		for i, page := range in.pages("pages/pages.jsonl") {
			text := page["text"]
			if !p.Text {
				want[i] = strings.Join(strings.Fields(want[i])[:2], " ") + " <nil>"
			}
			got = append(got, fmt.Sprint(page["url"], " ", page["title"], " ", text))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestCodedTitle: the title of a page is found wherever it stands, in what is sent with a coding too.
func TestCodedTitle(t *testing.T) {
	r := begin(t, nil)
	for i, before := range []int{0, 2 << 10, 15 << 10, 40 << 10} {
		var body bytes.Buffer
		out := gzip.NewWriter(&body)
		io.WriteString(out, "<script>"+noise(fmt.Sprint(i), before)+"</script><title>"+fmt.Sprint(i)+"</title>")
		if err := out.Close(); err != nil {
			t.Fatal(err)
		}
		r.visit(fmt.Sprintf("https://example.com/%d", i),
			strings.Replace(html("200 OK", body.String()), "\r\n", "\r\nContent-Encoding: gzip\r\n", 1))
	}
	got, _ := write(t, r.pack())
	for i, page := range got.pages("pages/pages.jsonl") {
		if page["title"] != fmt.Sprint(i) {
			t.Errorf("page %d has the title %v", i, page["title"])
		}
	}
}

// TestTextless: a part has no longer texts than there is room for.
func TestTextless(t *testing.T) {
	r := begin(t, nil)
	for i := range 20 {
		r.visit(fmt.Sprintf("https://example.com/%d", i), html("200 OK", strings.Repeat("word ", 20_000)))
	}
	p := r.pack()
	p.Split, p.Text = 1<<20, true
	report, err := p.Files(t.Context(), filepath.Join(t.TempDir(), "a.wacz"), 0o600)
	if err != nil || report.Textless == 0 || report.Textless == 20 || report.TooLong > 0 {
		t.Errorf("%+v, %v", report, err)
	}
}

// TestLongURLs: how long the URLs of pages are makes no difference to the memory that they take together.
func TestLongURLs(t *testing.T) {
	const pages, long = 100, 400 << 10
	r := begin(t, nil)
	for i := range pages {
		r.visit(fmt.Sprintf("https://example.com/%03d%s", i, strings.Repeat("x", long)), html("200 OK", "<p>"))
	}
	p := r.pack()
	all := shareOf(t, p)
	heap := func() int { // once those who read have gone as far as they may: what they drop meanwhile is not held
		var m runtime.MemStats
		for last := uint64(0); last == 0 || m.TotalAlloc-last > 64<<10; {
			last = m.TotalAlloc
			runtime.GC()
			runtime.ReadMemStats(&m)
		}
		return int(m.HeapAlloc)
	}
	before, most, count := heap(), 0, 0
	err := p.eachLine(t.Context(), all, func(*wacz.Page) error {
		most = max(most, heap())
		count++
		return nil
	})
	if err != nil || count != pages {
		t.Errorf("%d pages, %v", count, err)
	}
	if bound := 2*mostBytesAhead + 16<<20; most-before > bound {
		t.Errorf("%d KB for %d pages, %d are allowed", (most-before)>>10, pages, bound>>10)
	}
}

// TestOneWay: what goes into a pipe beside a recorder is begun when all is known that the recorder tells.
func TestOneWay(t *testing.T) {
	r := begin(t, nil)
	site(r)
	r.get("https://example.com/long", "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n"+noise("long", 8<<20))
	server := httptest.NewServer(selection.Page(readback.New(r.dir, r.Index()), r.IndexFor))
	defer server.Close()
	running := cdxserver.Recorder{PID: os.Getpid(), Address: strings.TrimPrefix(server.URL, "http://")}
	source, err := selection.Ask(running, r.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer source.Files().Close()
	told, out := int64(0), &begun{}
	p := &Package{Source: source, Created: r.now, Software: "test", OneWay: true}
	p.Progress = func(what string, done, _ int64) {
		if what == "pages" {
			told = done
		}
	}
	out.begins = func() {
		if told != 2 {
			t.Errorf("%d pages are known when the first byte is written", told)
		}
	}
	if report, err := p.Write(t.Context(), out, "part"); err != nil || report.Pages != 2 {
		t.Errorf("%+v, %v", report, err)
	}
}

// begun calls a function before the first byte.
type begun struct{ begins func() }

func (b *begun) Write(p []byte) (int, error) {
	if b.begins != nil {
		b.begins()
		b.begins = nil
	}
	return len(p), nil
}
