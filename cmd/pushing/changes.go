package pushing

import (
	"bytes"
	"encoding/json"
	"fmt"

	"warcorder/store/cdxline"
	"warcorder/store/extsort"
)

// changes takes the lines of a delta, in any pieces. Those of files that are new go to a sorter, by file;
// of the others it keeps which they are: something of them has come, or is void.
type changes struct {
	sorter *extsort.Sorter
	isNew  func(file string) bool
	files  map[string]bool // that are not new
	part   []byte          // the beginning of a line whose end has not come
	row    []byte
}

// Write takes lines, or parts of lines.
func (c *changes) Write(p []byte) (int, error) {
	n := len(p)
	for {
		line, rest, whole := bytes.Cut(p, []byte("\n"))
		if !whole {
			c.part = append(c.part, p...)
			return n, nil
		}
		if len(c.part) > 0 {
			line = append(c.part, line...)
		}
		if err := c.take(line); err != nil {
			return 0, err
		}
		c.part, p = c.part[:0], rest
	}
}

// end says whether the last line has come as a whole.
func (c *changes) end() error {
	if len(c.part) > 0 {
		return fmt.Errorf("the last line has no end: %.100q", c.part)
	}
	return nil
}

// take takes a line.
func (c *changes) take(line []byte) error {
	if name, is := voidFile(line); is {
		c.note(name)
		return nil
	}
	var parsed cdxline.Line
	if err := parsed.Parse(line); err != nil {
		return err
	}
	file := string(parsed.File)
	if !c.isNew(file) || isVoid(line) {
		c.note(file)
		return nil
	}
	c.row = append(append(append(c.row[:0], file...), 0), line...)
	return c.sorter.Add(c.row)
}

// note notes a file of which something was given before.
func (c *changes) note(file string) {
	if c.isNew(file) { // of which nothing was
		return
	}
	if c.files == nil {
		c.files = map[string]bool{}
	}
	c.files[file] = true
}

// voidFile returns the file of which a line says that all lines are void.
func voidFile(line []byte) (name string, is bool) {
	rest, is := bytes.CutPrefix(line, []byte("!removed "))
	if !is {
		return "", false
	}
	_, object, _ := bytes.Cut(rest, []byte(" "))
	var told struct{ URL, Filename string }
	if json.Unmarshal(object, &told) != nil || told.URL != "" {
		return "", false
	}
	return told.Filename, true
}

// isVoid reports whether a line says of a capture that its line is void: its last member is removed. The
// quotation marks of texts have backslashes.
func isVoid(line []byte) bool {
	const member = `,"removed":"`
	at := bytes.LastIndex(line, []byte(member))
	if at < 0 {
		return false
	}
	value, is := bytes.CutSuffix(line[at+len(member):], []byte(`"}`))
	return is && !bytes.ContainsRune(value, '"')
}

// fileOf takes what changes has given its sorter apart.
func fileOf(row []byte) (file string, line []byte) {
	name, line, _ := bytes.Cut(row, []byte{0})
	return string(name), line
}
