package canon

import "strings"

// leaf is a scalar, or several that follow each other in an array: they lie in src
// from start to end, with commas and white space between them.
type leaf struct {
	name       uint32
	start, end uint32
	next       uint32 // the leaf behind it, as in chain
}

// chain is some leaves in their order: the first and the last one's index in
// jsonParser.leaves plus 1, 0 if there is none. Chains let an object's members be
// sorted without moving what they hold.
type chain struct{ first, last uint32 }

// add appends a chain to the innermost container's, or to the text's own.
func (p *jsonParser) add(more chain) {
	to := &p.root
	if len(p.open) > 0 {
		if top := &p.open[len(p.open)-1]; top.closing == ']' {
			to = &top.leaves
		} else {
			to = &p.members.last().leaves
		}
	}
	*to = p.link(*to, more)
}

// link returns the chain of a, then b.
func (p *jsonParser) link(a, b chain) chain {
	if a.first == 0 {
		return b
	}
	if b.first == 0 {
		return a
	}
	p.leaves.at(int(a.last - 1)).next = b.first
	return chain{a.first, b.last}
}

// each calls yield for every scalar, in order, with its name's number, until it returns
// false.
func (p *jsonParser) each(yield func(name uint32, literal string) bool) bool {
	for n := p.root.first; n != 0; {
		l := p.leaves.at(int(n - 1))
		n = l.next
		run := jsonScanner{src: p.src[:l.end], at: int(l.start), digits: p.digits}
		for run.at < len(run.src) {
			start := run.at
			run.skipScalar()
			if !yield(l.name, run.src[start:run.at]) {
				return false
			}
			run.at += len(run.src[run.at:]) - len(strings.TrimLeft(run.src[run.at:], jsonSpace+","))
		}
	}
	return true
}
