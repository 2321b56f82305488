package recorder

import (
	"time"

	"warcorder/store/warc"
)

// style is what the configuration says of how records are written. The zero style is that of an
// empty configuration.
type style struct {
	digester
	seconds  bool // WARC 1.0, whose dates have whole seconds
	noSL     bool // the gzip members carry no skip lengths
	warcinfo WARCInfo
}

// version is the first line of each record.
func (s *style) version() string {
	if s.seconds {
		return warc.Version10
	}
	return warc.Version
}

// date is what a reader of the records takes t for.
func (s *style) date(t time.Time) time.Time {
	if s.seconds {
		return t.UTC().Truncate(time.Second)
	}
	return t.UTC().Truncate(time.Microsecond)
}

// The formats of WARC-Date: with the microseconds that WARC 1.1 has room for, and as WARC 1.0 has
// it.
const (
	dateFormat    = "2006-01-02T15:04:05.000000Z"
	secondsFormat = "2006-01-02T15:04:05Z"
)

// appendDate appends a WARC-Date.
func (s *style) appendDate(dst []byte, t time.Time) []byte { return appendDate(dst, t, s.seconds) }

func appendDate(dst []byte, t time.Time, seconds bool) []byte {
	if seconds {
		return t.UTC().AppendFormat(dst, secondsFormat)
	}
	return t.UTC().AppendFormat(dst, dateFormat)
}

// compressor returns a Compressor.
func (s *style) compressor() *warc.Compressor {
	c := warc.NewCompressor()
	c.NoSkipLengths = s.noSL
	return c
}
