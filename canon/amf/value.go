package amf

import (
	"slices"
	"strings"
)

// A value is nil, bool, string, int (of AMF3), float64 (of AMF3), amf0Number, date, undefined,
// *array or *object. The last two may hold themselves.
type (
	amf0Number float64 // of AMF0, which knows no integers
	date       float64 // milliseconds since 1970
	undefined  struct{}
	array      struct{ elements []any }
)

// An object is an AMF object, or an array with named elements.
type object struct {
	class  string
	fields []field
	mixed  bool // an array with named elements

	sorted     bool
	unsortable bool // Python cannot sort its names
}

type field struct {
	name  string
	value any
}

func (o *object) add(name string, value any) {
	o.fields = append(o.fields, field{name, value})
}

// field returns the value of a field, nil if there is none, of an object that is no array.
func (o *object) field(name string) any {
	o.sort()
	at, ok := slices.BinarySearchFunc(o.fields, name,
		func(f field, name string) int { return strings.Compare(f.name, name) })
	if !ok {
		return nil
	}
	return o.fields[at].value
}

// sort sorts the fields by their names, once, and keeps the last one of each name. The elements of
// an array go by numbers, which Python cannot sort among other names.
func (o *object) sort() {
	if o.sorted {
		return
	}
	slices.SortStableFunc(o.fields, func(a, b field) int { return strings.Compare(a.name, b.name) })
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

func (f field) isNumbered() bool {
	return f.name != "" && strings.Trim(f.name, "0123456789") == ""
}

// byLength sorts numbers that are written without leading zeros.
func byLength(a, b field) int {
	if len(a.name) != len(b.name) {
		return len(a.name) - len(b.name)
	}
	return strings.Compare(a.name, b.name)
}
