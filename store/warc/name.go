package warc

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Suffix ends the names of our files.
const Suffix = ".warc.gz"

// The bounds keep a name, OpenSuffix and ".torn" included, below the 255 bytes that most file
// systems allow.
const (
	maxPrefix = 100
	maxHost   = 64
)

// CheckPrefix returns an error if prefix cannot begin the name of a WARC file: if it is empty or
// too long, or begins with "iipc", which is reserved for members of that consortium's naming
// registry (WARC 0.9 section 10, WARC 1.1 annex C).
func CheckPrefix(prefix string) error {
	switch {
	case prefix == "":
		return errors.New("the WARC name prefix is empty")
	case len(prefix) > maxPrefix:
		return fmt.Errorf("the WARC name prefix %q is longer than %d bytes", prefix, maxPrefix)
	case len(prefix) >= 4 && strings.EqualFold(prefix[:4], "iipc"):
		return fmt.Errorf(
			"the WARC name prefix %q begins with \"iipc\", which is reserved: choose another", prefix)
	}
	return nil
}

// DefaultPattern is the pattern of names that WARC 1.1 annex C recommends.
const DefaultPattern = "{prefix}-{timestamp}-{serial}-{host}"

// maxLiteral bounds the bytes of a pattern beside its placeholders.
const maxLiteral = 40

// placeholder matches what stands for a part of a name.
var placeholder = regexp.MustCompile(`\{[^{}]*\}`)

// CheckPattern returns an error if a pattern cannot name the files of a collection: two files could
// get the same name, or a name could be one that is not allowed.
func CheckPattern(pattern string) error {
	seen := make(map[string]bool)
	for _, name := range placeholder.FindAllString(pattern, -1) {
		if !slices.Contains([]string{"{prefix}", "{timestamp}", "{serial}", "{host}"}, name) {
			return fmt.Errorf(
				"the pattern %q of WARC names has %s: there are {prefix}, {timestamp}, {serial} and {host}",
				pattern, name)
		}
		if seen[name] {
			return fmt.Errorf("the pattern %q of WARC names has %s twice", pattern, name)
		}
		seen[name] = true
	}
	literal := placeholder.ReplaceAllString(pattern, "")
	switch {
	case !seen["{timestamp}"] || !seen["{serial}"]:
		return fmt.Errorf(
			"the pattern %q of WARC names lacks {timestamp} or {serial}: two files could have the same name",
			pattern)
	case strings.ContainsFunc(literal, func(r rune) bool { return r > 0x7f || !nameByte(byte(r)) }):
		return fmt.Errorf("the pattern %q of WARC names may have letters, digits, '.', '_' and '-' "+
			"beside its placeholders", pattern)
	case len(literal) > maxLiteral:
		return fmt.Errorf("the pattern %q of WARC names has more than %d bytes beside its placeholders",
			pattern, maxLiteral)
	case strings.HasPrefix(pattern, "."):
		return fmt.Errorf("the pattern %q of WARC names begins with '.', which would hide the files",
			pattern)
	case len(pattern) >= 4 && strings.EqualFold(pattern[:4], "iipc"):
		return fmt.Errorf(
			"the pattern %q of WARC names begins with \"iipc\", which is reserved: choose another", pattern)
	}
	return nil
}

// Name returns the base name that a pattern gives, with Suffix; DefaultPattern gives
// PREFIX-YYYYMMDDhhmmssSSS-SERIAL-HOST.warc.gz (WARC 1.1 annex C, with milliseconds). Each byte of
// prefix and host that is not an ASCII letter or digit, '.', '_' or '-' becomes '_', and so does a
// leading '.', which would hide the file.
func Name(pattern, prefix string, created time.Time, serial int, host string) string {
	created = created.UTC()
	return strings.NewReplacer(
		"{prefix}", clean(prefix, maxPrefix),
		"{timestamp}", fmt.Sprintf("%s%03d", created.Format("20060102150405"), created.Nanosecond()/1e6),
		"{serial}", fmt.Sprintf("%05d", serial),
		"{host}", clean(host, maxHost),
	).Replace(pattern) + Suffix
}

func clean(s string, limit int) string {
	b := []byte(s[:min(len(s), limit)])
	for i, c := range b {
		if !nameByte(c) || i == 0 && c == '.' {
			b[i] = '_'
		}
	}
	if len(b) == 0 {
		return "_"
	}
	return string(b)
}

func nameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '.' ||
		c == '_' || c == '-'
}
