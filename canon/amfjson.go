package canon

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
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
	t.value(v)
	switch string(t.out[mark:]) {
	case "nan":
		t.out = append(t.out[:mark], "NaN"...)
	case "inf":
		t.out = append(t.out[:mark], "Infinity"...)
	case "-inf":
		t.out = append(t.out[:mark], "-Infinity"...)
	}
}

// jsonObject writes an object of no class that matters, its names sorted. The names of
// an array's elements are numbers, and Python cannot sort those among others.
func (t *amfText) jsonObject(o *amfObject) {
	if strings.HasPrefix(o.class, "flex.messaging.") {
		t.failed = true
		return
	}
	names := slices.Sorted(maps.Keys(o.fields))
	if o.mixed {
		numbers := slices.ContainsFunc(names, isNumber)
		if numbers && slices.ContainsFunc(names, func(name string) bool { return !isNumber(name) }) {
			t.failed = true
			return
		}
		if numbers {
			slices.SortFunc(names, byLength)
		}
	}
	t.write("{")
	for i, name := range names {
		if i > 0 {
			t.write(", ")
		}
		t.jsonString(name)
		t.write(": ")
		t.json(o.fields[name])
	}
	t.write("}")
}

func isNumber(name string) bool {
	return name != "" && strings.Trim(name, "0123456789") == ""
}

// byLength sorts numbers that are written without leading zeros.
func byLength(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}

// jsonString writes a string in ASCII.
func (t *amfText) jsonString(s string) {
	t.write(`"`)
	for _, r := range s {
		switch {
		case t.failed:
			return
		case r == '"' || r == '\\':
			t.write(`\` + string(r))
		case ' ' <= r && r < 0x7f:
			t.write(string(r))
		default:
			t.jsonEscape(r)
		}
	}
	t.write(`"`)
}

func (t *amfText) jsonEscape(r rune) {
	if at := strings.IndexRune("\b\f\n\r\t", r); at >= 0 {
		t.write(`\` + "bfnrt"[at:at+1])
		return
	}
	if high, low := utf16.EncodeRune(r); high != '\ufffd' {
		t.jsonEscape(high)
		r = low
	}
	t.write(fmt.Sprintf(`\u%04x`, r))
}
