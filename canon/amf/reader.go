package amf

import (
	"bytes"
	"encoding/binary"
	"math"
	"unicode/utf8"
)

// A reader reads an envelope. After the first fault failed is set, and all that is read is zero.
type reader struct {
	rest    []byte
	failed  bool
	amf3    bool // a message's body may be any AMF3 value
	nesting int
	values  int
	objects []any // AMF0 values that later ones may refer to
	tables  tables
	budget  *budget
}

func (r *reader) fail() {
	r.failed = true
	r.rest = nil
}

// take takes n bytes.
func (r *reader) take(n int) []byte {
	if n < 0 || n > len(r.rest) {
		r.fail()
		return make([]byte, min(max(n, 0), 8))
	}
	taken := r.rest[:n]
	r.rest = r.rest[n:]
	return taken
}

func (r *reader) byte() byte  { return r.take(1)[0] }
func (r *reader) uint16() int { return int(binary.BigEndian.Uint16(r.take(2))) }
func (r *reader) uint32() int { return int(binary.BigEndian.Uint32(r.take(4))) }
func (r *reader) float64() float64 {
	return math.Float64frombits(binary.BigEndian.Uint64(r.take(8)))
}

// text takes n bytes of UTF-8.
func (r *reader) text(n int) string {
	text := r.take(n)
	if r.failed || !utf8.Valid(text) {
		r.fail()
		return ""
	}
	return string(text)
}

// envelope reads a version, headers, which are passed over, and messages. A message whose response
// has the same name as that of an earlier message takes its place.
func (r *reader) envelope() (messages []message) {
	version := r.uint16()
	if version > math.MaxUint8 {
		r.fail()
	}
	r.amf3 = version == 3
	for n := r.uint16(); n > 0 && !r.failed; n-- {
		r.text(r.uint16())
		r.take(1 + 4) // whether it must be understood, and its length, which is not reliable
		r.amf0()
	}
	places := map[string]int{} // of messages, by the names of their responses
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
func (r *reader) message() message {
	m := message{target: r.text(r.uint16()), response: r.text(r.uint16())}
	r.take(4) // the body's length, which is not reliable either
	switch marker := r.byte(); {
	case marker == 0x0a:
		m.body = &array{elements: r.elements(r.amf0)}
	case marker == 0x11 && r.amf3:
		m.body = r.amf3Value()
	default:
		r.fail()
	}
	return m
}

// elements reads a length and that many values.
func (r *reader) elements(read func() any) (values []any) {
	for n := r.uint32(); n > 0 && !r.failed; n-- {
		values = append(values, read())
	}
	return values
}

// nested reads a value that may lie in others: its marker, and the rest by what that says.
func (r *reader) nested(read func(marker byte) any) any {
	r.nesting++
	r.count()
	if r.nesting > maxNesting {
		r.fail()
	}
	value := read(r.byte())
	r.nesting--
	return value
}

// count counts a value, or a name that takes memory beyond the body.
func (r *reader) count() {
	if r.values++; r.values > maxValues {
		r.budget.exhaust()
		r.fail()
	}
}

var objectEnd = []byte{0, 0, 9} // an empty name and the marker of the end

// members reads the fields of an AMF0 object, and its end.
func (r *reader) members(o *object) {
	for !r.failed && !bytes.HasPrefix(r.rest, objectEnd) {
		name := r.text(r.uint16())
		o.add(name, r.amf0())
	}
	r.take(len(objectEnd))
}
