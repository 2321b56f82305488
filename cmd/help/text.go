package help

import (
	"reflect"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/alecthomas/kong"
)

// The form of --help: a screen of 80 columns, in which texts stand beside what they are of.
const (
	Width    = 80
	mostLeft = 30 // the most that stands before a text on its line
)

// page is a help while it is written.
type page struct{ strings.Builder }

func (p *page) line(text string) { p.WriteString(strings.TrimRight(text, " ") + "\n") }

// wrap writes a text in lines that begin with indent.
func (p *page) wrap(indent, text string) {
	line := indent
	for _, word := range strings.Fields(text) {
		switch {
		case line == indent:
			line += word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > Width:
			p.line(line)
			line = indent + word
		default:
			line += " " + word
		}
	}
	p.line(line)
}

// table writes texts beside what they are of, below a title. What is longer than left has its text
// on the next line.
func (p *page) table(title string, rows [][2]string, left int) {
	if len(rows) == 0 {
		return
	}
	p.line("")
	p.line(title + ":")
	width := 0
	for _, row := range rows {
		if n := utf8.RuneCountInString(row[0]); n <= left {
			width = max(width, n)
		}
	}
	indent := strings.Repeat(" ", 2+width+2)
	for _, row := range rows {
		var text page
		text.wrap(indent, row[1])
		if n := utf8.RuneCountInString(row[0]); n <= width {
			beside := strings.TrimPrefix(text.String(), indent)
			p.WriteString("  " + row[0] + strings.Repeat(" ", width-n+2) + beside)
			continue
		}
		p.line("  " + row[0])
		p.WriteString(text.String())
	}
}

// examples writes command lines, each with what it does.
func (p *page) examples(examples []Example) {
	rows := make([][2]string, len(examples))
	for i, one := range examples {
		rows[i] = [2]string{one.Line, one.Does}
	}
	p.table("Examples", rows, Width)
}

// short writes what people need first of the flags of a group: the first sentence of each, and the
// default.
func (p *page) short(group Shown) {
	rows := make([][2]string, len(group.Flags))
	for i, flag := range group.Flags {
		text := FirstSentence(flag.Help)
		if hasDefault(flag) {
			text += " (" + flag.Default + ")"
		}
		rows[i] = [2]string{asTyped(flag), text}
	}
	p.table(group.Title, rows, mostLeft)
}

// whole writes all that there is to say of the flags of a group.
func (p *page) whole(group Shown) {
	p.line("")
	p.line(group.Title + ":")
	for _, flag := range group.Flags {
		p.line("  " + asTyped(flag))
		text := flag.Help
		if hasDefault(flag) {
			text += " Default: " + flag.Default + "."
		}
		for _, name := range flag.Envs {
			text += " Variable: " + name + "."
		}
		p.wrap("      ", text)
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
