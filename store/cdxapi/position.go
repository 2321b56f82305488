package cdxapi

import (
	"encoding/base64"
	"errors"
	"strconv"
	"strings"

	"warcorder/store"
)

// position is how far an answer has come: so many captures behind a place. If there is a line, captures
// of the second of the place that have lesser ones have been had too, and n of those that have the same.
type position struct {
	place store.Place
	n     int
	sums  string // of what is collapsed, in the last line: sumOf each
	line  string // lineOf
}

// String returns the position as a key to go on: the place in Base64, a dot and the number; and if
// there are any, another dot and the sums in Base64, and another one and the line in Base64.
func (p position) String() string {
	text := base64.RawURLEncoding.EncodeToString([]byte(p.place.String())) + "." + strconv.Itoa(p.n)
	for _, more := range []string{p.sums, p.line} {
		text += "." + base64.RawURLEncoding.EncodeToString([]byte(more))
	}
	return strings.TrimRight(text, ".")
}

// position reads a key to go on; the zero position is the beginning.
func (p *params) position(name string) (at position) {
	text := p.one(name)
	if text == "" {
		return at
	}
	place, rest, _ := strings.Cut(text, ".")
	number, rest, _ := strings.Cut(rest, ".")
	collapsed, behind, _ := strings.Cut(rest, ".")
	bytes, err := base64.RawURLEncoding.DecodeString(place)
	sums, bad := base64.RawURLEncoding.DecodeString(collapsed)
	line, worse := base64.RawURLEncoding.DecodeString(behind)
	n, wrong := strconv.Atoi(number)
	if err := errors.Join(err, wrong, bad, worse); err != nil || n < 0 || len(bytes) == 0 || len(line) > maxLine {
		p.fail(name, "%s is no key that an answer of ours has ended with", quoted(text))
		return at
	}
	return position{store.PlaceFrom(string(bytes)), n, string(sums), string(line)}
}
