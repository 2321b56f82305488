package replaying

import (
	"errors"
	"io"
)

// maxAgain is how much of a body is kept so that it can be read once more.
const maxAgain = 1 << 20

// again is a body that can be read once more from its beginning, unless more of it was read than is
// kept.
type again struct {
	from io.Reader
	kept []byte
	at   int  // of kept comes next
	lost bool // more was read
}

func (a *again) Read(p []byte) (int, error) {
	if a.at < len(a.kept) {
		n := copy(p, a.kept[a.at:])
		a.at += n
		return n, nil
	}
	n, err := a.from.Read(p)
	if a.lost = a.lost || len(a.kept)+n > maxAgain; !a.lost {
		a.kept = append(a.kept, p[:n]...)
		a.at = len(a.kept)
	}
	if err != nil && err != io.EOF {
		err = brokenOff{err}
	}
	return n, err
}

// brokenOff is why the rest of a body never came: nothing is wrong with who was to answer.
type brokenOff struct{ error }

func (b brokenOff) Unwrap() error { return b.error }

func isBrokenOff(err error) bool {
	var b brokenOff
	return errors.As(err, &b)
}

// rewind lets the body be read from its beginning, and reports whether it can be. No body can.
func (a *again) rewind() bool {
	if a == nil {
		return true
	}
	a.at = 0
	return !a.lost
}
