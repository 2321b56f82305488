package replay

import (
	"bytes"
	"net/http"
	"strconv"

	"warcorder/proxy/http1"
)

// A record of ours says how its body ends as the relay saw it end. Records of other tools often do
// not: their bodies are stored without chunks or content codings under the head that the origin
// sent, their heads begin with HTTP/2 or hold what two clients read in two ways. And a revisit has a
// head of its own over the body of another message. Then, and only then, the head is made anew:
//
//	the head says            what is stored           the head becomes
//	chunked                  no chunks                Content-Length
//	a length                 all, of another length   Content-Length
//	a length, or nothing     chunks                   Transfer-Encoding: chunked
//	what cannot be framed    all                      one of the two, with the fields that are sound
//	what cannot be framed    no chunks, cut           neither: the connection's end ends the body
//
// Lines that end in LF alone and folded fields pass as they are, since clients read them.

// content is what is stored behind a head.
type content struct {
	size    int64 // in bytes
	chunked bool  // it has the framing of chunks
	cut     bool  // it is not there to its end
	decoded bool  // it has not the content coding that the head says
}

// fits reports whether the body of an answer to a request of that method, which was stored as c
// says, ends for every client where its head says.
func fits(h head, method string, c content) bool {
	res, err := http1.ParseResponse(h, &http1.Request{HeadRequested: method == http.MethodHead})
	switch {
	case err != nil || !isEnded(h):
		return false
	case res.Status == http.StatusResetContent:
		return res.ResetContent() == nil
	case method == http.MethodHead || hasNoBody(res.Status):
		return true
	case res.Framing == http1.Chunked:
		return c.chunked || c.cut && c.size == 0
	case res.Framing == http1.UntilClose:
		// Clients take what is chunked in HTTP/1.0 as it is.
		return !c.chunked || res.Minor == 0 && h.has("Transfer-Encoding")
	}
	return !c.chunked && (c.size == res.Length || c.cut && c.size < res.Length)
}

// isEnded reports whether a head has its empty line, and nothing behind it.
func isEnded(h head) bool {
	end, _ := http1.HeadEnd(h, 0)
	return end == len(h)
}

// hasNoBody reports whether answers of that status end with their head (RFC 9110 section 6.4.1).
func hasNoBody(status int) bool {
	return status < 200 || status == http.StatusNoContent || status == http.StatusNotModified
}

// reframed returns h as HTTP/1.1, with what frames c in the place of what h says of framing.
func reframed(h head, c content) head {
	dst, status := sound(h, c.decoded)
	switch {
	case hasNoBody(status):
	case status == http.StatusResetContent:
		dst = append(dst, "Content-Length: 0\r\n"...)
	case c.chunked:
		dst = append(dst, "Transfer-Encoding: chunked\r\n"...)
	case !c.cut:
		dst = append(strconv.AppendInt(append(dst, "Content-Length: "...), c.size, 10), "\r\n"...)
	}
	return append(dst, "\r\n"...)
}

// sound returns the start line of h and those of its fields that every client reads in one way,
// without its empty line, and the status. It leaves out what frames the body, and the content
// coding of a body that is stored without. Folds become blanks, as what ends a line for some does.
func sound(h head, decoded bool) (dst []byte, status int) {
	line, rest := cutLine(h)
	status, reason := statusOf(line)
	dst = make([]byte, 0, len(h)+64)
	dst = strconv.AppendInt(append(dst, "HTTP/1.1 "...), int64(status), 10)
	dst = append(plain(append(append(dst, ' '), reason...)), "\r\n"...)
	for field := []byte(nil); ; {
		line, next := cutLine(rest)
		if isContinuation(line) {
			if len(field) > 0 {
				field = append(append(field, ' '), bytes.Trim(line, " \t")...)
			}
			rest = next
			continue
		}
		if kept := bytes.Trim(plain(field), " \t"); isSound(kept, decoded) {
			dst = append(append(dst, kept...), "\r\n"...)
		}
		if len(line) == 0 {
			return dst, status
		}
		field, rest = append(field[:0], line...), next
	}
}

// plain makes blanks of the bytes in a line that end it for some clients, and returns the line.
func plain(line []byte) []byte {
	for i, c := range line {
		if c == '\r' || c == 0 {
			line[i] = ' '
		}
	}
	return line
}

// isSound reports whether a field may stay where the framing is made anew.
func isSound(field []byte, decoded bool) bool {
	name, _, _ := bytes.Cut(field, []byte(":"))
	name = bytes.Trim(name, " \t")
	return len(name) > 0 && !http1.FramesBody(field) && !bytes.EqualFold(name, []byte("Trailer")) &&
		!(decoded && bytes.EqualFold(name, []byte("Content-Encoding")))
}

// statusOf reads a status line of whatever protocol: HTTP/2, ICY. What has none was answered, and
// counts as 200.
func statusOf(line []byte) (status int, reason []byte) {
	_, rest, _ := bytes.Cut(line, []byte(" "))
	code, reason, _ := bytes.Cut(bytes.TrimLeft(rest, " "), []byte(" "))
	n, err := strconv.ParseUint(string(code[:min(len(code), 4)]), 10, 16)
	if err != nil || len(code) != len("200") || n < 100 {
		return http.StatusOK, []byte("OK")
	}
	return int(n), reason
}
