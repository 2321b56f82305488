package cmd

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"warcorder/recorder/recovery/foreign"
	"warcorder/store/collection"
)

// waczOf writes a WACZ file of WARC files, by their names, and of pages.
func waczOf(t testing.TB, path string, warcs map[string][]byte, pages string) {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	w := zip.NewWriter(file)
	var listed []map[string]any
	put := func(name string, content []byte) {
		out, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err == nil {
			_, err = out.Write(content)
		}
		if err != nil {
			t.Fatal(err)
		}
		listed = append(listed, map[string]any{"path": name, "bytes": len(content),
			"hash": fmt.Sprintf("sha256:%x", sha256.Sum256(content))})
	}
	for name, content := range warcs {
		put("archive/"+name, content)
	}
	const header = `{"format":"json-pages-1.0","id":"pages","title":"All Pages"}`
	put("pages/pages.jsonl", []byte(header+"\n"+pages))
	text, err := json.Marshal(map[string]any{"profile": "data-package", "resources": listed})
	if err != nil {
		t.Fatal(err)
	}
	put("datapackage.json", text)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// pageLine is a page of the captures of foreign files.
const pageLine = `{"id":"p1","url":"http://example.com/","ts":"2026-05-01T12:00:00Z","title":"An example"}`

// warcsOf are WARC files of another tool with two captures each.
func warcsOf(names ...string) map[string][]byte {
	warcs := make(map[string][]byte)
	for _, name := range names {
		for n := range 2 {
			block := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>" + name
			record := fmt.Sprintf("WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:test:%s-%d>\r\n"+
				"WARC-Date: 2026-05-01T12:00:0%dZ\r\nWARC-Target-URI: http://example.com/\r\n"+
				"Content-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n",
				name, n, n, len(block), block)
			warcs[name] = append(warcs[name], foreign.Gzip(record)...)
		}
	}
	return warcs
}

// sessionHAR is a HAR with a page, and an entry without an answer.
const sessionHAR = `{"log":{"version":"1.2","creator":{"name":"T","version":"1"},"pages":[{"id":"page_1",
"title":"A"}],"entries":[{"pageref":"page_1","startedDateTime":"2026-05-01T12:00:01Z","request":
{"method":"GET","url":"https://a.example/","headers":[]},"response":{"status":200,"headers":[],
"content":{"size":4,"mimeType":"text/html","text":"<p>A"}}},{"request":{"method":"GET","url":
"https://a.example/x"},"response":{"status":0}}]}}`

// TestImport imports a WACZ file and a HAR; both are found by their bytes.
func TestImport(t *testing.T) {
	p := &program{t: t, dir: t.TempDir()}
	wacz := filepath.Join(p.dir, "my crawl.bin")
	warcs := warcsOf("data.warc.gz", "more.warc.gz")
	waczOf(t, wacz, warcs, pageLine)
	out, errs, code := p.run("import", wacz)
	if code != 0 || !strings.Contains(out, "data.warc.gz: ") || !strings.Contains(out, "names 1 page") {
		t.Fatalf("exit %d, %s%s", code, out, errs)
	}
	dir := collection.Dir(filepath.Join(p.dir, "collections", "default"))
	for name, want := range warcs {
		if got, err := os.ReadFile(dir.WARC(name)); err != nil || string(got) != string(want) {
			t.Errorf("%s: %v, other bytes", name, err)
		}
	}
	har := filepath.Join(p.dir, "session.har")
	writeText(t, har, sessionHAR)
	out, errs, code = p.run("import", har)
	if code != 0 || !strings.Contains(out, "session.har is session-from-har.warc.gz") ||
		!strings.Contains(out, "1 of its 2 entries became captures") || !strings.Contains(out, "status 0") {
		t.Fatalf("exit %d, %s%s", code, out, errs)
	}
	out, _, code = p.run("export", "--all", "-o", "-")
	if code != 0 || !strings.Contains(out, "example,a)/ 20260501120001") {
		t.Errorf("exit %d, %s", code, out)
	}
	if again, errs, code := p.run("import", wacz, har); code != 0 ||
		strings.Count(again, "is in the index already") != 3 {
		t.Errorf("a second time: exit %d, %s%s", code, again, errs)
	}
	pages, err := os.ReadFile(dir.Pages())
	if err != nil || strings.Count(string(pages), "\n") != 3 || !strings.Contains(string(pages), "An example") {
		t.Errorf("%v\n%s", err, pages)
	}
	if said, errs, code := p.run("verify"); code != 0 {
		t.Errorf("verify: exit %d, %s%s", code, said, errs)
	}
	if said, errs, code := p.run("rebuild"); code != 0 {
		t.Errorf("rebuild: exit %d, %s%s", code, said, errs)
	}
	if after, _, _ := p.run("export", "--all", "-o", "-"); after != out {
		t.Errorf("after a rebuild:\n%s\nbefore:\n%s", after, out)
	}
	if after, err := os.ReadFile(dir.Pages()); err != nil || string(after) != string(pages) {
		t.Errorf("a rebuild has changed the pages: %v\n%s", err, after)
	}
}

// TestImportHARTwice: a HAR under another name makes the same file: nothing is added.
func TestImportHARTwice(t *testing.T) {
	p := &program{t: t, dir: t.TempDir()}
	one, same := filepath.Join(p.dir, "one.har"), filepath.Join(p.dir, "same.har")
	writeText(t, one, sessionHAR)
	writeText(t, same, sessionHAR)
	other := filepath.Join(p.dir, "other.har")
	writeText(t, other, strings.ReplaceAll(sessionHAR, "a.example", "b.example"))
	for _, files := range [][]string{{one, same}, {same}, {same, other}, {other}} {
		out, errs, code := p.run(append([]string{"import"}, files...)...)
		if want := "same.har is one-from-har.warc.gz"; code != 0 ||
			len(files) == 1 && !strings.Contains(out, "is in the index already") ||
			files[0] == same && !strings.Contains(out, want) ||
			files[0] == same && strings.Contains(out, "same.har: 1 of its 2 entries became captures") ||
			!strings.Contains(out, "same.har: 1 of its 2 entries are captures already") && files[0] != other {
			t.Errorf("%s: exit %d, %s%s", files, code, out, errs)
		}
	}
	out, _, _ := p.run("export", "--all", "-o", "-")
	if strings.Count(out, "\n") != 2 || !strings.Contains(out, "other-from-har.warc.gz") {
		t.Errorf("%s", out)
	}
}

// TestImportPagesOfOneDocument: the pages of an application that differ in their fragments come out of a
// WACZ file and go into another with their titles and texts.
func TestImportPagesOfOneDocument(t *testing.T) {
	p := &program{t: t, dir: t.TempDir()}
	wacz := filepath.Join(p.dir, "application.wacz")
	var lines []string
	for n, name := range []string{"home", "about"} {
		lines = append(lines, fmt.Sprintf(`{"id":"p%d","url":"http://example.com/#/%s","ts":"2026-05-01T12:0%d:00Z",`+
			`"title":"Title of %s","text":"words of %s"}`, n, name, n, name, name))
	}
	waczOf(t, wacz, warcsOf("data.warc.gz"), strings.Join(lines, "\n"))
	if out, errs, code := p.run("import", wacz); code != 0 || !strings.Contains(out, "names 2 pages") {
		t.Fatalf("exit %d, %s%s", code, out, errs)
	}
	pages, errs, code := p.run("pages", "--json")
	if code != 0 || strings.Count(pages, "\n") != 2 {
		t.Fatalf("pages: exit %d, %s%s", code, pages, errs)
	}
	again := filepath.Join(p.dir, "again.wacz")
	if _, errs, code := p.run("wacz", "--text", "-o", again); code != 0 {
		t.Fatalf("wacz: exit %d, %s", code, errs)
	}
	in, err := zip.OpenReader(again)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	list, err := fs.ReadFile(in, "pages/pages.jsonl")
	if err != nil || strings.Count(string(list), "\n") != 3 {
		t.Fatalf("%v\n%s", err, list)
	}
	for n, name := range []string{"home", "about"} {
		for _, want := range []string{fmt.Sprintf(`"id":"p%d"`, n), `"url":"http://example.com/#/` + name + `"`,
			`"title":"Title of ` + name + `"`, `"text":"words of ` + name + `"`} {
			ours, theirs := strings.Split(pages, "\n")[n], strings.Split(string(list), "\n")[n+1]
			if !strings.Contains(theirs, want) || !strings.Contains(ours, want) && !strings.Contains(want, "words") {
				t.Errorf("no %s in\n%s\n%s", want, ours, theirs)
			}
		}
	}
}

// TestImportNothing: what is refused leaves the collection as it was, whatever came before it.
func TestImportNothing(t *testing.T) {
	p := &program{t: t, dir: t.TempDir()}
	wacz := filepath.Join(p.dir, "crawl.wacz")
	waczOf(t, wacz, warcsOf("data.warc.gz"), pageLine)
	text, err := os.ReadFile(wacz)
	if err != nil {
		t.Fatal(err)
	}
	text[100] ^= 0x55
	broken := filepath.Join(p.dir, "broken.wacz")
	writeText(t, broken, string(text))
	empty := filepath.Join(p.dir, "empty.har")
	writeText(t, empty, `{"log":{"entries":[]}}`)
	writeText(t, filepath.Join(p.dir, "nonsense"), "neither of them")
	warc := filepath.Join(p.dir, "a.warc.gz")
	writeText(t, warc, string(warcsOf("a")["a"]))
	for _, path := range []string{"/gone", p.dir, filepath.Join(p.dir, "nonsense")} {
		_, _, code := p.run("import", path)
		if _, err := os.Stat(filepath.Join(p.dir, "collections")); code == 0 || err == nil {
			t.Errorf("%s: exit %d, or it has made a collection", path, code)
		}
	}
	for args, want := range map[string]string{
		wacz + " " + broken:  "archive/data.warc.gz",
		wacz + " " + warc:    "warcorder index",
		empty:                "nothing in it",
		p.dir:                "no regular file",
		wacz + " " + "/gone": "no such file",
	} {
		out, errs, code := p.run(append([]string{"import"}, strings.Fields(args)...)...)
		if code == 0 || !strings.Contains(errs, want) {
			t.Errorf("%s: exit %d, %s%s, want %q", args, code, out, errs, want)
		}
	}
	dir := collection.Dir(filepath.Join(p.dir, "collections", "default"))
	if files, err := os.ReadDir(dir.Archive()); err != nil || len(files) > 0 {
		t.Error(files, err)
	}
	var left []string
	entries, err := os.ReadDir(string(dir))
	for _, entry := range entries {
		left = append(left, entry.Name())
	}
	if want := []string{"archive", "index.bolt", "index.bolt.closed", "indexes"}; err != nil ||
		!slices.Equal(left, want) {
		t.Errorf("%q, want %q", left, want)
	}
}

// TestImportBesideRecorder: what index says, import says: the recorder has the collection.
func TestImportBesideRecorder(t *testing.T) {
	p := startRecording(t)
	wacz := filepath.Join(p.dir, "crawl.wacz")
	waczOf(t, wacz, warcsOf("data.warc.gz"), pageLine)
	_, errs, code := p.run("import", wacz)
	_, want, _ := p.run("index", filepath.Join(p.dir, "x.warc"))
	if code == 0 || !strings.Contains(errs, "is already being recorded by process") {
		t.Errorf("exit %d, %s; index says %s", code, errs, want)
	}
	p.stop()
}

// writeText writes a file.
func writeText(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
