package recovery_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"warcorder/recorder"
	"warcorder/store/collection"
	"warcorder/store/objects/gateway"
)

// serveKeys starts a storage that has the same content under each key, and lists them as S3 does: as they
// are, or encoded for those who ask for that.
func serveKeys(t testing.TB, content []byte, keys []string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/warcs" {
			w.Header().Set("ETag", `"tag"`)
			modified := must(http.ParseTime("Fri, 02 Jan 2026 03:04:05 GMT"))
			http.ServeContent(w, r, "", modified, bytes.NewReader(content))
			return
		}
		w.Write([]byte("<ListBucketResult><Name>warcs</Name><IsTruncated>false</IsTruncated>"))
		isEncoded := r.FormValue("encoding-type") == "url"
		if isEncoded {
			w.Write([]byte("<EncodingType>url</EncodingType>"))
		}
		for _, key := range keys {
			if isEncoded {
				key = url.QueryEscape(key)
			} else {
				key = characterOf.Replace(key)
			}
			fmt.Fprintf(w, "<Contents><Key>%s</Key><Size>%d</Size><ETag>&quot;tag&quot;</ETag></Contents>", key,
				len(content))
		}
		w.Write([]byte("</ListBucketResult>"))
	}))
	t.Cleanup(server.Close)
	gateway.Use(t, server.URL)
	t.Setenv("AWS_MAX_ATTEMPTS", "1")
}

// characterOf writes what stands for itself in no XML.
var characterOf = strings.NewReplacer("&", "&amp;", "<", "&lt;", "\x00", "&#0;", "\x01", "&#1;", "\n", "&#10;",
	"\x1b", "&#27;")

// TestRebuildFromKeys: whatever keys are in the bucket, what could be no file of a collection is refused by
// its name, in one line that a terminal can show; nothing is written but below the collection; and the
// other objects are taken.
func TestRebuildFromKeys(t *testing.T) {
	gateway.Start(t)
	w := &awayWorld{t: t, dir: collection.Dir(t.TempDir())}
	w.record(0, 1, func(r *recorder.Recorder) { w.names = finished(t, r) })
	content := w.content(w.names[0])
	taken := []string{"p/../../../x.warc.gz", "p/./a b+c%2F.warc.gz", "p/<é&>.warc.gz", "p//double.warc.gz",
		"p/" + strings.Repeat("l", 200) + ".warc.gz"}
	refused := []string{"p/\x00.warc.gz", "p/\x01control.warc.gz", "p/new\nline.warc.gz", "p/\x1b[2J.warc.gz",
		"p/\\up.warc.gz", "p/c:up.warc.gz", "p/.warc.gz", "p/.hidden.warc.gz", "p/line\n/x2.warc.gz",
		"p/" + strings.Repeat("n", 300) + ".warc.gz", "p/" + strings.Repeat("n", 246) + ".warc.gz", "p/\u202egz.warc.gz",
		"p/x3.warc.gz.open"}
	passed := []string{"p/..", "p/.", "p/x4.warc.gz/", "p/x5.warc.gz/..", "p/x6.WARC.GZ", "p/x7.warc.gz "}
	serveKeys(t, content, slices.Concat(taken, refused, passed))
	parent := t.TempDir()
	dir, log := collection.Dir(filepath.Join(parent, "collection")), filepath.Join(t.TempDir(), "log")
	found, err := from(t, dir, "s3://warcs/p", log)
	if err != nil {
		t.Fatal(err)
	}
	if found.Files != len(taken) || len(found.Refused) != len(refused) {
		t.Errorf("%d files, refused %q", found.Files, found.Refused)
	}
	for _, text := range found.Refused {
		if strings.ContainsAny(text, "\n\x00\x01\x1b\u202e") || len(text) > 1000 {
			t.Errorf("%q", text)
		}
	}
	said, err := os.ReadFile(log)
	told := fmt.Sprintf(`"objects":%d,"message":"objects that are no`, len(passed))
	if err != nil || !strings.Contains(string(said), told) {
		t.Errorf("%s, %v", said, err)
	}
	lines := exportedOf(t, dir)
	for _, key := range taken {
		if name := filepath.Base(key); strings.Count(lines, fmt.Sprintf(`"filename":%q`, name)) != 2 {
			t.Errorf("%s is not in %s", name, lines)
		}
		if _, err := os.Stat(dir.AwayNote(filepath.Base(key))); err != nil {
			t.Error(err)
		}
	}
	if beside, err := os.ReadDir(parent); err != nil || len(beside) != 1 {
		t.Errorf("written beside it: %v, %v", beside, err)
	}
}

// TestRebuildFromManyRefused: of very many objects that cannot be taken some are named, and the rest is
// told of.
func TestRebuildFromManyRefused(t *testing.T) {
	gateway.Start(t)
	w := &awayWorld{t: t, dir: collection.Dir(t.TempDir())}
	w.record(0, 1, func(r *recorder.Recorder) { w.names = finished(t, r) })
	keys := []string{"p/good.warc.gz"}
	for i := range 900 {
		keys = append(keys, fmt.Sprintf("p/%d.warc.gz.open", i))
	}
	serveKeys(t, w.content(w.names[0]), keys)
	dir := collection.Dir(t.TempDir())
	found, err := from(t, dir, "s3://warcs/p", "")
	if err != nil || found.Files != 1 || len(found.Refused) != 101 {
		t.Errorf("%d files, %d refused, %v", found.Files, len(found.Refused), err)
	}
}
