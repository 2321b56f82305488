package access

import (
	"bytes"
	"encoding/base64"
	"strings"
	"unicode"
	"unicode/utf8"
)

// credential is what a client sends: a name and a password.
type credential struct{ name, password string }

// maxEncoded is the length of the longest credential that is looked at, as it is sent: a name and a
// password of some kilobytes.
const maxEncoded = 4 << 10

// encodedIn returns the credential in a Proxy-Authorization field with the scheme Basic (RFC 7617
// section 2) as it is sent, without its padding: one credential is one text. It is empty if the
// scheme is another.
func encodedIn(field []byte) []byte {
	const scheme = "basic"
	field = bytes.Trim(field, " \t")
	if len(field) <= len(scheme) || field[len(scheme)] != ' ' && field[len(scheme)] != '\t' ||
		!strings.EqualFold(string(field[:len(scheme)]), scheme) {
		return nil
	}
	return bytes.TrimRight(bytes.TrimLeft(field[len(scheme):], " \t"), "=")
}

// parse reads a credential as it is sent: name and password, with a colon between, in base64. A
// client may send them in UTF-8, as the challenge asks for, or in Latin-1, as older ones do: what
// is not the one is the other. It is false for what can be nobody's.
func parse(encoded []byte) (c credential, ok bool) {
	if len(encoded) > maxEncoded {
		return c, false
	}
	text, err := base64.RawStdEncoding.Strict().DecodeString(string(encoded))
	if err != nil || bytes.ContainsAny(encoded, "\r\n") { // which a decoder passes over
		return c, false
	}
	c.name, c.password, ok = strings.Cut(inUTF8(text), ":")
	if strings.ContainsFunc(c.name+c.password, unicode.IsControl) { // RFC 7617 section 2
		return c, false
	}
	return c, ok
}

// inUTF8 reads a text of UTF-8 or else of Latin-1.
func inUTF8(text []byte) string {
	if utf8.Valid(text) {
		return string(text)
	}
	var b strings.Builder
	for _, c := range text {
		b.WriteRune(rune(c))
	}
	return b.String()
}

// maxNameTold is how much of a name people are told, in characters.
const maxNameTold = 40

// NameIn returns the name that a Proxy-Authorization field tries, as a log may have it: cut, and
// printable. It may be anything that a stranger has typed, but for a password.
func NameIn(field []byte) string {
	c, ok := parse(encodedIn(field))
	if !ok {
		return ""
	}
	printable := func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}
	name := []rune(strings.Map(printable, c.name[:min(len(c.name), 4*maxNameTold)]))
	return string(name[:min(len(name), maxNameTold)])
}
