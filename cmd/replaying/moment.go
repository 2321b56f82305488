package replaying

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// isoLayouts are the forms of ISO 8601 that are taken without an offset, which is UTC then.
var isoLayouts = []string{
	"2006-01", "2006-01-02", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02T15:04:05",
	"2006-01-02 15:04:05",
}

// ParseMoment reads a time as people give it: the first 1 to 14 digits of YYYYMMDDhhmmss, in UTC, or
// ISO 8601. What leaves something open is the middle of what it may mean: whatever lies in the year
// 2024 is nearer to 2024 than whatever does not.
func ParseMoment(text string) (time.Time, error) {
	if at, err := time.Parse(time.RFC3339, text); err == nil && at.Year() >= firstYear {
		return at.UTC(), nil
	}
	digits, err := Digits(text)
	if err != nil {
		return time.Time{}, err
	}
	first, err := bound(digits, false)
	if err != nil {
		return time.Time{}, err
	}
	last, err := bound(digits, true)
	if err != nil {
		return time.Time{}, err
	}
	middle := first.Unix() + (last.Unix()-first.Unix())/2
	return time.Unix(middle, 0).UTC(), nil
}

// Digits returns the first 1 to 14 digits of YYYYMMDDhhmmss, in UTC, of a time as ParseMoment takes it;
// whether there is such a time is not looked at.
func Digits(text string) (string, error) {
	if at, err := time.Parse(time.RFC3339, text); err == nil && at.UTC().Year() >= firstYear {
		return at.UTC().Format(allDigits), nil
	}
	digits := text
	for _, layout := range isoLayouts {
		if _, err := time.Parse(layout, text); err == nil {
			digits = onlyDigits(text)
		}
	}
	if digits == "" || len(digits) > len(allDigits) || onlyDigits(digits) != digits {
		return "", fmt.Errorf("%q is no time: give the first 1 to 14 digits of YYYYMMDDhhmmss "+
			"(UTC), or 2024-05-01, or 2024-05-01T12:30:00Z", text)
	}
	return digits, nil
}

// allDigits is the layout of YYYYMMDDhhmmss.
const allDigits = "20060102150405"

func onlyDigits(text string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, text)
}

// firstYear is the first one that has four digits.
const firstYear = 1000

// bound returns the first or the last second of what digits may mean.
func bound(digits string, last bool) (time.Time, error) {
	parts := [...]struct {
		name              string
		size, least, most int
	}{
		{"year", 4, firstYear, 9999}, {"month", 2, 1, 12}, {"day", 2, 1, 31}, {"hour", 2, 0, 23},
		{"minute", 2, 0, 59}, {"second", 2, 0, 59},
	}
	var values [len(parts)]int
	rest := digits
	for i, part := range parts {
		if part.name == "day" { // the day before the first of the next month
			part.most = time.Date(values[0], time.Month(values[1])+1, 0, 0, 0, 0, 0, time.UTC).Day()
		}
		begin := rest[:min(part.size, len(rest))]
		rest = rest[len(begin):]
		value, ok := withPrefix(begin, part.size, part.least, part.most, last)
		if !ok {
			return time.Time{}, fmt.Errorf("%q is no time: %s is no %s", digits, begin, part.name)
		}
		values[i] = value
	}
	return time.Date(values[0], time.Month(values[1]), values[2], values[3], values[4], values[5], 0,
		time.UTC), nil
}

// withPrefix returns the first or the last number of so many digits, from least to most, that begins
// so.
func withPrefix(begin string, size, least, most int, last bool) (value int, ok bool) {
	low, high := 0, 0
	for i := range size {
		low, high = 10*low, 10*high+9
		if i < len(begin) {
			digit, _ := strconv.Atoi(begin[i : i+1])
			low, high = low+digit, high-9+digit
		}
	}
	low, high = max(low, least), min(high, most)
	if last {
		return high, low <= high
	}
	return low, low <= high
}
