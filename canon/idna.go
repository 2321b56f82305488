package canon

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/bidi"
	"golang.org/x/text/unicode/norm"
)

// toASCII returns host as IDNA 2003 writes it in ASCII (RFC 3490 section 4), or host itself where
// that is not possible or host is longer than maxIDNA. Bytes that are not UTF-8 are left out.
//
// The keys of other tools come from IDNA 2003, not from IDNA 2008 or UTS 46 (which
// golang.org/x/net/idna implements): faß.de is fass.de, a snowman is a name, and labels in ASCII
// are not looked into. Case folding, normalisation and direction are those of today's Unicode: a
// host may get another key than elsewhere if it has Cherokee letters, characters that came after
// Unicode 3.2, or one of the five CJK compatibility ideographs that Unicode has corrected since.
func toASCII(host []byte) []byte {
	if len(host) > maxIDNA {
		return host
	}
	text := strings.ToValidUTF8(string(host), "")
	if text == "" {
		return nil
	}
	labels := strings.Split(dots.Replace(text), ".")
	for i, label := range labels {
		ascii, err := labelToASCII(label)
		root := label == "" && i > 0 && i == len(labels)-1
		if err != nil && !root {
			return host
		}
		labels[i] = ascii
	}
	return []byte(strings.Join(labels, "."))
}

// maxIDNA is how long a host may be that is written in ASCII: four times what DNS has room for. The
// time of Punycode grows with the square of the length.
const maxIDNA = 1 << 10

// dots turns what RFC 3490 section 3.1 counts as dots into dots.
var dots = strings.NewReplacer("\u3002", ".", "\uff0e", ".", "\uff61", ".")

// errLabel says that a label has no ASCII form, and that the host is to stay as it is.
var errLabel = errors.New("label has no ASCII form")

// labelToASCII is ToASCII of RFC 3490 section 4.1, for unassigned code points too
// and without the rules of host names.
func labelToASCII(label string) (string, error) {
	if !isASCII([]byte(label)) {
		prepared, err := nameprep(label)
		if err != nil {
			return "", err
		}
		label = prepared
	}
	if !isASCII([]byte(label)) {
		if strings.HasPrefix(label, "xn--") || utf8.RuneCountInString(label) > 63 {
			return "", errLabel // before Punycode, whose time grows with the square
		}
		encoded, err := idna.Punycode.ToASCII(label)
		if err != nil {
			return "", err
		}
		label = encoded
	}
	if len(label) == 0 || len(label) > 63 {
		return "", errLabel
	}
	return label, nil
}

// nameprep maps and checks a label as RFC 3491 does. Folding and normalising twice
// is what table B.2 of RFC 3454 comes from.
func nameprep(label string) (string, error) {
	label = strings.Map(dropped, label)
	for range 2 {
		label = norm.NFKC.String(cases.Fold().String(label))
	}
	if strings.ContainsFunc(label, prohibited) || !oneDirection(label) {
		return "", errLabel
	}
	return label, nil
}

// dropped maps what table B.1 of RFC 3454 maps to nothing.
func dropped(r rune) rune {
	if unicode.Is(mappedToNothing, r) {
		return -1
	}
	return r
}

// prohibited reports whether nameprep forbids r. Non-characters end every plane.
func prohibited(r rune) bool {
	return r&0xfffe == 0xfffe || unicode.Is(prohibitedRunes, r)
}

// oneDirection is the rule for right-to-left labels (RFC 3454 section 6): they have no
// left-to-right letter, and a right-to-left letter at either end.
func oneDirection(label string) bool {
	if !strings.ContainsFunc(label, isRightToLeft) {
		return true
	}
	runes := []rune(label)
	return !strings.ContainsFunc(label, isLeftToRight) &&
		isRightToLeft(runes[0]) && isRightToLeft(runes[len(runes)-1])
}

func isLeftToRight(r rune) bool { return direction(r) == bidi.L }

func isRightToLeft(r rune) bool {
	d := direction(r)
	return d == bidi.R || d == bidi.AL
}

func direction(r rune) bidi.Class {
	properties, _ := bidi.LookupRune(r)
	return properties.Class()
}

// mappedToNothing is table B.1 of RFC 3454.
var mappedToNothing = &unicode.RangeTable{R16: []unicode.Range16{
	{0x00ad, 0x00ad, 1}, {0x034f, 0x034f, 1}, {0x1806, 0x1806, 1}, {0x180b, 0x180d, 1},
	{0x200b, 0x200d, 1}, {0x2060, 0x2060, 1}, {0xfe00, 0xfe0f, 1}, {0xfeff, 0xfeff, 1},
}}

// prohibitedRunes is tables C.1.2, C.2.2, C.3 and C.6 to C.9 of RFC 3454, and
// what C.4 has apart from the planes' ends. C.5, surrogates, is not UTF-8.
var prohibitedRunes = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x0080, 0x00a0, 1}, {0x0340, 0x0341, 1}, {0x06dd, 0x06dd, 1}, {0x070f, 0x070f, 1},
		{0x1680, 0x1680, 1}, {0x180e, 0x180e, 1}, {0x2000, 0x200f, 1}, {0x2028, 0x202f, 1},
		{0x205f, 0x2063, 1}, {0x206a, 0x206f, 1}, {0x2ff0, 0x2ffb, 1}, {0x3000, 0x3000, 1},
		{0xe000, 0xf8ff, 1}, {0xfdd0, 0xfdef, 1}, {0xfeff, 0xfeff, 1}, {0xfff9, 0xfffd, 1},
	},
	R32: []unicode.Range32{
		{0x1d173, 0x1d17a, 1}, {0xe0001, 0xe0001, 1}, {0xe0020, 0xe007f, 1},
		{0xf0000, 0xffffd, 1}, {0x100000, 0x10fffd, 1},
	},
}
