package unpacking

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"warcorder/store/collection"
	"warcorder/store/pagelist"
)

// member is a member of a zip file that a test makes.
type member struct {
	name     string
	content  string
	deflated bool
	change   func(*zip.FileHeader)
}

// zipOf makes a zip file.
func zipOf(t testing.TB, members ...member) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "My crawl.wacz")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	w := zip.NewWriter(file)
	for _, m := range members {
		h := &zip.FileHeader{Name: m.name, Method: zip.Store}
		if m.deflated {
			h.Method = zip.Deflate
		}
		if m.change != nil {
			m.change(h)
		}
		out, err := w.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := out.Write([]byte(m.content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// packageOf makes datapackage.json of members, and its digest.
func packageOf(members ...member) []member {
	type listed struct {
		Name  string `json:"name"`
		Path  string `json:"path"`
		Hash  string `json:"hash"`
		Bytes int    `json:"bytes"`
	}
	said := struct {
		Profile   string   `json:"profile"`
		Resources []listed `json:"resources"`
	}{Profile: "data-package"}
	for _, m := range members {
		said.Resources = append(said.Resources,
			listed{m.name, m.name, fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(m.content))), len(m.content)})
	}
	text, _ := json.Marshal(said)
	digest := fmt.Sprintf(`{"path":"datapackage.json","hash":"sha256:%x","signedData":{"hash":"x"}}`,
		sha256.Sum256(text))
	return append(members, member{name: packageName, content: string(text)},
		member{name: digestName, content: digest})
}

// taken is what an unpacking has brought.
type taken struct {
	files map[string]string // contents by names
	notes []string
	pages []pagelist.Page
}

// take takes a file apart.
func take(t testing.TB, work func(*Unpacking) error) (got taken, err error) {
	t.Helper()
	dir := t.TempDir()
	u := &Unpacking{Dir: collection.Import(dir), Pages: &pagelist.List{},
		Note: func(text string) { got.notes = append(got.notes, text) }}
	defer u.Pages.Close()
	err = work(u)
	got.files = map[string]string{}
	for _, w := range u.WARCs() {
		text, err := os.ReadFile(w.Path)
		if err != nil {
			t.Fatal(err)
		}
		got.files[w.Name+" from "+w.From] = string(text)
		if filepath.Dir(w.Path) != dir || !collection.IsWARC(w.Name) {
			t.Errorf("%+v", w)
		}
	}
	var lines bytes.Buffer
	if _, err := u.Pages.WriteTo(&lines); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(lines.String()) {
		page, ok := pagelist.Parse([]byte(line))
		if !ok {
			t.Errorf("%q", line)
		}
		got.pages = append(got.pages, page)
	}
	return got, err
}

func takeWACZ(t testing.TB, members ...member) (taken, error) {
	t.Helper()
	path := zipOf(t, members...)
	return take(t, func(u *Unpacking) error { return u.WACZ(path) })
}

const (
	gzipped = "\x1f\x8bone"
	plain   = "WARC/1.1\r\nplain"
	header  = `{"format":"json-pages-1.0","id":"pages","title":"All Pages"}` + "\n"
)

// TestWACZ: WARC files come out byte for byte, pages are read, the rest is named.
func TestWACZ(t *testing.T) {
	got, err := takeWACZ(t, append(packageOf(
		member{name: "archive/data.warc.gz", content: gzipped},
		member{name: "archive/plain.warc", content: plain, deflated: true},
		member{name: "archive/deep/Größe x.warc.zst", content: "\x28\xb5\x2f\xfdz"},
		member{name: "archive/.warc.gz", content: gzipped},
		member{name: "pages/pages.jsonl", content: header +
			`{"id":"1","url":"https://a.example/","ts":"2026-05-01T12:00:01Z","title":"A"}` + "\nno page"},
		member{name: "pages/extraPages.jsonl", deflated: true, content: header +
			`{"url":"https://a.example/2","ts":"2026-05-01T12:00:00Z"}`},
		member{name: "indexes/index.cdx.gz", content: "nonsense"},
		member{name: "logs/crawl.log", content: "a log"},
		member{name: "fuzzy.json", content: "[]"},
	), member{name: "archive/notes.txt", content: "x"}, member{name: "../escape.warc.gz", content: gzipped},
		member{name: "archive/unlisted.warc", content: plain}, member{name: "logs/"},
		member{name: "archive/empty.warc"})...)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"data.warc.gz from My crawl":     gzipped,
		"plain.warc from My crawl":       plain,
		"Größe x.warc.zst from My crawl": "\x28\xb5\x2f\xfdz",
		"_.warc.gz from My crawl":        gzipped,
		"unlisted.warc from My crawl":    plain,
	}
	for name, content := range want {
		if got.files[name] != content {
			t.Errorf("%s: %q", name, got.files[name])
		}
	}
	if len(got.files) != len(want) {
		t.Errorf("%q", got.files)
	}
	if len(got.pages) != 2 || got.pages[0].URL != "https://a.example/2" || got.pages[1].Title != "A" ||
		got.pages[1].ID != "1" || got.pages[1].From != "My crawl.wacz" {
		t.Errorf("%+v", got.pages)
	}
	said := strings.Join(got.notes, "\n")
	for _, part := range []string{`"logs/crawl.log" is left out`, `"archive/notes.txt" is left out`,
		`"../escape.warc.gz" is left out: its name leads elsewhere`, `"archive/unlisted.warc" is not listed`,
		"lines that are no pages: 1 left out", "whose signature", "it has rules for requests",
		`"archive/empty.warc" is empty`} {
		if !strings.Contains(said, part) {
			t.Errorf("no %q in\n%s", part, said)
		}
	}
	if strings.Contains(said, "indexes/") || len(got.notes) != 9 {
		t.Errorf("%s", said)
	}
}

// TestWACZWithoutPackage is taken, and said to be unchecked.
func TestWACZWithoutPackage(t *testing.T) {
	got, err := takeWACZ(t, member{name: "archive/data.warc.gz", content: gzipped})
	if err != nil || len(got.files) != 1 || !strings.Contains(strings.Join(got.notes, ""), "cannot be checked") {
		t.Error(got, err)
	}
}

// TestWACZUnlisted: what datapackage.json does not list is taken, and said to be unchecked.
func TestWACZUnlisted(t *testing.T) {
	got, err := takeWACZ(t, member{name: "archive/data.warc.gz", content: gzipped},
		member{name: "pages/pages.jsonl", content: header}, member{name: packageName, content: `{"resources":[]}`})
	said := strings.Join(got.notes, "\n")
	if err != nil || strings.Count(said, "is not listed") != 2 || !strings.Contains(said, "pages/pages.jsonl") {
		t.Error(said, err)
	}
}

// TestWACZRefused: what is not as it should be is refused, and named.
func TestWACZRefused(t *testing.T) {
	data := member{name: "archive/data.warc.gz", content: gzipped}
	other := data
	other.content = "\x1f\x8btwo"
	whole := packageOf(data)
	tests := map[string]struct {
		members []member
		want    []string
	}{
		"another digest": {[]member{other, whole[1], whole[2]}, []string{"archive/data.warc.gz", "digest"}},
		"another package": {
			[]member{data, {name: packageName, content: whole[1].content + " "}, whole[2]},
			[]string{"datapackage.json", "digest"},
		},
		"a wrong length": {
			[]member{data, {name: packageName, content: `{"resources":[{"path":"archive/data.warc.gz","bytes":7}]}`}},
			[]string{"archive/data.warc.gz", "5 bytes", "7 are listed"},
		},
		"a length of nothing": {
			[]member{data, {name: packageName, content: `{"resources":[{"path":"archive/data.warc.gz","bytes":0}]}`}},
			[]string{"archive/data.warc.gz", "5 bytes", "0 are listed"},
		},
		"a list of pages is missing": {
			slices.Delete(packageOf(data, member{name: "pages/pages.jsonl", content: header}), 1, 2),
			[]string{"pages/pages.jsonl", "not whole"},
		},
		"a file is missing": {
			append(whole[1:3:3], member{name: "archive/more.warc", content: plain}),
			[]string{"archive/data.warc.gz", "not whole"},
		},
		"only an empty one": {[]member{{name: data.name}}, []string{"empty"}},
		"an empty one that was none": {
			append(slices.Clone(whole[1:]), member{name: data.name}), []string{data.name, "digest"},
		},
		"no WARC file": {packageOf(member{name: "archive/data.txt", content: "x"}), []string{"no WARC file"}},
		"not a WARC":   {packageOf(member{name: "archive/data.warc", content: "nonsense"}), []string{"data.warc"}},
		"twice":        {[]member{data, other}, []string{"archive/data.warc.gz", "twice"}},
		"no package":   {[]member{data, {name: packageName, content: "{"}}, []string{"datapackage.json"}},
		"a list of WACZ": {[]member{data, {name: packageName, content: `{"profile":"multi-wacz-package"}`}},
			[]string{"holds other WACZ files"}},
		"listed twice": {
			[]member{data, {name: packageName, content: `{"resources":[{"path":"a"},{"path":"a"}]}`}},
			[]string{`"a" twice`},
		},
		"pages of another digest": {
			append(packageOf(data, member{name: "pages/pages.jsonl", content: header})[:1],
				append(packageOf(data, member{name: "pages/pages.jsonl", content: header})[2:],
					member{name: "pages/pages.jsonl", content: header + " "})...),
			[]string{"pages/pages.jsonl", "digest"},
		},
		"encrypted": {
			[]member{{name: data.name, content: gzipped, change: func(h *zip.FileHeader) { h.Flags |= 1 }}},
			[]string{"encrypted"},
		},
		"a large package": {
			[]member{data, {name: packageName, content: strings.Repeat(" ", maxPackage+1), deflated: true}},
			[]string{"too large"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := takeWACZ(t, test.members...)
			for _, part := range test.want {
				if err == nil || !strings.Contains(err.Error(), part) {
					t.Errorf("%v, want %q", err, part)
				}
			}
		})
	}
}

// TestNames: a name is one that any system takes, and of a WARC file.
func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"data.warc.gz":                                 "data.warc.gz",
		"Größe x.warc":                                 "Größe x.warc",
		"a\x00b\nc:d*e.warc.gz":                        "a_b_c_d_e.warc.gz",
		"\u202egz.craw.warc":                           "_gz.craw.warc",
		"\xff.warc":                                    "_.warc",
		".hidden.warc.gz":                              "_.hidden.warc.gz",
		strings.Repeat("ä", 200) + ".warc.gz":          strings.Repeat("ä", (maxNamed-8)/2) + ".warc.gz",
		"a.warc-" + strings.Repeat("a", 160) + ".warc": "a.warc-" + strings.Repeat("a", maxNamed-12) + ".warc",
	} {
		if got := FileName(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	for path, want := range map[string]string{
		"/a/b/My crawl.wacz": "My crawl", "x.har.gz": "x", "..": "_..", "/": "_",
		strings.Repeat("x", 300) + ".wacz": strings.Repeat("x", maxNamed/3),
	} {
		if got := Stem(path); got != want {
			t.Errorf("%q: %q, want %q", path, got, want)
		}
	}
}
