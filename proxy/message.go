package proxy

import (
	"bytes"
	"fmt"
	"strconv"
)

// framing says how a message's body ends (RFC 9112 section 6.3).
type framing uint8

const (
	noBody     framing = iota
	sized              // Content-Length
	chunked            // the last transfer coding is chunked
	untilClose         // responses only: the body ends with the connection
)

// message is what the relay must know of a head to find the end of its body and to know whether the
// connection goes on. Everything else in the head passes unread.
type message struct {
	framing   framing
	length    int64 // of the body, for sized
	minor     byte  // HTTP/1.0 or HTTP/1.1
	keepAlive bool  // as far as this head says

	upgrade    bool // Connection: upgrade
	connection bool // there is a Connection field
	proxyField bool // there is a Proxy-* field
	// the connection to the origin is for this client alone: it is authenticated as a whole (NTLM,
	// Negotiate), or may see another end of the message
	bound bool
}

// request is a parsed request head.
type request struct {
	message
	method        []byte
	target        []byte // a slice of the head
	targetAt      int    // where target lies in the head
	expect        bool   // Expect: 100-continue
	acceptsHTML   bool
	idempotent    bool // RFC 9110 section 9.2.2
	headRequested bool
}

// response is a parsed response head.
type response struct {
	message
	status int
}

// headError says why a head is refused, and shows the framing lines that contradict each other.
// Other lines may hold secrets and are never shown.
type headError struct {
	reason string
	lines  [][]byte
}

func (e *headError) Error() string { return e.reason }

func refuse(reason string, lines ...[]byte) *headError {
	kept := make([][]byte, len(lines))
	for i, line := range lines {
		kept[i] = bytes.Clone(line)
	}
	return &headError{reason, kept}
}

// headEnd returns the length of the head at the start of b through its blank line, or -1 if the
// blank line has not come yet. Lines end in LF or CRLF. from is where an earlier call stopped
// looking; next is where the next call may start: no byte is looked for twice, also of a line that
// comes in many pieces.
func headEnd(b []byte, from int) (end, next int) {
	for at := from; ; {
		i := bytes.IndexByte(b[at:], '\n')
		if i < 0 {
			return -1, len(b)
		}
		at += i + 1
		if endsInBlankLine(b[:at-1]) {
			return at, 0
		}
	}
}

// endsInBlankLine reports whether the line that b ends with, but for its LF, is empty.
func endsInBlankLine(b []byte) bool {
	b = bytes.TrimSuffix(b, []byte{'\r'})
	return len(b) == 0 || b[len(b)-1] == '\n'
}

// cutLine splits b behind its first LF; line has no line end.
func cutLine(b []byte) (line, rest []byte) {
	i := bytes.IndexByte(b, '\n')
	if i < 0 {
		return b, nil
	}
	line, rest = b[:i], b[i+1:]
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	return line, rest
}

// parseRequest reads the head of a request.
func parseRequest(head []byte) (request, error) {
	line, fields := cutLine(head)
	req, err := parseRequestLine(line)
	if err != nil {
		return req, err
	}
	var f fieldLines
	if err := f.scan(head, fields); err != nil {
		return req, err
	}
	req.expect, req.acceptsHTML = f.expect, f.acceptsHTML
	return req, req.frame(&f)
}

func parseRequestLine(line []byte) (request, error) {
	var req request
	first, last := bytes.IndexByte(line, ' '), bytes.LastIndexByte(line, ' ')
	if first <= 0 || last == first {
		return req, refuse("the request line is not METHOD TARGET HTTP/1.1")
	}
	if !isToken(line[:first]) {
		return req, refuse("the method is not a token")
	}
	minor, ok := versionOf(line[last+1:])
	if !ok {
		return req, refuse("the request's version is not HTTP/1.0 or HTTP/1.1")
	}
	target := bytes.Trim(line[first:last], " ")
	if hasVersion(target) {
		return req, refuse("the request line has two versions")
	}
	if len(target) == 0 {
		return req, refuse("the request has no target")
	}
	req.method, req.target, req.minor = line[:first], target, minor
	req.targetAt = first + bytes.IndexFunc(line[first:], func(r rune) bool { return r != ' ' })
	req.setMethod()
	return req, nil
}

// hasVersion reports whether a target holds what a reader that splits at any white space takes for
// the version.
func hasVersion(target []byte) bool {
	for at := 1; ; at++ {
		i := bytes.Index(target[min(at, len(target)):], []byte("HTTP/"))
		if i < 0 {
			return false
		}
		if at += i; bytes.IndexByte([]byte(" \t\v\f"), target[at-1]) >= 0 {
			return true
		}
	}
}

func (req *request) setMethod() {
	switch string(req.method) {
	case "HEAD":
		req.idempotent, req.headRequested = true, true
	case "GET", "OPTIONS", "TRACE", "PUT", "DELETE":
		req.idempotent = true
	}
}

// bodyUnexpected reports a body that many servers do not look for (RFC 9110 section 9.3): what it
// holds they may take for the next request.
func (req *request) bodyUnexpected() bool {
	if req.framing == noBody {
		return false
	}
	switch string(req.method) {
	case "GET", "HEAD", "OPTIONS", "TRACE", "DELETE":
		return true
	}
	return false
}

// frame decides how the request's body ends; what is ambiguous is refused (RFC 9112 section 6.3).
func (req *request) frame(f *fieldLines) error {
	req.take(f)
	switch {
	case f.mixedEnds && (f.transferEncoding != nil || f.contentLength != nil):
		return refuse("lines that end in LF among lines that end in CRLF, beside a framing field",
			f.contentLength, f.transferEncoding)
	case f.framingNamed:
		return refuse("a Connection field that names Content-Length or Transfer-Encoding",
			f.contentLength, f.transferEncoding)
	case f.transferEncoding != nil && f.contentLength != nil:
		return refuse("both Content-Length and Transfer-Encoding", f.contentLength, f.transferEncoding)
	case f.transferEncoding != nil && req.minor == 0:
		return refuse("Transfer-Encoding in HTTP/1.0", f.transferEncoding)
	case f.transferEncoding != nil && !f.chunkedLast:
		return refuse("a Transfer-Encoding that does not end in chunked", f.transferEncoding)
	case f.transferEncoding != nil:
		req.framing = chunked
	case f.contentLength != nil && f.length > 0:
		req.framing, req.length = sized, f.length
	}
	return nil
}

// parseResponse reads the head of the response to req.
func parseResponse(head []byte, req *request) (response, error) {
	line, fields := cutLine(head)
	res, err := parseStatusLine(line)
	if err != nil {
		return res, err
	}
	var f fieldLines
	if err := f.scan(head, fields); err != nil {
		return res, err
	}
	return res, res.frame(&f, req)
}

func parseStatusLine(line []byte) (response, error) {
	var res response
	if len(line) < len("HTTP/1.1 200") || line[8] != ' ' {
		return res, refuse("the answer does not begin with an HTTP/1 status line")
	}
	minor, ok := versionOf(line[:8])
	if !ok {
		return res, refuse("the answer's version is not HTTP/1.0 or HTTP/1.1")
	}
	status, err := strconv.ParseUint(string(line[9:12]), 10, 16)
	if err != nil || status < 100 || len(line) > 12 && line[12] != ' ' {
		return res, refuse("the answer's status is not a number of three digits")
	}
	res.minor, res.status = minor, int(status)
	return res, nil
}

// frame decides how the response's body ends.
func (res *response) frame(f *fieldLines, req *request) error {
	res.take(f)
	// a reader that ends no line at an LF alone might see another end
	res.keepAlive = res.keepAlive && !f.mixedEnds
	if req.headRequested || res.status < 200 || res.status == 204 || res.status == 304 {
		return nil
	}
	switch {
	case f.transferEncoding != nil && f.contentLength != nil:
		return refuse("both Content-Length and Transfer-Encoding", f.contentLength, f.transferEncoding)
	case f.transferEncoding != nil && f.chunkedLast && res.minor > 0:
		res.framing = chunked
	case f.transferEncoding != nil:
		// Not chunked at the end, or chunked in HTTP/1.0, which clients read in two ways: the
		// connection's end is the one end that both see.
		res.framing, res.keepAlive = untilClose, false
	case f.contentLength == nil:
		res.framing, res.keepAlive = untilClose, false
	case f.length > 0:
		res.framing, res.length = sized, f.length
	}
	return nil
}

// resetContent settles how a 205 ends on a connection that leads to any origin. Browsers look for
// no body behind it (Fetch, null body status), though RFC 9112 has one: they would take what an
// origin sends there for the answer of the next one. Where nothing says that there is one, there is
// none.
func (res *response) resetContent() error {
	switch {
	case res.status != 205:
	case res.framing == untilClose:
		res.framing = noBody
	case res.framing != noBody:
		return refuse("a 205 with a body")
	}
	return nil
}

// take copies what the field lines say of the connection.
func (m *message) take(f *fieldLines) {
	m.connection, m.upgrade, m.proxyField, m.bound = f.connection, f.upgrade, f.proxyField, f.bound ||
		f.framingNamed
	m.keepAlive = !f.close && (m.minor > 0 || f.keep)
}

// fieldLines collects what the relay needs from a head's field lines.
type fieldLines struct {
	contentLength, transferEncoding []byte // the last line of that name, nil if there is none
	length                          int64
	chunkedLast                     bool
	close, keep, upgrade            bool
	connection, proxyField, bound   bool
	expect, acceptsHTML             bool
	mixedEnds                       bool // some lines end in CRLF, some in LF alone
	framingNamed                    bool // by a Connection field
	inOptions                       bool // the last line was a Connection field
}

// scan reads the field lines. It refuses what two readers could frame differently: a bare CR or a
// NUL anywhere, and a Content-Length or Transfer-Encoding that is folded, oddly spelled or
// contradicts itself.
func (f *fieldLines) scan(head, fields []byte) error {
	if bytes.IndexByte(head, 0) >= 0 {
		return refuse("a NUL in the head")
	}
	ends, withCR := lineEnds(head)
	if bytes.Count(head, []byte{'\r'}) > withCR {
		return refuse("a CR without LF in the head")
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
			if previous == nil {
				return refuse("a fold before the first field")
			}
			if !folded && framesBody(previous) {
				return refuse("a folded framing field", previous, line)
			}
			folded = true
			if f.inOptions {
				f.options(trim(line))
			}
			if framesBody(line) {
				return refuse("a framing field behind a fold", line)
			}
			continue
		}
		if err := f.field(line); err != nil {
			return err
		}
		previous, folded = line, false
	}
	return nil
}

// lineEnds counts the line ends, and those of them that are CRLF.
func lineEnds(b []byte) (all, withCR int) {
	for {
		i := bytes.IndexByte(b, '\n')
		if i < 0 {
			return all, withCR
		}
		all++
		if i > 0 && b[i-1] == '\r' {
			withCR++
		}
		b = b[i+1:]
	}
}

// trim takes blanks off both ends. Most values have one in front and that is all, which bytes.Trim
// makes more of.
func trim(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t') {
		b = b[1:]
	}
	for len(b) > 0 && (b[len(b)-1] == ' ' || b[len(b)-1] == '\t') {
		b = b[:len(b)-1]
	}
	return b
}

// framesBody reports whether a line names Content-Length or Transfer-Encoding to any reader,
// however sloppy: what cannot stand in a name is passed over, be it a space, a control byte or a
// space of another alphabet.
func framesBody(line []byte) bool {
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

// is compares a field name with a lower-case one.
func is(name []byte, lower string) bool {
	return len(name) == len(lower) && bytes.EqualFold(name, []byte(lower))
}

// field takes one line. The switch on the first letter keeps the usual dozen of fields cheap.
func (f *fieldLines) field(line []byte) error {
	colon := bytes.IndexByte(line, ':')
	if colon < 0 {
		if framesBody(line) {
			return refuse("a framing field without a colon", line)
		}
		return nil // no field; passes as it came
	}
	name, value := line[:colon], trim(line[colon+1:])
	f.inOptions = false
	f.proxyField = f.proxyField || len(name) > 6 && is(name[:6], "proxy-")
	if !isToken(name) {
		if framesBody(line) {
			return refuse("a framing field whose name is not a token", line)
		}
		return nil
	}
	switch name[0] | 0x20 {
	case 'a':
		f.auth(name, value)
	case 'c':
		return f.connectionOrLength(line, name, value)
	case 'e':
		f.expect = f.expect || is(name, "expect") && hasToken(value, "100-continue")
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

func (f *fieldLines) connectionOrLength(line, name, value []byte) error {
	switch {
	case is(name, "connection"):
		f.connection, f.inOptions = true, true
		f.options(value)
	case is(name, "content-length"):
		return f.lengths(line, value)
	}
	return nil
}

// options reads the list of a Connection field. Who passes a message on takes out the fields that
// it names (RFC 9110 section 7.6.1): an origin's front door would do so with those that frame the
// body or name the host, and what is behind it then sees another end of the message, or another
// message, than we do.
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
		case len(one) >= len("content-length") && framesBody(one):
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
			return refuse("a Content-Length that is not a number", line)
		}
		if f.contentLength != nil && n != f.length {
			return refuse("two Content-Lengths that differ", f.contentLength, line)
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
			return refuse("a Transfer-Encoding with something behind chunked", line)
		}
		f.chunkedLast = is(coding, "chunked")
	}
	return nil
}

// hasToken reports whether a comma-separated list holds a token, in any case.
func hasToken(list []byte, token string) bool {
	for more := true; more; {
		var one []byte
		one, list, more = bytes.Cut(list, []byte{','})
		if is(trim(one), token) {
			return true
		}
	}
	return false
}

func versionOf(b []byte) (minor byte, ok bool) {
	if len(b) != 8 || string(b[:7]) != "HTTP/1." || b[7] != '0' && b[7] != '1' {
		return 0, false
	}
	return b[7] - '0', true
}

// isToken reports whether b is an RFC 9110 token.
func isToken(b []byte) bool {
	for _, c := range b {
		if !tokenByte[c] {
			return false
		}
	}
	return len(b) > 0
}

var tokenByte = func() (t [256]bool) {
	for c := byte('0'); c <= '9'; c++ {
		t[c] = true
	}
	for c := byte('a'); c <= 'z'; c++ {
		t[c], t[c-0x20] = true, true
	}
	for _, c := range []byte("!#$%&'*+-.^_`|~") {
		t[c] = true
	}
	return t
}()

func (f framing) String() string {
	switch f {
	case noBody:
		return "none"
	case sized:
		return "sized"
	case chunked:
		return "chunked"
	case untilClose:
		return "until close"
	}
	return fmt.Sprintf("framing(%d)", uint8(f))
}
