package browser

import (
	"errors"
	"os"
)

// pipes are those over which a browser is driven: ours, and the ends that it inherits.
type pipes struct {
	in, out *os.File    // what it says, what it is told
	theirs  [2]*os.File // what it reads, what it writes
}

func newPipes() (p *pipes, err error) {
	p = new(pipes)
	if p.theirs[0], p.out, err = os.Pipe(); err != nil {
		return nil, err
	}
	if p.in, p.theirs[1], err = os.Pipe(); err != nil {
		p.theirs[0].Close()
		p.out.Close()
		return nil, err
	}
	return p, nil
}

// inherited closes the browser's ends, which it has by now, or never will.
func (p *pipes) inherited() {
	p.theirs[0].Close()
	p.theirs[1].Close()
}

// close closes our ends.
func (p *pipes) close() {
	p.in.Close()
	p.out.Close()
}

// errUndriven says that a browser is no Chromium.
var errUndriven = errors.New("capture drives browsers of Chromium's family (Chromium, Chrome, " +
	"Edge, Brave), and Firefox is none: give --browser the path of one")

// CheckDriven refuses a browser that cannot be driven.
func (p Program) CheckDriven() error {
	if p.Kind != Chromium {
		return errUndriven
	}
	return nil
}

// Pipes are those of a browser that was started to be driven: what it says is read from in, what it
// is told is written to out.
func (b *Browser) Pipes() (in, out *os.File) { return b.pipes.in, b.pipes.out }
