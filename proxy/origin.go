package proxy

import (
	"strings"

	"warcorder/proxy/route"
)

// origin names a place that requests go to, and by which way. It is the key of the upstream pool:
// what leads elsewhere, by another way or in another's name shares no connection.
type origin struct {
	secure bool
	host   string // lower case, no brackets
	port   string
	name   string // the name that the certificate must bear, and the SNI; for secure only
	opaque bool   // bytes pass as they are: a tunnel, whose TLS is the client's affair

	way  *route.Way // nil is direct
	user string     // the proxy user, on a way that is authenticated; else ""
}

// siteName is the host in the URL.
func (o origin) siteName() string {
	if o.secure {
		return o.name
	}
	return o.host
}

// appendURL appends scheme and authority.
func (o origin) appendURL(dst []byte) []byte {
	scheme, defaultPort := "http://", "80"
	if o.secure {
		scheme, defaultPort = "https://", "443"
	}
	dst = append(dst, scheme...)
	if host := o.siteName(); strings.Contains(host, ":") {
		dst = append(append(append(dst, '['), host...), ']')
	} else {
		dst = append(dst, host...)
	}
	if o.port != defaultPort {
		dst = append(append(dst, ':'), o.port...)
	}
	return dst
}
