// Package cdxline takes a CDXJ line apart that an export has written (drawn in store/cdxj.go), for
// formats that are made of such lines. Start with [Line.Parse].
//
// Invariant: a line is looked at once, from its beginning to its end, and nothing of it is copied but
// a text with escapes. What Parse has taken for a line is one: a key, a time of 14 digits, and a flat
// JSON object of strings.
package cdxline

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// Line is what a line says. Its bytes are good as long as those of the line; what it does not say is
// nil, or 0.
type Line struct {
	Key  []byte
	Time []byte // YYYYMMDDhhmmss

	URL, MIME, Digest, File, Method []byte

	Status         int
	Length, Offset int64
}

// Payload returns the digest without the name of its algorithm.
func (l *Line) Payload() []byte {
	if _, digest, found := bytes.Cut(l.Digest, []byte(":")); found {
		return digest
	}
	return l.Digest
}

// KeyAndTime returns the beginning of a line, up to its JSON: what lines are found by.
func KeyAndTime(line []byte) []byte {
	first, _, _ := bytes.Cut(line, []byte(" {"))
	return first
}

// Key returns the key of a line.
func Key(line []byte) []byte {
	key, _, _ := bytes.Cut(line, []byte(" "))
	return key
}

// Parse reads a line, with or without its newline.
func (l *Line) Parse(text []byte) error {
	*l = Line{}
	text = bytes.TrimSuffix(text, []byte("\n"))
	key, rest, _ := bytes.Cut(text, []byte(" "))
	at, object, found := bytes.Cut(rest, []byte(" "))
	if !found || len(key) == 0 || !isTime(at) {
		return errForm(text)
	}
	l.Key, l.Time = key, at
	if err := l.members(object); err != nil {
		return fmt.Errorf("%w: %w", errForm(text), err)
	}
	return nil
}

// errForm is the error of what is no line of an export.
func errForm(text []byte) error {
	return fmt.Errorf("%.60q is no CDXJ line of an export", text)
}

// isTime reports whether a text is a time of 14 digits.
func isTime(text []byte) bool {
	for _, c := range text {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(text) == 14
}

// members reads the JSON object.
func (l *Line) members(object []byte) error {
	rest, is := bytes.CutPrefix(object, []byte("{"))
	if !is {
		return errObject
	}
	for {
		name, behind, err := text(rest)
		if err != nil {
			return err
		}
		if rest, is = bytes.CutPrefix(behind, []byte(":")); !is {
			return errObject
		}
		value, behind, err := text(rest)
		if err != nil {
			return err
		}
		if err := l.set(string(name), value); err != nil {
			return err
		}
		if string(behind) == "}" {
			return nil
		}
		if rest, is = bytes.CutPrefix(behind, []byte(",")); !is {
			return errObject
		}
	}
}

// errObject says that the object of a line is another than exports write.
var errObject = fmt.Errorf("its JSON is no flat object of strings")

// set takes a member. Those that are not known here are passed over.
func (l *Line) set(name string, value []byte) (err error) {
	switch name {
	case "url":
		l.URL = value
	case "mime":
		l.MIME = value
	case "digest":
		l.Digest = value
	case "filename":
		l.File = value
	case "method":
		l.Method = value
	case "status":
		l.Status, err = strconv.Atoi(string(value))
	case "length":
		l.Length, err = strconv.ParseInt(string(value), 10, 64)
	case "offset":
		l.Offset, err = strconv.ParseInt(string(value), 10, 64)
	}
	return err
}

// text reads a JSON string, and returns what stands behind it.
func text(in []byte) (value, rest []byte, err error) {
	if len(in) == 0 || in[0] != '"' {
		return nil, nil, errObject
	}
	end := bytes.IndexByte(in[1:], '"') + 1
	if end == 0 {
		return nil, nil, errObject
	}
	if bytes.IndexByte(in[1:end], '\\') < 0 {
		return in[1:end], in[end+1:], nil
	}
	for end = 1; end < len(in) && in[end] != '"'; end++ {
		if in[end] == '\\' {
			end++
		}
	}
	if end >= len(in) {
		return nil, nil, errObject
	}
	var decoded string
	if err := json.Unmarshal(in[:end+1], &decoded); err != nil {
		return nil, nil, err
	}
	return []byte(decoded), in[end+1:], nil
}
