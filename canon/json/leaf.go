package json

import "strings"

// A leaf is a scalar, or several that follow each other in an array. They lie in src from start to
// end, with commas and white space between them.
type leaf struct {
	name       uint32
	start, end uint32
	next       uint32 // the next of its chain, as there
}

// chain is some leaves in their order: the first and the last one's index in
// Text.leaves plus 1, 0 if there is none. Chains let an object's members be
// sorted without moving what they hold.
type chain struct{ first, last uint32 }

// add appends a chain to that of the innermost container, or of the text if none is open.
func (t *Text) add(more chain) {
	to := &t.root
	if len(t.open) > 0 {
		if top := &t.open[len(t.open)-1]; top.closing == ']' {
			to = &top.leaves
		} else {
			to = &t.members.last().leaves
		}
	}
	*to = t.link(*to, more)
}

// link returns the chain of a, then b.
func (t *Text) link(a, b chain) chain {
	if a.first == 0 {
		return b
	}
	if b.first == 0 {
		return a
	}
	t.leaves.at(int(a.last - 1)).next = b.first
	return chain{a.first, b.last}
}

// Each calls yield for every leaf, in order, with the number of its name, until yield returns
// false. It reports whether yield never did.
func (t *Text) Each(yield func(name uint32, literal string) bool) bool {
	for n := t.root.first; n != 0; {
		l := t.leaves.at(int(n - 1))
		n = l.next
		run := scanner{src: t.src[:l.end], at: int(l.start), digits: t.digits}
		for run.at < len(run.src) {
			start := run.at
			run.skipScalar()
			if !yield(l.name, run.src[start:run.at]) {
				return false
			}
			run.at += len(run.src[run.at:]) - len(strings.TrimLeft(run.src[run.at:], Space+","))
		}
	}
	return true
}
