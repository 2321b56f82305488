package proxy

import (
	"bytes"
	"time"
)

// foreign is a protocol that is not ours, as its clients begin. They get an answer that they
// understand, where there is one, and the log says what to set. Most of them wait for an answer,
// and would else do so for timeout-header.
type foreign struct {
	begins []byte // with the first bytes of its clients
	is     string // in words
	do     string
	answer []byte // nil is a page
}

// foreigners are told by their first bytes, the first that matches. None begins as a request does:
// "PRI" is kept from being a method (RFC 9113 section 11.6).
var foreigners = []*foreign{
	{
		begins: []byte{5},
		is:     "a SOCKS5 client",
		do:     asHTTPProxy,
		answer: []byte{5, 0xff}, // no acceptable methods, RFC 1928 section 3
	},
	{
		begins: []byte{4},
		is:     "a SOCKS4 client",
		do:     asHTTPProxy,
		answer: []byte{0, 91, 0, 0, 0, 0, 0, 0}, // rejected
	},
	{
		// TLS libraries know the first bytes of a page, and say so
		begins: []byte{recordTypeHandshake},
		is:     "a client that speaks TLS to the proxy",
		do:     "set warcorder as http://, not as https://; https:// pages go through it all the same",
	},
	{
		begins: []byte("PRI * HTTP/2"),
		is:     "a client that speaks HTTP/2 to the proxy",
		do:     "let it speak HTTP/1.1 to the proxy",
		answer: goAway("warcorder speaks HTTP/1.1"),
	},
	{
		begins: []byte("SSH-"),
		is:     "an SSH client",
		do:     "nothing but HTTP is recorded: let it go without warcorder",
	},
}

const asHTTPProxy = "set warcorder as an HTTP proxy (http://, not socks://), for http and https " +
	"alike"

// noHTTP begins with a byte that no request begins with.
var noHTTP = &foreign{
	is: "a client that speaks no HTTP",
	do: "let it go without warcorder, or tell it to speak to an HTTP proxy",
}

// foreignTo returns whose protocol it is that a connection begins with, or nil; unsure, if it could
// still become one.
func foreignTo(first []byte) (f *foreign, unsure bool) {
	if len(first) == 0 || 'A' <= first[0] && first[0] < 'P' {
		return nil, false
	}
	for _, f := range foreigners {
		if bytes.HasPrefix(first, f.begins) {
			return f, false
		}
		unsure = unsure || bytes.HasPrefix(f.begins, first)
	}
	if b := first[0]; b < ' ' && b != '\r' && b != '\n' || b >= 0x7f {
		return noHTTP, false
	}
	return nil, unsure
}

// goAway is what a server of HTTP/2 says that wants HTTP/1.1: its settings, which are empty, and a
// GOAWAY (RFC 9113 sections 6.5 and 6.8) with HTTP_1_1_REQUIRED and a text.
func goAway(text string) []byte {
	const settings, goAway, http11Required = 4, 7, 13
	frames := []byte{0, 0, 0, settings, 0, 0, 0, 0, 0}
	frames = append(frames, 0, 0, byte(8+len(text)), goAway, 0, 0, 0, 0, 0)
	frames = append(frames, 0, 0, 0, 0, 0, 0, 0, http11Required)
	return append(frames, text...)
}

// foreignError is a connection whose client speaks another protocol.
type foreignError struct{ *foreign }

func (e *foreignError) Error() string { return e.is + " has connected: " + e.do }

// turnForeign answers a client that speaks another protocol in its own, and notes it.
func (s *session) turnForeign(f *foreign) {
	s.seenForeign[f].add(s.raw.RemoteAddr().String())
	if f.answer == nil {
		s.page(refusal{400, "This is an HTTP proxy, and what came is from " + f.is + ": " + f.do + "."})
	} else {
		s.in.writeUntil(time.Now().Add(refusalPatience), 0)
		s.conn.Write(f.answer)
	}
	s.linger()
}

// foreignSummaries tell of clients that speak other protocols: of each protocol the first at once,
// and then once a second how many there were.
func (r *relay) foreignSummaries() map[*foreign]*summary {
	all := map[*foreign]*summary{}
	for _, f := range append([]*foreign{noHTTP}, foreigners...) {
		all[f] = &summary{tell: func(who string, n int64) {
			r.log.Warn().Str("client", who).Int64("clients", n).Str("is", f.is).Str("do", f.do).
				Msg("a client was turned away that speaks no HTTP to the proxy")
			if r.current().door == nil { // else it has not shown that it may use the proxy
				r.gaps(n, who, (&foreignError{f}).Error())
			}
		}}
	}
	return all
}
