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
}

// String returns the position as a key to go on: the place in Base64, a dot and the number.
func (p position) String() string {
	return base64.RawURLEncoding.EncodeToString([]byte(p.place.String())) + "." + strconv.Itoa(p.n)
}

// position reads a key to go on; the zero position is the beginning.
func (p *params) position(name string) (at position) {
	text := p.one(name)
	if text == "" {
		return at
	}
	place, number, _ := strings.Cut(text, ".")
	bytes, err := base64.RawURLEncoding.DecodeString(place)
	n, wrong := strconv.Atoi(number)
	if err != nil || wrong != nil || n < 0 || len(bytes) == 0 {
		p.fail(name, "%s is no key that an answer of ours has ended with", quoted(text))
		return at
	}
	return position{store.PlaceFrom(string(bytes)), n}
}
