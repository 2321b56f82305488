package unpacking

import (
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestAttached: a body that lies beside a HAR has the SHA-1 of its name. Nothing else of the folder
// is read, whatever a HAR calls it.
func TestAttached(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "hars")
	sum := func(text string) string { return fmt.Sprintf("%x", sha1.Sum([]byte(text))) }
	if err := os.MkdirAll(filepath.Join(dir, sum("a folder")), 0o700); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		filepath.Join(dir, sum("a body")):         "a body",
		filepath.Join(dir, sum("a page")+".html"): "a page",
		filepath.Join(dir, sum("another")):        "a secret",
		filepath.Join(dir, "secret"):              "secret",
		filepath.Join(top, sum("above")):          "above",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(top, sum("above")), filepath.Join(dir, sum("above"))); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		sum("a body"): "a body", sum("a page") + ".html": "a page",
		sum("another"): "", sum("a folder"): "", sum("above"): "", sum("none"): "", "secret": "",
		"../" + sum("above"): "", sum("a body") + "/": "", filepath.Join(dir, sum("a body")): "",
	} {
		in, err := openBeside(dir, name)
		if want == "" {
			if link := name == sum("above"); err == nil || !link && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		text, err := io.ReadAll(in)
		if err := errors.Join(err, in.Close()); err != nil || string(text) != want {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}

// harsIn are the HARs that are found in a zip file.
func harsIn(t *testing.T, path string) (found []HARFile, err error) {
	t.Helper()
	_, err = take(t, func(u *Unpacking) error {
		return u.HARs(path, HARZip, func(h HARFile) error {
			in, err := h.Open()
			if err != nil {
				return err
			}
			found = append(found, h)
			_, err = io.Copy(io.Discard, in)
			return errors.Join(err, in.Close())
		})
	})
	return found, err
}

// TestHARZip: each HAR in a zip file has a name of its own, and its bodies beside it.
func TestHARZip(t *testing.T) {
	found, err := harsIn(t, zipOf(t, member{name: "one/a.har", content: "{}"},
		member{name: "two/b.har", content: "{}", deflated: true}, member{name: "two/body", content: "x"}))
	if err != nil || len(found) != 2 {
		t.Fatal(found, err)
	}
	names := []string{found[0].Stem, found[0].Name, found[1].Stem, found[1].Name}
	want := []string{"My crawl-a", "My crawl.wacz: one/a.har", "My crawl-b", "My crawl.wacz: two/b.har"}
	if !slices.Equal(names, want) {
		t.Errorf("%q", names)
	}
	if _, err := found[0].Attached("body"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	one, err := harsIn(t, zipOf(t, member{name: "har.har", content: "{}"}))
	if err != nil || len(one) != 1 || one[0].Stem != "My crawl" {
		t.Errorf("%+v, %v", one, err)
	}
}

// TestHARZipRefused: a zip file of HARs that is made to do harm is refused before any is taken.
func TestHARZipRefused(t *testing.T) {
	a, b := member{name: "a.har", content: "{}"}, member{name: "b.har", content: "{}"}
	var many []member
	for n := range maxHARs + 1 {
		many = append(many, member{name: fmt.Sprintf("%d.har", n), content: "{}"})
	}
	for want, path := range map[string]string{
		"is in it twice": zipOf(t, a, a),
		"bytes in common": change(t, func(text []byte) []byte {
			binary.LittleEndian.PutUint32(text[directoryAt(text, 1)+42:], 0)
			return text
		}, a, b),
		"1001 HARs": zipOf(t, many...),
	} {
		if found, err := harsIn(t, path); err == nil || !strings.Contains(err.Error(), want) || len(found) > 0 {
			t.Errorf("%d found, %v, want %q", len(found), err, want)
		}
	}
}
