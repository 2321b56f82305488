package canon

import (
	"strconv"
	"strings"

	"warcorder/canon/json"
)

// fields is an ordered map of names to values in which no value is lost: a name that comes again
// gets a number, a.2_ and so on. As in pywb and warcio.js a field whose name was made this way
// takes the place of a field that was called a.2_ from the start.
//
// Only the first fields are kept, as many as a query of limit characters may hold; the others are
// counted. Nothing of a field is written before encode.
type fields struct {
	names *json.Names
	limit int
	list  []field
	known []namesake // by number of name
	made  map[madeName]uint32
}

// A field is a field of the query: name=value, or name.number_=value if number is above 1. The
// value is still a JSON literal.
type field struct {
	name    uint32
	number  uint32
	literal string
}

// A namesake is what there is to know of a name that was put.
type namesake struct {
	count uint32 // fields of that name, and those whose names were made from it
	at    uint32 // where its first field is in list, beyond the end if it was not kept
}

// A madeName is a name that looks as if it was made from another: a.2_. Those that were put are in
// fields.made, with their numbers.
type madeName struct{ base, number uint32 }

// put adds a field. It reports whether the name is a new one.
func (f *fields) put(name uint32, literal string) (first bool) {
	first = f.namesake(name).count == 0
	made := first && f.isMade(name)
	known := f.namesake(name)
	switch {
	case made:
		known.count = 2
	case first:
		*known = namesake{count: 1, at: uint32(len(f.list))}
	default:
		known.count++
	}
	if known.count == 1 || !f.overwrite(name, known.count, literal) {
		f.add(field{name, known.count, literal})
	}
	return first
}

// namesake returns what there is to know of a name, until the next call.
func (f *fields) namesake(name uint32) *namesake {
	if more := f.names.Len() - len(f.known); more > 0 {
		f.known = append(f.known, make([]namesake, more)...)
	}
	return &f.known[name]
}

// full reports whether no more fields are kept. A field takes two characters at least.
func (f *fields) full() bool { return len(f.list) >= f.limit/2 }

func (f *fields) add(new field) {
	if !f.full() {
		f.list = append(f.list, new)
	}
}

// isMade reports whether a new name exists already because it was made from another: a.3_ exists
// when a was put three times.
func (f *fields) isMade(name uint32) bool {
	base, digits, ok := cutNumber(f.names.Text(name))
	if !ok {
		return false
	}
	number, err := strconv.ParseUint(digits, 10, 32)
	if err != nil || number < 2 {
		return false
	}
	from := f.names.Number(base)
	if f.made == nil {
		f.made = map[madeName]uint32{}
	}
	f.made[madeName{from, uint32(number)}] = name
	return uint32(number) <= f.namesake(from).count
}

// overwrite writes over the field called name.number_ from the start, if there is one.
func (f *fields) overwrite(name, number uint32, literal string) bool {
	if len(f.made) == 0 {
		return false
	}
	same, ok := f.made[madeName{name, number}]
	if ok && int(f.known[same].at) < len(f.list) {
		f.list[f.known[same].at].literal = literal
	}
	return ok
}

// cutNumber takes base.number_ apart. A number begins with no zero.
func cutNumber(name string) (base, number string, ok bool) {
	name, ok = strings.CutSuffix(name, "_")
	dot := strings.LastIndexByte(name, '.')
	if !ok || dot < 0 {
		return "", "", false
	}
	number = name[dot+1:]
	ok = number != "" && number[0] != '0' && strings.Trim(number, "0123456789") == ""
	return name[:dot], number, ok
}

// encode writes the fields as a query, or at least limit characters of it, with the
// values that scalar makes of their literals.
func (f *fields) encode(a *alphabet, scalar func(literal string) string) (q []byte) {
	for i, field := range f.list {
		if len(q) > f.limit {
			break
		}
		if i > 0 {
			q = append(q, '&')
		}
		name, value := f.names.Text(field.name), scalar(field.literal)
		q = a.appendString(q, name[:min(len(name), f.limit)])
		q = append(appendNumber(q, int(field.number)), '=')
		q = a.appendString(q, value[:min(len(value), f.limit)])
	}
	return q
}

// appendNumber appends what tells a name from the same name before.
func appendNumber(q []byte, number int) []byte {
	if number < 2 {
		return q
	}
	return append(strconv.AppendInt(append(q, '.'), int64(number), 10), '_')
}
