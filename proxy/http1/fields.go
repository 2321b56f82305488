package http1

import (
	"bytes"
	"strconv"
)

// fieldLines collects what framing needs from a head's field lines.
type fieldLines struct {
	contentLength, transferEncoding []byte // the last line of that name, nil if there is none
	length                          int64
	chunkedLast                     bool
	close, keep, upgrade            bool // options of a Connection field
	connection, bound               bool
	expect, acceptsHTML             bool
	mixedEnds                       bool // some lines end in CRLF, some in LF alone
	framingNamed                    bool // a Connection field names a framing field
	inOptions                       bool // the last line was a Connection field
	inEncoding                      bool // the last line was a Content-Encoding field
	encoding, credential            []byte
	credentials                     int
	named                           fieldSet
}

// scan reads the field lines. It refuses what two readers could frame differently: a bare CR or a
// NUL anywhere, and a Content-Length or Transfer-Encoding that is folded, oddly spelled or
// contradicts itself.
func (f *fieldLines) scan(head, fields []byte) error {
	if bytes.IndexByte(head, 0) >= 0 {
		return Refuse("a NUL in the head")
	}
	ends, withCR := lineEnds(head)
	if bytes.Count(head, []byte{'\r'}) > withCR {
		return Refuse("a CR without LF in the head")
	}
	f.mixedEnds = withCR > 0 && withCR < ends
	var previous []byte
	folded := false // previous has been looked at: it may be long, and have many folds
	for len(fields) > 0 {
		var line []byte
		line, fields = cutLine(fields)
		if len(line) == 0 {
			break
		}
		if line[0] == ' ' || line[0] == '\t' {
			if err := f.fold(line, previous, folded); err != nil {
				return err
			}
			folded = true
			continue
		}
		if err := f.field(line); err != nil {
			return err
		}
		previous, folded = line, false
	}
	return nil
}

// fold takes a line that goes on with the field on previous. seen says that previous has had a fold
// before.
func (f *fieldLines) fold(line, previous []byte, seen bool) error {
	if previous == nil {
		return Refuse("a fold before the first field")
	}
	if !seen && FramesBody(previous) {
		return Refuse("a folded framing field", previous, line)
	}
	if f.inOptions {
		f.options(trim(line))
	}
	if f.inEncoding {
		f.encodes(trim(line), ' ')
	}
	if FramesBody(line) {
		return Refuse("a framing field behind a fold", line)
	}
	return nil
}

// FramesBody reports whether a line names Content-Length or Transfer-Encoding to any reader,
// however sloppy. Some readers pass over what cannot stand in a name, be it a space, a control byte
// or a space of another alphabet, and so does FramesBody: "Content-Length : 6" frames the body for
// them and is an unknown field for others.
func FramesBody(line []byte) bool {
	name, _, _ := bytes.Cut(line, []byte{':'})
	var room [len("transfer-encoding") + 1]byte
	plain := room[:0]
	for _, c := range name {
		if tokenByte[c] {
			if plain = append(plain, c); len(plain) == len(room) {
				return false // longer than both names
			}
		}
	}
	return isFraming(plain)
}

func isFraming(name []byte) bool {
	return is(name, "content-length") || is(name, "transfer-encoding")
}

// field takes one line. The switch on the first letter keeps the usual dozen of fields cheap. What
// is no field at all passes, unless some reader could take it for a framing field.
func (f *fieldLines) field(line []byte) error {
	colon := bytes.IndexByte(line, ':')
	if colon < 0 {
		if FramesBody(line) {
			return Refuse("a framing field without a colon", line)
		}
		return nil
	}
	name, value := line[:colon], trim(line[colon+1:])
	f.inOptions, f.inEncoding = false, false
	f.named |= setOf(trim(name))
	if !isToken(name) {
		if FramesBody(line) {
			return Refuse("a framing field whose name is not a token", line)
		}
		return nil
	}
	switch name[0] | 0x20 {
	case 'a':
		f.auth(name, value)
	case 'c':
		return f.connectionOrContent(line, name, value)
	case 'e':
		f.expect = f.expect || is(name, "expect") && hasToken(value, "100-continue")
	case 'p':
		if is(name, "proxy-authorization") {
			f.credential = value
			f.credentials++
		}
	case 't':
		if is(name, "transfer-encoding") {
			return f.codings(line, value)
		}
	case 'w':
		if is(name, "www-authenticate") {
			f.bound = f.bound || bindsConnection(value)
		}
	}
	return nil
}

// auth reads an Authorization or an Accept field.
func (f *fieldLines) auth(name, value []byte) {
	switch {
	case is(name, "authorization"):
		f.bound = f.bound || bindsConnection(value)
	case is(name, "accept"):
		f.acceptsHTML = f.acceptsHTML || bytes.Contains(value, []byte("text/html"))
	}
}

// bindsConnection reports an authentication scheme that authenticates the connection, not the
// request (RFC 4559): such a connection must not be shared.
func bindsConnection(value []byte) bool {
	scheme, _, _ := bytes.Cut(value, []byte{' '})
	return is(scheme, "ntlm") || is(scheme, "negotiate")
}

// connectionOrContent reads a Connection, a Content-Length or a Content-Encoding field.
func (f *fieldLines) connectionOrContent(line, name, value []byte) error {
	switch {
	case is(name, "connection"):
		f.connection, f.inOptions = true, true
		f.options(value)
	case is(name, "content-length"):
		return f.lengths(line, value)
	case is(name, "content-encoding"):
		f.encodes(value, ',')
		f.inEncoding = true
	}
	return nil
}

// encodes takes a part of the list of content codings, and what divides it from the part before.
// One part, as there is nearly always, is not copied.
func (f *fieldLines) encodes(part []byte, divider byte) {
	if f.encoding == nil {
		f.encoding = part[:len(part):len(part)]
		return
	}
	f.encoding = append(append(f.encoding, divider), part...)
}

// options reads the list of a Connection field. Whoever passes a message on takes out the fields
// that the list names (RFC 9110 section 7.6.1). An origin's front door would take out a field that
// frames the body or names the host, and the server behind it would then see another end of the
// message, or another message, than we do.
func (f *fieldLines) options(list []byte) {
	for more := true; more; {
		var one []byte
		one, list, more = bytes.Cut(list, []byte{','})
		one = trim(one)
		switch {
		case is(one, "close"):
			f.close = true
		case is(one, "keep-alive"):
			f.keep = true
		case is(one, "upgrade"):
			f.upgrade = true
		case is(one, "host"), is(one, "expect"):
			f.bound = true
		case len(one) >= len("content-length") && FramesBody(one):
			f.framingNamed = true
		}
	}
}

// lengths reads a Content-Length, which may be a list of equal numbers (RFC 9110 section 8.6).
func (f *fieldLines) lengths(line, value []byte) error {
	for more := true; more; {
		var number []byte
		number, value, more = bytes.Cut(value, []byte{','})
		n, err := parseLength(trim(number))
		if err != nil {
			return Refuse("a Content-Length that is not a number", line)
		}
		if f.contentLength != nil && n != f.length {
			return Refuse("two Content-Lengths that differ", f.contentLength, line)
		}
		f.contentLength, f.length = line, n
	}
	return nil
}

func parseLength(digits []byte) (int64, error) {
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, strconv.ErrSyntax
		}
	}
	return strconv.ParseInt(string(digits), 10, 64)
}

// codings reads a Transfer-Encoding line; lines of the same name make one list.
func (f *fieldLines) codings(line, value []byte) error {
	f.transferEncoding = line
	for more := true; more; {
		var coding []byte
		coding, value, more = bytes.Cut(value, []byte{','})
		coding = trim(coding)
		if f.chunkedLast {
			return Refuse("a Transfer-Encoding with something behind chunked", line)
		}
		f.chunkedLast = is(coding, "chunked")
	}
	return nil
}
