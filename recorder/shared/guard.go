package shared

import (
	"errors"
	"net"
)

// guard is a connection of which the answers are looked at before the client reads them: the client
// makes room for as much as a length says, and reads arrays in arrays without end. An answer that no
// question of ours has ends the connection. Servers are asked in RESP 2; Sentinels, by a client that does
// not let us choose, in RESP 3:
//
//	line    + - : _ , #    as long as maxLine
//	bulk    $ =            as long as maxBulk
//	array   * ~ > %        of maxElements (% of as many pairs), in maxDepth others, maxAll in all
type guard struct {
	net.Conn
	rest int // bytes of a bulk, with its line break, that are still to come
	line [maxLine]byte
	n    int             // of line
	open [maxDepth]int64 // elements that are still to come, of each array
	deep int             // arrays that are open
	all  int64           // elements of the answer so far
}

const (
	maxLine     = 1 << 10
	maxBulk     = 8 << 10 // more than maxValue, and more than a Sentinel says of a server
	maxElements = 1 << 10 // more than mostKeys
	maxDepth    = 4
	maxAll      = 4 * maxElements
)

var errAnswer = errors.New("its answer is none that Redis or Valkey gives: is there one at this address?")

// Read reads, and looks at what it has read.
func (g *guard) Read(p []byte) (int, error) {
	n, err := g.Conn.Read(p)
	if !g.look(p[:n]) {
		_ = g.Conn.Close()
		return 0, errAnswer
	}
	return n, err
}

// look reports whether bytes may follow those before them.
func (g *guard) look(b []byte) bool {
	for len(b) > 0 {
		if g.rest > 0 {
			n := min(g.rest, len(b))
			b = b[n:]
			if g.rest -= n; g.rest == 0 {
				g.ends()
			}
			continue
		}
		if g.n == len(g.line) {
			return false
		}
		g.line[g.n] = b[0]
		g.n++
		if b[0] == '\n' {
			if !g.whole(g.line[:g.n]) {
				return false
			}
			g.n = 0
		}
		b = b[1:]
	}
	return true
}

// whole takes a line that is whole.
func (g *guard) whole(line []byte) bool {
	if len(line) < len("_\r\n") || line[len(line)-2] != '\r' {
		return false
	}
	text := line[1 : len(line)-2]
	switch line[0] {
	case '+', '-', ':', '_', ',', '#':
		g.ends()
		return true
	case '$', '=':
		length, ok := lengthOf(text, maxBulk)
		if length < 0 {
			g.ends()
		} else {
			g.rest = int(length) + 2
		}
		return ok
	case '*', '~', '>', '%':
		length, ok := lengthOf(text, maxElements)
		if line[0] == '%' {
			length *= 2
		}
		if length <= 0 {
			g.ends()
			return ok
		}
		if g.deep == 0 {
			g.all = 0
		}
		if g.all += length; g.all > maxAll || g.deep == maxDepth {
			return false
		}
		g.open[g.deep] = length
		g.deep++
		return ok
	}
	return false
}

// ends notes the end of a value, which may be that of the arrays that it lies in.
func (g *guard) ends() {
	for g.deep > 0 {
		g.open[g.deep-1]--
		if g.open[g.deep-1] > 0 {
			return
		}
		g.deep--
	}
}

// lengthOf reads a length, of which -1 is nothing.
func lengthOf(text []byte, most int64) (length int64, ok bool) {
	if string(text) == "-1" {
		return -1, true
	}
	for _, c := range text {
		if c < '0' || c > '9' {
			return 0, false
		}
		if length = 10*length + int64(c-'0'); length > most {
			return 0, false
		}
	}
	return length, len(text) > 0
}
