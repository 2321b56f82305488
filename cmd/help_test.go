package cmd

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/alecthomas/kong"

	"warcorder/cmd/help"
)

// model is the command line as kong has it.
func model(t *testing.T) *kong.Application {
	t.Helper()
	parser, err := newParser(&commandLine{})
	if err != nil {
		t.Fatal(err)
	}
	return parser.Model
}

// TestHelpTexts: every command, flag and argument has a text, and every text is shown.
func TestHelpTexts(t *testing.T) {
	general := maps.Clone(help.Common)
	maps.Copy(general, help.Settings)
	if len(general) != len(help.Common)+len(help.Settings) {
		t.Error("a flag has two texts")
	}
	app, shown := model(t), map[string]bool{}
	for _, node := range append(app.Children, app.Node) {
		if node.Help == "" {
			t.Errorf("%s has no help", node.FullPath())
		}
		own := maps.Clone(help.Of(node.Name).Texts)
		for _, flag := range node.Flags {
			name := "--" + flag.Name
			_, isOwn := own[name]
			delete(own, name)
			shown[name] = shown[name] || !isOwn
			if !strings.HasSuffix(flag.Help, ".") {
				t.Errorf("the text of %s --%s does not end in a full stop", node.Name, flag.Name)
			}
		}
		for _, argument := range node.Positional {
			if argument.Help == "" {
				t.Errorf("%s <%s> has no help", node.FullPath(), argument.Name)
			}
			delete(own, "<"+argument.Name+">")
		}
		for name := range own {
			t.Errorf("nothing shows the text of %s %s", node.Name, name)
		}
	}
	for name := range general {
		if !shown[name] {
			t.Errorf("nothing shows the text of %s", name)
		}
	}
}

// TestHelpFits: --help fits a screen, and --help-all the width of one.
func TestHelpFits(t *testing.T) {
	app := model(t)
	helps := map[string]string{"warcorder --help": help.Overview(app)}
	for _, command := range app.Children {
		helps[command.Name+" --help"] = help.Of(command.Name).Page(command, false)
		helps[command.Name+" --help-all"] = help.Of(command.Name).Page(command, true)
	}
	for name, text := range helps {
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		if !strings.HasSuffix(name, "-all") && len(lines) > 40 {
			t.Errorf("%s has %d lines:\n%s", name, len(lines), text)
		}
		for _, line := range lines {
			if n := utf8.RuneCountInString(line); n > help.Width || strings.HasSuffix(line, " ") {
				t.Errorf("%s has a line of %d columns: %q", name, n, line)
			}
		}
	}
}

// TestHelpGroups: every command has a place in warcorder --help, and an example; and every flag has
// a place in one group of its command's help, where a setting of record may be left to record's own.
func TestHelpGroups(t *testing.T) {
	app := model(t)
	var listed, have []string
	for _, group := range help.Groups {
		for _, command := range group.Commands {
			listed = append(listed, command.Name)
		}
	}
	for _, command := range app.Children {
		have = append(have, command.Name)
		page := help.Of(command.Name)
		if len(page.Examples) == 0 {
			t.Errorf("%s has no example", command.Name)
		}
		checkGroups(t, command, page)
		checkBeside(t, command.Name, page.Examples)
	}
	slices.Sort(listed)
	if slices.Sort(have); !slices.Equal(listed, have) {
		t.Errorf("warcorder --help lists\n%v\nthere are\n%v", listed, have)
	}
}

// checkBeside: what an example does stands beside it, in one line.
func checkBeside(t *testing.T, command string, examples []help.Example) {
	t.Helper()
	line, does := 0, 0
	for _, one := range examples {
		line = max(line, utf8.RuneCountInString(one.Line))
		does = max(does, utf8.RuneCountInString(one.Does))
	}
	if line+does+4 > help.Width {
		t.Errorf("the examples of %s take %d columns", command, line+does+4)
	}
}

func checkGroups(t *testing.T, command *kong.Node, page help.Command) {
	t.Helper()
	times := map[string]int{}
	for _, group := range page.Shown(command, true) {
		for _, flag := range group.Flags {
			times[flag.Name]++
		}
	}
	named := strings.Fields(page.Few)
	for _, group := range page.Flags {
		named = append(named, strings.Fields(group.Names)...)
	}
	for _, name := range named {
		if times[name] != 1 {
			t.Errorf("the page of %s names %s, which is shown %d times", command.Name, name, times[name])
		}
	}
	for _, level := range command.AllFlags(true) {
		for _, flag := range level {
			_, setting := help.Settings["--"+flag.Name]
			if times[flag.Name] != 1 && !(page.Settings && setting) {
				t.Errorf("%s --%s is in %d groups", command.Name, flag.Name, times[flag.Name])
			}
		}
	}
}

// TestHelpDocs: every flag that --help-all shows is a key of config.example.yaml, or stands in
// doc/operating.md.
func TestHelpDocs(t *testing.T) {
	app := model(t)
	keys, text := configKeys(app), pageOf(t, "doc/operating.md").text
	for _, command := range app.Children {
		for _, group := range help.Of(command.Name).Shown(command, true) {
			for _, flag := range group.Flags {
				told := strings.Contains(text, "--"+flag.Name) ||
					flag.Short != 0 && strings.Contains(text, "`-"+string(flag.Short)+"`")
				if !keys[flag.Name] && !told {
					t.Errorf("doc/operating.md does not tell of %s --%s", command.Name, flag.Name)
				}
			}
		}
	}
}

// everyExample are the command lines that the helps show.
func everyExample() (lines []string) {
	for _, one := range help.OverviewExamples {
		lines = append(lines, one.Line)
	}
	for _, group := range help.Groups {
		for _, command := range group.Commands {
			for _, one := range command.Examples {
				lines = append(lines, one.Line)
			}
		}
	}
	return lines
}

// notAlone are commands that go on until they are ended, or need what a test has none of here: a
// recorder, a browser, a terminal, the trust of the system. So does what names object storage.
var notAlone = []string{"record", "browser", "capture", "run", "replay", "serve", "status", "pause",
	"reload", "resume", "rotate", "push", "upload", "trust", "untrust", "password"}

// TestHelpExamples: what the helps show is taken as it stands, and what can run alone ends well.
func TestHelpExamples(t *testing.T) {
	dir := t.TempDir()
	record := "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: %s\r\n" +
		"WARC-Date: 2026-11-21T12:00:00Z\r\nWARC-Record-ID: <urn:uuid:%[2]d0000000-0000-4000-8000-" +
		"000000000000>\r\nContent-Type: application/http;msgtype=response\r\n" +
		"Content-Length: 63\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 0" +
		"\r\n\r\n\r\n\r\n"
	posted := "WARC/1.0\r\nWARC-Type: request\r\nWARC-Target-URI: https://example.org/api\r\n" +
		"WARC-Date: 2026-11-21T12:00:00Z\r\nWARC-Record-ID: <urn:uuid:40000000-0000-4000-8000-" +
		"000000000000>\r\nWARC-Concurrent-To: <urn:uuid:30000000-0000-4000-8000-000000000000>\r\n" +
		"Content-Type: application/http;msgtype=request\r\nContent-Length: 63\r\n\r\n" +
		"POST /api HTTP/1.1\r\nHost: example.org\r\nContent-Length: 3\r\n\r\na=b\r\n\r\n"
	old, err := os.ReadFile(appendixB())
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"crawl.warc": fmt.Sprintf(record, "https://example.org/", 1) +
			fmt.Sprintf(record, "https://example.org/~anna", 2) +
			fmt.Sprintf(record, "https://example.org/api", 3) + posted +
			fmt.Sprintf(record, "http://a.org/", 5) +
			strings.Replace(fmt.Sprintf(record, "https://example.org/may", 6), "2026-11", "2026-05", 1),
		"old.warc":    string(old),
		"session.har": sessionHAR,
		"config.yaml": "log: text\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	waczOf(t, filepath.Join(dir, "crawl.wacz"), warcsOf("data.warc.gz"), pageLine)
	run := func(line string) {
		cmd := exec.Command(os.Args[0], strings.Fields(line)[1:]...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "RUN_AS_WARCORDER=1", "WARCORDER_CA_DIR="+filepath.Join(dir, "ca"))
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", line, err, said)
		}
	}
	run("warcorder index --keys-extra path,form crawl.warc")
	run("warcorder index --keys-extra path,form crawl.warc --collection news")
	t.Chdir(dir)
	for _, line := range everyExample() {
		words := strings.Fields(line)
		ctx, err := mustParser(t).Parse(words[1:])
		if words[0] != "warcorder" || err != nil {
			t.Errorf("%s: %v", line, err)
		} else if !slices.Contains(notAlone, ctx.Selected().Name) && !strings.Contains(line, "s3://") {
			run(line)
		}
	}
}

func mustParser(t *testing.T) *kong.Kong {
	t.Helper()
	parser, err := newParser(&commandLine{})
	if err != nil {
		t.Fatal(err)
	}
	return parser
}
