// Package rules finds what a request may have been when it was recorded: a page that asks again has
// another time, another random number or another token in it. What changes by chance, and on which
// sites, is data: rules.yaml, which says how a rule is written, and the rules of a configuration.
// Begin with Set.For.
//
// A rule leaves out arguments of the query, fields of a form or leaves of JSON, matrix parameters
// and segments of the path; some only where their values look like what comes by chance. What is
// left of both requests has to be equal, to the case of its letters; its order does not count, as
// it does not in a URL key.
//
//	asked     https://example.com/feed?page=2&_=1700000000123
//	captured  https://example.com/feed?page=2&_=1690000000999    jquery-cache leaves out _
//
// Invariant: a rule leaves out what it names and nothing else. Looking for a capture takes linear
// time in what the page has sent, but for sorting, whatever the rules say; and a request of more
// than maxArgs arguments has none.
package rules

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"

	"warcorder/store"
)

const (
	maxArgs  = 4096 // arguments of a request, those of its body among them
	maxJoint = 8    // rules that one request may need; those that leave out least are taken
)

//go:embed rules.yaml
var shipped []byte

// Set is rules. The zero Set has none.
type Set struct{ rules []*rule }

// Shipped returns the rules that the program brings along.
func Shipped() *Set {
	s, err := parse(shipped)
	if err != nil {
		panic(err)
	}
	return s
}

// Parse reads rules as rules.yaml has them. It refuses a rule whose own examples show that it does
// not do what they say. An error names the rule and the line.
func Parse(yaml []byte) (*Set, error) {
	s, err := parse(yaml)
	if err != nil {
		return nil, err
	}
	for _, r := range s.rules {
		if err := r.try(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// With returns the rules of both sets; other may be nil.
func (s *Set) With(other *Set) *Set {
	if other == nil {
		return s
	}
	return &Set{slices.Concat(s.rules, other.rules)}
}

// Asked is a request for which no capture was found by its keys.
type Asked struct {
	Method, URL, ContentType string
	Body                     []byte // the entity, without its transfer coding; all of it
}

// Search is a way of looking for a request.
type Search struct {
	Rule   string // the rules that it follows: their names, with + between them
	Prefix string // what the URL keys of the captures begin with
	Exact  bool   // Prefix is a whole URL key

	// Fits reports whether a capture is of what was asked. Of what is no GET it needs the SpecBody.
	Fits func(c *store.Capture) bool
}

// For returns how to look for what a request may have been at capture, the strictest first: what
// leaves out the fewest bytes of the request. Each rule that leaves anything out of it is tried
// alone, and then together with those that leave out less. What For returns is for one goroutine.
func (s *Set) For(a *Asked) []Search {
	asked, ok := newMessage(a)
	if !ok {
		return nil
	}
	alone, either := s.applying(asked)
	ways, joint := slices.Clone(alone), way{}
	for i, w := range alone {
		if joint.rules = append(slices.Clip(joint.rules), w.rules...); i == 0 {
			continue
		}
		joint.leavesOut = asked.leavesOut(joint.rules)
		if joint.leavesOut > w.leavesOut {
			ways = append(ways, joint)
		}
	}
	slices.SortStableFunc(ways, byBytes)
	if len(either) > 0 {
		ways = append(ways, way{rules: append(slices.Clip(joint.rules), either...)})
	}
	var all []Search
	for _, w := range ways {
		all = append(all, w.searches(asked)...)
	}
	return all
}

// way is rules that are followed at once.
type way struct {
	rules     []*rule
	leavesOut int // bytes of what is asked
}

func byBytes(a, b way) int { return cmp.Compare(a.leavesOut, b.leavesOut) }

// applying returns the rules that leave anything out of what is asked, each as a way of its own;
// and those by which a capture may have more than was asked.
func (s *Set) applying(asked *message) (alone []way, either []*rule) {
	for _, r := range s.rules {
		if !r.isFor(asked) {
			continue
		}
		w := way{rules: []*rule{r}}
		if w.leavesOut = asked.leavesOut(w.rules); w.leavesOut > 0 {
			alone = append(alone, w)
		} else if r.either {
			either = append(either, r)
		}
	}
	slices.SortStableFunc(alone, byBytes)
	return alone[:min(len(alone), maxJoint)], either
}

// searches returns where to look: where the URL keys of what fits may lie.
func (w way) searches(asked *message) []Search {
	l := newLikeness(asked, w.rules)
	prefix, whole := l.prefix()
	found := Search{Rule: w.name(), Prefix: prefix, Fits: l.fits}
	if !whole {
		return []Search{found}
	}
	with := found
	found.Exact, with.Prefix = true, prefix+"?"
	return []Search{with, found}
}

// name returns the rules' names.
func (w way) name() string {
	names := make([]string, len(w.rules))
	for i, r := range w.rules {
		names[i] = r.name
	}
	return strings.Join(names, "+")
}
