package record

import (
	"time"

	"warcorder/store/warc"
)

// Style is what the configuration says of how records are written. The zero style is that of an
// empty configuration.
type Style struct {
	Digester
	Seconds  bool // WARC 1.0, whose dates have whole seconds
	NoSL     bool // the gzip members carry no skip lengths
	Warcinfo WARCInfo

	Inspector *warc.Inspector // of the members, or nil
}

// Version is the first line of each record.
func (s *Style) Version() string {
	if s.Seconds {
		return warc.Version10
	}
	return warc.Version
}

// Date is what a reader of the records takes t for.
func (s *Style) Date(t time.Time) time.Time {
	if s.Seconds {
		return t.UTC().Truncate(time.Second)
	}
	return t.UTC().Truncate(time.Microsecond)
}

// The formats of WARC-Date: with the microseconds that WARC 1.1 has room for, and as WARC 1.0 has
// it.
const (
	DateFormat    = "2006-01-02T15:04:05.000000Z"
	secondsFormat = "2006-01-02T15:04:05Z"
)

// AppendDate appends a WARC-Date.
func (s *Style) AppendDate(dst []byte, t time.Time) []byte { return AppendDate(dst, t, s.Seconds) }

func AppendDate(dst []byte, t time.Time, seconds bool) []byte {
	if seconds {
		return t.UTC().AppendFormat(dst, secondsFormat)
	}
	return t.UTC().AppendFormat(dst, DateFormat)
}

// Compressor returns a Compressor.
func (s *Style) Compressor() *warc.Compressor {
	c := warc.NewCompressor()
	c.NoSkipLengths, c.Inspector = s.NoSL, s.Inspector
	return c
}

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
