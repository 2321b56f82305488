package cmd

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"warcorder/store/collection"
	"warcorder/store/delta"
)

// pushed is what a server has been given, as the token file of a push says it:
//
//	TOKEN              of all that it has; empty at first
//	more TOKEN PLACE   while more is sent: what that is, and up to where of its lines the server has
//	                   them: key and second, in base64url without padding
//
// It is one file: whoever removes it begins anew.
type pushed struct {
	since  delta.Token
	until  *delta.Token // nil: nothing was begun
	behind string       // key and second
}

const (
	moreMark = "more "

	// maxBegun is how many bytes a token may have that is written each time that the server has
	// answered. What is sent of a longer one is sent again, if it breaks off.
	maxBegun = 1 << 20

	maxPlace = 4 << 20 // bytes of a PLACE that is read, and more than any key has
)

// errPushed is the error of a file that has anything else.
var errPushed = errors.New("this says not what a server has been given: remove it, and all is given again")

// pushedAt reads what an earlier push has left; without that it begins at the beginning.
func pushedAt(path string) (p pushed, err error) {
	flags := sinceFlags{TokenFile: path}
	if err := flags.check("cdxj", "-"); err != nil {
		return p, err
	}
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err != nil {
		return p, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, 2*delta.MaxText+maxPlace))
	if err == nil {
		p, err = parsePushed(string(text))
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return p, err
}

// parsePushed is the inverse of String.
func parsePushed(text string) (p pushed, err error) {
	first, more, _ := strings.Cut(text, "\n")
	if p.since, err = delta.Parse(strings.TrimSpace(first)); err != nil {
		return p, err
	}
	if more = strings.TrimSuffix(more, "\n"); more == "" {
		return p, nil
	}
	words := strings.Split(more, " ")
	if len(words) != 3 || words[0]+" " != moreMark || words[1] == "" {
		return p, errPushed
	}
	until, err := delta.Parse(words[1])
	if err != nil {
		return p, err
	}
	place, err := base64.RawURLEncoding.DecodeString(words[2])
	if err != nil {
		return p, errPushed
	}
	p.until, p.behind = &until, string(place)
	return p, nil
}

// String is the text of the file.
func (p *pushed) String() string {
	text := p.since.String() + "\n"
	if p.since.IsZero() {
		text = "\n"
	}
	if p.until != nil {
		text += moreMark + p.until.String() + " " + base64.RawURLEncoding.EncodeToString([]byte(p.behind)) + "\n"
	}
	return text
}

// keep writes the file.
func (p *pushed) keep(path string, mode collection.Mode) error {
	text := p.String()
	if p.until != nil && len(text) > maxBegun {
		return nil
	}
	return collection.Write(path, mode, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}
