package cmd

import (
	"cmp"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"warcorder/cmd/help"
	"warcorder/store/collection"
)

// typedLine is a command line as far as it is typed.
type typedLine struct {
	app     *kong.Application
	command *kong.Node // nil before it is typed
	flag    *kong.Flag // whose value comes next, or nil
	dir     string     // that holds the collections
	count   int        // of the arguments
	past    bool       // the flags: behind -- there are none
}

// What a shell completes itself.
const (
	shellFile    = ":file"
	shellDir     = ":dir"
	shellCommand = ":command"
)

// complete returns what the last of the words may become, each with a TAB and what it is.
func complete(app *kong.Application, words []string) []string {
	words = joined(words)
	typed := typedLine{app: app, dir: os.Getenv("WARCORDER_DIR")}
	for _, word := range words[:len(words)-1] {
		typed.read(word)
	}
	last := words[len(words)-1]
	name, value, hasValue := strings.Cut(last, "=")
	switch {
	case typed.flag != nil:
		return typed.values(typed.flag, "", last)
	case hasValue && !typed.past && typed.flagNamed(name) != nil:
		return typed.values(typed.flagNamed(name), name+"=", value)
	case strings.HasPrefix(last, "-") && !typed.past:
		return typed.flags(last)
	case typed.command == nil:
		return typed.commands(last)
	}
	return typed.arguments(last)
}

// joined puts together what bash has taken apart: a flag, = and its value are three words there.
func joined(words []string) (all []string) {
	for i, word := range words {
		last := len(all) - 1
		isPart := word == "=" || i > 0 && words[i-1] == "="
		if isPart && last >= 0 && strings.HasPrefix(all[last], "--") {
			all[last] += word
			continue
		}
		all = append(all, word)
	}
	return all
}

// read takes in a word that is typed.
func (l *typedLine) read(word string) {
	name, value, hasValue := strings.Cut(word, "=")
	switch {
	case l.flag != nil:
		l.keep(l.flag, word)
		l.flag = nil
	case word == "--":
		l.past = true
	case strings.HasPrefix(word, "-") && !l.past:
		flag := l.flagNamed(name)
		switch {
		case flag != nil && hasValue:
			l.keep(flag, value)
		case flag != nil && !flag.IsBool():
			l.flag = flag
		}
	case l.command == nil:
		l.command = commandNamed(l.app, word)
	default:
		l.count++
		l.past = l.past || l.command.Name == "run" // what follows is the command's
	}
}

func (l *typedLine) keep(flag *kong.Flag, value string) {
	if flag.Name == "dir" {
		l.dir = value
	}
}

// commandNamed returns the command of that name, or nil.
func commandNamed(app *kong.Application, name string) *kong.Node {
	at := slices.IndexFunc(app.Children, func(node *kong.Node) bool { return node.Name == name })
	if at < 0 {
		return nil
	}
	return app.Children[at]
}

// all are the flags that count here: without a command those of record.
func (l *typedLine) all() (flags []*kong.Flag) {
	command := l.command
	if command == nil {
		command = commandNamed(l.app, "record")
	}
	for _, group := range help.Of(command.Name).Shown(command, true) {
		flags = append(flags, group.Flags...)
	}
	return flags
}

// flagNamed returns the flag of --name or -n, or nil.
func (l *typedLine) flagNamed(name string) *kong.Flag {
	for _, flag := range l.all() {
		if name == "--"+flag.Name || flag.Short != 0 && name == "-"+string(flag.Short) {
			return flag
		}
	}
	return nil
}

func (l *typedLine) flags(begin string) (lines []string) {
	for _, flag := range l.all() {
		lines = append(lines, candidate("--"+flag.Name, flag.Help))
	}
	return beginning(begin, lines)
}

func (l *typedLine) commands(begin string) (lines []string) {
	for _, command := range l.app.Children {
		lines = append(lines, candidate(command.Name, command.Help))
	}
	return beginning(begin, lines)
}

// values are those of a flag; before is what stands in the same word before them.
func (l *typedLine) values(flag *kong.Flag, before, begin string) (lines []string) {
	for _, value := range enumOf(flag.Value) {
		lines = append(lines, before+value)
	}
	switch {
	case flag.Name == "collection":
		const most = 1000
		names, _, _ := collection.Names(cmp.Or(l.dir, "collections"), most)
		for _, name := range names {
			lines = append(lines, before+printable(name))
		}
	case flag.Name == "dir" || flag.PlaceHolder == "DIR":
		return []string{shellDir}
	case flag.PlaceHolder == "FILE":
		return []string{shellFile}
	}
	return beginning(before+begin, lines)
}

// arguments are what a command works on.
func (l *typedLine) arguments(begin string) []string {
	if len(l.command.Positional) == 0 {
		return nil
	}
	argument := l.command.Positional[min(l.count, len(l.command.Positional)-1)]
	switch {
	case l.command.Name == "run" && l.count == 0:
		return []string{shellCommand}
	case argument.Name == "file" || l.command.Name == "run":
		return []string{shellFile}
	}
	return beginning(begin, enumOf(argument))
}

// enumOf returns the values that alone may stand there, or nil.
func enumOf(value *kong.Value) []string {
	return strings.FieldsFunc(value.Enum, func(r rune) bool { return r == ',' || r == ' ' })
}

// candidate is a word and what it is.
func candidate(word, what string) string {
	return word + "\t" + strings.NewReplacer("\t", " ", "\n", " ").Replace(help.FirstSentence(what))
}

// beginning leaves those that begin so.
func beginning(begin string, lines []string) []string {
	return slices.DeleteFunc(lines, func(line string) bool { return !strings.HasPrefix(line, begin) })
}
