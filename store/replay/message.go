package replay

import "strconv"

// message is the head of an answer that the archive gives in its own name.
type message struct{ head []byte }

// newMessage begins one; status is the code and the reason.
func newMessage(status string) *message {
	return &message{[]byte("HTTP/1.1 " + status + "\r\n")}
}

// field adds a field. What a value of ours holds of other's text has no line ends.
func (m *message) field(name, value string) {
	m.head = append(append(append(append(m.head, name...), ": "...), value...), "\r\n"...)
}

// fields adds whole lines.
func (m *message) fields(lines []byte) { m.head = append(m.head, lines...) }

// length adds how long the body is.
func (m *message) length(n int) { m.field("Content-Length", strconv.Itoa(n)) }

// end ends the head, and returns it.
func (m *message) end() []byte { return append(m.head, "\r\n"...) }
