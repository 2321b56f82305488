package amf

import (
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

// tables are what AMF3 values may refer to instead of repeating it.
type tables struct {
	strings []string
	objects []any
	traits  []amf3Traits
}

// amf3Traits say what an object is like: its class, and the names of its first fields.
type amf3Traits struct {
	class          string
	names          []string
	dynamic        bool // fields with names follow
	externalizable bool // the class alone knows what follows
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

// reference returns what an index into a table refers to.
func (r *reader) reference(table []any, index int) any {
	if index >= len(table) {
		r.fail()
		return nil
	}
	return table[index]
}
