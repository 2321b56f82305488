package warc

import "time"

// ParseDate reads a WARC-Date: WARC 1.1 lets it end after the year, the month, the day, the minute
// or the second, or give a fraction of it.
func ParseDate(text string) (time.Time, bool) {
	for _, layout := range []string{
		time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05", time.DateOnly, "2006-01", "2006",
	} {
		if date, err := time.Parse(layout, text); err == nil {
			return date, true
		}
	}
	return time.Time{}, false
}
