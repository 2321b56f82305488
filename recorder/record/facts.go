package record

import (
	"net/netip"
	"slices"
	"strings"
	"time"
)

// Facts are what is known of an exchange beside the bytes of its two messages.
type Facts struct {
	// Started is when the request began: the WARC-Date of all records of the exchange.
	Started time.Time

	// Ended is when the last byte had passed the proxy.
	Ended time.Time

	// URL is the target as asked for, scheme://authority/path. Raw bytes, a fragment or userinfo may
	// stand in it: the records carry its normal form.
	URL string

	// Method is the request's method as sent.
	Method string

	// RemoteIP is the origin's address; the zero Addr if no connection was made.
	RemoteIP netip.Addr

	// TLS and Cipher are tls.VersionTLS13 … and the cipher suite of the connection to the origin; 0
	// without TLS.
	TLS, Cipher uint16

	// Unverified says what is wrong with the origin's certificate that was accepted all the same; ""
	// if nothing.
	Unverified string

	// Via is the way on which the origin was reached through other proxies, told by their kind alone:
	// "http", "socks5 > https"; "" if none stood between.
	Via string

	// Truncated is why the exchange is incomplete, in the words of WARC-Truncated (WARC 1.1 section
	// 5): length, time, disconnect, unspecified; "" if it is complete.
	Truncated string

	// Completion says that no client asked: the proxy did, for the whole of what a client had taken a
	// "part" of, or of an answer that was "cut". It is "" for what a client asked for.
	Completion string

	// Fault is what went wrong, for the metadata record; "" if nothing.
	Fault string
}

// Took is how long the exchange lasted.
func (f *Facts) Took() time.Duration { return f.Ended.Sub(f.Started) }

// maxVia is more than any way of ours is long.
const maxVia = 100

// IsVia reports whether text is what [Facts.Via] may say.
func IsVia(text string) bool {
	if text == "" {
		return true
	}
	for kind := range strings.SplitSeq(text, " > ") {
		if !slices.Contains([]string{"http", "https", "socks5", "socks5h"}, kind) {
			return false
		}
	}
	return len(text) <= maxVia
}
