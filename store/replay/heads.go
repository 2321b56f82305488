package replay

import (
	"bytes"
	"net/http"
	"strconv"

	"warcorder/proxy/http1"
	"warcorder/store/replay/ranges"
)

// What Range and conditions demand is not always stored. The head of such an answer is that of the
// capture which it is made from, but for its status and the fields below: cookies, policies and
// what CORS allows stay as they came.

// ofPart are the fields that say which part of an entity follows, and how it is framed.
var ofPart = []string{"content-range", "content-length", "transfer-encoding", "trailer"}

// ofContent are those beside them that describe what follows (RFC 9110 section 8.3 to 8.6).
var ofContent = append([]string{"content-type", "content-encoding", "content-language",
	"content-disposition", "content-md5"}, ofPart...)

// partHead is the head of a 206 with one stretch of an entity; h is that of a response with it.
func partHead(h head, c ranges.Content) head {
	return remade(h, http.StatusPartialContent, ofPart, "Content-Range: "+c.String(),
		contentLength(c.Length()))
}

// partsHead is the head of a 206 with several, framed with the boundary and length bytes long.
func partsHead(h head, boundary string, length int64) head {
	return remade(h, http.StatusPartialContent, append([]string{"content-type"}, ofPart...),
		"Content-Type: multipart/byteranges; boundary="+boundary, contentLength(length))
}

// wholeHead is the head of a 200 with all of an entity; h is that of a part.
func wholeHead(h head, size int64) head {
	return remade(h, http.StatusOK, ofPart, contentLength(size))
}

// unsatisfiedHead is the head of a 416: no range that was asked for lies in an entity of that size.
func unsatisfiedHead(h head, size int64) head {
	return remade(h, http.StatusRequestedRangeNotSatisfiable, ofContent,
		"Content-Range: "+ranges.Unsatisfied(size), contentLength(0))
}

// notModifiedHead is the head of a 304. It has what RFC 9110 section 15.4.5 wants, and all else
// that does not describe a content.
func notModifiedHead(h head) head { return remade(h, http.StatusNotModified, ofContent) }

// failedHead is the head of a 412.
func failedHead(h head) head {
	return remade(h, http.StatusPreconditionFailed, ofContent, contentLength(0))
}

func contentLength(n int64) string { return "Content-Length: " + strconv.FormatInt(n, 10) }

// remade returns h with another status, without the fields of some names, in lower case, and with
// the lines of others behind the rest. Its line ends are those of h.
func remade(h head, status int, without []string, with ...string) head {
	_, err := http1.ParseResponse(h, &http1.Request{HeadRequested: true})
	if err != nil || !isEnded(h) {
		h, _ = sound(h, false)
		h = append(h, "\r\n"...)
	}
	line, rest := cutLine(h)
	start := append(append(make([]byte, 0, len(h)+64), line[:len("HTTP/1.1 ")]...),
		strconv.Itoa(status)+" "+http.StatusText(status)...)
	start = append(append(start, h[len(line):len(h)-len(rest)]...), rest...)
	return added(http1.Without(make([]byte, 0, len(start)+192), start, without...), with...)
}

// added appends lines to a head, with its own line ends, and its empty line behind them.
func added(h head, lines ...string) head {
	end := lineEnd(h)
	h = opened(h)
	for _, line := range lines {
		h = append(append(h, line...), end...)
	}
	return append(h, end...)
}

// lineEnd is how the first line of a head ends.
func lineEnd(h head) string {
	if line, rest := cutLine(h); len(h)-len(rest)-len(line) == 1 {
		return "\n"
	}
	return "\r\n"
}

// opened is a head without its empty line.
func opened(h head) head {
	return bytes.TrimSuffix(bytes.TrimSuffix(h, []byte("\n")), []byte("\r"))
}
