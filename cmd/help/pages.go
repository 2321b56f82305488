package help

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"
)

// The flags of most commands, which stand at the end.
const (
	generalFew  = "config help help-all"
	generalRest = "log log-level verbose quiet ca-dir ca-cert ca-key"
)

// OverviewExamples are those of the program.
var OverviewExamples = []Example{
	{"warcorder browser https://example.org/", "record what a browser shows"},
	{"warcorder replay https://example.org/", "show it from the archive"},
	{"warcorder", "record, as a proxy at 127.0.0.1:8080"},
}

const overviewEnd = "warcorder COMMAND --help is about one of them, and --help-all has each of its " +
	"flags with its default. The settings of recording: warcorder record --help."

// All is the flag --help-all.
type All bool

// BeforeReset prints the help, and ends the program.
func (All) BeforeReset(ctx *kong.Context) error {
	if err := write(ctx, true); err != nil {
		return err
	}
	ctx.Exit(0)
	return nil
}

// Print prints what --help is asked for.
func Print(_ kong.HelpOptions, ctx *kong.Context) error { return write(ctx, false) }

func write(ctx *kong.Context, all bool) error {
	text := Overview(ctx.Model)
	if node := ctx.Selected(); node != nil {
		text = Of(node.Name).Page(node, all)
	}
	_, err := io.WriteString(ctx.Stdout, text)
	return err
}

// Overview is the help of the program: what it is for, and its commands.
func Overview(app *kong.Application) string {
	var p page
	p.line("Usage: warcorder [COMMAND] [FLAG…] [ARGUMENT…]")
	p.line("")
	p.wrap("", app.Help)
	p.line("")
	for _, group := range Groups {
		p.group(group)
	}
	p.examples(OverviewExamples)
	p.line("")
	p.wrap("", overviewEnd)
	return p.String()
}

// group writes the commands of a group, each with its line or, where it is brief, their names.
func (p *page) group(group Group) {
	if group.IsBrief {
		names := make([]string, len(group.Commands))
		for i, command := range group.Commands {
			names[i] = command.Name
		}
		p.wrap("", group.Title+": "+strings.Join(names, ", ")+".")
		return
	}
	p.line(group.Title + ":")
	for _, command := range group.Commands {
		p.line(fmt.Sprintf("  %-8s  %s", command.Name, command.Line))
	}
}

// Page is the help of a command: with all, each flag with its whole text, its default and its
// variable, else what people need first, in a line or two each.
func (c Command) Page(node *kong.Node, all bool) string {
	var p page
	p.line("Usage: " + c.usage(node))
	p.line("")
	p.wrap("", node.Help+". "+c.About)
	p.examples(c.Examples)
	var arguments [][2]string
	for _, one := range node.Positional {
		if name := strings.ToUpper(one.Name); c.Usage == "" || strings.Contains(c.Usage, name) {
			arguments = append(arguments, [2]string{name, FirstSentence(one.Help)})
		}
	}
	p.table("Arguments", arguments, mostLeft)
	for _, group := range c.Shown(node, all) {
		if all {
			p.whole(group)
		} else {
			p.short(group)
		}
	}
	if end := c.End; end != "" {
		if !all && c.Few != "" {
			end += " " + c.More
		}
		p.line("")
		p.wrap("", end)
	}
	return p.String()
}

// usage is a command line in one line.
func (c Command) usage(node *kong.Node) string {
	if c.Usage != "" {
		return "warcorder " + c.Name + " " + c.Usage
	}
	text := "warcorder " + c.Name + " [FLAG…]"
	for _, one := range node.Positional {
		name := strings.ToUpper(one.Name)
		if one.IsCumulative() {
			name += "…"
		}
		if !one.Required {
			name = "[" + name + "]"
		}
		text += " " + name
	}
	return text
}
