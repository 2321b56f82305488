package replay

import (
	"net/http"
	"strconv"
	"strings"

	"warcorder/store"
)

// With Explain an answer says where it comes from:
//
//	Memento-Datetime: Sun, 22 Nov 2026 19:37:05 GMT   when it was captured (RFC 7089 section 2.1.1)
//	Link: <https://example.com/>; rel="original"      the URL that was captured (section 2.2)
//	X-Warcorder-Capture: FILE:OFFSET                  the record
//	X-Warcorder-Rule: exact                           how it was found: see choice
//	X-Warcorder-Framing: made                         its framing is not that of the record
//	X-Warcorder-Miss: not captured                    why there is none, in the place of all others

// explain returns these fields, with their line ends, for a capture that was found by a rule.
func explain(rule string, c *store.Capture) []byte {
	m := message{}
	m.field("Memento-Datetime", c.Time.UTC().Format(http.TimeFormat))
	m.field("Link", "<"+plainURL(c.URL)+`>; rel="original"`)
	m.field("X-Warcorder-Capture", plainText(c.File)+":"+strconv.FormatInt(c.Offset, 10))
	m.field("X-Warcorder-Rule", plainText(rule))
	return m.head
}

// explainMiss returns the field that says why there is no answer.
func explainMiss(why string) []byte {
	m := message{}
	m.field("X-Warcorder-Miss", plainText(why))
	return m.head
}

// plainText is a text as a field may have it. Names of files, and what a foreign file says, may
// hold anything.
func plainText(s string) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f {
			return ' '
		}
		return c
	}, s)
}

// plainURL is a URL that ends no Link that it stands in.
func plainURL(s string) string {
	return strings.NewReplacer(" ", "%20", "<", "%3C", ">", "%3E", `"`, "%22").Replace(plainText(s))
}
