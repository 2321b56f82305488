package copying

import (
	"encoding/binary"
	"errors"

	"warcorder/store/extsort"
	"warcorder/store/selection"
)

// captures are those of a plan in the order of their places.
type captures struct {
	lines *extsort.Lines

	next  selection.Chosen // if there is more
	file  int              // the number of its file
	more  bool
	given bool // next has been taken
}

// keySize is how many bytes of a line stand before the capture.
const keySize = 4 + 8

var errSorted = errors.New("a capture that was sorted has changed meanwhile")

// sorted returns the captures of the plan, at the first.
func (p *Plan) sorted() (*captures, error) {
	lines, err := p.sorter.Sorted()
	if err != nil {
		return nil, err
	}
	c := &captures{lines: lines}
	return c, c.read()
}

// read reads the capture of the present line.
func (c *captures) read() (err error) {
	if c.more = c.lines.More(); !c.more {
		return nil
	}
	line, err := c.lines.Text()
	if err != nil {
		return err
	}
	if len(line) < keySize {
		return errSorted
	}
	c.file = int(binary.BigEndian.Uint32(line))
	c.next, err = selection.Decode(line[keySize:])
	return err
}

// of returns the next capture of the file with a number; nil if there is none. It is good until the
// next call.
func (c *captures) of(file int) (*selection.Chosen, error) {
	if c.given {
		c.given = false
		if err := c.lines.Next(); err != nil {
			return nil, err
		}
		if err := c.read(); err != nil {
			return nil, err
		}
	}
	if !c.more || c.file != file {
		return nil, nil
	}
	c.given = true
	return &c.next, nil
}
