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

// Text returns the text of a body, or the first limit bytes of it; nil if the body cannot
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
