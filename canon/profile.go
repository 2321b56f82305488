package canon

import (
	"encoding/hex"
	"fmt"
	"strings"
)

// A Profile says how the paths of a site are written in one way only (URI path normalization): of
// the characters that a URL may hold both as they are and escaped, which are always decoded and
// which always encoded. What is in neither set stays as it is. The zero Profile is generic.
type Profile struct {
	name  string
	fates [256]fate // of what differs from generic
}

// fate is what becomes of a character in a path.
type fate byte

const (
	unsaid fate = iota
	decode      // always literal
	encode      // always escaped
	keep        // as it is written
)

// BuiltinProfiles returns the profiles of URI path normalization: generic, without knowledge of any
// application; mediawiki, the titles of pages; restbase, MediaWiki's REST interface,
// where an escaped slash in a title is not the one between two segments; and upload,
// upload.wikimedia.org, whose names PHP's rawurlencode made.
//
// For upload the prose of that document would have the slash encoded. Its example of a
// configuration and its decoder ring decode it, and so does this.
func BuiltinProfiles() []Profile {
	return []Profile{
		must("generic", "", ""),
		must("mediawiki", ":/@!$()*,", "[]&'+=;"),
		must("restbase", ":@!$()*,;", "[]&'+="),
		must("upload", "/", ":[]@!$&'()*+,;="),
	}
}

func must(name, decode, encode string) Profile {
	p, err := newProfile(name, []byte(decode), []byte(encode))
	if err != nil {
		panic(err)
	}
	return p
}

// NewProfile returns a profile for a configuration's sets: hexadecimal codes with spaces
// or commas between them, "21 24 26", of characters among the sixteen that an
// application may decide about,
//
//	: / [ ] @ ! $ & ' ( ) * + , ; =
//
// A character in both sets or outside of the sixteen is an error, and so is a slash to
// encode, which would leave no path.
func NewProfile(name, decode, encode string) (Profile, error) {
	decoded, err := parseHexList(decode)
	if err != nil {
		return Profile{}, fmt.Errorf("path profile %q: decode: %w", name, err)
	}
	encoded, err := parseHexList(encode)
	if err != nil {
		return Profile{}, fmt.Errorf("path profile %q: encode: %w", name, err)
	}
	return newProfile(name, decoded, encoded)
}

func parseHexList(list string) (chars []byte, err error) {
	for _, code := range strings.FieldsFunc(list, func(r rune) bool { return r == ' ' || r == ',' }) {
		char, err := hex.DecodeString(code)
		if err != nil || len(char) != 1 {
			return nil, fmt.Errorf("%q is no hexadecimal code of a character, such as 2F", code)
		}
		chars = append(chars, char[0])
	}
	return chars, nil
}

// customizable is the Customizable set of URI path normalization.
const customizable = ":/[]@!$&'()*+,;="

func newProfile(name string, decoded, encoded []byte) (Profile, error) {
	p := Profile{name: name}
	for _, c := range decoded {
		if strings.IndexByte(customizable, c) < 0 {
			return Profile{}, profileError(name, "decode", c, "is not one of the characters %s",
				customizable)
		}
		p.fates[c] = decode
	}
	for _, c := range encoded {
		switch {
		case strings.IndexByte(customizable, c) < 0:
			return Profile{}, profileError(name, "encode", c, "is not one of the characters %s",
				customizable)
		case c == '/':
			return Profile{}, profileError(name, "encode", c, "parts the path and cannot be encoded")
		case p.fates[c] == decode:
			return Profile{}, profileError(name, "encode", c, "is in decode too")
		}
		p.fates[c] = encode
	}
	return p, nil
}

func profileError(name, set string, c byte, format string, args ...any) error {
	return fmt.Errorf("path profile %q: %s: %02X (%q) %s", name, set, c, c,
		fmt.Sprintf(format, args...))
}

// Name returns the profile's name.
func (p *Profile) Name() string {
	if p.name == "" {
		return "generic"
	}
	return p.name
}

// Path returns path as the profile writes it. A query or fragment behind the path, from a literal ?
// or # on, stays as it is. The path of a path that Path returned is the same.
func (p *Profile) Path(path string) string {
	end := pathEnd(path)
	out := make([]byte, 0, len(path)+16)
	for i := 0; i < end; i++ {
		c, wasEscaped := escaped(path[i:end])
		if !wasEscaped {
			c = path[i]
		} else {
			i += 2
		}
		if fate := p.fate(c); fate == encode || fate == keep && wasEscaped {
			out = appendEscape(out, c)
		} else {
			out = append(out, c)
		}
	}
	return string(append(out, path[end:]...))
}

// pathEnd returns where a path ends: at the first ? or #.
func pathEnd(path string) int {
	if end := strings.IndexAny(path, "?#"); end >= 0 {
		return end
	}
	return len(path)
}

func (p *Profile) fate(c byte) fate {
	if f := p.fates[c]; f != unsaid {
		return f
	}
	return generic[c]
}

// generic is what RFC 3986 section 2 says of each byte: an unreserved one needs no escape, a
// reserved one may mean something else with an escape, and any other must have one.
var generic = func() (t [256]fate) {
	for c := range t {
		t[c] = encode
	}
	for _, c := range []byte(alphanumeric + "-._~") {
		t[c] = decode
	}
	for _, c := range []byte(customizable + "?#") {
		t[c] = keep
	}
	return t
}()
