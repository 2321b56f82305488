package cmd

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"warcorder/cmd/help"
	"warcorder/cmd/help/man"
)

// unescaped is a page without what roff reads as its own.
var unescaped = strings.NewReplacer(`\-`, "-", `\fB`, "", `\fI`, "", `\fR`, "", `\(aq`, "'", `\(ga`, "`",
	`\(ha`, "^", `\(ti`, "~", `\(dq`, `"`, `\(rs`, `\`, `\[u2026]`, "…", `\&`, "")

// TestManHasAll: each command, flag, default and variable is in the manual page, below its command or
// among those that most have; so is each example.
func TestManHasAll(t *testing.T) {
	app := model(t)
	page := unescaped.Replace(man.Page(app, man.Program{Version: version, Date: "2026-11-28"}))
	commands, rest, _ := strings.Cut(page, "\n.SH \"GENERAL FLAGS\"\n")
	var look func(node *kong.Node)
	look = func(node *kong.Node) {
		_, own, found := strings.Cut(commands, "\n.SS \""+strings.TrimPrefix(node.FullPath(), "warcorder ")+"\"\n")
		if !found {
			t.Errorf("%s is not in the page", node.FullPath())
		}
		own, _, _ = strings.Cut(own, "\n.SS ")
		manHasFlags(t, node, own+rest)
		for _, one := range help.Of(node.Name).Examples {
			if !strings.Contains(own, "\n"+one.Line+"\n") {
				t.Errorf("%s: the example %s is not in the page", node.FullPath(), one.Line)
			}
		}
		for _, child := range node.Children {
			look(child)
		}
	}
	for _, node := range app.Children {
		look(node)
	}
	manHasFlags(t, app.Node, rest)
}

// manHasFlags looks for the flags and arguments of a command in a part of the page.
func manHasFlags(t *testing.T, node *kong.Node, part string) {
	t.Helper()
	for _, flag := range node.Flags {
		_, text, found := strings.Cut(part, "\n"+help.Typed(flag)+"\n")
		text, _, _ = strings.Cut(text, "\n.")
		wants := append([]string(nil), flag.Envs...)
		if value := help.Default(flag); value != "" {
			wants = append(wants, "Default: "+value+".")
		}
		for _, want := range wants {
			found = found && strings.Contains(strings.ReplaceAll(text, "\n", " "), want)
		}
		if !found && !flag.Hidden {
			t.Errorf("%s %s, or its default, is not in the page", node.FullPath(), help.Typed(flag))
		}
	}
	for _, argument := range node.Positional {
		if !strings.Contains(part, "\n"+strings.ToUpper(argument.Name)+"\n") {
			t.Errorf("%s %s is not in the page", node.FullPath(), argument.Name)
		}
	}
}

// TestManIsSound: mandoc and groff, where they are, have nothing to say against the page.
func TestManIsSound(t *testing.T) {
	page := man.Page(model(t), man.Program{Version: version, Date: "2026-11-28"})
	for _, args := range [][]string{
		{"mandoc", "-T", "lint", "-W", "warning"},
		{"groff", "-man", "-ww", "-z", "-Tutf8"},
	} {
		if _, err := exec.LookPath(args[0]); err != nil {
			t.Logf("there is no %s here", args[0])
			continue
		}
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Stdin = strings.NewReader(page)
		if said, err := cmd.CombinedOutput(); err != nil || len(said) > 0 {
			t.Errorf("%v: %v\n%s", args, err, said)
		}
	}
}

// TestVersionText: it says the version, what it runs on, and which commit it is of or that none is
// known.
func TestVersionText(t *testing.T) {
	text := versionText()
	for _, want := range []string{"warcorder " + version + " (go", "commit"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s: %q is missing", text, want)
		}
	}
}
