package recorder

import (
	"crypto/tls"
	"net/netip"
	"time"

	"warcorder/recorder/record"
)

// example is an exchange with something in every field.
func example() *Exchange {
	started := time.Date(2026, 2, 28, 23, 59, 59, 123456789, time.FixedZone("", 3600))
	return &Exchange{Facts: record.Facts{
		Started:  started,
		Ended:    started.Add(1234567 * time.Microsecond),
		URL:      "https://example.com/",
		Method:   "GET",
		RemoteIP: netip.MustParseAddr("192.0.2.1"),
		TLS:      tls.VersionTLS13,
		Cipher:   tls.TLS_AES_128_GCM_SHA256,
	}}
}

const (
	exampleRequest  = "GET / HTTP/1.1\r\nHost: example.com\r\n\r\n"
	exampleResponse = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: " +
		"5\r\n\r\nhello"
)
