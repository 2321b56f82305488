// Package amf writes what pywb makes of a body in Action Message Format: the text by which a
// request of that type goes in a key. Begin with Text.
//
//	envelope   version, headers (passed over), messages
//	message    target, response, body: a list of values, or a value of AMF3
//	value      a marker and what it says: AMF0, from which a marker leads to AMF3
//
// pywb shows an envelope as <Envelope>[<Request target=T>BODY</Request>,...]</Envelope>, as Py3AMF
// prints it. This is experimental, as Request Body Canonicalization calls it: classes that are
// externalizable, other than collections, and XML, byte arrays, vectors and dictionaries count as
// undecodable.
//
// Invariant: no input panics or takes more than its steps. AMF values refer to others and may hold
// themselves, so that a few bytes can stand for any amount of text.
package amf

// maxNesting is how deep values may lie in each other, maxValues how many there may be in an
// envelope, together with the names of fields: a null takes a byte there and much more in memory.
const (
	maxNesting = 200
	maxValues  = 1 << 18
)

// Text returns the text of a body, or at least the first limit bytes of it; nil if the body cannot
// be decoded. A step is a byte of text that is written, or half of a value that is visited. left is
// how many of steps are left: below 0 if they did not suffice, and then there is no text.
func Text(body []byte, limit, steps int) (text []byte, left int) {
	b := budget{steps}
	r := reader{rest: body, budget: &b}
	messages := r.envelope()
	p := printer{limit: limit, budget: &b}
	p.envelope(messages)
	if r.failed || p.failed || b.spent() {
		return nil, b.left
	}
	return p.out, b.left
}

// budget is how many steps are left.
type budget struct{ left int }

// spend takes steps. It is false once there are none left.
func (b *budget) spend(steps int) bool {
	b.left -= min(steps, b.left+1)
	return !b.spent()
}

// exhaust leaves nothing.
func (b *budget) exhaust() { b.left = -1 }

func (b *budget) spent() bool { return b.left < 0 }

// A message is a request of an envelope.
type message struct {
	target, response string
	body             any
}

// A value is nil, bool, string, int (of AMF3), float64 (of AMF3), amf0Number, date, undefined,
// *array or *object. The last two may hold themselves.
type (
	amf0Number float64 // of AMF0, which knows no integers
	date       float64 // milliseconds since 1970
	undefined  struct{}
	array      struct{ elements []any }
)
