// Package man writes the manual page of the program, from what --help says: each command, argument
// and flag with its whole text, its default and its variable. It is a page of man(7), which groff and
// mandoc take.
//
// Invariant: all commands and flags of the command line are in it. No text of ours is taken for a
// request or an escape of roff, whatever stands in it, and the page is ASCII.
package man

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"warcorder/cmd/help"
)

// Program says which one the page is of.
type Program struct {
	Version string
	Date    string // 2006-01-02, of its commit; "" if that is not known
}

// Page returns the page.
func Page(app *kong.Application, program Program) string {
	var r roff
	date := strings.ReplaceAll(escape(program.Date), `\-`, "-") // a hyphen there is part of the date
	r.request("TH", "WARCORDER", "1", date, escape("warcorder "+program.Version),
		"User Commands")
	r.request("SH", "NAME")
	r.WriteString(`warcorder \- ` + escape(strings.TrimSuffix(lowered(app.Help), ".")) + "\n")
	r.request("SH", "SYNOPSIS")
	r.WriteString(`\fBwarcorder\fR [\fICOMMAND\fR] [\fIFLAG\fR\[u2026]] [\fIARGUMENT\fR\[u2026]]` + "\n")
	r.request("SH", "DESCRIPTION")
	r.text(app.Help + " " + about)
	r.request("SH", "EXAMPLES")
	r.examples(help.OverviewExamples)
	r.request("SH", "COMMANDS")
	for _, node := range app.Children {
		r.command(node)
	}
	r.request("SH", "GENERAL FLAGS")
	r.flags(general(app))
	for _, section := range sections {
		r.section(section)
	}
	return r.String()
}

func lowered(text string) string { return strings.ToLower(text[:1]) + text[1:] }

// command writes a command, and those below it.
func (r *roff) command(node *kong.Node) {
	words := help.Of(node.Name)
	r.request("SS", escape(strings.TrimPrefix(node.FullPath(), "warcorder ")))
	r.WriteString(bold(words.UsageOf(node)) + "\n")
	r.request("PP")
	r.text(strings.TrimSuffix(node.Help, ".") + ". " + words.About)
	for _, one := range node.Positional {
		r.item(`\fI`+escape(strings.ToUpper(one.Name))+`\fR`, one.Help)
	}
	for _, group := range groups(words, node) {
		r.request("PP")
		r.WriteString(escape(group.Title) + ":\n")
		r.flags(group.Flags)
	}
	if words.End != "" {
		r.request("PP")
		r.text(words.End)
	}
	if len(words.Examples) > 0 {
		r.request("PP")
		r.WriteString("Examples:\n")
		r.examples(words.Examples)
	}
	for _, child := range node.Children {
		r.command(child)
	}
}

// groups returns the flags of a command alone, as its help groups them; what no group has comes last.
func groups(words help.Command, node *kong.Node) (all []help.Shown) {
	left := slices.Clone(node.Flags)
	for _, group := range words.Shown(node, true) {
		left = slices.DeleteFunc(left, func(flag *kong.Flag) bool { return slices.Contains(group.Flags, flag) })
		if group.Title != help.GeneralTitle {
			all = append(all, group)
		}
	}
	if len(left) > 0 {
		all = append(all, help.Shown{Title: "Also", Flags: left})
	}
	return all
}

// general returns the flags that most commands have: those of the program, and those of the groups
// which groups leaves out.
func general(app *kong.Application) (flags []*kong.Flag) {
	flags = slices.Clone(app.Flags)
	for _, node := range app.Children {
		for _, group := range help.Of(node.Name).Shown(node, true) {
			if group.Title == help.GeneralTitle {
				flags = append(flags, group.Flags...)
			}
		}
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(flags, func(flag *kong.Flag) bool {
		twice := seen[flag.Name]
		seen[flag.Name] = true
		return twice || flag.Hidden
	})
}

// flags writes flags with all that there is to say of them.
func (r *roff) flags(flags []*kong.Flag) {
	for _, flag := range flags {
		text := flag.Help
		if value := help.Default(flag); value != "" {
			text += " Default: " + value + "."
		}
		for _, name := range flag.Envs {
			text += " Variable: " + name + "."
		}
		r.item(bold(help.Typed(flag)), text)
	}
}

// examples writes command lines, each with what it does.
func (r *roff) examples(examples []help.Example) {
	for _, one := range examples {
		r.item(`\fB`+escape(one.Line)+`\fR`, one.Does)
	}
}
