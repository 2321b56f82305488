package replay

import (
	"net/http"
	"strings"
	"time"
)

// verdict is what the conditions of a request make of the answer.
type verdict uint8

const (
	proceeds    verdict = iota
	notModified         // 304: the client has it
	failed              // 412: it is not what the client takes it for
)

// judge holds the conditions of a GET or HEAD against the answer that it would get without them, in
// the order of RFC 9110 section 13.2.2. Conditions count where that is a 200, or the parts of one
// (section 13.2.1). Those of other methods were part of what was asked at capture, and the answer
// that was recorded is the answer to them.
func judge(request, answer head) verdict {
	if !request.isConditional() {
		return proceeds
	}
	modified := answer.first("Last-Modified")
	switch tags := request.get("If-Match"); {
	case request.has("If-Match"):
		if !matches(tags, answer.first("ETag"), true) {
			return failed
		}
	case modified != "" && isAfter(modified, request.first("If-Unmodified-Since")):
		return failed
	}
	switch tags := request.get("If-None-Match"); {
	case request.has("If-None-Match"):
		if matches(tags, answer.first("ETag"), false) {
			return notModified
		}
	case modified != "" && isSince(modified, request.first("If-Modified-Since")):
		return notModified
	}
	return proceeds
}

// isConditional reports whether a request has conditions but for If-Range.
func (h head) isConditional() bool {
	return h.has("If-None-Match") || h.has("If-Modified-Since") || h.has("If-Match") ||
		h.has("If-Unmodified-Since")
}

// matches reports whether a list of entity tags has the tag of what there is (RFC 9110 section
// 8.8.3.2). "*" is whatever there is. In the strong comparison a weak tag equals none.
func matches(tags, tag string, strong bool) (matches bool) {
	if tags == "*" {
		return true
	}
	weak := strings.HasPrefix(tag, "W/")
	if tag == "" || strong && weak {
		return false
	}
	tag = strings.TrimPrefix(tag, "W/")
	for tags != "" && !matches {
		var one string
		one, tags = cutTag(tags)
		opaque, isWeak := strings.CutPrefix(one, "W/")
		matches = opaque == tag && !(strong && isWeak)
	}
	return matches
}

// cutTag returns the first element of a list of entity tags, without blanks around it, and what
// follows it. A tag has no escapes: what looks like one is a byte of it as any other.
func cutTag(tags string) (tag, rest string) {
	quoted := false
	for i := range len(tags) {
		if tags[i] == '"' {
			quoted = !quoted
		} else if tags[i] == ',' && !quoted {
			return strings.TrimSpace(tags[:i]), tags[i+1:]
		}
	}
	return strings.TrimSpace(tags), ""
}

// isAfter reports whether a date is after another. It is false if one of them is none.
func isAfter(date, other string) bool {
	order, ok := compareDates(date, other)
	return ok && order > 0
}

// isSince reports whether what was last modified at that date has not changed since another.
// Clients send back what they got, so that what is no date may agree too.
func isSince(modified, date string) bool {
	order, ok := compareDates(modified, date)
	return modified == date || ok && order <= 0
}

// compareDates compares two dates of fields. It is false if one of them is none.
func compareDates(a, b string) (order int, ok bool) {
	if a == "" || b == "" {
		return 0, false
	}
	first, errA := http.ParseTime(a)
	second, errB := http.ParseTime(b)
	return first.Compare(second), errA == nil && errB == nil
}

// holds reports whether the If-Range of a request, if there is one, lets its Range count (RFC 9110
// section 13.1.5): the entity tag is the same, and a strong one, or the date is, and it was at
// least a second old when the answer was made. captured is the time of an answer without a Date.
func holds(request, answer head, captured time.Time) bool {
	wanted := request.first("If-Range")
	switch {
	case !request.has("If-Range"):
		return true
	case strings.HasPrefix(wanted, `"`) || strings.HasPrefix(wanted, "W/"):
		return matches(wanted, answer.first("ETag"), true)
	case wanted == "" || wanted != answer.first("Last-Modified"):
		return false
	}
	modified, err := http.ParseTime(wanted)
	if date, err := http.ParseTime(answer.first("Date")); err == nil {
		captured = date
	}
	return err == nil && !captured.Before(modified.Add(time.Second))
}
