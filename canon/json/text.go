// Package json takes a JSON text apart into its leaves, which are what a query is made of: the
// values that are neither object nor array, each under the name of the innermost member around it.
// Begin with Parse.
//
//	{"id":1,"tags":["x",{"y":null}]}  ->  id=1  tags="x"  y=null
//
// A leaf is a literal, as it stands in the text: what a number or a string means, each tool has
// rules of its own for. Unquote and WithoutSurrogates help with strings.
//
// Invariant: what is no JSON text (RFC 8259, strictly) has no leaves. Parse knows no recursion and
// builds no tree; its time is linear, and what it keeps is less than a small multiple of the text,
// whatever a page may send.
package json

import "strings"

// Rules is what the parser of another tool takes.
type Rules struct {
	Nesting       int  // how many objects and arrays may lie in each other
	Digits        int  // how long an integer may be; 0: any length
	IntegersFirst bool // members whose names are array indexes come first, ascending
}

// A Text is a JSON text that has been parsed.
type Text struct {
	Names Names // of its members, by which Each gives the leaves

	scanner
	rules   Rules
	leaves  pages[leaf]
	open    []container   // those around the place being read, outermost first
	members pages[member] // of the open objects
	closed  uint32        // objects that had two members or more
	root    chain
}

// container is an object or an array that is open.
type container struct {
	closing byte   // } or ]
	name    uint32 // that its values go by: in an object the last member's
	members int    // where an object's members begin
	leaves  chain  // an array's
	run     bool   // the next scalar of the array continues the last leaf
}

// member is an object's member.
type member struct {
	name   uint32
	leaves chain
}

// Parse reads src, which is UTF-8 without a byte order mark, and short of 4 GiB. It is false if src
// is no JSON text, or none that the rules allow.
func Parse(src string, rules Rules) (*Text, bool) {
	begin := scanner{src: src}
	if begin.skipSpace(); strings.IndexByte(starts, begin.peek()) < 0 {
		return nil, false // as is most of what comes as text/plain
	}
	t := &Text{scanner: scanner{src: src, digits: rules.Digits}, rules: rules}
	t.Names.init()
	return t, t.parse()
}

// starts are what a JSON text may begin with.
const starts = `{["-0123456789tfn`

// parse reads value after value. What stands before a value, such as the name of its member, has
// been read when a round begins.
func (t *Text) parse() bool {
	for {
		t.skipSpace()
		switch c := t.peek(); c {
		case '{', '[':
			more, ok := t.enter(c)
			if !ok {
				return false
			}
			if more {
				continue
			}
		default:
			if !t.scalar() {
				return false
			}
		}
		if more, ok := t.leave(); !more {
			return ok
		}
	}
}

// enter opens an object or array; more says whether a value that lies in it comes next.
func (t *Text) enter(bracket byte) (more, ok bool) {
	if len(t.open) >= t.rules.Nesting {
		return false, false
	}
	c := container{closing: bracket + 2, name: t.name(), members: t.members.length}
	t.interrupt()
	t.open = append(t.open, c)
	t.at++
	t.skipSpace()
	if t.peek() == c.closing {
		return false, true
	}
	return true, bracket == '[' || t.memberName()
}

// leave steps behind a value and closes what ends there. If more is false, no other value comes,
// and ok says whether the text ends as it should.
func (t *Text) leave() (more, ok bool) {
	for len(t.open) > 0 {
		t.skipSpace()
		top := &t.open[len(t.open)-1]
		switch t.peek() {
		case ',':
			t.at++
			t.skipSpace()
			return top.closing == ']' || t.memberName(), false
		case top.closing:
			t.at++
			t.close()
		default:
			return false, false
		}
	}
	t.skipSpace()
	return false, t.at == len(t.src)
}

// close hands the leaves of the innermost container to the one around it.
func (t *Text) close() {
	c := t.open[len(t.open)-1]
	t.open = t.open[:len(t.open)-1]
	if c.closing == '}' {
		c.leaves = t.arrange(c.members)
		t.members.cut(c.members)
	}
	t.add(c.leaves)
}

// scalar reads a string, number or word and makes a leaf of it.
func (t *Text) scalar() bool {
	start := t.at
	if !t.skipScalar() {
		return false
	}
	if len(t.open) > 0 {
		if top := &t.open[len(t.open)-1]; top.closing == ']' {
			if top.run {
				t.leaves.last().end = uint32(t.at)
				return true
			}
			top.run = true
		}
	}
	t.leaves.add(leaf{name: t.name(), start: uint32(start), end: uint32(t.at)})
	n := uint32(t.leaves.length)
	t.add(chain{n, n})
	return true
}

// interrupt ends the run of scalars in the innermost array.
func (t *Text) interrupt() {
	if len(t.open) > 0 {
		t.open[len(t.open)-1].run = false
	}
}

// name returns the number of the name that a value read now goes by.
func (t *Text) name() uint32 {
	if len(t.open) == 0 {
		return 0
	}
	return t.open[len(t.open)-1].name
}

// memberName reads a member's name and the colon.
func (t *Text) memberName() bool {
	start := t.at
	if t.peek() != '"' || !t.skipString() {
		return false
	}
	name := t.Names.Number(Unquote(t.src[start:t.at]))
	t.skipSpace()
	if t.peek() != ':' {
		return false
	}
	t.at++
	t.open[len(t.open)-1].name = name
	t.members.add(member{name: name})
	return true
}
