package record

import (
	"strings"
	"time"

	"warcorder/store/warc"
)

// The formats of WARC-Date: with the microseconds that WARC 1.1 has room for, and as WARC 1.0 has
// it.
const (
	DateFormat    = "2006-01-02T15:04:05.000000Z"
	secondsFormat = "2006-01-02T15:04:05Z"
)

// AppendDate appends a WARC-Date, in UTC: in whole seconds, or with microseconds.
func AppendDate(dst []byte, t time.Time, seconds bool) []byte {
	if seconds {
		return t.UTC().AppendFormat(dst, secondsFormat)
	}
	return t.UTC().AppendFormat(dst, DateFormat)
}

// ParseW3CDTF is [warc.ParseDate] for a date that is to stand in a record of ours: the date must be as
// WARC 1.1 section 5.4 has it. It returns UTC, in microseconds, as the index keeps it.
func ParseW3CDTF(text string) (time.Time, bool) {
	date, ok := warc.ParseDate(text)
	strict := strings.Trim(text, "0123456789-:.TZ") == "" &&
		strings.Contains(text, "T") == strings.HasSuffix(text, "Z") &&
		len(text) <= len("2006-01-02T15:04:05.999999999Z")
	return date.UTC().Truncate(time.Microsecond), ok && strict
}
