package deflate

import "slices"

// A Kind is what a text is expected to be.
type Kind bool

const (
	Body Kind = false // anything: a sample of it decides which codes serve
	Head Kind = true  // headers of WARC and HTTP
)

const (
	pieceSize = 1 << 15 // bytes that are encoded at a time
	// historySize is how many bytes Continue drops at a time: positions move by a multiple of 65536,
	// so that their lower halves, which the table holds, stay the same.
	historySize = 1 << 16
	stride      = 4       // one in so many sequences is a sample
	fixedSize   = 32      // a text of fewer bytes goes into a block of fixed codes
	customSize  = 4 << 10 // a piece of as many bytes may get codes of its own
	// customCost is how many bits codes of its own must save. To declare them takes a quarter of that;
	// the rest stands for the time to make them.
	customCost = 500 * 8
	maxStored  = 1<<16 - 1
)

// MaxHeld is how many bytes of text, at most, lack bits that Continue holds back: of 7 bits that do
// not fill a byte the first may be the end of one match, and the others three matches.
const MaxHeld = 4 * longest

// An Encoder appends a deflate stream to a slice: Begin, then any number of Deflate, Store and
// Continue, one of the first two with final as the last, then End. The zero value is ready. Once
// used it holds about 64 KB, and after Continue 192 KB more: keep one per worker. It is not safe
// for concurrent use.
type Encoder struct {
	writer  writer
	finder  finder
	sampled histogram
	custom  codes  // made for the text at hand
	codes   *codes // of the block that has been begun; nil if none has
	first   int    // what the first piece of that block shrank to, of 1024
	past    []byte // what Continue was given last
}

// Begin starts a stream behind what dst holds.
func (e *Encoder) Begin(dst []byte) {
	e.writer.reset(dst)
	e.codes = nil
	e.past = e.past[:0]
}

// End returns what Begin was given with the stream appended. It ends with a whole byte if the last
// block was final.
func (e *Encoder) End() []byte {
	out := e.writer.out
	e.writer.reset(nil)
	return out
}

// Deflate appends blocks that hold text. A piece that does not shrink is stored.
func (e *Encoder) Deflate(text []byte, kind Kind, final bool) {
	e.part()
	if len(text) < fixedSize {
		e.writer.fixed(text, final)
		return
	}
	e.finder.reset()
	e.pieces(text, 0, kind)
	e.endBlock()
	if final {
		e.writer.fixed(nil, true)
	}
}

// Continue appends blocks that hold text, which continues the text of the calls of Continue right
// before: matches may lie in that. Fewer than 8 bits are held back until another call.
func (e *Encoder) Continue(text []byte) {
	for len(text) > 0 {
		n := min(len(text), historySize)
		e.next(text[:n])
		text = text[n:]
	}
}

func (e *Encoder) next(text []byte) {
	if e.past == nil {
		e.past = make([]byte, 0, 3*historySize)
	}
	if len(e.past) == 0 {
		e.finder.reset()
	}
	if len(e.past)+len(text) > cap(e.past) {
		e.past = append(e.past[:0], e.past[historySize:]...) // as much or more stays
	}
	from := len(e.past)
	e.past = append(e.past, text...)
	e.pieces(e.past, from, Body)
}

// Take returns the whole bytes of the stream so far, for a writer, and begins anew with the slice
// that they are in.
func (e *Encoder) Take() []byte {
	out := e.writer.out
	e.writer.out = out[:0]
	return out
}

// pieces appends text[from:], piece by piece.
func (e *Encoder) pieces(text []byte, from int, kind Kind) {
	number := (len(text) - from + pieceSize - 1) / pieceSize
	for ; number > 0; number-- {
		to := from + (len(text)-from)/number
		e.piece(text, from, to, kind)
		from = to
	}
}

func (e *Encoder) piece(text []byte, from, to int, kind Kind) {
	rest := e.finder.find(text, from, to, paceOf(text))
	w, begun := e.writer, e.codes
	if begun == nil {
		e.codes = e.choose(text[from:to], rest, kind, len(text)-from)
		if e.codes == nil {
			e.store(text[from:to])
			return
		}
		e.writer.putAll(&e.codes.header)
	}
	e.writer.encode(e.codes, text[from:to], e.finder.sequences, rest)
	took := len(e.writer.out) - len(w.out)
	share := took << 10 / (to - from)
	switch {
	case share >= 1<<10:
		e.writer = writer{out: e.writer.out[:len(w.out)], bits: w.bits, n: w.n}
		e.codes = begun
		e.store(text[from:to])
	case begun == nil:
		e.first = share
	case share > e.first+e.first/4: // the text has changed its kind
		e.endBlock()
	}
}

// store appends a piece as it is.
func (e *Encoder) store(piece []byte) {
	e.endBlock()
	e.writer.storedHeader(len(piece), false)
	e.writer.out = append(e.writer.out, piece...)
}

// part ends what Continue has begun: what follows will not be in its history.
func (e *Encoder) part() {
	e.endBlock()
	e.past = e.past[:0]
}

// endBlock ends the block that has been begun.
func (e *Encoder) endBlock() {
	if e.codes != nil {
		e.writer.putCode(e.codes.end)
		e.writer.flush()
		e.codes = nil
	}
}

// Room returns how many bytes of capacity, beyond those of the stream, spare an Encoder a copy of
// the slice when it deflates n bytes.
func Room(n int) int { return min(n, pieceSize)*maxCode/8 + slack }

// Store appends stored blocks that hold the parts, one after another. A block may hold the end of
// one part and the beginning of the next.
func (e *Encoder) Store(final bool, parts ...[]byte) {
	e.part()
	w := &e.writer
	left := 0
	for _, p := range parts {
		left += len(p)
	}
	w.out = slices.Grow(w.out, left+(left/maxStored+1)*8)
	if left == 0 {
		w.storedHeader(0, final)
	}
	room := 0 // in the block that has been begun
	for _, p := range parts {
		for len(p) > 0 {
			if room == 0 {
				room = min(left, maxStored)
				left -= room
				w.storedHeader(room, final && left == 0)
			}
			n := min(room, len(p))
			w.out = append(w.out, p[:n]...)
			p, room = p[n:], room-n
		}
	}
}

// StoreHeader appends what a stored block of n bytes begins with: at most 65535, which the caller
// writes behind it.
func (e *Encoder) StoreHeader(n int, final bool) {
	e.part()
	e.writer.storedHeader(n, final)
}

// choose returns the codes for a block that begins with piece; left bytes of text remain, piece
// among them. It returns nil if piece will not shrink.
func (e *Encoder) choose(piece []byte, rest int, kind Kind, left int) *codes {
	p := presets()
	if kind == Head {
		return &p[0]
	}
	h := &e.sampled
	*h = histogram{}
	covered := uint64(h.sample(piece, e.finder.sequences, rest, stride))
	best, cost := &p[0], h.cost(&p[0].lengths)
	for i := range p[1:] {
		if c := h.cost(&p[1+i].lengths); c < cost {
			best, cost = &p[1+i], c
		}
	}
	least := min(h.entropy(), cost)
	if least >= covered*8*31/32 {
		return nil
	}
	if saved := cost - least; len(piece) < customSize ||
		saved < cost/32+customCost*covered/uint64(left) {
		return best
	}
	var l lengths
	l.build(h)
	e.custom.set(&l)
	return &e.custom
}
