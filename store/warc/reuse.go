package warc

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// Layout returns how the records of the file are wrapped.
func (r *Reader) Layout() Layout { return r.layout }

// Reuse makes r, which NewForeignReader has made, read another file of the same layout, from the
// record at offset. r keeps its buffers, and with the layout Frames the dictionary: another file
// then must be the same one.
func (r *Reader) Reuse(f io.ReadSeeker, name string, offset int64) error {
	r.name, r.file = name, source{f: f}
	r.record, r.err, r.search, r.end, r.reached = nil, nil, nil, offset, 0
	return r.jump(offset)
}

// maxLinesWithin is how many bytes of line breaks may stand beside a record within its member or
// frame: that can be made to hold thousands of times as many bytes as it takes.
const maxLinesWithin = 64 << 10

// errLines is the reason of a Damage where there are more.
var errLines = fmt.Errorf("%w: more than %d bytes of line breaks", ErrLength, maxLinesWithin)

// skipEmptyLines reads line breaks as long as there are some, and errLines if there are as many as
// that.
func skipEmptyLines(in *bufio.Reader, most int) (n int, err error) {
	for ; n < most; n++ {
		c, err := in.ReadByte()
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		if c != '\r' && c != '\n' {
			return n, in.UnreadByte()
		}
	}
	return n, errLines
}
