package http1

import "bytes"

// Request is a parsed request head. Method and Target are slices of the head.
type Request struct {
	Message
	Method        []byte
	Target        []byte
	Expect        bool // Expect: 100-continue
	AcceptsHTML   bool // the client is a person's, so far as a head can tell
	Idempotent    bool // RFC 9110 section 9.2.2
	HeadRequested bool // the response has no body, whatever its head says

	// Credential is the value of Proxy-Authorization; nil if there is none, or more than one.
	Credential []byte

	targetAt int      // where Target lies in the head
	fields   fieldSet // that are in the head
}

// ParseRequest reads the head of a request. Its errors are of type *Error.
func ParseRequest(head []byte) (Request, error) {
	line, fields := cutLine(head)
	req, err := parseRequestLine(line)
	if err != nil {
		return req, err
	}
	var f fieldLines
	if err := f.scan(head, fields); err != nil {
		return req, err
	}
	req.Expect, req.AcceptsHTML, req.fields = f.expect, f.acceptsHTML, f.named
	if f.credentials == 1 {
		req.Credential = f.credential
	}
	return req, req.frame(&f)
}

// parseRequestLine splits the line at its first and its last space: real browsers send targets with
// spaces in them, and those pass. A reader that splits at the second space takes what follows the
// target for the version, and must not find one there (hasVersion).
func parseRequestLine(line []byte) (Request, error) {
	var req Request
	first, last := bytes.IndexByte(line, ' '), bytes.LastIndexByte(line, ' ')
	if first <= 0 || last == first {
		return req, Refuse("the request line is not METHOD TARGET HTTP/1.1")
	}
	if !isToken(line[:first]) {
		return req, Refuse("the method is not a token")
	}
	minor, ok := versionOf(line[last+1:])
	if !ok {
		return req, Refuse("the request's version is not HTTP/1.0 or HTTP/1.1")
	}
	target := bytes.Trim(line[first:last], " ")
	if hasVersion(target) {
		return req, Refuse("the request line has two versions")
	}
	if len(target) == 0 {
		return req, Refuse("the request has no target")
	}
	req.Method, req.Target, req.Minor = line[:first], target, minor
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

func (req *Request) setMethod() {
	switch string(req.Method) {
	case "HEAD":
		req.Idempotent, req.HeadRequested = true, true
	case "GET", "OPTIONS", "TRACE", "PUT", "DELETE":
		req.Idempotent = true
	}
}

// BodyUnexpected reports a body that many servers do not look for (RFC 9110 section 9.3): what it
// holds they may take for the next request, which must then be nobody else's.
func (req *Request) BodyUnexpected() bool {
	if req.Framing == NoBody {
		return false
	}
	switch string(req.Method) {
	case "GET", "HEAD", "OPTIONS", "TRACE", "DELETE":
		return true
	}
	return false
}

// frame decides how the request's body ends. RFC 9112 section 6.3 lets a server choose how to read
// some contradictions. The origin may choose otherwise than we do, and what one takes for the rest
// of the body is a request to the other: it would be smuggled past the archive. So a request with
// any doubt about its end is refused.
func (req *Request) frame(f *fieldLines) error {
	req.take(f)
	switch {
	case f.mixedEnds && (f.transferEncoding != nil || f.contentLength != nil):
		return Refuse("lines that end in LF among lines that end in CRLF, beside a framing field",
			f.contentLength, f.transferEncoding)
	case f.framingNamed:
		return Refuse("a Connection field that names Content-Length or Transfer-Encoding",
			f.contentLength, f.transferEncoding)
	case f.transferEncoding != nil && f.contentLength != nil:
		return Refuse("both Content-Length and Transfer-Encoding", f.contentLength, f.transferEncoding)
	case f.transferEncoding != nil && req.Minor == 0:
		return Refuse("Transfer-Encoding in HTTP/1.0", f.transferEncoding)
	case f.transferEncoding != nil && !f.chunkedLast:
		return Refuse("a Transfer-Encoding that does not end in chunked", f.transferEncoding)
	case f.transferEncoding != nil:
		req.Framing = Chunked
	case f.contentLength != nil && f.length > 0:
		req.Framing, req.Length = Sized, f.length
	}
	return nil
}
