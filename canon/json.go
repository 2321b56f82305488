package canon

import "strings"

// jsonRules is what the parsers of other tools take, beyond RFC 8259.
type jsonRules struct {
	nesting       int  // how many objects and arrays may lie in each other
	digits        int  // how long an integer may be; 0: any length
	integersFirst bool // members whose names are array indexes come first, ascending
}

// jsonParser takes a JSON text (RFC 8259, strictly) apart into its leaves: the values
// that are neither object nor array, each under the name of the innermost member
// around it. It knows no recursion and builds no tree; what it keeps is less than
// a small multiple of the text.
type jsonParser struct {
	jsonScanner
	rules   jsonRules
	names   jsonNames
	leaves  pages[leaf]
	open    []container   // those around the place being read, outermost first
	members pages[member] // of the open objects
	closed  uint32        // objects that had two members or more
	root    chain
}

// container is an object or an array that is open.
type container struct {
	closing byte   // } or ]
	name    uint32 // what its values go by; in an object that of the last member
	members int    // where an object's members begin
	leaves  chain  // an array's
	run     bool   // whether the last leaf is one that the array's next scalar continues
}

// member is an object's member.
type member struct {
	name   uint32
	leaves chain
}

// parseJSON reads src. It is false if src is no JSON text or too deeply nested.
// It expects UTF-8 without a byte order mark, and no more of it than a few times
// MaxBody, so that an offset fits into 32 bits.
func parseJSON(src string, rules jsonRules) (*jsonParser, bool) {
	begin := jsonScanner{src: src}
	if begin.skipSpace(); strings.IndexByte(jsonStart, begin.peek()) < 0 {
		return nil, false // as most that comes as text/plain
	}
	p := &jsonParser{jsonScanner: jsonScanner{src: src, digits: rules.digits}, rules: rules}
	p.names.init()
	return p, p.parse()
}

// jsonStart is what a JSON text may begin with.
const jsonStart = `{["-0123456789tfn`

// parse reads value after value. What comes before one, a member's name included,
// is read already.
func (p *jsonParser) parse() bool {
	for {
		p.skipSpace()
		switch c := p.peek(); c {
		case '{', '[':
			more, ok := p.enter(c)
			if !ok {
				return false
			}
			if more {
				continue
			}
		default:
			if !p.scalar() {
				return false
			}
		}
		if more, ok := p.leave(); !more {
			return ok
		}
	}
}

// enter opens an object or array; more says whether a value of it comes next.
func (p *jsonParser) enter(bracket byte) (more, ok bool) {
	if len(p.open) >= p.rules.nesting {
		return false, false
	}
	c := container{closing: bracket + 2, name: p.name(), members: p.members.length}
	p.interrupt()
	p.open = append(p.open, c)
	p.at++
	p.skipSpace()
	if p.peek() == c.closing {
		return false, true
	}
	return true, bracket == '[' || p.memberName()
}

// leave steps behind a value and closes what ends there; more says whether another
// value comes, and if not, ok whether the text ends well.
func (p *jsonParser) leave() (more, ok bool) {
	for len(p.open) > 0 {
		p.skipSpace()
		top := &p.open[len(p.open)-1]
		switch p.peek() {
		case ',':
			p.at++
			p.skipSpace()
			return top.closing == ']' || p.memberName(), false
		case top.closing:
			p.at++
			p.close()
		default:
			return false, false
		}
	}
	p.skipSpace()
	return false, p.at == len(p.src)
}

// close hands the leaves of the innermost container to the one around it.
func (p *jsonParser) close() {
	c := p.open[len(p.open)-1]
	p.open = p.open[:len(p.open)-1]
	if c.closing == '}' {
		c.leaves = p.arrange(c.members)
		p.members.cut(c.members)
	}
	p.add(c.leaves)
}

// scalar reads a string, number or word and makes a leaf of it.
func (p *jsonParser) scalar() bool {
	start := p.at
	if !p.skipScalar() {
		return false
	}
	if len(p.open) > 0 {
		if top := &p.open[len(p.open)-1]; top.closing == ']' {
			if top.run {
				p.leaves.last().end = uint32(p.at)
				return true
			}
			top.run = true
		}
	}
	p.leaves.add(leaf{name: p.name(), start: uint32(start), end: uint32(p.at)})
	n := uint32(p.leaves.length)
	p.add(chain{n, n})
	return true
}

// interrupt ends an array's run of scalars.
func (p *jsonParser) interrupt() {
	if len(p.open) > 0 {
		p.open[len(p.open)-1].run = false
	}
}

// name is what a value read now goes by.
func (p *jsonParser) name() uint32 {
	if len(p.open) == 0 {
		return 0
	}
	return p.open[len(p.open)-1].name
}

// memberName reads a member's name and the colon.
func (p *jsonParser) memberName() bool {
	start := p.at
	if p.peek() != '"' || !p.skipString() {
		return false
	}
	name := p.names.number(unquoteJSON(p.src[start:p.at]))
	p.skipSpace()
	if p.peek() != ':' {
		return false
	}
	p.at++
	p.open[len(p.open)-1].name = name
	p.members.add(member{name: name})
	return true
}
