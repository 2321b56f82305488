package amf

import "math"

// A message is a request of an envelope.
type message struct {
	target, response string
	body             any
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
