package amf

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// json writes a value as Python's json.dumps does.
func (p *printer) json(v any) {
	if !p.enter() {
		return
	}
	switch v := v.(type) {
	case nil:
		p.write("null")
	case bool:
		p.write(strconv.FormatBool(v))
	case float64, amf0Number, int:
		p.jsonNumber(v)
	case string:
		p.jsonString(v)
	case *array:
		p.list(v.elements, ", ", p.json)
	case *object:
		p.jsonObject(v)
	default: // Python cannot write it either
		p.failed = true
	}
	p.nesting--
}

// jsonNumber writes a number, or a word that Python's json writes in place of one.
func (p *printer) jsonNumber(v any) {
	mark := len(p.out)
	p.number(v)
	switch string(p.out[mark:]) {
	case "nan":
		p.out = append(p.out[:mark], "NaN"...)
	case "inf":
		p.out = append(p.out[:mark], "Infinity"...)
	case "-inf":
		p.out = append(p.out[:mark], "-Infinity"...)
	}
}

// jsonObject writes an object, its names sorted. json.dumps fails for messages of Flex.
func (p *printer) jsonObject(o *object) {
	if strings.HasPrefix(o.class, "flex.messaging.") {
		p.failed = true
		return
	}
	o.sort()
	if o.unsortable {
		p.failed = true
		return
	}
	p.write("{")
	for i, f := range o.fields {
		if p.failed {
			return
		}
		if i > 0 {
			p.write(", ")
		}
		p.jsonString(f.name)
		p.write(": ")
		p.json(f.value)
	}
	p.write("}")
}

// jsonString writes a string in ASCII.
func (p *printer) jsonString(s string) {
	p.write(`"`)
	for s != "" && !p.failed {
		plain := 0
		for plain < len(s) && isPlain(s[plain]) {
			plain++
		}
		p.write(s[:plain])
		if s = s[plain:]; s != "" {
			r, size := utf8.DecodeRuneInString(s)
			p.jsonEscape(r)
			s = s[size:]
		}
	}
	p.write(`"`)
}

// isPlain reports whether a byte stands in a JSON string as it is.
func isPlain(c byte) bool { return ' ' <= c && c <= '~' && c != '"' && c != '\\' }

func (p *printer) jsonEscape(r rune) {
	if at := strings.IndexRune("\"\\\b\f\n\r\t", r); at >= 0 {
		p.write(`\` + `"\bfnrt`[at:at+1])
		return
	}
	if high, low := utf16.EncodeRune(r); high != '\ufffd' {
		p.jsonEscape(high)
		r = low
	}
	const hex = "0123456789abcdef"
	p.write(`\u` + string([]byte{hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15]}))
}
