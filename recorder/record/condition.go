package record

import (
	"bytes"
	"slices"
	"strings"
)

// Condition is what a request makes its answer depend on: by a 304 the origin says that the client
// has the version already that it would get (RFC 9110 section 13.1). It names the versions that
// this may be.
type Condition struct {
	tags  []string // of If-None-Match, without their W/
	since string   // If-Modified-Since; it counts only without the other field
}

// MaxTags is how many tags a condition may list. Browsers and crawlers send one.
const MaxTags = 8

// ConditionOf reads the condition in the head of a request. ok is false if the request has none, if
// the condition does not name every version that a 304 may mean, as "*" does not, and if readers
// may differ about it: a field comes twice, is folded, or has something between its tags.
func ConditionOf(head []byte) (c Condition, ok bool) {
	fields, single := onlyFields(head, "If-None-Match", "If-Modified-Since")
	switch {
	case !single:
		return c, false
	case fields[0] == nil:
		c.since = string(fields[1])
		return c, c.since != ""
	}
	c.tags, ok = tagsOf(string(fields[0]))
	return c, ok
}

// onlyFields returns the values of the fields of two names; nil without the field. single is false
// if one of them comes twice, or is folded.
func onlyFields(head []byte, names ...string) (values [2][]byte, single bool) {
	within := false
	for at := 0; at < len(head); {
		var l []byte
		l, at = line(head, at)
		if len(l) > 0 && (l[0] == ' ' || l[0] == '\t') && within {
			return values, false
		}
		name, value, _ := bytes.Cut(l, []byte(":"))
		name = bytes.TrimRight(name, " \t")
		i := slices.IndexFunc(names, func(n string) bool {
			return len(name) == len(n) && bytes.EqualFold(name, []byte(n))
		})
		if within = i >= 0; !within {
			continue
		}
		if values[i] != nil {
			return values, false
		}
		values[i] = bytes.Trim(value, " \t")
	}
	return values, true
}

// tagsOf takes the list of an If-None-Match apart.
func tagsOf(list string) (tags []string, ok bool) {
	for {
		list = strings.TrimLeft(list, " \t,")
		if list == "" {
			return tags, len(tags) > 0
		}
		tag := weak(list)
		end := strings.IndexByte(tag, ',')
		if tag[:min(len(tag), 1)] == `"` {
			end = strings.IndexByte(tag[1:], '"') + 2
			if end < 2 {
				return nil, false
			}
		}
		if end < 0 {
			end = len(tag)
		}
		tag, list = strings.TrimRight(tag[:end], " \t"), strings.TrimLeft(tag[end:], " \t")
		if tag == "" || tag == "*" || len(tags) == MaxTags || list != "" && list[0] != ',' {
			return nil, false
		}
		tags = append(tags, tag)
	}
}

// Covers takes a version that is there. It reports whether all those that the condition names have
// been taken: while one of several tags is wanting, a 304 may mean that one.
func (c *Condition) Covers(v Validators) bool {
	if c.tags == nil {
		return !v.varies && v.isSince(c.since, false)
	}
	c.tags = slices.DeleteFunc(c.tags, func(tag string) bool {
		return v.ETag != "" && tag == weak(v.ETag)
	})
	return len(c.tags) == 0
}
