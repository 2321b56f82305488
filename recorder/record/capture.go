package record

import (
	"time"

	"warcorder/store"
)

// CaptureOf makes the capture of a response from what its records say, and from nothing else, so
// that recovery makes the same. truncated says whether the response has WARC-Truncated. The caller
// adds where it lies. within is false if the request's body counts as binary for the work that it
// asks for, as store.Keyer.Fill says.
func CaptureOf(keyer *store.Keyer, uri string, date time.Time, request *Asked, response *Head,
	truncated bool, digest string) (c store.Capture, within bool) {
	c = store.Capture{
		Time:   date.UTC().Truncate(time.Microsecond),
		URL:    uri,
		Digest: digest,
	}
	response.Fill(&c, truncated)
	response.FillVisit(&c)
	request.Visit(&c)
	if string(request.Method) != "GET" {
		c.Method = Text(request.Method)
	}
	within = keyer.Fill(&c, request.Request())
	return c, within
}

// TextSize is what the texts of a capture take in memory, keys and all.
func TextSize(c *store.Capture) int64 {
	return c.KeySize() + int64(len(c.URL)+len(c.URLKey)+len(c.Method)+len(c.MIME)+len(c.Digest))
}
