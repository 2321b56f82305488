package har

import (
	"bytes"
	"encoding/binary"
	"errors"

	"warcorder/store/extsort"
	"warcorder/store/selection"
)

// order puts captures in the order of their times, those of one time in the order in which they
// lie. A capture is a line:
//
//	time(8)    in microseconds, so that bytes are in its order; big endian
//	file NUL   by its name
//	offset(8)  big endian
//	bytes      what selection.Chosen.Append makes of it
type order struct {
	sorter extsort.Sorter
	line   []byte
	n      int64
	pages  *ids // of the captures
}

// errLine says that a line of the temporary file is none of ours.
var errLine = errors.New("the file of the sorted captures is damaged")

// add adds a capture.
func (o *order) add(c *selection.Chosen) error {
	c.SpecBody, c.WarcioJSBody = "", "" // which may be long, and only lines of CDXJ have
	b := binary.BigEndian.AppendUint64(o.line[:0], uint64(c.Time.UnixMicro())^1<<63)
	b = append(append(b, c.File...), 0)
	b = binary.BigEndian.AppendUint64(b, uint64(c.Offset))
	o.line = c.Append(b)
	o.n++
	return o.sorter.Add(o.line)
}

// each calls take with every capture, in their order.
func (o *order) each(take func(*selection.Chosen) error) error {
	lines, err := o.sorter.Sorted()
	if err != nil {
		return err
	}
	for lines.More() {
		line, err := lines.Text()
		if err != nil {
			return err
		}
		c, err := parseLine(line)
		if err != nil {
			return err
		}
		if err := take(&c); err != nil {
			return err
		}
		if err := lines.Next(); err != nil {
			return err
		}
	}
	return nil
}

// parseLine reads a line back.
func parseLine(line []byte) (c selection.Chosen, err error) {
	if len(line) < 8 {
		return c, errLine
	}
	_, rest, found := bytes.Cut(line[8:], []byte{0})
	if !found || len(rest) < 8 {
		return c, errLine
	}
	return selection.Decode(rest[8:])
}

// close removes the temporary file.
func (o *order) close() error { return o.sorter.Close() }
