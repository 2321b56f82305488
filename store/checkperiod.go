package store

import (
	"fmt"
	"strings"
	"time"
)

// momentLayout is the whole of a moment that a person writes, of which they may leave out the end.
const momentLayout = "20060102150405"

// CheckPeriod returns an error unless from and to are what a person means by a period: each is "", or
// a year, a month, a day, an hour, a minute or a second that there is, and to does not lie before from.
// A Query takes more, as others' CDX servers do.
func CheckPeriod(from, to string) error {
	for _, moment := range []string{from, to} {
		if err := checkMoment(moment); err != nil {
			return err
		}
	}
	if n := min(len(from), len(to)); from[:n] > to[:n] {
		return fmt.Errorf("from %s to %s: it ends before it begins", from, to)
	}
	return nil
}

func checkMoment(text string) error {
	if text == "" {
		return nil
	}
	digits := strings.Trim(text, "0123456789") == ""
	if n := len(text); digits && n >= 4 && n <= len(momentLayout) && n%2 == 0 {
		if _, err := time.Parse(momentLayout[:n], text); err == nil {
			return nil
		}
	}
	return fmt.Errorf("timestamp %q: say a time (UTC) that there is, with 4, 6, 8, 10, 12 or 14 digits of "+
		"YYYYMMDDhhmmss", text)
}
