package canon

import (
	"math"
	"strconv"
	"strings"
)

// pywbNumber is a JSON number as pywb writes it: an integer literal as it is, of any
// length; any other number as a float64, in full if it is whole, else as Python
// prints it.
func pywbNumber(literal string) string {
	if !strings.ContainsAny(literal, ".eE") {
		if literal == "-0" {
			return "0"
		}
		return literal
	}
	f, _ := strconv.ParseFloat(literal, 64)
	return wholeOrPython(f)
}

// isNumeral reports whether a JSON scalar is a number.
func isNumeral(literal string) bool { return literal[0] == '-' || isDigit(literal[0]) }

// overflows reports whether a float64 cannot hold a JSON number that is no integer. Nearly
// all of them are so short of it that they need not be read for that.
func overflows(literal string) bool {
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

// isTiny reports whether a JSON scalar is a number that may be too small for a float64 to
// have all its digits. Such a number takes a hundred times as long to read as others do.
func isTiny(literal string) bool {
	if !isNumeral(literal) {
		return false
	}
	exponent, ok := exponentOf(literal)
	return !ok || exponent < -280
}

// stepsPerTiny is how much of the budget such a number takes.
const stepsPerTiny = 4096

// exponentOf is what is behind the e of a JSON number, false if it has too many digits.
func exponentOf(literal string) (exponent int, ok bool) {
	e := strings.LastIndexAny(literal, "eE")
	if e < 0 {
		return 0, true
	}
	exponent, err := strconv.Atoi(literal[e+1:])
	return exponent, err == nil
}

// wholeOrPython is f in full if it is whole (1e+23 is 99999999999999991611392), else
// as Python prints it.
func wholeOrPython(f float64) string {
	switch {
	case f == 0:
		return "0"
	case f == math.Trunc(f) && !math.IsInf(f, 0):
		return strconv.FormatFloat(f, 'f', 0, 64)
	}
	return pythonFloat(f)
}

// pythonFloat is f as Python's repr prints it: the shortest digits that give f again,
// with an exponent below 1e-4 and from 1e16 on.
func pythonFloat(f float64) string {
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

// jsNumber is a JSON number as JavaScript's Number.prototype.toString prints it,
// after JSON.parse made a float64 of it (ECMA-262, section Number::toString).
func jsNumber(literal string) string {
	f, _ := strconv.ParseFloat(literal, 64) // the one error leaves an infinity
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
