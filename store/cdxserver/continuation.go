package cdxserver

import (
	"bytes"
	"io"
)

// Continuation passes on the lines of an Export that may have to begin anew: the second time it
// passes only those that sort behind the last one of the first time. Lines are passed whole.
type Continuation struct {
	w     io.Writer
	lines int64  // passed
	last  []byte // the last line that was passed, as long as it may be needed
	part  []byte // the beginning of a line whose end has not come
	skip  bool   // what is not behind last
}

// NewContinuation returns a Continuation that writes to w.
func NewContinuation(w io.Writer) *Continuation { return &Continuation{w: w} }

// Again says that the lines come from the beginning once more.
func (c *Continuation) Again() { c.part, c.skip = c.part[:0], len(c.last) > 0 }

// Lines returns how many lines have been passed.
func (c *Continuation) Lines() int64 { return c.lines }

// Write takes lines, or parts of lines.
func (c *Continuation) Write(p []byte) (int, error) {
	end := bytes.LastIndexByte(p, '\n') + 1
	if end == 0 {
		c.part = append(c.part, p...)
		return len(p), nil
	}
	lines := p[:end]
	if len(c.part) > 0 {
		lines = append(c.part, lines...)
	}
	err := c.pass(lines)
	c.part = append(c.part[:0], p[end:]...)
	return len(p), err
}

// pass passes whole lines.
func (c *Continuation) pass(lines []byte) error {
	for c.skip {
		end := bytes.IndexByte(lines, '\n') + 1
		if end == 0 {
			return nil
		}
		if c.skip = bytes.Compare(lines[:end], c.last) <= 0; c.skip {
			lines = lines[end:]
		}
	}
	if _, err := c.w.Write(lines); err != nil {
		return err
	}
	c.lines += int64(bytes.Count(lines, []byte{'\n'}))
	begin := bytes.LastIndexByte(lines[:len(lines)-1], '\n') + 1
	c.last = append(c.last[:0], lines[begin:]...)
	return nil
}
