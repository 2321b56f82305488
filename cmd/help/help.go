// Package help is what --help says: of the program, and of each command.
//
// What it says of a command is a value, a Command: its line in warcorder --help, its page, and the
// texts of the flags and arguments that mean something in it alone. Each stands in the file of its
// group (record.go, read.go, handon.go, mend.go, around.go) or in one of its own, and Groups lists
// it. A flag that several commands have has its text in common.go, a setting of record in
// settings.go.
//
// Invariant: a flag has one text in each command, and a program whose flag has none does not start.
// Nothing is wider than Width.
package help

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Command is what --help says of a command.
type Command struct {
	Name     string
	Line     string // in warcorder --help
	Usage    string // what stands behind the name; "" if the arguments say it
	About    string // beyond Line
	Examples []Example
	Flags    []FlagGroup // all of its own, in their order; those of most commands come behind
	Few      string      // those of them that --help shows; "" is all
	End      string      // the last words
	More     string      // the very last ones where --help shows few
	Settings bool        // it takes settings of record too, which its help does not repeat

	// Texts are of flags (--key) and arguments (<url>) that mean this in this command alone. The
	// first sentence of a flag's text is what --help shows, and --help-all shows the whole.
	Texts map[string]string
}

// Example is a command line that works as it stands, and what it does.
type Example struct{ Line, Does string }

// FlagGroup is flags of one matter: their names with blanks between.
type FlagGroup struct{ Title, Names string }

// Group is commands by what they are for.
type Group struct {
	Title    string
	Commands []Command
	IsBrief  bool // their names alone are in warcorder --help
}

// Groups are all commands, in the order in which warcorder --help lists them.
var Groups = []Group{
	{Title: "Record", Commands: []Command{
		record,
		browser,
		capture,
		run,
		status,
	}},
	{Title: "Read what is there", Commands: []Command{
		replay,
		serve,
		lookup,
		pages,
		report,
	}},
	{Title: "Hand on", Commands: []Command{
		export,
		extract,
		har,
		wacz,
	}},
	{Title: "Check, mend and add", Commands: []Command{
		verify,
		recovery,
		index,
		imports,
		remove,
	}},
	{Title: "Set up", Commands: []Command{
		ca,
		trust,
	}},
	{Title: "Also", IsBrief: true, Commands: []Command{
		completion,
		config,
		gaps,
		key,
		manual,
		password,
		pause,
		push,
		rebuild,
		reload,
		resume,
		rotate,
		untrust,
		upload,
		version,
	}},
}

// Of returns what there is to say of a command: nothing, if no group has it.
func Of(name string) Command {
	for _, group := range Groups {
		for _, command := range group.Commands {
			if command.Name == name {
				return command
			}
		}
	}
	return Command{}
}

// Explain gives each command, flag and argument its text in --help. A flag without a text is our
// own mistake, and no program starts with one. Settings alone are variables, and what names one itself:
// else one that is meant for a command would count for another whose flag has the same name.
func Explain(app *kong.Application, settings map[string]bool) error {
	for _, node := range append(slices.Clone(app.Children), app.Node) {
		command := Of(node.Name)
		if command.Line != "" {
			node.Help = command.Line
		}
		for _, flag := range node.Flags {
			text, ok := command.text("--" + flag.Name)
			if !ok {
				return fmt.Errorf("%s --%s has no help", node.Name, flag.Name)
			}
			flag.Help = text
			if !settings[flag.Name] && !flag.Tag.Has("env") || IsOwn(flag) {
				flag.Envs, flag.Tag.Envs = nil, nil
			}
		}
		for _, argument := range node.Positional {
			argument.Help = command.Texts["<"+argument.Name+">"]
		}
	}
	return nil
}

// text returns the text that a flag has in this command alone, else the one that it has everywhere.
func (c Command) text(flag string) (text string, ok bool) {
	for _, texts := range []map[string]string{c.Texts, Common, Settings} {
		if text, ok = texts[flag]; ok {
			return text, true
		}
	}
	return "", false
}

// IsOwn reports a flag that has the name of a setting, and is none: on the command line alone it
// counts.
func IsOwn(flag *kong.Flag) bool { return flag.Tag.Has("own") }

// Shown is a group of flags, as a command has them.
type Shown struct {
	Title string
	Flags []*kong.Flag
}

// Shown returns the groups of flags that the help of a command shows, or with all could: its own,
// then those that most commands have and its own do not name.
func (c Command) Shown(node *kong.Node, all bool) (groups []Shown) {
	flags := map[string]*kong.Flag{}
	for _, level := range node.AllFlags(true) {
		for _, flag := range level {
			flags[flag.Name] = flag
		}
	}
	general := FlagGroup{GeneralTitle, "collection dir " + generalFew}
	if all {
		general.Names += " " + generalRest
	}
	few := strings.Fields(c.Few + " " + generalFew)
	for _, group := range append(slices.Clone(c.Flags), general) {
		shown := Shown{Title: group.Title}
		for _, name := range strings.Fields(group.Names) {
			flag := flags[name]
			if flag != nil && (all || c.Few == "" || slices.Contains(few, name)) {
				shown.Flags = append(shown.Flags, flag)
				delete(flags, name)
			}
		}
		if len(shown.Flags) > 0 {
			groups = append(groups, shown)
		}
	}
	return groups
}

// FirstSentence is the beginning of a text, without its full stop.
func FirstSentence(text string) string {
	text, _, _ = strings.Cut(text, ". ")
	return strings.TrimSuffix(text, ".")
}
