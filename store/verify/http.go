package verify

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// message reads the HTTP message in the block of a record, piece by piece. The header ends where it
// does for a recorder that makes payload digests: behind the first empty line, or behind maxHead
// bytes if there is none. No message is refused.
type message struct {
	request bool

	head   []byte
	line   int // where the last line of the head begins
	inBody bool
	ended  bool // the head has its empty line

	method  string // of a request
	status  int    // of a response; 0 if its first line is no status line
	length  int64  // the first Content-Length; -1 if there is none
	coded   bool   // there is a Transfer-Encoding
	chunked bool   // the last coding of the Transfer-Encoding is chunked
	expects bool   // Expect: 100-continue

	body   int64 // bytes behind the head
	chunks chunks
}

const maxHead = 1<<20 + 64<<10

// reset begins another message.
func (m *message) reset(request bool) {
	*m = message{request: request, head: m.head[:0], length: -1}
}

// write reads a piece of the block. wire is the part of the piece that is behind the head, entity
// is wire without the framing of chunks.
func (m *message) write(p []byte) (wire, entity []byte) {
	if !m.inBody {
		p = m.addHead(p)
		if !m.inBody {
			return nil, nil
		}
	}
	m.body += int64(len(p))
	if !m.chunked {
		return p, p
	}
	return p, m.chunks.write(p)
}

// addHead adds the beginning of p to the head, and returns the rest of p, which is body.
func (m *message) addHead(p []byte) []byte {
	for len(p) > 0 {
		n := bytes.IndexByte(p, '\n') + 1
		if n == 0 {
			n = len(p)
		}
		n = min(n, maxHead-len(m.head))
		m.head = append(m.head, p[:n]...)
		p = p[n:]
		if m.head[len(m.head)-1] == '\n' {
			m.ended = len(bytes.TrimSuffix(m.head[m.line:len(m.head)-1], []byte("\r"))) == 0
			m.line = len(m.head)
		}
		if m.ended || len(m.head) == maxHead {
			m.parse()
			return p
		}
	}
	return nil
}

// end ends the message.
func (m *message) end() {
	if !m.inBody {
		m.parse()
	}
}

// parse parses the head.
func (m *message) parse() {
	m.inBody = true
	start, rest, _ := bytes.Cut(m.head, []byte("\n"))
	m.start(strings.TrimSuffix(string(start), "\r"))
	name := ""
	for line := range bytes.Lines(rest) {
		line = bytes.TrimRight(line, "\r\n")
		if len(line) > 0 && (line[0] == ' ' || line[0] == '\t') {
			m.field(name, string(bytes.TrimSpace(line))) // a folded line
			continue
		}
		before, value, _ := bytes.Cut(line, []byte(":"))
		name = strings.ToLower(string(bytes.TrimRight(before, " \t")))
		m.field(name, string(bytes.TrimSpace(value)))
	}
}

// start parses the start line.
func (m *message) start(line string) {
	first, rest, _ := strings.Cut(line, " ")
	if m.request {
		if target, version, ok := strings.Cut(rest, " "); ok && target != "" &&
			strings.HasPrefix(version[strings.LastIndexByte(version, ' ')+1:], "HTTP/") {
			m.method = first
		}
		return
	}
	code, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	if n, err := strconv.ParseUint(code, 10, 16); err == nil && len(code) == 3 &&
		strings.HasPrefix(first, "HTTP/") {
		m.status = int(n)
	}
}

// field parses the value of a field, or its continuation.
func (m *message) field(name, value string) {
	switch name {
	case "content-length":
		if n, err := strconv.ParseUint(value, 10, 62); err == nil && m.length < 0 {
			m.length = int64(n)
		}
	case "transfer-encoding":
		last := strings.TrimSpace(value[strings.LastIndexByte(value, ',')+1:])
		m.coded, m.chunked = true, strings.EqualFold(last, "chunked")
	case "expect":
		m.expects = m.expects || strings.EqualFold(value, "100-continue")
	}
}

// problem says what is wrong with a message that is not marked as truncated; "" if nothing is. open
// is whether nothing is wrong if the message answers a HEAD request, or is a request that waited in
// vain to be asked for its body.
func (m *message) problem() (text string, open bool) {
	switch {
	case m.request && m.method == "":
		return "the request line is none: " + quote(firstLine(m.head)), false
	case !m.request && m.status == 0:
		return "the status line is none: " + quote(firstLine(m.head)), false
	case !m.ended:
		return "the HTTP header has no empty line at its end", false
	}
	bodyless := !m.request && (m.status < 200 || m.status == 204 || m.status == 304)
	open = m.body == 0 && (!m.request || m.expects)
	switch {
	case bodyless:
		return "", false
	case m.chunked && m.chunks.bad:
		return fmt.Sprintf("the chunks of the body are broken at its byte %d", m.chunks.read), open
	case m.chunked && !m.chunks.done:
		return "the chunks of the body are not complete", open
	case m.chunked && m.chunks.surplus > 0:
		return fmt.Sprintf("%d bytes follow the last chunk", m.chunks.surplus), false
	case !m.coded && m.length >= 0 && m.length != m.body:
		return fmt.Sprintf("the HTTP header says that the body has %d bytes, and it has %d", m.length,
			m.body), open
	}
	return "", false
}

func firstLine(head []byte) string {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	return strings.TrimSuffix(string(line), "\r")
}

// chunks reads a body in chunks (RFC 9112 section 7.1) piece by piece. A lone LF ends a line, too.
type chunks struct {
	state   chunkState
	digits  int    // of the size that is being read
	size    uint64 // bytes that are left of the chunk
	line    int    // bytes in a line of the trailer
	read    int64  // bytes before the first one that is wrong
	surplus int64  // bytes behind the last chunk
	done    bool   // the trailer has been read
	bad     bool   // the framing is broken
	out     []byte // what write returns
}

type chunkState int

const (
	chunkSize chunkState = iota
	chunkExtension
	chunkData
	chunkEnd
	chunkTrailer
)

// write reads a piece of the body and returns its data, without framing.
func (c *chunks) write(p []byte) []byte {
	c.out = c.out[:0]
	for len(p) > 0 && !c.bad {
		if c.done {
			c.surplus += int64(len(p))
			break
		}
		if c.state == chunkData {
			n := int(min(c.size, uint64(len(p))))
			c.out = append(c.out, p[:n]...)
			p, c.size, c.read = p[n:], c.size-uint64(n), c.read+int64(n)
			if c.size == 0 {
				c.state = chunkEnd
			}
			continue
		}
		c.byte(p[0])
		p = p[1:]
		if !c.bad {
			c.read++
		}
	}
	return c.out
}

// byte reads a byte of the framing.
func (c *chunks) byte(b byte) {
	switch c.state {
	case chunkSize:
		c.sizeByte(b)
	case chunkExtension:
		if b == '\n' {
			c.begin()
		}
	case chunkEnd:
		if b == '\n' {
			c.state = chunkSize
		} else if b != '\r' {
			c.bad = true
		}
	case chunkTrailer:
		switch {
		case b == '\n':
			c.done, c.line = c.line == 0, 0
		case b != '\r':
			c.line++
		}
	}
}

func (c *chunks) sizeByte(b byte) {
	switch {
	case isHex(b) && c.digits < 15:
		digit := uint64(b - '0')
		if b > '9' {
			digit = uint64(b|0x20-'a') + 10
		}
		c.size = c.size<<4 | digit
		c.digits++
	case c.digits == 0 || strings.IndexByte(";\r\n \t", b) < 0:
		c.bad = true
	case b == '\n':
		c.begin()
	default:
		c.state = chunkExtension
	}
}

// begin begins the chunk whose size has been read, or the trailer.
func (c *chunks) begin() {
	c.state = chunkData
	if c.size == 0 {
		c.state = chunkTrailer
	}
	c.digits = 0
}
