package man

import (
	"fmt"
	"strings"
)

// roff is a page of man(7) while it is written.
type roff struct{ strings.Builder }

// request writes a macro with its arguments. They hold what escape has made.
func (r *roff) request(name string, arguments ...string) {
	r.WriteString("." + name)
	for _, one := range arguments {
		r.WriteString(` "` + one + `"`)
	}
	r.WriteString("\n")
}

// text writes a paragraph, a line for each sentence. A line that begins as a request would is none.
func (r *roff) text(text string) {
	words := strings.Fields(text)
	for i, word := range words {
		word = escape(word)
		begins := i == 0 || endsSentence(words[i-1])
		switch {
		case begins && strings.HasPrefix(word, "."):
			word = `\&` + word
		case !begins:
			r.WriteString(" ")
		}
		if begins && i > 0 {
			r.WriteString("\n")
		}
		r.WriteString(word)
	}
	if len(words) > 0 {
		r.WriteString("\n")
	}
}

func endsSentence(word string) bool { return strings.HasSuffix(word, ".") && len(word) > 2 }

// item writes what a text is of, and the text beside or below it.
func (r *roff) item(tag, text string) {
	r.request("TP")
	r.WriteString(tag + "\n")
	r.text(text)
}

// bold is a text in bold; what stands behind the first = is a name for a value.
func bold(text string) string {
	name, value, has := strings.Cut(text, "=")
	if !has {
		return `\fB` + escape(name) + `\fR`
	}
	if optional := strings.TrimSuffix(name, "["); optional != name {
		return `\fB` + escape(optional) + `\fR[=\fI` + escape(strings.TrimSuffix(value, "]")) + `\fR]`
	}
	return `\fB` + escape(name) + `\fR=\fI` + escape(value) + `\fR`
}

// escape writes a text so that it is shown as it is: in ASCII, without what begins an escape or a
// request, and with the signs that people copy.
func escape(text string) string {
	var out strings.Builder
	for _, sign := range strings.Join(strings.Fields(text), " ") {
		switch sign {
		case '\\':
			out.WriteString(`\(rs`)
		case '-':
			out.WriteString(`\-`)
		case '"':
			out.WriteString(`\(dq`)
		case '\'':
			out.WriteString(`\(aq`)
		case '`':
			out.WriteString(`\(ga`)
		case '^':
			out.WriteString(`\(ha`)
		case '~':
			out.WriteString(`\(ti`)
		default:
			if sign < ' ' || sign >= 0x7f {
				fmt.Fprintf(&out, `\[u%04X]`, sign)
			} else {
				out.WriteRune(sign)
			}
		}
	}
	return out.String()
}
