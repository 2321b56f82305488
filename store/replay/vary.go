package replay

import (
	"slices"
	"strconv"
	"strings"

	"warcorder/store"
	"warcorder/store/readback"
)

// By Vary an origin says which fields of a request its answer depends on (RFC 9110 section 12.5.5).
// Of several captures the one is wanted whose request agrees in them: of one URL a page may have
// HTML, and what a script asks for to put into it.
//
// Not all origins say so: where a page is asked for, one is taken rather than data, and data rather
// than a page where JSON is asked for.
//
// difference tells how much two requests differ. A field that one of them has and the other has not
// counts more than another value, and an answer that the client cannot read more than any other.
const (
	otherValue   = 1
	otherPresent = 1 << 8
	otherKind    = 1 << 14 // a page for data, or data for a page
	anyDiffers   = 1 << 16 // Vary: *
	unreadable   = 1 << 20
)

// maxVary is how many names of a Vary are looked at. Origins send up to ten.
const maxVary = 32

// difference tells in how much the request of a capture differs from what is asked, as far as the
// response depends on that; 0 is not at all.
func (a *Archive) difference(r *asked, c *store.Capture, response *readback.Response) int {
	answer, sum := head(response.Head), 0
	if !reads(r.head, answer.get("Content-Encoding")) {
		sum = unreadable
	}
	if !r.suits(answer.first("Content-Type")) {
		sum += otherKind
	}
	names, any := varyOf(answer)
	if hasEvents(answer) {
		names = append(names, lastEvent)
	}
	if r.isPreflight() {
		names = append(names, ofPreflight...)
	}
	if any {
		return sum + anyDiffers
	}
	if len(names) == 0 {
		return sum
	}
	request, err := a.files.Request(c)
	if err != nil {
		return sum + len(names)*otherValue
	}
	defer request.Close()
	return sum + differing(r.head, head(request.Head), names)
}

// suits reports whether a media type is not plainly another than what is asked for.
func (r *asked) suits(contentType string) bool {
	mime, _, _ := strings.Cut(contentType, ";")
	switch mime = strings.ToLower(strings.TrimSpace(mime)); {
	case mime == "text/html" || mime == "application/xhtml+xml":
		return !isJSON(r.head.firstAccepted())
	case isJSON(mime):
		return !r.isDocument()
	}
	return true
}

// isJSON reports whether a media type is that of JSON, or of what is written in JSON.
func isJSON(mime string) bool {
	return strings.HasSuffix(mime, "/json") || strings.HasSuffix(mime, "+json")
}

// differing tells in how much two requests differ in the fields of those names.
func differing(a, b head, names []string) (sum int) {
	of, than := a.values(names), b.values(names)
	for i := range names {
		x, y := plainValue(of[i]), plainValue(than[i])
		switch {
		case x == y:
		case x == "" || y == "":
			sum += otherPresent
		default:
			sum += otherValue
		}
	}
	return sum
}

// varyOf returns which fields of a request decide about a response. Who somebody is decides about
// nothing: a cookie of today is not that of then. Which codings a client reads is looked at
// elsewhere. any says that more than fields decides.
func varyOf(response head) (names []string, any bool) {
	left := maxVary
	listed(response.get("Vary"), func(name string) bool {
		switch name = strings.ToLower(name); name {
		case "*":
			any = true
		case "cookie", "authorization", "accept-encoding":
		default:
			if len(name) <= maxName && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		left--
		return left > 0 && !any
	})
	return names, any
}

// maxName is the length of a field's name above which no request has such a field.
const maxName = 256

// plainValue is a value without the blanks that say nothing.
func plainValue(value string) string {
	if !strings.ContainsAny(value, " \t") {
		return value
	}
	var b strings.Builder
	for i, word := range strings.Fields(value) {
		if i > 0 && !endsElement(b.String()) && !beginsElement(word) {
			b.WriteByte(' ')
		}
		b.WriteString(word)
	}
	return b.String()
}

func endsElement(s string) bool   { return strings.HasSuffix(s, ",") || strings.HasSuffix(s, ";") }
func beginsElement(s string) bool { return strings.HasPrefix(s, ",") || strings.HasPrefix(s, ";") }

// reads reports whether a client reads a content coding, as its Accept-Encoding says (RFC 9110
// section 12.5.3). A client without that field may be sent any; what asks so seldom reads one.
func reads(request head, codings string) (reads bool) {
	reads = true
	accepted, isKnown := "", false
	listed(codings, func(coding string) bool {
		if coding = plainCoding(coding); coding == "identity" {
			return true
		}
		if !isKnown {
			accepted, isKnown = request.get("Accept-Encoding"), true
		}
		reads = reads && accepts(accepted, coding)
		return reads
	})
	return reads
}

// accepts reports whether an Accept-Encoding has a coding, with a weight that is not 0.
func accepts(value, coding string) (accepts bool) {
	listed(value, func(element string) bool {
		name, weight, _ := strings.Cut(element, ";")
		switch name = plainCoding(name); {
		case name == coding:
			accepts = !isZero(weight)
			return false
		case name == "*":
			accepts = !isZero(weight)
		}
		return true
	})
	return accepts
}

// plainCoding is the name of a coding, of which two have another name besides.
func plainCoding(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	return strings.TrimPrefix(name, "x-")
}

// isZero reports whether a weight is 0: nothing with it is wanted.
func isZero(weight string) bool {
	_, value, ok := strings.Cut(weight, "=")
	if !ok {
		return false
	}
	q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	return err == nil && q == 0
}
