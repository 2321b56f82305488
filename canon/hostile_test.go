package canon

import (
	"strconv"
	"strings"
)

// hostile is a shape of body, of about n bytes, that makes much work of little.
type hostile struct {
	name        string
	contentType string
	body        func(n int) string
}

// hostileBodies are the shapes that made, or might make, more than linear time or memory.
var hostileBodies = append(hostileAMF, []hostile{
	{"binary", "image/png", filled("", "\xff", "")},

	{"json: a long name, many values", "application/json", longName(`1`)},
	{"json: a long name, values apart", "application/json", longName(`1,[]`)},
	{"json: a long name, objects", "text/plain", longName(`{"a":1}`)},
	{"json: a long escaped name", "application/json", longName(`"\u0041",[]`)},
	{"json: a long name of half characters", "application/json", func(n int) string {
		return `{"` + strings.Repeat(`\ud800`, n/12) + `":[` + strings.Repeat(`1,[],`, n/10) + `1]}`
	}},
	{"json: a long name and a numbered one", "application/json", func(n int) string {
		return `{"a.2_":1,"` + strings.Repeat("a", n/2) + `":[` + strings.Repeat(`1,[],`, n/10) + `1]}`
	}},
	{"json: a long numbered name", "application/json", func(n int) string {
		return `{"` + strings.Repeat("a.2_", n/8) + `":[` + strings.Repeat(`1,[],`, n/10) + `1]}`
	}},
	{"json: a name in itself", "application/json", func(n int) string {
		return strings.Repeat(
			`{"`+strings.Repeat("a", n/2000)+`":`,
			900,
		) + "[" + filled("1", ",1", "")(n/2) + "]" +
			strings.Repeat("}", 900)
	}},
	{"json: members", "application/json", filled(`{"":1`, `,"":1`, `}`)},
	{"json: arrays", "application/json", filled(`[[1]`, `,[1]`, `]`)},
	{"json: empty arrays", "application/json", filled(`[[]`, `,[]`, `]`)},
	{"json: objects", "application/json", filled(`[{"a":1}`, `,{"a":1}`, `]`)},
	{"json: names", "application/json", counted(`{"":0`, `,"%":1`, `}`)},
	{"json: indexes", "application/json", counted(`{"":0`, `,"9%":1`, `}`)},
	{"json: numbered names", "application/json", counted(`{"a":[1,1,1]`, `,"a.%_":1`, `}`)},
	{"json: numbers in full", "application/json", filled(`[1`, `,1e308`, `]`)},
	{"json: smallest numbers", "application/json", filled(`[1`, `,5e-324`, `]`)},
	{"json: greatest numbers", "application/json", filled(`[1`, `,179769313486231570e291`, `]`)},
	{"json: a long number", "application/json", filled(`[1.`, `7`, `]`)},
	{"json: a long exponent", "application/json", filled(`[1e-`, `7`, `]`)},
	{"json: numbers of many digits", "application/json",
		filled(`[1`, `,1`+strings.Repeat("3", 900)+"e-1200", `]`)},
	{"json: escapes", "application/json", filled(`["`, `\u00e9`, `"]`)},
	{"json: strings", "application/json", filled(`[1`, `,"\n"`, `]`)},
	{"json: deep", "application/json", filled(``, `[`, ``)},
	{"json: deep objects", "application/json", filled(``, `{"":`, ``)},
	{"json: all depths", "application/json", func(n int) string {
		return "[" + strings.Repeat(strings.Repeat("[", 900)+strings.Repeat("]", 900)+",", n/1801) + "1]"
	}},
	{"json: not UTF-8", "application/json", filled(`["`, "\xff", `"]`)},
	{"json: open string", "text/plain", filled(`"`, `\\`, ``)},
	{"json: white space", "text/plain", filled(``, ` `, `1`)},

	{"form: separators", "application/x-www-form-urlencoded", filled("", "&", "")},
	{"form: escapes", "application/x-www-form-urlencoded", filled("", "%25", "")},
	{"form: percent signs", "application/x-www-form-urlencoded", filled("", "%", "")},
	{"form: plus signs", "application/x-www-form-urlencoded", filled("", "+", "")},
	{"form: not ASCII", "application/x-www-form-urlencoded", filled("", "\u00e9a", "")},
	{"form: half characters", "application/x-www-form-urlencoded", filled("", "%e2a", "")},
	{"form: not UTF-8", "application/x-www-form-urlencoded", filled("", "\xf0\x9f\x98", "")},

	{"multipart: a pattern", "multipart/form-data; boundary=a.*b|a", filled("", "a", "")},
	{"multipart: a nested pattern", "multipart/form-data; boundary=(a*)*b", filled("", "a", "")},
	{"multipart: a short boundary", "multipart/form-data; boundary=a", filled("", "a", "")},
	{"multipart: no boundary", "multipart/form-data; boundary=", filled("", "-", "")},
	{"multipart: dashes", "multipart/form-data; boundary=-", filled("", "-", "")},
	{"multipart: delimiters", "multipart/form-data; boundary=X", filled("", "--X\n", "")},
	{"multipart: none at the end", "multipart/form-data; boundary=X", filled("--X\n\n", "\n--Xa", "")},
	{
		"multipart: delimiters in a line",
		"multipart/form-data; boundary=X",
		filled("--X\n\n", "--X", ""),
	},
	{"multipart: parts", "multipart/form-data; boundary=X",
		filled("", "--X\r\nContent-Disposition: form-data; name=\"\"\r\n\r\n\r\n", "--X--")},
	{"multipart: names", "multipart/form-data; boundary=X",
		counted("", "--X\r\nContent-Disposition: form-data; name=\"%\"\r\n\r\n1\r\n", "--X--")},
	{"multipart: folds", "multipart/form-data; boundary=X",
		filled("--X\nContent-Disposition: form-data", "\n ;", "\n\nx\n--X--")},
	{
		"multipart: carriage returns",
		"multipart/form-data; boundary=X",
		filled("--X\n", "a:\r", "\n--X--"),
	},
	{"multipart: parameters", "multipart/form-data; boundary=X",
		filled("--X\nContent-Disposition: form-data", ";name", "\n\nx\n--X--")},
	{"multipart: quotes", "multipart/form-data; boundary=X",
		filled("--X\nContent-Disposition: form-data; name=", `"\`, "\n\nx\n--X--")},
	{"multipart: ends of names", "multipart/form-data; boundary=X", filled("", "\"\r\n\r\n", "")},
	{"multipart: a long name", "multipart/form-data; boundary=X",
		filled("--X\nContent-Disposition: form-data; name=\"", `é`, "\"\n\nx\n--X--")},
	{"multipart: not UTF-8", "multipart/form-data; boundary=X", filled("--X\n\n", "\xff", "\n--X--")},
}...)

// filled is a shape of first, then middle as often as n has room for it, then last.
func filled(first, middle, last string) func(n int) string {
	return func(n int) string { return first + strings.Repeat(middle, n/len(middle)) + last }
}

// counted is filled with a number, other each time, for each % in middle.
func counted(first, middle, last string) func(n int) string {
	return func(n int) string {
		out := []byte(first)
		for i := 2; len(out) < n; i++ {
			out = append(out, strings.ReplaceAll(middle, "%", strconv.Itoa(i))...)
		}
		return string(append(out, last...))
	}
}

// longName is an object of one name, which takes half of the room, and of many values.
func longName(value string) func(n int) string {
	return func(n int) string {
		return `{"` + strings.Repeat("a", n/2) + `":[` + strings.Repeat(value+",",
			n/2/(len(value)+1)) + `1]}`
	}
}
