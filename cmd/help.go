package cmd

import (
	"cmp"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/alecthomas/kong"
)

// The form of --help: a screen of 80 columns, in which texts stand beside what they are of.
const (
	helpWidth = 80
	helpLeft  = 30 // the most that stands before a text on its line
)

// explain gives each command, flag and argument its text in --help. A flag without a text is our
// own mistake, and no program starts with one. Settings alone are variables: else one that is meant
// for a command would count for another whose flag has the same name.
func explain(parser *kong.Kong) error {
	settings := configKeys(parser.Model)
	settings["config"] = true
	for _, node := range append(parser.Model.Children, parser.Model.Node) {
		node.Help = cmp.Or(helpTexts[node.Name], node.Help)
		for _, flag := range node.Flags {
			text, ok := flagText(node.Name, flag.Name)
			if !ok {
				return fmt.Errorf("%s --%s has no help", node.Name, flag.Name)
			}
			flag.Help = text
			if !settings[flag.Name] || isOwn(flag) {
				flag.Envs, flag.Tag.Envs = nil, nil
			}
		}
		for _, argument := range node.Positional {
			argument.Help = helpTexts[node.Name+" <"+argument.Name+">"]
		}
	}
	return nil
}

// isOwn reports a flag that has the name of a setting, and is none: on the command line alone it
// counts.
func isOwn(flag *kong.Flag) bool { return flag.Tag.Has("own") }

// flagText returns the text that a flag has in this command alone, else the one that it has
// everywhere.
func flagText(command, flag string) (text string, ok bool) {
	for _, texts := range []map[string]string{helpTexts, settingTexts} {
		if text, ok = texts[command+" --"+flag]; ok {
			return text, true
		}
	}
	if text, ok = helpTexts["--"+flag]; !ok {
		text, ok = settingTexts["--"+flag]
	}
	return text, ok
}

// helpAll is the flag --help-all.
type helpAll bool

// BeforeReset prints the help, and ends the program.
func (helpAll) BeforeReset(ctx *kong.Context) error {
	if err := writeHelp(ctx, true); err != nil {
		return err
	}
	ctx.Exit(0)
	return nil
}

// printHelp prints what --help is asked for.
func printHelp(_ kong.HelpOptions, ctx *kong.Context) error { return writeHelp(ctx, false) }

func writeHelp(ctx *kong.Context, all bool) error {
	text := overview(ctx.Model)
	if command := ctx.Selected(); command != nil {
		text = commandHelp(command, all)
	}
	_, err := io.WriteString(ctx.Stdout, text)
	return err
}

// overview is the help of the program: what it is for, and its commands.
func overview(app *kong.Application) string {
	var h helpText
	h.line("Usage: warcorder [COMMAND] [FLAG…] [ARGUMENT…]")
	h.line("")
	h.wrap("", app.Help)
	h.line("")
	for _, group := range commandGroups {
		h.line(group.title + ":")
		for _, name := range strings.Fields(group.names) {
			if node := commandNamed(app, name); node != nil {
				h.line(fmt.Sprintf("  %-10s  %s", name, node.Help))
			}
		}
	}
	h.examples(overviewExamples)
	h.line("")
	h.wrap("", overviewEnd)
	return h.String()
}

func commandNamed(app *kong.Application, name string) *kong.Node {
	at := slices.IndexFunc(app.Children, func(node *kong.Node) bool { return node.Name == name })
	if at < 0 {
		return nil
	}
	return app.Children[at]
}

// commandHelp is the help of a command: with all, each flag with its whole text, its default and its
// variable, else what people need first, in a line or two each.
func commandHelp(command *kong.Node, all bool) string {
	var h helpText
	page := helpPages[command.Name]
	h.line("Usage: " + usage(command, page))
	h.line("")
	h.wrap("", command.Help+". "+page.about)
	h.examples(page.examples)
	var arguments [][2]string
	for _, one := range command.Positional {
		if name := strings.ToUpper(one.Name); page.usage == "" || strings.Contains(page.usage, name) {
			arguments = append(arguments, [2]string{name, firstSentence(one.Help)})
		}
	}
	h.table("Arguments", arguments, helpLeft)
	for _, group := range page.groups(command, all) {
		if all {
			h.whole(group)
		} else {
			h.short(group)
		}
	}
	if end := page.end; end != "" {
		if !all && page.few != "" {
			end += " " + page.more
		}
		h.line("")
		h.wrap("", end)
	}
	return h.String()
}

// usage is a command line in one line.
func usage(command *kong.Node, page helpPage) string {
	text := "warcorder " + command.Name + " [FLAG…]"
	if page.usage != "" {
		return "warcorder " + command.Name + " " + page.usage
	}
	for _, one := range command.Positional {
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

// shownGroup is a group of flags, as a command has them.
type shownGroup struct {
	title string
	flags []*kong.Flag
}

// groups are the groups of flags that the help of a command shows: its own, then those that most
// commands have and its own do not name.
func (p helpPage) groups(command *kong.Node, all bool) (groups []shownGroup) {
	flags := map[string]*kong.Flag{}
	for _, level := range command.AllFlags(true) {
		for _, flag := range level {
			flags[flag.Name] = flag
		}
	}
	general := flagGroup{"General", "collection dir " + generalFew}
	if all {
		general.names += " " + generalRest
	}
	for _, group := range append(slices.Clone(p.flags), general) {
		shown := shownGroup{title: group.title}
		for _, name := range strings.Fields(group.names) {
			few := all || p.few == "" || slices.Contains(strings.Fields(p.few+" "+generalFew), name)
			if flag := flags[name]; flag != nil && few {
				shown.flags = append(shown.flags, flag)
				delete(flags, name)
			}
		}
		if len(shown.flags) > 0 {
			groups = append(groups, shown)
		}
	}
	return groups
}

// helpText is a help while it is written.
type helpText struct{ strings.Builder }

func (h *helpText) line(text string) { h.WriteString(strings.TrimRight(text, " ") + "\n") }

// wrap writes a text in lines that begin with indent.
func (h *helpText) wrap(indent, text string) {
	line := indent
	for _, word := range strings.Fields(text) {
		switch {
		case line == indent:
			line += word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > helpWidth:
			h.line(line)
			line = indent + word
		default:
			line += " " + word
		}
	}
	h.line(line)
}

// table writes texts beside what they are of, below a title. What is longer than left has its text
// on the next line.
func (h *helpText) table(title string, rows [][2]string, left int) {
	if len(rows) == 0 {
		return
	}
	h.line("")
	h.line(title + ":")
	width := 0
	for _, row := range rows {
		if n := utf8.RuneCountInString(row[0]); n <= left {
			width = max(width, n)
		}
	}
	indent := strings.Repeat(" ", 2+width+2)
	for _, row := range rows {
		var text helpText
		text.wrap(indent, row[1])
		if n := utf8.RuneCountInString(row[0]); n <= width {
			beside := strings.TrimPrefix(text.String(), indent)
			h.WriteString("  " + row[0] + strings.Repeat(" ", width-n+2) + beside)
			continue
		}
		h.line("  " + row[0])
		h.WriteString(text.String())
	}
}

// examples writes command lines, each with what it does.
func (h *helpText) examples(examples []example) {
	rows := make([][2]string, len(examples))
	for i, one := range examples {
		rows[i] = [2]string{one.line, one.does}
	}
	h.table("Examples", rows, helpWidth)
}

// short writes what people need first of the flags of a group: the first sentence of each, and the
// default.
func (h *helpText) short(group shownGroup) {
	rows := make([][2]string, len(group.flags))
	for i, flag := range group.flags {
		text := firstSentence(flag.Help)
		if hasDefault(flag) {
			text += " (" + flag.Default + ")"
		}
		rows[i] = [2]string{asTyped(flag), text}
	}
	h.table(group.title, rows, helpLeft)
}

// firstSentence is the beginning of a text, without its full stop.
func firstSentence(text string) string {
	text, _, _ = strings.Cut(text, ". ")
	return strings.TrimSuffix(text, ".")
}

// whole writes all that there is to say of the flags of a group.
func (h *helpText) whole(group shownGroup) {
	h.line("")
	h.line(group.title + ":")
	for _, flag := range group.flags {
		h.line("  " + asTyped(flag))
		text := flag.Help
		if hasDefault(flag) {
			text += " Default: " + flag.Default + "."
		}
		for _, name := range flag.Envs {
			text += " Variable: " + name + "."
		}
		h.wrap("      ", text)
	}
}

func hasDefault(flag *kong.Flag) bool { return flag.Default != "" && flag.Default != "false" }

// asTyped is a flag as it is typed.
func asTyped(flag *kong.Flag) string {
	name := "--" + flag.Name
	if flag.Tag.Negatable != "" {
		name = "--[no-]" + flag.Name
	}
	if flag.Short != 0 {
		name = "-" + string(flag.Short) + ", " + name
	}
	switch value := valueName(flag); {
	case value == "":
		return name
	case flag.IsBool():
		return name + "[=" + value + "]"
	default:
		return name + "=" + value
	}
}

// valueName says what a flag is given: "" if it stands alone.
func valueName(flag *kong.Flag) string {
	switch kind := flag.Target.Kind(); {
	case flag.PlaceHolder != "":
		return flag.PlaceHolder
	case kind == reflect.Bool:
		return ""
	case flag.Enum != "":
		return strings.Join(flag.EnumSlice(), "|")
	case flag.Tag.Type == "size":
		return "SIZE"
	case flag.Target.Type() == reflect.TypeFor[time.Duration]():
		return "TIME"
	case kind == reflect.Int || kind == reflect.Int64:
		return "NUMBER"
	}
	return strings.ToUpper(flag.Name[strings.LastIndexByte(flag.Name, '-')+1:])
}
