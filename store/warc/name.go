package warc

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Suffix ends the names of our files.
const Suffix = ".warc.gz"

// A name has at most 255 bytes on most file systems, OpenSuffix and ".torn" included.
const (
	maxPrefix = 100
	maxHost   = 64
)

// CheckPrefix returns an error if prefix cannot begin the name of a WARC file: it is empty or too long, or begins with "iipc", which is for
// members of that consortium's naming registry (WARC 0.9 section 10, WARC 1.1 annex C).
func CheckPrefix(prefix string) error {
	switch {
	case prefix == "":
		return errors.New("the WARC name prefix is empty")
	case len(prefix) > maxPrefix:
		return fmt.Errorf("the WARC name prefix %q is longer than %d bytes", prefix, maxPrefix)
	case len(prefix) >= 4 && strings.EqualFold(prefix[:4], "iipc"):
		return fmt.Errorf("the WARC name prefix %q begins with \"iipc\", which is reserved: choose another", prefix)
	}
	return nil
}

// Name returns PREFIX-YYYYMMDDhhmmssSSS-SERIAL-HOST.warc.gz (WARC 1.1 annex C, with milliseconds). In prefix and host what is not an ASCII letter or
// digit, '.', '_' or '-' becomes '_', and so does a leading '.', which would hide the file.
func Name(prefix string, created time.Time, serial int, host string) string {
	created = created.UTC()
	return fmt.Sprintf("%s-%s%03d-%05d-%s%s", clean(prefix, maxPrefix), created.Format("20060102150405"),
		created.Nanosecond()/1e6, serial, clean(host, maxHost), Suffix)
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
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '.' || c == '_' || c == '-'
}
