package outbackcdx

import (
	"encoding/base32"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
)

// Reason says why a line was left out.
type Reason string

// The reasons.
const (
	OtherMethod Reason = "of another method than GET"
	OtherKey    Reason = "of a URL that OutbackCDX has under another key"
	Unsure      Reason = "of a URL of which it is not certain how OutbackCDX keeps it"
	OtherName   Reason = "of a file or time that a line of CDX cannot say"
)

// line is a line of a delta.
type line struct {
	URL, MIME, Status, Digest, Length, Offset, Filename, Method, Removed string

	key, seconds string
	isFile       bool // it says of a file that its lines are void
}

// parse takes a line apart.
func parse(text string) (l line, err error) {
	parts := strings.SplitN(text, " ", 3)
	if len(parts) < 3 {
		return l, fmt.Errorf("no line of an export: %.200q", text)
	}
	if err := json.Unmarshal([]byte(parts[2]), &l); err != nil {
		return l, fmt.Errorf("no line of an export: %.200q: %w", text, err)
	}
	l.key, l.seconds = parts[0], parts[1]
	l.isFile = l.key == "!removed" && l.URL == ""
	return l, nil
}

// judge returns why a line is left out; "" if it is not.
func (l *line) judge() Reason {
	key, sure := Key(l.URL)
	switch {
	case l.Method != "" && l.Method != "GET":
		return OtherMethod
	case !sure:
		return Unsure
	case key != l.key:
		return OtherKey
	case !isField(l.Filename), len(l.seconds) != 14, l.seconds[0] == '0':
		return OtherName // a year of three digits is not read back
	}
	return ""
}

// isField reports whether a text is a field of a line of CDX.
func isField(text string) bool {
	return text != "" && strings.IndexFunc(text, func(r rune) bool { return r <= ' ' || r >= 0x7f }) < 0
}

// text is the line as CDX with 11 fields: the first one, the key, is not looked at.
func (l *line) text() string {
	field := func(text string) string {
		if !isField(text) {
			return "-"
		}
		return text
	}
	offset := l.Offset
	if offset == "" {
		offset = "0" // of a line that is void
	}
	return strings.Join([]string{"-", l.seconds, l.URL, field(l.MIME), field(l.Status), l.digest(), "-", "-",
		field(l.Length), offset, l.Filename}, " ")
}

// digest is the digest in base32, without its algorithm; "-" of one that is not kept.
func (l *line) digest() string {
	algorithm, value, named := strings.Cut(l.Digest, ":")
	if !named {
		algorithm, value = "sha1", l.Digest
	}
	if algorithm != "sha1" {
		return "-"
	}
	if sum, err := hex.DecodeString(value); err == nil && len(sum) == 20 {
		return base32.StdEncoding.EncodeToString(sum)
	}
	value = strings.ToUpper(value)
	if sum, err := base32.StdEncoding.DecodeString(value); err != nil || len(sum) != 20 {
		return "-"
	}
	return value
}
