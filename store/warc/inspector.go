package warc

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"warcorder/store/fault"
	"warcorder/store/warc/deflate"
)

const (
	// inspectEvery is how many exchanges there are to one that is inspected. Inflating takes about as
	// long as compressing, so that 1 in 1,000 costs about a thousandth of that.
	inspectEvery = 1000
	// maxInspected is how much of a streamed body is inflated again before any of it is written: it
	// is held in memory, and a body of many GB shall not take twice as long for being the first.
	maxInspected = 1 << 20
)

// An Inspector watches over package deflate for all Compressors of a recorder. The members of an
// exchange now and then are inflated again before they are written: of the first of each file, and
// of one in 1,000. A member that is not what went in ends the use of package deflate: it is made
// again by klauspost/compress, and so are all later ones.
//
// The zero Inspector is ready. It is safe for concurrent use; a nil one inspects nothing.
type Inspector struct {
	// Failed, if not nil, is told of the first wrong member, once, by the goroutine that made it.
	Failed func(error)

	fault atomic.Pointer[error]
}

// Err returns why klauspost/compress makes the members, nil if package deflate does.
func (i *Inspector) Err() error {
	if i == nil {
		return nil
	}
	if err := i.fault.Load(); err != nil {
		return *err
	}
	return nil
}

// poison ends the use of package deflate.
func (i *Inspector) poison(err error) {
	if i.fault.CompareAndSwap(nil, &err) && i.Failed != nil {
		i.Failed(err)
	}
}

// Exchange begins the records of an exchange; first says that no other has been written to their
// file. The members made until the next call are inflated again if the exchange is the first, or
// one in 1,000 of this Compressor's: to count for all would have processors wait for each other.
func (c *Compressor) Exchange(first bool) {
	c.exchanges++
	c.inspected = c.Inspector != nil && (first || c.exchanges%inspectEvery == 0)
}

// isPlain reports whether klauspost/compress makes the members. To drop package deflate, return
// true.
func (c *Compressor) isPlain() bool { return c.Inspector.Err() != nil }

// inflateMember inflates a member. The error is nil if it ends where it should, and if what comes
// out has the CRC-32 and the length in its trailer, which are those of what went in.
func inflateMember(member []byte) error {
	in := bytes.NewReader(member)
	gz, err := gzip.NewReader(in)
	if err != nil {
		return fmt.Errorf("inflate a member again: %w", err)
	}
	gz.Multistream(false)
	if _, err := io.Copy(io.Discard, gz); err != nil {
		return fmt.Errorf("inflate a member again: %w", err)
	}
	if in.Len() > 0 {
		return fmt.Errorf("inflate a member again: %d bytes too many", in.Len())
	}
	return nil
}

// inflateStart inflates the whole bytes of a deflate stream that is not at its end. The error is
// nil if what comes out is text but for the end, of which the bits are still to come.
func inflateStart(stream []byte, text ...[]byte) error {
	left := expected(text)
	_, err := io.Copy(&left, flate.NewReader(bytes.NewReader(stream)))
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("inflate the start of a member again: %w", err)
	}
	missing := 0
	for _, part := range left {
		missing += len(part)
	}
	if missing > deflate.MaxHeld {
		return fmt.Errorf("inflate the start of a member again: %d bytes missing", missing)
	}
	return nil
}

// expected is the text that is still to be written to it, in parts.
type expected [][]byte

var errOtherBytes = errors.New("other bytes")

// Write takes what should be the next bytes of the text.
func (e *expected) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		if len(*e) == 0 {
			return 0, errOtherBytes
		}
		part := (*e)[0]
		n := min(len(part), len(rest))
		if !bytes.Equal(part[:n], rest[:n]) {
			return 0, errOtherBytes
		}
		rest = rest[n:]
		if part = part[n:]; len(part) == 0 {
			*e = (*e)[1:]
			continue
		}
		(*e)[0] = part
	}
	return len(p), nil
}

// spoil changes a byte if a test wants the encoder to be broken.
func spoil(encoded []byte) {
	if fault.At(fault.Deflate) != nil && len(encoded) > 0 {
		encoded[len(encoded)/2] ^= 1 << 4
	}
}
