package canon

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// json writes a value as Python's json.dumps does.
func (t *amfText) json(v any) {
	if !t.enter() {
		return
	}
	switch v := v.(type) {
	case nil:
		t.write("null")
	case bool:
		t.write(strconv.FormatBool(v))
	case float64, amfNumber, int:
		t.jsonNumber(v)
	case string:
		t.jsonString(v)
	case *amfArray:
		t.list(v.elements, ", ", t.json)
	case *amfObject:
		t.jsonObject(v)
	default: // Python cannot write it either
		t.failed = true
	}
	t.nesting--
}

// jsonNumber writes a number, and what Python takes for one.
func (t *amfText) jsonNumber(v any) {
	mark := len(t.out)
	t.number(v)
	switch string(t.out[mark:]) {
	case "nan":
		t.out = append(t.out[:mark], "NaN"...)
	case "inf":
		t.out = append(t.out[:mark], "Infinity"...)
	case "-inf":
		t.out = append(t.out[:mark], "-Infinity"...)
	}
}

// jsonObject writes an object of no class that matters, its names sorted.
func (t *amfText) jsonObject(o *amfObject) {
	if strings.HasPrefix(o.class, "flex.messaging.") {
		t.failed = true
		return
	}
	o.sort()
	if o.unsortable {
		t.failed = true
		return
	}
	t.write("{")
	for i, f := range o.fields {
		if t.failed {
			return
		}
		if i > 0 {
			t.write(", ")
		}
		t.jsonString(f.name)
		t.write(": ")
		t.json(f.value)
	}
	t.write("}")
}

// jsonString writes a string in ASCII.
func (t *amfText) jsonString(s string) {
	t.write(`"`)
	for s != "" && !t.failed {
		plain := 0
		for plain < len(s) && jsonPlain[s[plain]] != 0 {
			plain++
		}
		t.write(s[:plain])
		if s = s[plain:]; s != "" {
			r, size := utf8.DecodeRuneInString(s)
			t.jsonEscape(r)
			s = s[size:]
		}
	}
	t.write(`"`)
}

// jsonPlain is what stands in a JSON string as it is.
var jsonPlain = printable().except(`"\`)

func (t *amfText) jsonEscape(r rune) {
	if at := strings.IndexRune("\"\\\b\f\n\r\t", r); at >= 0 {
		t.write(`\` + `"\bfnrt`[at:at+1])
		return
	}
	if high, low := utf16.EncodeRune(r); high != '\ufffd' {
		t.jsonEscape(high)
		r = low
	}
	t.write(
		`\u` + string(
			[]byte{hexDigits[r>>12&15], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15]}),
	)
}
