package cdxapi

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
)

// filter lets lines pass by what is in one of their fields, or in the whole of them.
type filter struct {
	field   string // "" is the whole line
	not     bool
	matches func(string) bool
	steps   int // of a regular expression, about
}

// aliases are other names of fields in pywb's filters.
var aliases = map[string]string{"u": "url", "original": "url", "statuscode": "status", "mimetype": "mime",
	"m": "mime", "s": "length", "l": "length", "o": "offset", "d": "digest", "t": "timestamp",
	"k": "urlkey", "f": "filename"}

// pywbFilters returns filters as pywb writes them: [!][=|~][FIELD:]TEXT, which is contained, is equal,
// or is a regular expression that matches at the beginning.
func pywbFilters(texts []string) (all []filter, err error) {
	return filtersOf(texts, func(text string) (filter, error) {
		f := filter{}
		text, f.not = strings.CutPrefix(text, "!")
		kind := ""
		if strings.HasPrefix(text, "=") || strings.HasPrefix(text, "~") {
			kind, text = text[:1], text[1:]
		}
		if field, rest, found := strings.Cut(text, ":"); found {
			f.field, text = field, rest
			if name, is := aliases[field]; is {
				f.field = name
			}
			if !slices.Contains(fields, f.field) && !slices.Contains(foreign, f.field) {
				return f, bad("filter", "%s is no field: the fields are %s", quoted(field),
					strings.Join(fields, ", "))
			}
		}
		switch kind {
		case "=":
			f.matches = func(s string) bool { return s == text }
		case "~":
			return f, f.compile(`\A(?:` + text + `)`)
		default:
			f.matches = func(s string) bool { return strings.Contains(s, text) }
		}
		return f, nil
	})
}

// waybackFilters returns filters as the Wayback Machine writes them: [!][FIELD:]REGEX, which matches
// the whole of the field, or of a line of columns. FIELD may be the number of a column.
func waybackFilters(texts []string) (all []filter, err error) {
	return filtersOf(texts, func(text string) (filter, error) {
		f := filter{}
		text, f.not = strings.CutPrefix(text, "!")
		if field, rest, found := strings.Cut(text, ":"); found {
			name, is := columnOf(field)
			if !is {
				return f, bad("filter", "%s is no field: the fields are %s", quoted(field),
					strings.Join(columns, ", "))
			}
			f.field, text = name, rest
		}
		return f, f.compile(`\A(?:` + text + `)\z`)
	})
}

// filtersOf reads filters, as one reads one.
func filtersOf(texts []string, one func(string) (filter, error)) (all []filter, err error) {
	if len(texts) > maxFilters {
		return nil, bad("filter", "there are %d, and may be %d", len(texts), maxFilters)
	}
	for _, text := range texts {
		if text == "" {
			continue
		}
		if len(text) > maxFilter {
			return nil, bad("filter", "it has %d bytes, and may have %d", len(text), maxFilter)
		}
		f, err := one(text)
		if err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	return all, nil
}

// compile lets the filter match a regular expression, unless it is too large: the time that it takes
// is at most its size times the length of what it is matched with.
func (f *filter) compile(text string) error {
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return bad("filter", "%s is no regular expression as Go (RE2) has them, without "+
			"backreferences and without looking around: %v", quoted(text), err)
	}
	if f.steps = sizeOf(parsed); f.steps > maxProgram {
		return bad("filter", "the regular expression %s is too large: repeat less", quoted(text))
	}
	expression, err := regexp.Compile(text)
	if err == nil {
		f.matches = expression.MatchString
	}
	return err
}

// sizeOf returns about how many steps an expression becomes. What is repeated is so as often.
func sizeOf(e *syntax.Regexp) int {
	size := 1
	if e.Op == syntax.OpLiteral {
		size = len(e.Rune)
	}
	for _, sub := range e.Sub {
		size = min(size+sizeOf(sub), 2*maxProgram)
	}
	if e.Op == syntax.OpRepeat {
		size *= max(e.Min, e.Max, 1)
	}
	return min(size, 2*maxProgram)
}

// passes reports whether all filters let a line pass, and how many bytes they have read: each as often
// as the size of the filter makes it. whole is what a filter without a field reads.
func passes(filters []filter, l *line, whole func(*line) string) (pass bool, read int) {
	for i := range filters {
		f := &filters[i]
		var text string
		if f.field == "" {
			text = whole(l)
		} else {
			text = l.value(f.field)
		}
		text = text[:min(len(text), maxValue)]
		read += len(text) * (1 + f.steps/perStep)
		if f.matches(text) == f.not {
			return false, read
		}
	}
	return true, read
}
