package warc

import (
	"bytes"
	"errors"
	"io"
)

// SameBytes reports whether a and b give the same. It reads no more of them than it must.
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

// IsEnd reports an error of io.ReadFull that says that no more bytes come.
func IsEnd(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}
