// Package number writes numbers as other tools do: a literal of a JSON text as pywb and JavaScript
// print its value, a float64 as Python does. Lookups compare these texts byte by byte.
//
// Invariant: a literal is one that RFC 8259 allows; of any length it takes linear time.
package number

import (
	"math"
	"strconv"
	"strings"
)

// Pywb returns a JSON number as pywb writes it (warcserver/inputrequest.py, with Python's json): an
// integer literal as it is, of any length; any other number as a float64, in full if it is whole,
// else as Python prints it.
func Pywb(literal string) string {
	if !strings.ContainsAny(literal, ".eE") {
		if literal == "-0" {
			return "0"
		}
		return literal
	}
	f, _ := strconv.ParseFloat(literal, 64)
	return WholeOrPython(f)
}

// IsNumber reports whether a JSON scalar is a number.
func IsNumber(literal string) bool {
	c := literal[0]
	return c == '-' || '0' <= c && c <= '9'
}

// Overflows reports whether a JSON number that is no integer is too large for a float64. The
// exponent alone tells that nearly every number is small enough, without reading its digits.
func Overflows(literal string) bool {
	point := strings.IndexAny(literal, ".eE")
	if point < 0 {
		return false
	}
	exponent, ok := exponentOf(literal)
	if ok && exponent <= 308 && point+exponent <= 308 { // below 10 to that power
		return false
	}
	_, err := strconv.ParseFloat(literal, 64)
	return err != nil
}

// IsTiny reports whether a JSON scalar is a number so close to zero that a float64 may not hold all
// its digits. To read such a number takes a hundred times as long as to read another one.
func IsTiny(literal string) bool {
	if !IsNumber(literal) {
		return false
	}
	exponent, ok := exponentOf(literal)
	return !ok || exponent < -280
}

// exponentOf returns the exponent of a JSON number; it is false if that has too many digits.
func exponentOf(literal string) (exponent int, ok bool) {
	e := strings.LastIndexAny(literal, "eE")
	if e < 0 {
		return 0, true
	}
	exponent, err := strconv.Atoi(literal[e+1:])
	return exponent, err == nil
}

// WholeOrPython returns f in full if f is whole (1e+23 is 99999999999999991611392), else as Python
// prints it.
func WholeOrPython(f float64) string {
	switch {
	case f == 0:
		return "0"
	case f == math.Trunc(f) && !math.IsInf(f, 0):
		return strconv.FormatFloat(f, 'f', 0, 64)
	}
	return Python(f)
}

// Python returns f as Python's repr prints it: the shortest digits that give f again, with an
// exponent below 1e-4 and from 1e16 on.
func Python(f float64) string {
	switch {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 0):
		return strings.TrimPrefix(strings.ToLower(strconv.FormatFloat(f, 'g', -1, 64)), "+")
	case f != 0 && (math.Abs(f) < 1e-4 || math.Abs(f) >= 1e16):
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	text := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

// JS returns a JSON number as JavaScript's Number.prototype.toString prints it, after JSON.parse
// has made a float64 of it (ECMA-262, section Number::toString).
func JS(literal string) string {
	f, _ := strconv.ParseFloat(literal, 64) // its only error leaves an infinity
	abs := math.Abs(f)
	switch {
	case f == 0:
		return "0"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	case abs >= 1e-6 && abs < 1e21:
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	text := strconv.FormatFloat(f, 'e', -1, 64)
	return strings.Replace(text, "e-0", "e-", 1) // JavaScript does not pad 1e-07
}
