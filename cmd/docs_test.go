package cmd

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"warcorder/canon"
	"warcorder/store/replay"
)

// page is one of the texts that people read.
type page struct {
	name string // from the top of the repository
	text string
	code []string // what stands in backticks within its sentences, lines joined
}

var (
	fenced   = regexp.MustCompile("(?ms)^```.*?^```$")
	inline   = regexp.MustCompile("`([^`]+)`")
	flagName = regexp.MustCompile(`^--([a-z][a-z-]*)`)
	keyValue = regexp.MustCompile(`^[a-z][a-z-]*: `)
	link     = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading  = regexp.MustCompile(`(?m)^#+ (.*)$`)
	boldSum  = regexp.MustCompile(`\*\*([\d,.]+)\*\*`)
	row      = regexp.MustCompile("(?m)^\\| (`[^|]*) \\|")
	valued   = regexp.MustCompile("`([a-z-]+)` \\((\\d[\\d.]* ?[a-zA-Z]+)\\)")
)

// top is the top of the repository.
const top = ".."

func readPages(t *testing.T) []page {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(top, "doc", "*.md"))
	if err != nil || len(names) == 0 {
		t.Fatalf("pages in doc/: %v, %v", names, err)
	}
	var all []page
	names = append(names, filepath.Join(top, "doc", "deploy", "README.md"), filepath.Join(top, "README.md"))
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		p := page{name: filepath.ToSlash(strings.TrimPrefix(name, top+string(filepath.Separator)))}
		p.text = string(text)
		for _, span := range inline.FindAllStringSubmatch(fenced.ReplaceAllString(p.text, ""), -1) {
			p.code = append(p.code, strings.Join(strings.Fields(span[1]), " "))
		}
		all = append(all, p)
	}
	return all
}

func pageOf(t *testing.T, name string) page {
	t.Helper()
	all := readPages(t)
	at := slices.IndexFunc(all, func(p page) bool { return p.name == name })
	if at < 0 {
		t.Fatalf("there is no %s", name)
	}
	return all[at]
}

// TestDocsContents: the list of contents of doc/operating.md, which is long, leads to each section.
func TestDocsContents(t *testing.T) {
	contents, sections, _ := strings.Cut(pageOf(t, "doc/operating.md").text, "\n## ")
	for _, name := range anchors("## " + sections) {
		if !strings.Contains(contents, "(#"+name+")") {
			t.Errorf("the contents do not lead to #%s", name)
		}
	}
}

// TestDocsFlags: each flag that a page names is a flag of some command.
func TestDocsFlags(t *testing.T) {
	parser, err := newParser(&commandLine{})
	if err != nil {
		t.Fatal(err)
	}
	// of other programs
	known := map[string]bool{"cacert": true, "now": true, "proxy-bypass-list": true,
		"ignore-certificate-errors": true, "ignore-certificate-errors-spki-list": true}
	beside := []string{"proxy", "noproxy", "compressed", "ca-certificate", "no-check-certificates",
		"user-data-dir"}
	for _, node := range append(parser.Model.Children, parser.Model.Node) {
		for _, f := range node.Flags {
			known[f.Name] = true
		}
	}
	for _, p := range readPages(t) {
		for _, code := range p.code {
			for _, word := range strings.Fields(code) {
				if name := flagName.FindStringSubmatch(word); name != nil && !known[name[1]] &&
					!(p.name == "doc/crawlers.md" && slices.Contains(beside, name[1])) {
					t.Errorf("%s: no command has the flag %s", p.name, word)
				}
			}
		}
	}
}

// TestDocsCommands: the tables of README and doc/operating.md have each command.
func TestDocsCommands(t *testing.T) {
	parser, err := newParser(&commandLine{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"README.md", "doc/operating.md"} {
		var told []string
		for _, cell := range row.FindAllStringSubmatch(pageOf(t, name).text, -1) {
			for _, code := range inline.FindAllStringSubmatch(cell[1], -1) {
				if words := strings.Fields(code[1]); words[0] == "warcorder" && len(words) > 1 {
					told = append(told, words[1])
				}
			}
		}
		var have []string
		for _, command := range parser.Model.Children {
			have = append(have, command.Name)
		}
		slices.Sort(told)
		slices.Sort(have)
		if !slices.Equal(told, have) {
			t.Errorf("%s tells of the commands %v, there are %v", name, told, have)
		}
	}
}

// TestDocsSettings: a setting that a page shows is taken by the program, and a default that stands
// behind a setting's name is the one of config.example.yaml.
func TestDocsSettings(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(top, "config.example.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	config, err := readConfig(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	shown, defaults := 0, 0
	for _, p := range readPages(t) {
		for _, code := range p.code {
			if !keyValue.MatchString(code) {
				continue
			}
			shown++
			if _, err := parse(t, "--config", writeFile(t, code+"\n")); err != nil {
				t.Errorf("%s: %s: %v", p.name, code, err)
			}
		}
		text := strings.Join(strings.Fields(p.text), " ")
		for _, found := range valued.FindAllStringSubmatch(text, -1) {
			setting, isKey := config[found[1]]
			if said := strings.ReplaceAll(found[2], " ", ""); isKey && said != setting.value {
				t.Errorf("%s: %s is %s, and %s by default", p.name, found[1], said, setting.value)
			}
			if isKey {
				defaults++
			}
		}
	}
	if shown < 5 || defaults < 2 {
		t.Errorf("%d settings and %d defaults found: do the pages still show them in this form?", shown,
			defaults)
	}
}

// TestDocsStatus: doc/operating.md explains each field of /status.
func TestDocsStatus(t *testing.T) {
	text := pageOf(t, "doc/operating.md").text
	for _, field := range reflect.VisibleFields(reflect.TypeFor[status]()) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name != "" && !strings.Contains(text, "\n| `"+name+"` | ") {
			t.Errorf("doc/operating.md does not explain the field %s of /status", name)
		}
	}
}

// TestDocsReplay: doc/operating.md names each field of a replay's report and of its /status.
func TestDocsReplay(t *testing.T) {
	text := pageOf(t, "doc/operating.md").text
	_, text, _ = strings.Cut(text, "\n### Replay\n")
	text, _, _ = strings.Cut(text, "\n## ")
	for _, of := range []reflect.Type{reflect.TypeFor[replay.Report](), reflect.TypeFor[replay.Document](),
		reflect.TypeFor[replay.Miss](), reflect.TypeFor[replay.Nearest](), reflect.TypeFor[replayStatus]()} {
		for _, field := range reflect.VisibleFields(of) {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if name != "" && !strings.Contains(text, "`"+name+"`") {
				t.Errorf("doc/operating.md does not name the field %s of %s", name, of)
			}
		}
	}
}

// TestDocsLinks: links between the pages lead somewhere.
func TestDocsLinks(t *testing.T) {
	pages := readPages(t)
	for _, p := range pages {
		for _, found := range link.FindAllStringSubmatch(p.text, -1) {
			target, anchor, _ := strings.Cut(found[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			name := p.name
			if target != "" {
				name = filepath.ToSlash(filepath.Join(filepath.Dir(p.name), target))
			}
			if _, err := os.Stat(filepath.Join(top, name)); err != nil {
				t.Errorf("%s: %s leads nowhere", p.name, found[1])
				continue
			}
			if at := slices.IndexFunc(pages, func(to page) bool { return to.name == name }); anchor != "" &&
				(at < 0 || !slices.Contains(anchors(pages[at].text), anchor)) {
				t.Errorf("%s: %s has no such heading", p.name, found[1])
			}
		}
	}
}

// anchors are the names of a page's headings in links.
func anchors(text string) (all []string) {
	for _, found := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
		all = append(all, strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
				return r
			}
			return -1
		}, strings.ToLower(found[1])))
	}
	return all
}

// TestDocsFigures: a figure that README has in bold is one that doc/performance.md explains.
func TestDocsFigures(t *testing.T) {
	explained := pageOf(t, "doc/performance.md").text
	figures := boldSum.FindAllStringSubmatch(pageOf(t, "README.md").text, -1)
	if len(figures) < 4 {
		t.Errorf("README has %d figures in bold", len(figures))
	}
	for _, figure := range figures {
		if !regexp.MustCompile(`(^|[^\d,.])` + regexp.QuoteMeta(figure[1]) + `($|[^\d,.])`).
			MatchString(explained) {
			t.Errorf("doc/performance.md does not explain README's figure %s", figure[1])
		}
	}
}

// TestDocsKeys: doc/keys.md shows the keys that each dialect makes of a form.
func TestDocsKeys(t *testing.T) {
	text := pageOf(t, "doc/keys.md").text
	for _, dialect := range []canon.Dialect{canon.Pywb, canon.Spec, canon.WarcioJS} {
		keys := dialect.Keys(&canon.Request{URL: "https://example.com/q", Method: "POST",
			ContentType: "application/x-www-form-urlencoded", Body: []byte("c=a%26b&d=+x")})
		if !strings.Contains(text, "\n| `"+string(dialect)+"` | `"+keys.URLKey+"` |\n") {
			t.Errorf("doc/keys.md: %s makes %s of the form", dialect, keys.URLKey)
		}
	}
	for line, r := range map[string]canon.Request{
		"https://www.Example.com:443/a/../b/?y=2&x=%31#top": {
			URL: "https://www.Example.com:443/a/../b/?y=2&x=%31#top"},
		`POST http://example.com/a {"id":1,"tags":["x","y"]}`: {URL: "http://example.com/a",
			Method: "POST", ContentType: "application/json", Body: []byte(`{"id":1,"tags":["x","y"]}`)},
	} {
		key := canon.Pywb.Keys(&r).URLKey
		said := regexp.MustCompile(regexp.QuoteMeta(line) + ` +` + regexp.QuoteMeta(key) + `\n`)
		if !said.MatchString(text) {
			t.Errorf("doc/keys.md: the key of %s is %s", line, key)
		}
	}
}
