package canon

import (
	"slices"
	"strings"
)

// amfObject is an AMF object, or an array that has names.
type amfObject struct {
	class  string
	fields []amfField
	mixed  bool // an array that has fields

	sorted     bool
	unsortable bool // in Python
}

type amfField struct {
	name  string
	value any
}

func (o *amfObject) add(name string, value any) {
	o.fields = append(o.fields, amfField{name, value})
}

// field returns the value of a field of an object that is no array, nil if there is none.
func (o *amfObject) field(name string) any {
	o.sort()
	at, ok := slices.BinarySearchFunc(o.fields, name,
		func(f amfField, name string) int { return strings.Compare(f.name, name) })
	if !ok {
		return nil
	}
	return o.fields[at].value
}

// sort sorts the fields by their names, once, and leaves the last one of each name. The
// names of an array's elements are numbers, and Python cannot sort those among others.
func (o *amfObject) sort() {
	if o.sorted {
		return
	}
	slices.SortStableFunc(o.fields, func(a, b amfField) int { return strings.Compare(a.name, b.name) })
	kept, numbers := o.fields[:0], 0
	for i, f := range o.fields {
		if i+1 == len(o.fields) || o.fields[i+1].name != f.name {
			kept = append(kept, f)
		}
		if o.mixed && f.isNumbered() {
			numbers++
		}
	}
	o.sorted, o.unsortable = true, numbers > 0 && numbers < len(o.fields)
	if o.fields = kept; numbers > 0 && !o.unsortable {
		slices.SortFunc(o.fields, byLength)
	}
}

func (f amfField) isNumbered() bool {
	return f.name != "" && strings.Trim(f.name, "0123456789") == ""
}

// byLength sorts numbers that are written without leading zeros.
func byLength(a, b amfField) int {
	if len(a.name) != len(b.name) {
		return len(a.name) - len(b.name)
	}
	return strings.Compare(a.name, b.name)
}
