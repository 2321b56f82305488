package canon

import "strconv"

// amf3Tables is what an AMF3 value may refer to instead of repeating it.
type amf3Tables struct {
	strings []string
	objects []any
	traits  []amf3Traits
}

// amf3Traits says what an object is like: its class, and the names of its first fields.
type amf3Traits struct {
	class          string
	names          []string
	dynamic        bool // fields with names follow
	externalizable bool // the class alone knows what follows
}

// amf3Value reads an AMF3 value (AMF 3 specification, section 3).
func (r *amfReader) amf3Value() any { return r.nested(r.amf3Marked) }

func (r *amfReader) amf3Marked(marker byte) any {
	switch marker {
	case 0x00:
		return amfUndefined{}
	case 0x01:
		return nil
	case 0x02:
		return false
	case 0x03:
		return true
	case 0x04:
		return int(int32(r.uint29()<<3) >> 3) // 29 bits, signed
	case 0x05:
		return r.float64()
	case 0x06:
		return r.amf3String()
	case 0x08:
		return r.amf3Date()
	case 0x09:
		return r.amf3Array()
	case 0x0a:
		return r.amf3Object()
	}
	r.fail()
	return nil
}

// uint29 reads an integer of one to four bytes, the fourth of 8 bits.
func (r *amfReader) uint29() (n int) {
	for range 3 {
		c := r.byte()
		n = n<<7 | int(c&0x7f)
		if c < 0x80 {
			return n
		}
	}
	return n<<8 | int(r.byte())
}

// header reads what a string, date, array or object begins with: its length, or where
// in the table it is.
func (r *amfReader) header() (n int, reference bool) {
	n = r.uint29()
	return n >> 1, n&1 == 0
}

func (r *amfReader) amf3String() string {
	n, reference := r.header()
	switch {
	case reference && n < len(r.tables.strings):
		return r.tables.strings[n]
	case reference:
		r.fail()
		return ""
	}
	text := r.text(n)
	if text != "" {
		r.tables.strings = append(r.tables.strings, text)
	}
	return text
}

func (r *amfReader) amf3Date() any {
	n, reference := r.header()
	if reference {
		return r.reference(r.tables.objects, n)
	}
	date := amfDate(r.float64())
	r.tables.objects = append(r.tables.objects, date)
	return date
}

// amf3Array reads an array. One with named elements is an object, in which the others
// go by their numbers.
func (r *amfReader) amf3Array() any {
	n, reference := r.header()
	if reference {
		return r.reference(r.tables.objects, n)
	}
	at := len(r.tables.objects)
	array := &amfArray{}
	r.tables.objects = append(r.tables.objects, array)
	named := &amfObject{mixed: true}
	r.named(named)
	if len(named.fields) > 0 {
		r.tables.objects[at] = named
	}
	for i := 0; i < n && !r.failed; i++ {
		value := r.amf3Value()
		array.elements = append(array.elements, value)
		if len(named.fields) > 0 {
			named.add(strconv.Itoa(i), value)
		}
	}
	return r.tables.objects[at]
}

// named reads names and values up to an empty name.
func (r *amfReader) named(o *amfObject) {
	for name := r.amf3String(); name != "" && !r.failed; name = r.amf3String() {
		o.add(name, r.amf3Value())
	}
}

func (r *amfReader) amf3Object() any {
	n, reference := r.header()
	if reference {
		return r.reference(r.tables.objects, n)
	}
	traits := r.amf3Traits(n)
	o := &amfObject{class: traits.class}
	r.tables.objects = append(r.tables.objects, o)
	if traits.externalizable {
		return r.external(o)
	}
	for i := 0; i < len(traits.names) && !r.failed; i++ {
		o.add(traits.names[i], r.amf3Value())
	}
	if traits.dynamic {
		r.named(o)
	}
	return o
}

// amf3Traits reads traits, or where in the table they are, from an object's header.
func (r *amfReader) amf3Traits(header int) (t amf3Traits) {
	if header&1 == 0 {
		if header>>1 >= len(r.tables.traits) {
			r.fail()
			return t
		}
		return r.tables.traits[header>>1]
	}
	t.externalizable, t.dynamic = header&2 != 0, header&4 != 0
	t.class = r.amf3String()
	for n := header >> 3; n > 0 && !r.failed; n-- {
		r.count()
		t.names = append(t.names, r.amf3String())
	}
	r.tables.traits = append(r.tables.traits, t)
	return t
}

// external reads what a Flex collection or proxy is about, one value.
func (r *amfReader) external(o *amfObject) any {
	switch o.class {
	case "flex.messaging.io.ArrayCollection", "flex.messaging.io.ObjectProxy":
		o.add(amfContent, r.amf3Value())
	default:
		r.fail()
	}
	return o
}

// amfContent is the field in which external keeps the value.
const amfContent = "_amf_object"
