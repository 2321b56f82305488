package rules

import (
	"slices"
	"strings"

	"warcorder/canon"
)

// prefix returns what the URL keys of all captures that fit begin with, as long as it can be said;
// whole says that it is the key of one that has nothing of what is left out, nor any argument.
//
// The arguments of a URL key are sorted, those of a body among them, and the method. So the key
// begins with those of what is left that sort before the first name which may be there besides.
func (l *likeness) prefix() (prefix string, whole bool) {
	if l.varies != nil {
		return l.commonHost(), false
	}
	if path, cut := l.pathBefore(); cut {
		key, _ := canon.SURT(l.asked.site + path)
		return key, false
	}
	sure, first := l.sureBody()
	key, _ := canon.SURT(canon.Pywb.Append(l.keptURL(), l.asked.method, sure))
	base, query, found := strings.Cut(key, "?")
	if !found {
		return base, true
	}
	for _, r := range l.rules {
		first = lesser(first, &r.query)
		if l.asked.method != "GET" {
			first = lesser(first, &r.body)
		}
	}
	end := 0
	if strings.Contains("&"+l.asked.pywb+"&", "&&") && l.asked.pywb != "" {
		first = bound{"", true} // arguments without a name come first
	}
	for end < len(query) {
		arg, _, more := strings.Cut(query[end:], "&")
		if name, _, _ := strings.Cut(arg, "="); first.any && name >= first.name {
			break
		}
		end += len(arg)
		if more {
			end++
		}
	}
	return base + "?" + query[:end], false
}

// bound is a name before which all arguments are known; without any they all are.
type bound struct {
	name string
	any  bool
}

// lesser returns the bound that holds for some terms too.
func lesser(b bound, t *terms) bound {
	if name, any := t.first(); any && (!b.any || name < b.name) {
		return bound{name, true}
	}
	return b
}

// commonHost returns the beginning of the keys of all hosts that the rule is for.
func (l *likeness) commonHost() string {
	var common string
	for i, host := range l.varies.hosts {
		key, _ := canon.SURT("http://" + strings.TrimPrefix(host, "*.") + "/")
		key = surtHost(key)
		if strings.HasPrefix(host, "*") {
			key += ","
		}
		if i == 0 {
			common = key
		}
		for !strings.HasPrefix(key, common) {
			common = common[:len(common)-1]
		}
	}
	return common
}

// pathBefore returns the path before the first place where something may be left out; cut says that
// there is one.
func (l *likeness) pathBefore() (path string, cut bool) {
	rest := strings.TrimPrefix(l.asked.path, "/")
	at := len(l.asked.path) - len(rest)
	for i, segment := range l.asked.segments {
		raw, _, _ := strings.Cut(rest, "/")
		if l.path[i] != segment {
			name, _, _ := strings.Cut(raw, ";")
			if l.path[i] == leftOut {
				name = ""
			}
			return l.asked.path[:at] + name, true
		}
		at += len(raw) + 1
		rest = rest[min(len(raw)+1, len(rest)):]
	}
	return "", false
}

// keptURL returns the URL without the arguments of its query that are left out.
func (l *likeness) keptURL() string {
	var b strings.Builder
	b.WriteString(l.asked.site + l.asked.path)
	separator := byte('?')
	for i, a := range l.asked.query {
		if !leaveOut(l.rules, ofQuery, a) {
			b.WriteByte(separator)
			b.WriteString(l.asked.raw[i])
			separator = '&'
		}
	}
	return b.String()
}

// maxPywb is how many characters of a body's query a URL key has at most.
const maxPywb = 4096

// sureBody returns as much of the body's query as stands in the key of whatever fits; and a bound
// for the rest. The query in the key is cut: so what follows an argument that is left out may stand
// there, or be cut off.
func (l *likeness) sureBody() (query string, rest bound) {
	if !slices.ContainsFunc(l.rules, func(r *rule) bool { return r.body.any() }) {
		return l.asked.pywb, bound{}
	}
	at, isCut := 0, len(l.asked.pywb) >= maxPywb
	for at < len(l.asked.pywb) {
		arg, _, more := strings.Cut(l.asked.pywb[at:], "&")
		name, value, _ := strings.Cut(arg, "=")
		if isCut && !more || leaveOut(l.rules, ofBody, argument{unplussed(name), unplussed(value)}) {
			break
		}
		at += len(arg)
		if more {
			at++
		}
	}
	query = strings.TrimSuffix(l.asked.pywb[:at], "&")
	if at == len(l.asked.pywb) {
		return query, bound{}
	}
	key, _ := canon.SURT("http://a/?" + l.asked.pywb[at:])
	_, names, _ := strings.Cut(key, "?")
	first, _, _ := strings.Cut(names, "&")
	first, _, _ = strings.Cut(first, "=")
	return query, bound{first, true}
}
