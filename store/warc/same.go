package warc

import (
	"bytes"
	"errors"
	"io"
)

// SameBytes reports whether the bytes of a and b are the same. It stops reading at the first
// difference.
func SameBytes(a, b io.Reader) (bool, error) {
	x, y := make([]byte, 64<<10), make([]byte, 64<<10)
	for {
		n, err := io.ReadFull(a, x)
		m, err2 := io.ReadFull(b, y)
		switch {
		case !bytes.Equal(x[:n], y[:m]):
			return false, nil
		case IsEnd(err) && IsEnd(err2):
			return true, nil
		case err != nil || err2 != nil:
			return false, errors.Join(err, err2)
		}
	}
}

// IsEnd reports whether err, of io.ReadFull, says that there are no more bytes.
func IsEnd(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}
