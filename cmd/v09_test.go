package cmd

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

var location = regexp.MustCompile(`"length":"\d+","offset":"\d+","filename":"[^"]*"`)

// appendixB is the path of the examples of appendix B of WARC 0.9.
func appendixB() string {
	return filepath.Join("..", "store", "warc", "v09", "testdata", "appendix-b.warc")
}

// TestOldFormat imports the examples of WARC 0.9, exports what came of them as 0.9, and imports
// that: the same captures, wherever they lie.
func TestOldFormat(t *testing.T) {
	p := &program{t: t, dir: t.TempDir()}
	example := appendixB()
	noWARC := filepath.Join("..", "go.mod")
	before, err := os.ReadFile(example)
	if err != nil {
		t.Fatal(err)
	}
	if out, errs, code := p.run("import", "--from-format", "0.9", example); code != 0 ||
		out != "appendix-b-from-0.9.warc.gz: 5 captures\n" {
		t.Fatalf("exit %d, %q, %s", code, out, errs)
	}
	if after, err := os.ReadFile(example); err != nil || string(after) != string(before) {
		t.Errorf("the file was changed: %v", err)
	}
	left, _ := filepath.Glob(filepath.Join(p.dir, "collections", "default", "import-*"))
	if len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if out, errs, code := p.run("verify"); code != 0 {
		t.Errorf("verify: exit %d, %s%s", code, out, errs)
	}
	if out, errs, code := p.run("import", "--from-format", "0.9", example); code != 0 ||
		out != "appendix-b-from-0.9.warc.gz: is in the index already\n" {
		t.Errorf("a second time: exit %d, %s%s", code, out, errs)
	}
	if _, errs, code := p.run("export", "--format", "warc-0.9"); code == 0 ||
		!strings.Contains(errs, "-o DIR") {
		t.Errorf("export without a directory: exit %d, %s", code, errs)
	}
	old := filepath.Join(p.dir, "old")
	if _, errs, code := p.run("export", "--format", "warc-0.9", "--file-size", "1KB",
		"--archive-mode", "0640", "-o", old); code != 0 {
		t.Fatalf("export: exit %d, %s", code, errs)
	}
	files, _ := filepath.Glob(filepath.Join(old, "*.warc.gz"))
	if len(files) < 4 {
		t.Fatalf("files of about 1 kB: %v", files)
	}
	for _, name := range files {
		info, err := os.Stat(name)
		if err != nil || runtime.GOOS != "windows" && info.Mode() != 0o640 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	again := append([]string{"import", "--collection", "again", "--from-format", "0.9"}, files...)
	if out, errs, code := p.run(again...); code != 0 {
		t.Fatalf("import of the export: exit %d, %s%s", code, out, errs)
	}
	lines, _, _ := p.run("export", "--all", "-o", "-")
	other, _, _ := p.run("export", "--all", "-o", "-", "--collection", "again")
	got, want := location.ReplaceAllString(other, ""), location.ReplaceAllString(lines, "")
	if got != want || strings.Count(want, "\n") != 5 {
		t.Errorf("captures\n%s\nwant\n%s", got, want)
	}
	archive := filepath.Join(p.dir, "collections", "default", "archive")
	for args, want := range map[string]string{
		"import " + example: "--from-format",
		"import --from-format 0.9 " + filepath.Join(old, "missing"):      "no such file",
		"import --from-format 0.9 " + noWARC:                             "go.mod",
		"index " + example:                                               "import --from-format 0.9",
		"export --format warc-0.9 -o " + filepath.Join(example, "below"): "not a directory",
		"export --format warc-0.9 -o " + archive:                         "the archive itself",
		"export --format warc-0.9 --url http://a/ -o " + old:             "leave --url",
	} {
		if out, errs, code := p.run(strings.Fields(args)...); code == 0 ||
			!strings.Contains(out+errs, want) {
			t.Errorf("%s: exit %d, %s%s, want %q", args, code, out, errs, want)
		}
	}
}

// TestOldFormatOfDamaged exports what is whole of a damaged archive, and says where the rest was.
func TestOldFormatOfDamaged(t *testing.T) {
	p := &program{t: t, dir: t.TempDir()}
	if _, errs, code := p.run("import", "--from-format", "0.9", appendixB()); code != 0 {
		t.Fatal(errs)
	}
	path := filepath.Join(p.dir, "collections", "default", "archive", "appendix-b-from-0.9.warc.gz")
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	content[1500] ^= 0x55 // in the second record
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	stale := filepath.Join(p.dir, "collections", "default", "import-999999999-1")
	theirs := filepath.Join(p.dir, "collections", "default", "import-999999999-crawl")
	mark := filepath.Join(stale, "made-by-warcorder-import")
	if err := errors.Join(
		os.Mkdir(stale, 0o700), os.WriteFile(mark, []byte("999999999"), 0o600),
		os.Mkdir(theirs, 0o700), os.WriteFile(filepath.Join(theirs, "x.warc"), nil, 0o600),
	); err != nil {
		t.Fatal(err)
	}
	old := filepath.Join(p.dir, "old")
	if out, errs, code := p.run("export", "--format", "warc-0.9", "-o", old); code != 1 ||
		!strings.Contains(out, "damaged at byte") ||
		!strings.Contains(errs, "export: 1 finding, see above") {
		t.Errorf("exit %d, %s%s", code, out, errs)
	}
	files, _ := filepath.Glob(filepath.Join(old, "*.warc.gz"))
	if len(files) != 1 {
		t.Fatal(files)
	}
	out, errs, code := p.run("import", "--collection", "again", "--from-format", "0.9", files[0])
	if !strings.Contains(out, "4 captures") {
		t.Errorf("exit %d, %s%s", code, out, errs)
	}
	if _, errs, code := p.run("import", "--from-format", "0.9", files[0]); code != 0 {
		t.Error(errs)
	}
	if _, err := os.Stat(stale); !os.IsNotExist(err) {
		t.Errorf("what a killed import has left is still there: %v", err)
	}
	if _, err := os.Stat(filepath.Join(theirs, "x.warc")); err != nil {
		t.Errorf("a folder of the user's: %v", err)
	}
}

// oldRecord is a response in WARC 0.9.
func oldRecord(uri string) string {
	rest := " response http://example.com/" + uri + " 20060102030405 application/http urn:x:" + uri +
		"\r\n\r\nHTTP/1.1 200 OK\r\n\r\n" + uri
	return fmt.Sprintf("warc/0.9 %d", len("warc/0.9 100")+len(rest)) + rest + "\r\n\r\n"
}

// TestImportByContent: what is known is what has the same content, whatever its name.
func TestImportByContent(t *testing.T) {
	p := &program{t: t, dir: t.TempDir()}
	file := func(name, uri string) string {
		path := filepath.Join(p.dir, name)
		content := []byte(oldRecord(uri))
		if strings.HasSuffix(name, ".gz") {
			var b bytes.Buffer
			w := gzip.NewWriter(&b)
			w.Write(content) // a Buffer takes all
			w.Close()
			content = b.Bytes()
		}
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	one, two := strings.Repeat("1", 30), strings.Repeat("2", 30)
	for _, step := range []struct {
		files []string // name and URI in turn
		want  string
	}{
		{[]string{"v.warc", one}, "v-from-0.9.warc.gz: 1 capture\n"},
		{[]string{"v.warc.gz", two}, "v-2-from-0.9.warc.gz: 1 capture\n"},
		{[]string{"v.warc.gz", two}, "v-2-from-0.9.warc.gz: is in the index already\n"},
		{[]string{"v.warc.gz", one}, "v-from-0.9.warc.gz: is in the index already\n"},
		{[]string{"w.warc", one, "w.warc.gz", two}, "w-from-0.9.warc.gz: 1 capture\n" +
			"w-2-from-0.9.warc.gz: 1 capture\n"},
		{[]string{"x.warc", one, "x.warc.gz", one}, "x-from-0.9.warc.gz: 1 capture\n" +
			filepath.Join(p.dir, "x.warc.gz") + ": holds the same as x-from-0.9.warc.gz\n"},
	} {
		args := []string{"import", "--from-format", "0.9"}
		for i := 0; i < len(step.files); i += 2 {
			args = append(args, file(step.files[i], step.files[i+1]))
		}
		if out, errs, code := p.run(args...); out != step.want || code != 0 {
			t.Errorf("%q: exit %d, %s%s, want %s", step.files, code, out, errs, step.want)
		}
	}
	archive := filepath.Join(p.dir, "collections", "default", "archive")
	path := filepath.Join(archive, "v-from-0.9.warc.gz")
	if out, errs, code := p.run("export", "-o", path); code == 0 ||
		!strings.Contains(errs, "the name of a WARC file") {
		t.Errorf("export over a WARC file: exit %d, %s%s", code, out, errs)
	}
}
