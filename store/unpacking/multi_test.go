package unpacking

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMulti: the parts of a list lie beside it.
func TestMulti(t *testing.T) {
	part := func(name string) string { return zipOf(t, packageOf(member{name: name, content: gzipped})...) }
	dir := t.TempDir()
	sub := filepath.Join(dir, "sub")
	one, two := filepath.Join(dir, "one part.wacz"), filepath.Join(sub, "two.wacz")
	if err := os.Mkdir(sub, 0o700); err != nil {
		t.Fatal(err)
	}
	if os.Rename(part("archive/1.warc.gz"), one) != nil || os.Rename(part("archive/2.warc.gz"), two) != nil {
		t.Fatal("cannot rename")
	}
	text, err := os.ReadFile(two)
	if err != nil {
		t.Fatal(err)
	}
	sum := fmt.Sprintf("sha256:%x", sha256.Sum256(text))
	for name, test := range map[string]struct{ list, want string }{
		"beside":       {`{"path":"one%20part.wacz"},{"path":"./sub/two.wacz","hash":"` + sum + `"}`, ""},
		"by name":      {`{"name":"one part.wacz"},{"path":"sub/two.wacz","bytes":` + fmt.Sprint(len(text)) + `}`, ""},
		"a URL":        {`{"path":"https://a.example/one.wacz"}`, "nothing is fetched"},
		"elsewhere":    {`{"path":"../one.wacz"}`, "not below"},
		"absolute":     {`{"path":"/etc/passwd"}`, "not below"},
		"missing":      {`{"path":"three.wacz"}`, "three.wacz"},
		"wrong digest": {`{"path":"sub/two.wacz","hash":"` + strings.Replace(sum, sum[7:9], "zz", 1) + `"}`, ""},
		"other digest": {`{"path":"sub/two.wacz","hash":"sha256:00"}`, "digest"},
		"twice":        {`{"path":"sub/two.wacz"},{"path":"./sub/../sub/two.wacz"}`, "twice"},
		"too many":     {strings.Repeat(`{"path":"x"},`, maxParts) + `{"path":"x"}`, "some at a time"},
		"other length": {`{"path":"sub/two.wacz","bytes":7}`, "7 are listed"},
		"a directory":  {`{"path":"sub"}`, "sub"},
		"none":         {"", "no WACZ"},
		"unpacked":     {`{"path":"pages/pages.jsonl"},{"path":"archive/data.warc.gz"}`, "was unpacked"},
	} {
		t.Run(name, func(t *testing.T) {
			list := filepath.Join(dir, "datapackage.json")
			text := `{"profile":"multi-wacz-package","resources":[` + test.list + `]}`
			if err := os.WriteFile(list, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if form, err := FormOf(list); form != Multi {
				t.Errorf("form %v, %v", form, err)
			}
			got, err := take(t, func(u *Unpacking) error { return u.Multi(list) })
			if test.want != "" {
				if err == nil || !strings.Contains(err.Error(), test.want) {
					t.Errorf("%v, want %q", err, test.want)
				}
			} else if err != nil || len(got.files) != strings.Count(test.list, "{") {
				t.Errorf("%v, %q", err, got.files)
			}
		})
	}
}
