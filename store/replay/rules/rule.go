package rules

import (
	"slices"
	"strings"
)

// rule is one rule: to which requests it applies, and what it leaves out of them.
type rule struct {
	name    string
	line    int      // in the text that it was read from
	reason  string   // what it is for
	known   string   // where that is said
	hosts   []string // a.example, or *.a.example for those below; none is any
	paths   []pathPattern
	methods []string // none is any

	query, body, matrix terms
	keep                map[string]bool // names in lower case, never left out of query and body

	either     bool // a capture may have what the rule leaves out although what is asked has not
	hostVaries bool // which of the hosts it is does not count

	same, differs []pair
}

// isFor reports whether the rule is for a request like that.
func (r *rule) isFor(m *message) bool {
	return (len(r.methods) == 0 || slices.Contains(r.methods, m.method)) &&
		(len(r.hosts) == 0 || r.hasHost(m.host)) &&
		(len(r.paths) == 0 || r.hasPath(m.segments))
}

// hasHost reports whether one of the rule's hosts is that.
func (r *rule) hasHost(host string) bool {
	return slices.ContainsFunc(r.hosts, func(h string) bool {
		below, isBelow := strings.CutPrefix(h, "*")
		return host == h || isBelow && strings.HasSuffix(host, below)
	})
}

// hasPath reports whether one of the rule's paths is that.
func (r *rule) hasPath(segments []string) bool {
	return slices.ContainsFunc(r.paths, func(p pathPattern) bool {
		_, is := p.match(segments)
		return is
	})
}

// leavesOutOfPath reports whether the rule may leave out anything of a path.
func (r *rule) leavesOutOfPath() bool {
	return r.matrix.any() || slices.ContainsFunc(r.paths, pathPattern.hasChance)
}

// leaveOutOfPath replaces the segments that the first path of the rule which matches leaves out.
func (r *rule) leaveOutOfPath(segments []string) {
	for _, p := range r.paths {
		if !p.hasChance() {
			continue
		}
		if at, is := p.match(segments); is {
			for i := range p {
				if p[i].chance != 0 {
					segments[at[i]] = leftOut
				}
			}
			return
		}
	}
}

// keeps reports whether an argument of that name is never left out.
func (r *rule) keeps(name string) bool { return len(r.keep) > 0 && r.keep[strings.ToLower(name)] }

// terms says which arguments are left out, by their names in lower case.
type terms struct {
	all   bool // every one, and what is no argument
	exact map[string]kinds
	stars []starred
	made  []made
}

// made is names that come by chance themselves: ?1700000000000.
type made struct{ name, value kinds }

// starred is names that have something in common.
type starred struct {
	before, after string
	kinds         kinds
}

// any reports whether anything may be left out.
func (t *terms) any() bool { return t.all || len(t.exact) > 0 || len(t.stars)+len(t.made) > 0 }

// leaveOut reports whether an argument is left out.
func (t *terms) leaveOut(name, value string) bool {
	if t.all {
		return true
	}
	if !t.any() {
		return false
	}
	name = strings.ToLower(name)
	if k, is := t.exact[name]; is && k.have(value) {
		return true
	}
	for _, s := range t.stars {
		if len(name) >= len(s.before)+len(s.after) && strings.HasPrefix(name, s.before) &&
			strings.HasSuffix(name, s.after) && s.kinds.have(value) {
			return true
		}
	}
	return slices.ContainsFunc(t.made, func(m made) bool {
		return m.name.have(name) && m.value.have(value)
	})
}

// first returns a text that comes before the name of every argument that is left out, or is it;
// none says that nothing is left out.
func (t *terms) first() (name string, any bool) {
	if t.all {
		return "", true
	}
	add := func(n string) {
		if !any || n < name {
			name, any = n, true
		}
	}
	for n := range t.exact {
		add(n)
	}
	for _, s := range t.stars {
		add(s.before)
	}
	if len(t.made) > 0 {
		add("")
	}
	return name, any
}

// pathPattern is paths: segments, each a text, a text with one * for any characters, {kind} or
// {a*b} for one that is left out, or ** for any number of segments.
type pathPattern []segmentPattern

// segmentPattern is segments of a path.
type segmentPattern struct {
	many      bool   // any number of them
	text, end string // what it begins and ends with; without star it is text
	star      bool
	chance    kinds // if not 0, the segment looks like that too, and is left out
}

func (p *segmentPattern) matches(segment string) bool {
	if !p.star {
		return p.chance != 0 && p.chance.have(segment) || p.chance == 0 && segment == p.text
	}
	return len(segment) >= len(p.text)+len(p.end) && strings.HasPrefix(segment, p.text) &&
		strings.HasSuffix(segment, p.end)
}

// match matches segments, and returns where each part of the pattern but ** stands. When they do
// not go on to match, the last ** takes one segment more: that is as many steps at most as there
// are segments, for each part of the pattern.
func (p pathPattern) match(segments []string) (at []int, ok bool) {
	at = make([]int, len(p))
	part, many, taken := 0, -1, 0
	for i := 0; i < len(segments); {
		switch {
		case part < len(p) && p[part].many:
			many, taken = part, i
			part++
		case part < len(p) && p[part].matches(segments[i]):
			at[part] = i
			part++
			i++
		case many >= 0:
			taken++
			part, i = many+1, taken
		default:
			return nil, false
		}
	}
	for part < len(p) && p[part].many {
		part++
	}
	return at, part == len(p)
}

// hasChance reports whether a segment is left out.
func (p pathPattern) hasChance() bool {
	return slices.ContainsFunc(p, func(s segmentPattern) bool { return s.chance != 0 })
}
