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
	// probeEvery is how many exchanges there are to one that is inflated again. 1 in 1,000 costs
	// about a thousandth of compressing, since inflating takes about as long.
	probeEvery = 1000
	// maxProbed is how much of a streamed body is inflated again, before any of it is written: it
	// is held in memory, and a body of many GB shall not take twice as long for being the first.
	maxProbed = 1 << 20
)

// A Probe watches over package deflate for all Compressors of a recorder. Members of an exchange
// now and then are inflated again before they are written. One that is not what went in poisons the
// encoder: that member is made again and all later ones are made by klauspost/compress.
//
// The zero Probe is ready. It is safe for concurrent use; a nil one probes nothing.
type Probe struct {
	// Failed, if not nil, is told of the first fault, once, from the goroutine that found it.
	Failed func(error)

	exchanges atomic.Uint64
	fault     atomic.Pointer[error]
}

// Err returns why klauspost/compress makes the members, nil if package deflate does.
func (p *Probe) Err() error {
	if p == nil {
		return nil
	}
	if err := p.fault.Load(); err != nil {
		return *err
	}
	return nil
}

// due counts an exchange and reports whether its members are to be inflated again.
func (p *Probe) due(first bool) bool {
	return p != nil && (p.exchanges.Add(1)%probeEvery == 0 || first)
}

// poison ends the use of package deflate.
func (p *Probe) poison(err error) {
	if p.fault.CompareAndSwap(nil, &err) && p.Failed != nil {
		p.Failed(err)
	}
}

// Exchange begins the records of an exchange; first says that no other has been written to their
// file. The members made until the next call are inflated again if the Probe wants that.
func (c *Compressor) Exchange(first bool) { c.probed = c.Probe.due(first) }

// isPlain reports whether klauspost/compress makes the members. To drop package deflate, return
// true.
func (c *Compressor) isPlain() bool { return c.Probe.Err() != nil }

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
	got, err := io.ReadAll(flate.NewReader(bytes.NewReader(stream)))
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("inflate the start of a member again: %w", err)
	}
	missing := 0
	for _, part := range text {
		n := min(len(part), len(got))
		if !bytes.Equal(got[:n], part[:n]) {
			return errors.New("inflate the start of a member again: other bytes")
		}
		got, missing = got[n:], missing+len(part)-n
	}
	if len(got) > 0 || missing > deflate.MaxHeld {
		return fmt.Errorf("inflate the start of a member again: %d bytes missing, %d too many",
			missing, len(got))
	}
	return nil
}

// spoil changes a byte if a test wants the encoder to be broken.
func spoil(encoded []byte) {
	if fault.At(fault.Deflate) != nil && len(encoded) > 0 {
		encoded[len(encoded)/2] ^= 1 << 4
	}
}
