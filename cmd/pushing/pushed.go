package pushing

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"strings"

	"warcorder/store/collection"
	"warcorder/store/delta"
)

// pushed is what a target has been given, as the token file of a push says it:
//
//	TOKEN              of all that it has; empty at first
//	more TOKEN         while more is sent, from before the first line on: what that is. Of it the server
//	                   may have any line
//	more TOKEN PLACE SUM  and up to where the server has all of its lines: key and second, in base64url
//	                   without padding; and the CRC-32 (IEEE) of the line before SUM and its space, in hex
//
//	table ID           of a table: what its parts say of who has written them
//
// A PLACE whose SUM is wrong, or is not there, is none: what is more is sent from its first line on. It is
// one file: whoever removes it begins anew.
type pushed struct {
	since  delta.Token
	until  *delta.Token // nil: nothing was begun
	behind string       // key and second
	table  string       // the ID of a table; "" if it is none
}

const (
	moreMark  = "more "
	tableMark = "table "

	// maxBegun is how many bytes a file may have that is written each time that the server has
	// answered. What is sent of longer tokens is sent again, if it breaks off.
	maxBegun = 1 << 20

	placeWords = 4 // of a line that says up to where

	maxPlace = 4 << 20 // bytes of a PLACE that is read, and more than any key has
)

// errPushed is the error of a file that has anything else.
var errPushed = errors.New("this says not what was given: remove it, and all is given again")

// pushedAt reads what an earlier push has left; without that it begins at the beginning.
func pushedAt(path string) (p pushed, err error) {
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
	if id, is := strings.CutPrefix(more, tableMark); is {
		p.table = id
		if _, err := hex.DecodeString(id); err != nil || len(id) != 2*idBytes {
			return pushed{}, errPushed
		}
		return p, nil
	}
	words := strings.Split(more, " ")
	if len(words) < 2 || words[0]+" " != moreMark || words[1] == "" {
		return p, errPushed
	}
	until, err := delta.Parse(words[1])
	if err != nil {
		return p, err
	}
	p.until = &until
	if len(words) == placeWords && more == withSum(words[1], words[2]) {
		place, err := base64.RawURLEncoding.DecodeString(words[2])
		if err == nil {
			p.behind = string(place)
		}
	}
	return p, nil
}

// withSum is the line that says up to where.
func withSum(token, place string) string {
	line := moreMark + token + " " + place
	return fmt.Sprintf("%s %08x", line, crc32.ChecksumIEEE([]byte(line)))
}

// String is the text of the file.
func (p *pushed) String() string {
	text := p.since.String() + "\n"
	if p.since.IsZero() {
		text = "\n"
	}
	switch {
	case p.table != "":
		return text + tableMark + p.table + "\n"
	case p.until == nil:
		return text
	case p.behind == "":
		return text + moreMark + p.until.String() + "\n"
	}
	return text + withSum(p.until.String(), base64.RawURLEncoding.EncodeToString([]byte(p.behind))) + "\n"
}

// keep writes the file.
func (p *pushed) keep(path string, mode collection.Mode) error {
	text := p.String()
	if p.behind != "" && len(text) > maxBegun {
		return nil
	}
	return collection.Write(path, mode, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}
