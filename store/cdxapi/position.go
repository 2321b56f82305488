package cdxapi

import (
	"encoding/base64"
	"strconv"
	"strings"

	"warcorder/store"
)

// position is how far an answer has come: so many captures behind a place.
type position struct {
	place store.Place
	n     int
	sums  string // of what is collapsed, in the last line: sumOf each
}

// String returns the position as a key to go on: the place in Base64, a dot and the number; and if
// there are any, another dot and the sums in Base64.
func (p position) String() string {
	text := base64.RawURLEncoding.EncodeToString([]byte(p.place.String())) + "." + strconv.Itoa(p.n)
	if p.sums == "" {
		return text
	}
	return text + "." + base64.RawURLEncoding.EncodeToString([]byte(p.sums))
}

// position reads a key to go on; the zero position is the beginning.
func (p *params) position(name string) (at position) {
	text := p.one(name)
	if text == "" {
		return at
	}
	place, rest, _ := strings.Cut(text, ".")
	number, collapsed, _ := strings.Cut(rest, ".")
	bytes, err := base64.RawURLEncoding.DecodeString(place)
	sums, bad := base64.RawURLEncoding.DecodeString(collapsed)
	n, wrong := strconv.Atoi(number)
	if err != nil || wrong != nil || bad != nil || n < 0 || len(bytes) == 0 {
		p.fail(name, "%s is no key that an answer of ours has ended with", quoted(text))
		return at
	}
	return position{store.PlaceFrom(string(bytes)), n, string(sums)}
}
