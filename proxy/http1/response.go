package http1

import "strconv"

// Response is a parsed response head.
type Response struct {
	Message
	Status   int
	Encoding []byte // the list of all Content-Encoding fields; it may lie in the head
}

// ParseResponse reads the head of a response to req. Its errors are of type *Error.
func ParseResponse(head []byte, req *Request) (Response, error) {
	line, fields := cutLine(head)
	res, err := parseStatusLine(line)
	if err != nil {
		return res, err
	}
	var f fieldLines
	if err := f.scan(head, fields); err != nil {
		return res, err
	}
	res.Encoding = f.encoding
	return res, res.frame(&f, req)
}

func parseStatusLine(line []byte) (Response, error) {
	var res Response
	if len(line) < len("HTTP/1.1 200") || line[8] != ' ' {
		return res, Refuse("the answer does not begin with an HTTP/1 status line")
	}
	minor, ok := versionOf(line[:8])
	if !ok {
		return res, Refuse("the answer's version is not HTTP/1.0 or HTTP/1.1")
	}
	status, err := strconv.ParseUint(string(line[9:12]), 10, 16)
	if err != nil || status < 100 || len(line) > 12 && line[12] != ' ' {
		return res, Refuse("the answer's status is not a number of three digits")
	}
	res.Minor, res.Status = minor, int(status)
	return res, nil
}

// frame decides how the response's body ends. Old and odd servers are many, and only their own
// client would be misled by them: where a request would be refused, a response may pass on a
// connection that ends behind it, so that no other response can be taken for its rest. Only the two
// framing fields side by side are refused, since they leave no end that all clients see.
func (res *Response) frame(f *fieldLines, req *Request) error {
	res.take(f)
	// A reader that ends no line at an LF alone might see another end.
	res.KeepAlive = res.KeepAlive && !f.mixedEnds
	if req.HeadRequested || res.Status < 200 || res.Status == 204 || res.Status == 304 {
		return nil
	}
	switch {
	case f.transferEncoding != nil && f.contentLength != nil:
		return Refuse("both Content-Length and Transfer-Encoding", f.contentLength, f.transferEncoding)
	case f.transferEncoding != nil && f.chunkedLast && res.Minor > 0:
		res.Framing = Chunked
	case f.transferEncoding != nil:
		// Clients read in two ways what is not chunked at the end, or chunked in HTTP/1.0: the end of
		// the connection is the one end that both see.
		res.Framing, res.KeepAlive = UntilClose, false
	case f.contentLength == nil:
		res.Framing, res.KeepAlive = UntilClose, false
	case f.length > 0:
		res.Framing, res.Length = Sized, f.length
	}
	return nil
}

// ResetContent settles how a 205 ends on a client's connection that leads to any origin. Browsers
// look for no body behind it (Fetch, null body status), though RFC 9112 has one: they would take
// what one origin sends there for the answer of the next origin. A 205 whose head announces no body
// has none; one that announces a body is refused.
func (res *Response) ResetContent() error {
	switch {
	case res.Status != 205:
	case res.Framing == UntilClose:
		res.Framing = NoBody
	case res.Framing != NoBody:
		return Refuse("a 205 with a body")
	}
	return nil
}
