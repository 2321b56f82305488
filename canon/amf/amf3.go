package amf

import "strconv"

// amf3Value reads an AMF3 value (AMF 3 specification, section 3).
func (r *reader) amf3Value() any { return r.nested(r.amf3Marked) }

func (r *reader) amf3Marked(marker byte) any {
	switch marker {
	case 0x00:
		return undefined{}
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
func (r *reader) uint29() (n int) {
	for range 3 {
		c := r.byte()
		n = n<<7 | int(c&0x7f)
		if c < 0x80 {
			return n
		}
	}
	return n<<8 | int(r.byte())
}

// header reads what a string, date, array or object begins with: its length, or its index in the
// table.
func (r *reader) header() (n int, reference bool) {
	n = r.uint29()
	return n >> 1, n&1 == 0
}

func (r *reader) amf3String() string {
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

func (r *reader) amf3Date() any {
	n, reference := r.header()
	if reference {
		return r.reference(r.tables.objects, n)
	}
	date := date(r.float64())
	r.tables.objects = append(r.tables.objects, date)
	return date
}

// amf3Array reads an array. An array with named elements is an object, in which the others go by
// their numbers.
func (r *reader) amf3Array() any {
	n, reference := r.header()
	if reference {
		return r.reference(r.tables.objects, n)
	}
	at := len(r.tables.objects)
	array := &array{}
	r.tables.objects = append(r.tables.objects, array)
	named := &object{mixed: true}
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
func (r *reader) named(o *object) {
	for name := r.amf3String(); name != "" && !r.failed; name = r.amf3String() {
		o.add(name, r.amf3Value())
	}
}

func (r *reader) amf3Object() any {
	n, reference := r.header()
	if reference {
		return r.reference(r.tables.objects, n)
	}
	traits := r.amf3Traits(n)
	o := &object{class: traits.class}
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

// amf3Traits reads the traits of an object, given the rest of its header: that says where in the
// table they are, or how many names follow.
func (r *reader) amf3Traits(header int) (t amf3Traits) {
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

// external reads the one value that a Flex collection or proxy holds.
func (r *reader) external(o *object) any {
	switch o.class {
	case "flex.messaging.io.ArrayCollection", "flex.messaging.io.ObjectProxy":
		o.add(content, r.amf3Value())
	default:
		r.fail()
	}
	return o
}

// content is the field in which external keeps the value.
const content = "_amf_object"
