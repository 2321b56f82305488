// Package http1test has messages for tests of HTTP/1.1 framing: heads and chunked bodies that two
// readers could end in different places. The tests of package http1 hold its decisions against
// them, those of package proxy what clients and origins see.
package http1test

import "strings"

// Head writes a head with CRLF line ends and its blank line.
func Head(l ...string) []byte { return []byte(strings.Join(l, "\r\n") + "\r\n\r\n") }

// Smuggled are heads that two readers could frame differently. Each holds for requests and for
// responses.
var Smuggled = map[string][]string{
	"CL.TE":                     {"Content-Length: 6", "Transfer-Encoding: chunked"},
	"TE.CL":                     {"Transfer-Encoding: chunked", "Content-Length: 6"},
	"two lengths":               {"Content-Length: 6", "Content-Length: 7"},
	"two lengths in a list":     {"Content-Length: 6, 7"},
	"length with a sign":        {"Content-Length: +6"},
	"negative length":           {"Content-Length: -6"},
	"length in hexadecimal":     {"Content-Length: 0x6"},
	"length with a space":       {"Content-Length: 6 6"},
	"empty length":              {"Content-Length:"},
	"length over 63 bits":       {"Content-Length: 99999999999999999999"},
	"two lengths, one empty":    {"Content-Length: 6,"},
	"list of empty and length":  {"Content-Length: ,6"},
	"length with a fraction":    {"Content-Length: 6.0"},
	"length with an exponent":   {"Content-Length: 6e0"},
	"length with a parameter":   {"Content-Length: 6;q=1"},
	"length in quotes":          {"Content-Length: \"6\""},
	"length in wide digits":     {"Content-Length: \uff16"},
	"length with an underscore": {"Content-Length: 1_0"},
	"length behind a VT":        {"Content-Length: \x0b6"},
	"length before a FF":        {"Content-Length: 6\x0c"},
	"length before a NBSP":      {"Content-Length: 6\u00a0"},
	"space before colon, CL":    {"Content-Length : 6"},
	"tab before colon, CL":      {"Content-Length\t: 6"},
	"space before colon, TE":    {"Transfer-Encoding : chunked"},
	"tab before colon, TE":      {"Transfer-Encoding\t: chunked"},
	"space in the name, CL":     {"Content -Length: 6"},
	"DEL in the name":           {"Transfer-Encoding\x7f: chunked"},
	"NBSP before colon":         {"X: y", "Transfer-Encoding \u00a0: chunked"},
	"control in the name":       {"Transfer-Encoding\x0b: chunked"},
	"folded length":             {"Content-Length:", " 6"},
	"folded coding":             {"Transfer-Encoding: gzip,", "\tchunked"},
	"framing field as a fold":   {"X: 1", " Transfer-Encoding: chunked"},
	"first line is a fold":      {" Content-Length: 6"},
	"no colon":                  {"Content-Length 6", "Transfer-Encoding"},
	"chunked twice":             {"Transfer-Encoding: chunked, chunked"},
	"chunked on two lines":      {"Transfer-Encoding: chunked", "Transfer-Encoding: chunked"},
	"chunked and nothing":       {"Transfer-Encoding: chunked,"},
	"chunked not last":          {"Transfer-Encoding: chunked, identity"},
	"chunked not last, 2 lines": {"Transfer-Encoding: chunked", "Transfer-Encoding: identity"},
	"CL.CL.TE": {
		"Content-Length: 6",
		"Content-Length: 6",
		"Transfer-Encoding: chunked",
	},
	"TE.CL, coding unknown":  {"Transfer-Encoding: xchunked", "Content-Length: 6"},
	"TE.CL, coding empty":    {"Transfer-Encoding:", "Content-Length: 6"},
	"bare CR before a field": {"X: a", "\rContent-Length: 6"},
	"bare CR in a name":      {"Content-\rLength: 6"},
	"bare CR behind a value": {"Content-Length: 6\r"},
	"NUL in a name":          {"Content-Length\x00: 6"},
	"NUL in a coding":        {"Transfer-Encoding: chunked\x00"},
	"bare CR":                {"X: a\rContent-Length: 6"},
	"CR CR LF":               {"X: a\r"},
	"NUL":                    {"X: a\x00b"},
}

// BadChunks are chunked bodies that two readers could end in different places, with a message
// hidden in them.
var BadChunks = map[string]string{
	"0x":                   "0x5\r\nabcde\r\n0\r\n\r\n",
	"negative":             "-5\r\nabcde\r\n0\r\n\r\n",
	"plus":                 "+5\r\nabcde\r\n0\r\n\r\n",
	"huge":                 "fffffffffffffffff\r\nabcde\r\n0\r\n\r\n",
	"64 bits":              "10000000000000005\r\nabcde\r\n0\r\n\r\n",
	"empty size":           "\r\nabcde\r\n0\r\n\r\n",
	"space before":         " 5\r\nabcde\r\n0\r\n\r\n",
	"space inside":         "5 5\r\nabcde\r\n0\r\n\r\n",
	"junk behind a space":  "5 x\r\nabcde\r\n0\r\n\r\n",
	"letter":               "5g\r\nabcde\r\n0\r\n\r\n",
	"underscore":           "1_0\r\nabcde\r\n0\r\n\r\n",
	"dot":                  "5.0\r\nabcde\r\n0\r\n\r\n",
	"VT behind":            "5\x0b\r\nabcde\r\n0\r\n\r\n",
	"NUL behind":           "5\x00\r\nabcde\r\n0\r\n\r\n",
	"bare CR":              "5\rabcde\r\n0\r\n\r\n",
	"CR CR LF":             "5\r\r\nabcde\r\n0\r\n\r\n",
	"bare CR, extension":   "5;a\rb\r\nabcde\r\n0\r\n\r\n",
	"NUL, extension":       "5;\x00\r\nabcde\r\n0\r\n\r\n",
	"data too long":        "5\r\nabcdef\r\n0\r\n\r\n",
	"data too short":       "5\r\nabc\r\n0\r\n\r\n",
	"no line behind data":  "5\r\nabcde0\r\n\r\n",
	"bare CR behind data":  "5\r\nabcde\r0\r\n\r\n",
	"bare CR in a trailer": "0\r\nX: a\rb\r\n\r\n",
	"NUL in a trailer":     "0\r\nX: \x00\r\n\r\n",
}

// LooseChunks are those that old servers send: refused in a request, and in a response passed on,
// after which the client's connection ends.
var LooseChunks = map[string]string{
	"LF behind the size": "5\nabcde\r\n0\r\n\r\n",
	"LF behind the data": "5\r\nabcde\n0\r\n\r\n",
	"LF in an extension": "5;a\r\nabcde\r\n0;a\n\r\n",
	"LF at the end":      "5\r\nabcde\r\n0\r\n\n",
	"LF in a trailer":    "5\r\nabcde\r\n0\r\nX: y\n\r\n",
	"LF everywhere":      "5\nabcde\n0\n\n",
}
