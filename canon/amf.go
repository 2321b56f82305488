package canon

import (
	"bytes"
	"encoding/binary"
	"math"
	"unicode/utf8"
)

// amfQuery is the query of a body in Action Message Format, or at least limit characters
// of it; empty if it cannot be decoded: request= and the text that pywb makes of the
// envelope. It is false if the budget does not suffice. This is experimental, as the seed
// calls it: externalizable classes other than collections, XML, byte arrays, vectors and
// dictionaries count as undecodable.
func amfQuery(body []byte, limit int, budget *budget) (q []byte, ok bool) {
	left := *budget // a copy, so that other bodies need none on the heap
	defer func() { *budget = left }()
	r := amfReader{rest: body, budget: &left}
	messages := r.envelope()
	t := amfText{limit: limit, budget: &left}
	t.envelope(messages)
	if left.spent() {
		return nil, false
	}
	if r.failed || t.failed {
		return nil, true
	}
	return percentPlus.append([]byte("request="), t.out), true
}

// maxAMFNesting is how deep AMF values may lie in each other, maxAMFValues how many may
// be in an envelope, with the names of fields: a null takes a byte there and much more in
// memory.
const (
	maxAMFNesting = 200
	maxAMFValues  = 1 << 18
)

// amfReader reads an AMF envelope. After the first fault failed is set, and all that it
// reads is zero.
type amfReader struct {
	rest    []byte
	failed  bool
	amf3    bool // a message's body may be any AMF3 value
	nesting int
	values  int
	objects []any // AMF0 values that may be referred to
	tables  amf3Tables
	budget  *budget
}

// amfMessage is a request of an envelope.
type amfMessage struct {
	target, response string
	body             any
}

// The values are nil, bool, string, int (of AMF3), float64 (of AMF3), amfNumber, amfDate,
// amfUndefined, *amfArray and *amfObject. Those that are pointers may hold themselves.
type (
	amfNumber    float64 // of AMF0, which knows no integers
	amfDate      float64 // milliseconds since 1970
	amfUndefined struct{}
	amfArray     struct{ elements []any }
)

func (r *amfReader) fail() {
	r.failed = true
	r.rest = nil
}

// take takes n bytes.
func (r *amfReader) take(n int) []byte {
	if n < 0 || n > len(r.rest) {
		r.fail()
		return make([]byte, min(max(n, 0), 8))
	}
	taken := r.rest[:n]
	r.rest = r.rest[n:]
	return taken
}

func (r *amfReader) byte() byte  { return r.take(1)[0] }
func (r *amfReader) uint16() int { return int(binary.BigEndian.Uint16(r.take(2))) }
func (r *amfReader) uint32() int { return int(binary.BigEndian.Uint32(r.take(4))) }
func (r *amfReader) float64() float64 {
	return math.Float64frombits(binary.BigEndian.Uint64(r.take(8)))
}

// text takes n bytes of UTF-8.
func (r *amfReader) text(n int) string {
	text := r.take(n)
	if r.failed || !utf8.Valid(text) {
		r.fail()
		return ""
	}
	return string(text)
}

// envelope reads all messages: a version, headers, which are passed over, and bodies.
// A message that answers to the same name as one before takes its place.
func (r *amfReader) envelope() (messages []amfMessage) {
	version := r.uint16()
	if version > math.MaxUint8 {
		r.fail()
	}
	r.amf3 = version == 3
	for n := r.uint16(); n > 0 && !r.failed; n-- {
		r.text(r.uint16())
		r.take(1 + 4) // whether it must be understood, and a length that is not reliable
		r.amf0()
	}
	places := map[string]int{} // of responses
	for n := r.uint16(); n > 0 && !r.failed; n-- {
		m := r.message()
		if i, again := places[m.response]; again {
			messages[i] = m
			continue
		}
		places[m.response] = len(messages)
		messages = append(messages, m)
	}
	return messages
}

// message reads a message whose body is a list, or any AMF3 value.
func (r *amfReader) message() amfMessage {
	m := amfMessage{target: r.text(r.uint16()), response: r.text(r.uint16())}
	r.take(4) // the body's length, which is not reliable either
	switch marker := r.byte(); {
	case marker == 0x0a:
		m.body = &amfArray{elements: r.elements(r.amf0)}
	case marker == 0x11 && r.amf3:
		m.body = r.amf3Value()
	default:
		r.fail()
	}
	return m
}

// elements reads a length and that many values.
func (r *amfReader) elements(read func() any) (values []any) {
	for n := r.uint32(); n > 0 && !r.failed; n-- {
		values = append(values, read())
	}
	return values
}

// nested reads a value, which may lie in others, by the marker before it.
func (r *amfReader) nested(read func(marker byte) any) any {
	r.nesting++
	r.count()
	if r.nesting > maxAMFNesting {
		r.fail()
	}
	value := read(r.byte())
	r.nesting--
	return value
}

// count counts a value, or a name that takes room beyond the body.
func (r *amfReader) count() {
	if r.values++; r.values > maxAMFValues {
		r.budget.exhaust()
		r.fail()
	}
}

var amfEnd = []byte{0, 0, 9} // an empty name and the marker object-end

// members reads an AMF0 object's fields up to its end.
func (r *amfReader) members(o *amfObject) {
	for !r.failed && !bytes.HasPrefix(r.rest, amfEnd) {
		name := r.text(r.uint16())
		o.add(name, r.amf0())
	}
	r.take(len(amfEnd))
}
