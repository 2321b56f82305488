package rules

import (
	"cmp"
	"slices"
	"strings"
)

// kinds is what a value may look like: one bit for each.
type kinds uint16

const (
	anything kinds = 1 << iota
	empty
	digits
	hexadecimal
	uuid
	base64
	fraction
	seconds
	milliseconds
	date
	id
	word
	callback
)

// kindNames are the kinds as rules name them.
var kindNames = map[string]kinds{
	"any":          anything,
	"empty":        empty,
	"digits":       digits,
	"hex":          hexadecimal,
	"uuid":         uuid,
	"base64":       base64,
	"fraction":     fraction,
	"seconds":      seconds,
	"milliseconds": milliseconds,
	"date":         date,
	"time":         seconds | milliseconds | date,
	"id":           id,
	"word":         word,
	"callback":     callback,
	"chance":       digits | hexadecimal | uuid | fraction | seconds | milliseconds | date | id,
}

// look is how values of a kind look.
type look struct {
	kind kinds
	is   func(string) bool
}

// looks has every kind but anything.
var looks = []look{
	{empty, func(s string) bool { return s == "" }},
	{digits, func(s string) bool { return len(s) >= 6 && only(s, isDigit) }}, // pages have fewer
	{hexadecimal, func(s string) bool { return len(s) >= 8 && only(s, isHex) }},
	{uuid, isUUID},
	{base64, func(s string) bool { return len(s) >= 16 && only(strings.TrimRight(s, "="), isBase64) }},
	{fraction, isFraction},
	{seconds, func(s string) bool { return isTime(s, 10) }},
	{milliseconds, func(s string) bool { return isTime(s, 13) }},
	{date, isDate},
	{id, isID},
	{word, isWord},
	{callback, isCallback},
}

// have reports whether a value looks like one of the kinds.
func (k kinds) have(value string) bool {
	return k&anything != 0 ||
		slices.ContainsFunc(looks, func(l look) bool { return k&l.kind != 0 && l.is(value) })
}

func only(s string, is func(byte) bool) bool {
	for i := range len(s) {
		if !is(s[i]) {
			return false
		}
	}
	return true
}

func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isHex(c byte) bool    { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

// isBase64 is for both alphabets of RFC 4648.
func isBase64(c byte) bool { return isDigit(c) || isLetter(c) || strings.IndexByte("+/-_", c) >= 0 }

// isUUID reports whether s is a UUID as RFC 9562 writes it.
func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (s[i] == '-') ||
			!dash && !isHex(s[i]) {
			return false
		}
	}
	return true
}

// isFraction reports whether s looks like what Math.random gives: a number from 0 to 1 with at
// least 10 digits behind the point, more than a place on a map has.
func isFraction(s string) bool {
	s, found := strings.CutPrefix(s, "0.")
	s, exponent, scientific := strings.Cut(s, "e-")
	return found && len(s) >= 10 && only(s, isDigit) &&
		(!scientific || exponent != "" && only(exponent, isDigit))
}

// isTime reports whether s is a time since 1970 with n digits before a point: seconds have 10 from
// 2001 to 2286. Times before 2005 and after 2100 are taken for other numbers.
func isTime(s string, n int) bool {
	whole, part, _ := strings.Cut(s, ".")
	return len(whole) == n && only(whole, isDigit) && only(part, isDigit) &&
		"11" <= whole[:2] && whole[:2] <= "40"
}

// isDate reports whether s begins as a date of ISO 8601 with a time of day does, in its basic or
// its extended form: 20240102T030405Z, 2024-01-02T03:04:05.
func isDate(s string) bool {
	day, clock, found := strings.Cut(s, "T")
	day = strings.ReplaceAll(day, "-", "")
	return found && len(s) <= 40 && len(day) == 8 && only(day, isDigit) && len(clock) >= 4 &&
		only(clock, func(c byte) bool { return isDigit(c) || strings.IndexByte(":.+-Z", c) >= 0 })
}

// isID reports whether s looks like an identifier that was made, not given: a word of 8 characters
// or more, letters and digits among them.
func isID(s string) bool {
	hasDigit, hasLetter := false, false
	for i := range len(s) {
		hasDigit, hasLetter = hasDigit || isDigit(s[i]), hasLetter || isLetter(s[i])
	}
	return len(s) >= 8 && hasDigit && hasLetter && isWord(s)
}

// isWord reports whether s is letters, digits, - and _.
func isWord(s string) bool {
	return s != "" &&
		only(s, func(c byte) bool { return isDigit(c) || isLetter(c) || c == '-' || c == '_' })
}

// isCallback reports whether s looks like the name of a function that a library has made for one
// answer: it has a number. jQuery321048_1700000000000, jsonp3, angular.callbacks._0.
func isCallback(s string) bool {
	return s != "" && !isDigit(s[0]) && isDigit(s[len(s)-1]) && only(s, func(c byte) bool {
		return isDigit(c) || isLetter(c) || strings.IndexByte("_.$", c) >= 0
	})
}

// kindList names the kinds, for who has named another.
func kindList() string {
	names := make([]string, 0, len(kindNames))
	for name := range kindNames {
		names = append(names, name)
	}
	slices.SortFunc(names, cmp.Compare)
	return strings.Join(names, ", ")
}
