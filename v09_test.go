package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var location = regexp.MustCompile(`"length":"\d+","offset":"\d+","filename":"[^"]*"`)

// TestOldFormat imports the examples of WARC 0.9, exports what came of them as 0.9, and imports that: the same captures, wherever they lie.
func TestOldFormat(t *testing.T) {
	p := &program{t: t, dir: t.TempDir()}
	example := filepath.Join("store", "warc", "v09", "testdata", "appendix-b.warc")
	before, err := os.ReadFile(example)
	if err != nil {
		t.Fatal(err)
	}
	if out, errs, code := p.run("import", "--from-format", "0.9", example); code != 0 || out != "appendix-b-from-0.9.warc.gz: 5 captures\n" {
		t.Fatalf("exit %d, %q, %s", code, out, errs)
	}
	if after, err := os.ReadFile(example); err != nil || string(after) != string(before) {
		t.Errorf("the file was changed: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(p.dir, "collections", "default", "import-*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if out, errs, code := p.run("verify"); code != 0 {
		t.Errorf("verify: exit %d, %s%s", code, out, errs)
	}
	if out, errs, code := p.run("import", "--from-format", "0.9", example); code != 0 || out != "appendix-b-from-0.9.warc.gz: is in the index already\n" {
		t.Errorf("a second time: exit %d, %s%s", code, out, errs)
	}
	if _, errs, code := p.run("export", "--format", "warc-0.9"); code == 0 || !strings.Contains(errs, "-o DIR") {
		t.Errorf("export without a directory: exit %d, %s", code, errs)
	}
	old := filepath.Join(p.dir, "old")
	if _, errs, code := p.run("export", "--format", "warc-0.9", "--file-size", "1KB", "-o", old); code != 0 {
		t.Fatalf("export: exit %d, %s", code, errs)
	}
	files, _ := filepath.Glob(filepath.Join(old, "*.warc.gz"))
	if len(files) < 4 {
		t.Fatalf("files of about 1 kB: %v", files)
	}
	if out, errs, code := p.run(append([]string{"import", "--collection", "again", "--from-format", "0.9"}, files...)...); code != 0 {
		t.Fatalf("import of the export: exit %d, %s%s", code, out, errs)
	}
	lines, _, _ := p.run("export", "-o", "-")
	again, _, _ := p.run("export", "-o", "-", "--collection", "again")
	if got, want := location.ReplaceAllString(again, ""), location.ReplaceAllString(lines, ""); got != want || strings.Count(want, "\n") != 5 {
		t.Errorf("captures\n%s\nwant\n%s", got, want)
	}
	archive := filepath.Join(p.dir, "collections", "default", "archive")
	for args, want := range map[string]string{
		"import " + example: "--from-format",
		"import --from-format 0.9 " + filepath.Join(old, "missing"): "no such file",
		"import --from-format 0.9 " + "go.mod":                      "go.mod",
		"import --from-format 0.9 " + example + " " + example:       "would both become",
		"index " + example: "import --from-format 0.9",
		"export --format warc-0.9 -o " + filepath.Join(example, "below"): "not a directory",
		"export --format warc-0.9 -o " + archive:                         "the archive itself",
		"export --format warc-0.9 --url http://a/ -o " + old:             "leave --url",
	} {
		if out, errs, code := p.run(strings.Fields(args)...); code == 0 || !strings.Contains(out+errs, want) {
			t.Errorf("%s: exit %d, %s%s, want %q", args, code, out, errs, want)
		}
	}
}

// TestOldFormatOfDamaged exports what is whole of a damaged archive, and says where the rest was.
func TestOldFormatOfDamaged(t *testing.T) {
	p := &program{t: t, dir: t.TempDir()}
	if _, errs, code := p.run("import", "--from-format", "0.9", filepath.Join("store", "warc", "v09", "testdata", "appendix-b.warc")); code != 0 {
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
	if err := os.Mkdir(stale, 0o700); err != nil {
		t.Fatal(err)
	}
	old := filepath.Join(p.dir, "old")
	if out, errs, code := p.run("export", "--format", "warc-0.9", "-o", old); code != 1 || !strings.Contains(out, "damaged at byte") || !strings.Contains(errs, "1 damaged place passed over") {
		t.Errorf("exit %d, %s%s", code, out, errs)
	}
	files, _ := filepath.Glob(filepath.Join(old, "*.warc.gz"))
	if len(files) != 1 {
		t.Fatal(files)
	}
	if out, errs, code := p.run("import", "--collection", "again", "--from-format", "0.9", files[0]); !strings.Contains(out, "4 captures") {
		t.Errorf("exit %d, %s%s", code, out, errs)
	}
	if _, errs, code := p.run("import", "--from-format", "0.9", files[0]); code != 0 {
		t.Error(errs)
	}
	if _, err := os.Stat(stale); !os.IsNotExist(err) {
		t.Errorf("what a killed import has left is still there: %v", err)
	}
}
