package wacz

import (
	"archive/zip"
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"warcorder/store"
)

var created = time.Date(2026, 11, 23, 14, 5, 7, 900, time.FixedZone("", 3600))

// capture returns one of a URL.
func capture(url string, status int) *store.Capture {
	return &store.Capture{
		URL:      url,
		Time:     time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.UTC),
		MIME:     "text/html",
		Status:   status,
		Digest:   "sha1:AAAA",
		Location: store.Location{File: "a.warc.gz", Offset: 12, Length: 34},
	}
}

// write returns the WACZ that fill fills.
func write(t testing.TB, s Settings, fill func(w *Writer)) ([]byte, Part) {
	t.Helper()
	var out bytes.Buffer
	w := New(&out, s)
	fill(w)
	size := w.Size()
	part, err := w.Finish()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if part.Bytes != int64(out.Len()) || part.Bytes > size {
		t.Errorf("%d bytes, said are %d, and at most %d were to be", out.Len(), part.Bytes, size)
	}
	return out.Bytes(), part
}

// read returns the entries of a WACZ, after it has checked them against each other.
func read(t testing.TB, wacz []byte) map[string][]byte {
	t.Helper()
	entries, names := entriesOf(t, wacz)
	var p dataPackage
	unmarshal(t, entries["datapackage.json"], &p)
	resourceNames := map[string]bool{}
	for _, r := range p.Resources {
		content, found := entries[r.Path]
		if sum := sha256.Sum256(content); !found || r.Bytes != int64(len(content)) ||
			r.Hash != "sha256:"+hex.EncodeToString(sum[:]) {
			t.Errorf("%+v: %d bytes, %x", r, len(content), sum)
		}
		if resourceNames[r.Name] || r.Name != strings.ToLower(r.Name) {
			t.Errorf("the name %s is there twice, or no name", r.Name)
		}
		resourceNames[r.Name] = true
	}
	if want := len(p.Resources) + 2; len(names) != want {
		t.Errorf("%d entries, want %d: %q", len(names), want, names)
	}
	var d digest
	unmarshal(t, entries["datapackage-digest.json"], &d)
	sum := sha256.Sum256(entries["datapackage.json"])
	if d.Path != "datapackage.json" || d.Hash != "sha256:"+hex.EncodeToString(sum[:]) {
		t.Errorf("digest %+v, want %x", d, sum)
	}
	return entries
}

// entriesOf returns what is in a zip archive, and the names in their order.
func entriesOf(t testing.TB, archive []byte) (entries map[string][]byte, names []string) {
	t.Helper()
	in, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	entries = make(map[string][]byte)
	for _, f := range in.File {
		if f.Method != zip.Store || len(f.Extra) > 0 || f.CompressedSize64 != f.UncompressedSize64 {
			t.Errorf("%s: method %d, extra %x", f.Name, f.Method, f.Extra)
		}
		opened, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(opened)
		if err != nil {
			t.Fatal(f.Name, err)
		}
		entries[f.Name] = content
		names = append(names, f.Name)
	}
	return entries, names
}

func unmarshal(t testing.TB, text []byte, v any) {
	t.Helper()
	if err := json.Unmarshal(text, v); err != nil {
		t.Fatalf("%v: %.200q", err, text)
	}
}

// put writes an archive.
func put(t testing.TB, w *Writer, name, content string) {
	t.Helper()
	out, err := w.Archive(name)
	if err == nil {
		_, err = io.WriteString(out, content)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestWACZ: all that a small WACZ holds.
func TestWACZ(t *testing.T) {
	page := Page{ID: "1", URL: "http://a.example/<&>", Time: created, Title: "Größe \"1\"\n", Status: 200}
	wacz, part := write(t, Settings{Title: "News", Software: "warcorder 1", Created: created, Hashed: true},
		func(w *Writer) {
			put(t, w, "B.warc.gz", strings.Repeat("content ", 1<<18))
			for _, c := range []*store.Capture{capture("http://b.example/", 200), capture("http://a.example/", 200)} {
				if err := w.Capture(c, ""); err != nil {
					t.Error(err)
				}
			}
			put(t, w, "b.warc.gz", "")
			put(t, w, "ä c.warc.gz", "x")
			if err := w.Page(&page); err != nil {
				t.Error(err)
			}
		})
	entries := read(t, wacz)
	if want := `{"format":"json-pages-1.0","id":"pages","title":"All Pages"}
{"id":"1","url":"http://a.example/<&>","ts":"2026-11-23T13:05:07.0000009Z","title":"Größe \"1\"\n","status":200}
`; string(entries[pagesPath]) != want {
		t.Errorf("pages %s", entries[pagesPath])
	}
	if got, want := string(entries[plainPath]), line("a")+line("b"); got != want {
		t.Errorf("index %s, want %s", got, want)
	}
	var p dataPackage
	unmarshal(t, entries["datapackage.json"], &p)
	if p.Profile != "data-package" || p.Version != "1.1.1" || p.Title != "News" || p.Metadata.Title != "News" ||
		p.Created != "2026-11-23T13:05:07Z" || p.Software != "warcorder 1" || p.MainPageURL != page.URL ||
		!p.MainPageDate.Equal(page.Time) {
		t.Errorf("%+v", p)
	}
	sum := sha256.Sum256(wacz)
	if want := (Part{Bytes: int64(len(wacz)), Hash: "sha256:" + hex.EncodeToString(sum[:]), Archives: 3,
		Captures: 2, Pages: 1}); part != want {
		t.Errorf("%+v, want %+v", part, want)
	}
}

// line is that of capture("http://HOST.example/", 200).
func line(host string) string {
	return fmt.Sprintf(`example,%s)/ 20260102030405 {"url":"http://%s.example/","mime":"text/html",`+
		`"status":"200","digest":"sha1:AAAA","length":"34","offset":"12","filename":"a.warc.gz"}`+"\n", host, host)
}

// TestEmpty: a WACZ without captures is one.
func TestEmpty(t *testing.T) {
	wacz, _ := write(t, Settings{Created: time.Time{}}, func(*Writer) {})
	entries := read(t, wacz)
	if len(entries[plainPath]) > 0 || bytes.Count(entries[pagesPath], []byte("\n")) != 1 || len(entries) != 4 {
		t.Errorf("%q", entries)
	}
}

// TestSignature: what is signed is the hash as it stands there.
func TestSignature(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for range 20 { // r and s begin with a zero now and then
		wacz, _ := write(t, Settings{Created: created, Software: "x", Key: key}, func(*Writer) {})
		entries := read(t, wacz)
		var d digest
		unmarshal(t, entries["datapackage-digest.json"], &d)
		signed := d.SignedData
		signature, err := base64.StdEncoding.DecodeString(signed.Signature)
		if err != nil || len(signature) != 96 {
			t.Fatalf("%d bytes, %v", len(signature), err)
		}
		der, err := base64.StdEncoding.DecodeString(signed.PublicKey)
		if err != nil {
			t.Fatal(err)
		}
		public, err := x509.ParsePKIXPublicKey(der)
		if err != nil || !key.PublicKey.Equal(public) {
			t.Fatal(public, err)
		}
		sum := sha256.Sum256([]byte(d.Hash))
		r, s := new(big.Int).SetBytes(signature[:48]), new(big.Int).SetBytes(signature[48:])
		if !ecdsa.Verify(&key.PublicKey, sum[:], r, s) || signed.Hash != d.Hash || signed.Software != "x" ||
			signed.Created != "2026-11-23T13:05:07Z" {
			t.Fatalf("%+v", signed)
		}
	}
}

// TestPagesBeside: pages come from one goroutine while another writes files and their index; whoever is
// first.
func TestPagesBeside(t *testing.T) {
	const number = 500
	wacz, part := write(t, Settings{Created: created}, func(w *Writer) {
		done := make(chan error, 1)
		go func() {
			var err error
			for i := range number {
				page := &Page{ID: fmt.Sprint(i), URL: "u", Time: created, Status: 200}
				err = errors.Join(err, w.Page(page))
			}
			done <- err
		}()
		for i := range number {
			out, err := w.Archive(fmt.Sprintf("%d.warc.gz", i))
			if err == nil {
				_, err = out.Write([]byte("record"))
			}
			if err = errors.Join(err, w.Capture(capture("https://example.com/", 200), "")); err != nil {
				t.Error(err)
			}
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	lines := bytes.Count(read(t, wacz)[pagesPath], []byte("\n"))
	if part.Pages != number || part.Archives != number || part.Captures != number || lines != number+1 {
		t.Errorf("%+v, %d lines", part, lines)
	}
}

// TestPages: pages of another status are in a list with all pages, texts in both.
func TestPages(t *testing.T) {
	long := strings.Repeat("long ", 100_000)
	wacz, part := write(t, Settings{Created: created, HasText: true}, func(w *Writer) {
		for i, status := range []int{404, 200, 0, 301} {
			err := w.Page(&Page{ID: fmt.Sprint(i), URL: "u", Time: created, Status: status, Text: long})
			if err != nil {
				t.Error(err)
			}
		}
	})
	if part.Pages != 4 || part.Others != 2 {
		t.Errorf("%+v", part)
	}
	entries := read(t, wacz)
	for name, want := range map[string][]string{
		pagesPath: {"pages", "1", "2"},
		extraPath: {"extra-pages", "0", "1", "2", "3"},
	} {
		var got []string
		for line := range bytes.Lines(entries[name]) {
			var page struct {
				ID, Text string
				HasText  bool
			}
			unmarshal(t, line, &page)
			if len(got) == 0 && !page.HasText || len(got) > 0 && page.Text != long {
				t.Errorf("%s: %d bytes of text", name, len(page.Text))
			}
			got = append(got, page.ID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// TestTwice: names that differ by case, or by what no resource name may have, are told apart.
func TestTwice(t *testing.T) {
	var r resources
	for _, name := range []string{"a.warc.gz", "A.warc.gz", "archive/a.warc.gz", "a.warc.gz-2", "ü", "é"} {
		r.add(name, 0, "")
	}
	var got []string
	for _, one := range r.all {
		got = append(got, one.Name)
	}
	want := []string{"a.warc.gz", "a.warc.gz-2", "a.warc.gz-3", "a.warc.gz-2-2", "-", "--2"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestRefused: names that lead elsewhere, and steps after an error.
func TestRefused(t *testing.T) {
	for _, name := range []string{"", "../a", `a\b`, "a/b", "\xff"} {
		w := New(io.Discard, Settings{})
		if _, err := w.Archive(name); err == nil {
			t.Errorf("%q is taken", name)
		}
		if _, err := w.Finish(); err == nil {
			t.Errorf("%q: it is finished", name)
		}
		w.Close()
	}
	w := New(io.Discard, Settings{})
	if _, err := w.Finish(); err != nil {
		t.Error(err)
	}
	_, err := w.Archive("a")
	_, again := w.Finish()
	for _, err := range []error{err, again, w.Page(&Page{}), w.Capture(&store.Capture{}, "")} {
		if !errors.Is(err, errClosed) {
			t.Error(err)
		}
	}
	w.Close()
}

// full fails after so many bytes.
type full struct{ left int }

var errFull = errors.New("full")

func (f *full) Write(p []byte) (int, error) {
	n := min(len(p), f.left)
	if f.left -= n; n < len(p) {
		return n, errFull
	}
	return n, nil
}

// TestFull: wherever the disk is full, the error says so, and nothing hangs.
func TestFull(t *testing.T) {
	for _, hashed := range []bool{false, true} {
		for left := 0; left < 4<<20; left += 300_000 {
			w := New(&full{left}, Settings{Hashed: hashed})
			out, err := w.Archive("a.warc.gz")
			if err == nil {
				_, err = io.Copy(out, io.LimitReader(rand.Reader, 5<<20))
			}
			_, finished := w.Finish()
			if err := errors.Join(err, finished); !errors.Is(err, errFull) {
				t.Errorf("%d bytes: %v", left, err)
			}
			if err := w.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestUnread: an error of what is read comes through, and the Writer can be closed.
func TestUnread(t *testing.T) {
	broken := errors.New("broken")
	w := New(io.Discard, Settings{Hashed: true})
	defer w.Close()
	out, err := w.Archive("a.warc.gz")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, io.MultiReader(strings.NewReader("x"), iotest.ErrReader(broken))); err != broken {
		t.Error(err)
	}
}

// TestNoTempDir: what cannot be kept for its place is an error.
func TestNoTempDir(t *testing.T) {
	w := New(io.Discard, Settings{TempDir: path.Join(t.TempDir(), "none")})
	defer w.Close()
	if err := w.Page(&Page{}); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if _, err := w.Finish(); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}
