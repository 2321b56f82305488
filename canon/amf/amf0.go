package amf

import "bytes"

// amf0 reads an AMF0 value (AMF 0 specification, section 2).
func (r *reader) amf0() any { return r.nested(r.amf0Marked) }

func (r *reader) amf0Marked(marker byte) any {
	switch marker {
	case 0x00:
		return amf0Number(r.float64())
	case 0x01:
		return r.byte() != 0
	case 0x02:
		return r.text(r.uint16())
	case 0x03:
		return r.amf0Object(&object{})
	case 0x05, 0x0d: // null, unsupported
		return nil
	case 0x06:
		return undefined{}
	case 0x07:
		return r.reference(r.objects, r.uint16())
	case 0x08:
		r.uint32() // how many elements there may be
		return r.amf0Object(&object{mixed: true})
	case 0x0a:
		return r.amf0Array()
	case 0x0b:
		date := date(r.float64())
		r.take(2) // a time zone, always 0
		return date
	case 0x0c:
		return r.text(r.uint32())
	case 0x10:
		return r.amf0Object(&object{class: r.text(r.uint16())})
	case 0x11:
		return r.amf3Value()
	}
	r.fail()
	return nil
}

// amf0Object reads the fields of an object, which later values may refer to.
func (r *reader) amf0Object(o *object) any {
	r.objects = append(r.objects, o)
	r.members(o)
	return o
}

func (r *reader) amf0Array() any {
	a := &array{}
	r.objects = append(r.objects, a)
	a.elements = r.elements(r.amf0)
	return a
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
