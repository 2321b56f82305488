package canon

import (
	"strconv"
	"strings"
)

// fields is an ordered map of names to values in which no value is lost: a name that
// comes again gets a number, a.2_ and so on. As in pywb and warcio.js a name made so
// writes over a field that was called that from the start, in its place.
//
// Only the first fields are kept, as many as a limited query may hold; the others
// just count.
type fields struct {
	list  []field
	names map[string]namesake
	// suffixed: a name was put that looks as if it was made from another
	suffixed bool
}

// field is a field of the query: name=value, or name.number_=value above 1.
type field struct {
	name   string
	number int
	value  string
}

// namesake is what there is to know of a name that was put.
type namesake struct {
	count int // how many fields have it, with those of which the name was made from it
	at    int // where its first field is in list, beyond the end if it was not kept
}

// put adds a field.
func (f *fields) put(name, value string) {
	known, again := f.names[name]
	switch {
	case again:
		known.count++
	case f.made(name):
		known.count = 2
	default:
		known = namesake{count: 1, at: len(f.list)}
	}
	f.names[name] = known
	if known.count == 1 || !f.overwrite(name, known.count, value) {
		f.add(field{name, known.count, value})
	}
}

// full reports whether no more fields are kept. Each takes two characters at least.
func (f *fields) full() bool { return len(f.list) >= maxQuery/2 }

func (f *fields) add(new field) {
	if !f.full() {
		f.list = append(f.list, new)
	}
}

// made reports whether name exists already because it was made from another:
// a.3_ does when a was put three times.
func (f *fields) made(name string) bool {
	base, digits, ok := cutNumber(name)
	if !ok {
		return false
	}
	f.suffixed = true
	number, err := strconv.Atoi(digits)
	return err == nil && number >= 2 && number <= f.names[base].count
}

// overwrite writes over the field called name.number_ from the start, if there is one.
func (f *fields) overwrite(name string, number int, value string) bool {
	if !f.suffixed {
		return false
	}
	known, ok := f.names[name+"."+strconv.Itoa(number)+"_"]
	if ok && known.at < len(f.list) {
		f.list[known.at].value = value
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

// encode writes the fields as a query, or at least maxQuery characters of it.
func (f *fields) encode(a *alphabet) (q []byte) {
	for i, field := range f.list {
		if len(q) > maxQuery {
			break
		}
		if i > 0 {
			q = append(q, '&')
		}
		q = a.appendString(q, field.name[:min(len(field.name), maxQuery)])
		q = append(appendNumber(q, field.number), '=')
		q = a.appendString(q, field.value[:min(len(field.value), maxQuery)])
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
