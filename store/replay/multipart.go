package replay

import (
	"bytes"
	"strings"

	"warcorder/recorder/record"
	"warcorder/store"
)

// A multipart body has another boundary each time that it is sent. The keys do not depend on that,
// but on what its parts hold; and those may be multipart bodies themselves, with boundaries of their
// own: OData takes what belongs together as one such part of many. So a multipart body that is found
// by no key is compared with those that were sent to the same URL.

const (
	maxCompared = 256 << 10 // bytes of a body
	maxBodies   = 64        // bodies for one request
	maxNested   = 16        // boundaries in one body
	nearlyEqual = 256       // bytes by which boundaries may let the queries of two bodies differ
)

// byParts returns how to find the request by the parts of its multipart body; nil if it has none.
func (a *Archive) byParts(r *asked) *lookup {
	if !r.whole || len(r.body) == 0 || len(r.body) > maxCompared || !isMultipart(r.contentType) {
		return nil
	}
	isOfURL, size := r.sameURL(), len(r.keys.RequestBody)
	path, query, _ := strings.Cut(r.urlKeyOf(r.url), "?")
	prefix := path + "?"
	if query == "" {
		prefix += "__wb_method=" + strings.ToLower(r.method)
	}
	return &lookup{rule: ruleParts, prefix: prefix, method: r.keys.Method, opens: maxBodies,
		fits: func(c *store.Capture) bool {
			apart := len(c.RequestBody) - size
			return max(apart, -apart) <= nearlyEqual && isOfURL(c)
		},
		isSame: func(c *store.Capture) bool { return a.hasSameParts(r, c) },
	}
}

func isMultipart(contentType string) bool {
	return strings.HasPrefix(strings.ToLower(contentType), "multipart/")
}

// hasSameParts reports whether the request of a capture had the parts of r.
func (a *Archive) hasSameParts(r *asked, c *store.Capture) bool {
	request, err := a.files.Request(c)
	if err != nil {
		return false
	}
	defer request.Close()
	if request.Size > 2*maxCompared { // chunks have a framing beside the data
		return false
	}
	h := record.ParseHead(request.Head)
	recorded, err := record.AskedOf(&h, request.Body, request.Size)
	if err != nil {
		return false
	}
	x, _, _ := boundaryOf([]byte(r.contentType))
	y, _, _ := boundaryOf([]byte(recorded.ContentType))
	return sameParts(r.body, recorded.Entity.Start, boundaries{{string(x), string(y)}})
}

// boundaries are pairs of boundaries that stand for each other in two bodies.
type boundaries [][2]string

// sameParts reports whether two bodies are the same but for their boundaries. known has those of
// their media types; within them there may be multipart bodies with boundaries of their own.
func sameParts(a, b []byte, known boundaries) bool {
	for len(a) > 0 && len(b) > 0 {
		x, restA := cutLine(a)
		y, restB := cutLine(b)
		if len(a)-len(restA)-len(x) != len(b)-len(restB)-len(y) { // the lines end differently
			return false
		}
		a, b = restA, restB
		if bytes.Equal(x, y) || known.delimit(x, y) {
			continue
		}
		inX, restX, ok := boundaryOf(x)
		inY, restY, okToo := boundaryOf(y)
		if !ok || !okToo || !bytes.Equal(restX, restY) || len(known) >= maxNested {
			return false
		}
		known = append(known, [2]string{string(inX), string(inY)})
	}
	return len(a) == 0 && len(b) == 0
}

// delimit reports whether two lines are delimiters that stand for each other.
func (known boundaries) delimit(x, y []byte) bool {
	if !bytes.HasPrefix(x, []byte("--")) || !bytes.HasPrefix(y, []byte("--")) {
		return false
	}
	for _, pair := range known {
		endX, ok := bytes.CutPrefix(x[2:], []byte(pair[0]))
		endY, okToo := bytes.CutPrefix(y[2:], []byte(pair[1]))
		if ok && okToo && bytes.Equal(endX, endY) {
			return true
		}
	}
	return false
}

// boundaryOf takes the boundary out of a media type: what stands before it and behind it is rest.
func boundaryOf(mime []byte) (boundary, rest []byte, ok bool) {
	const name = "boundary="
	at := bytes.Index(bytes.ToLower(mime), []byte(name))
	if at < 0 {
		return nil, nil, false
	}
	before, value := mime[:at], mime[at+len(name):]
	if quoted, isQuoted := bytes.CutPrefix(value, []byte(`"`)); isQuoted {
		boundary, value, _ = bytes.Cut(quoted, []byte(`"`))
	} else if end := bytes.IndexAny(value, "; \t"); end >= 0 {
		boundary, value = value[:end], value[end:]
	} else {
		boundary, value = value, nil
	}
	return boundary, append(bytes.Clone(before), value...), len(boundary) > 0
}
