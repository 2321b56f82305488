package text

import "strings"

// maxDepth is how many elements may be open. Those within more of them are read as if they had no
// tags.
const maxDepth = 512

// element is one that is open.
type element struct {
	name   string
	hidden bool
}

// elements are those that are open, the outermost first. A tag that opens or closes others does it as
// in browsers, but for what changes nothing of what is seen.
type elements struct {
	stack   []element
	hidden  int // of them
	foreign int // of them are svg or math
	tables  int // of them are tables
	deeper  int // that are open within maxDepth others
}

// start opens an element, and closes those that it ends.
func (s *elements) start(e element) {
	if closed := closedBy[e.name]; closed != "" {
		s.closeImplied(closed)
	}
	switch {
	case voidElements[e.name]:
	case tableParts[e.name] && e.name != "table" && s.tables == 0: // no browser takes it for one
	case len(s.stack) >= maxDepth:
		s.deeper++
	default:
		s.stack = append(s.stack, e)
		s.count(e, 1)
	}
}

// end closes the innermost element of that name, with all that is in it, unless it is the end of an
// element outside the table or cell. It reports whether there was one.
func (s *elements) end(name string) bool {
	if s.deeper > 0 {
		s.deeper--
		return true
	}
	bounds := scope
	if tableParts[name] {
		bounds = tableScope
	}
	for i := len(s.stack) - 1; i >= 0; i-- {
		at := s.stack[i].name
		if at == name {
			s.cut(i)
			return true
		}
		if bounds[at] {
			return false
		}
	}
	return false
}

// closeImplied closes the elements that have one of the names, up to one that keeps others open.
func (s *elements) closeImplied(names string) {
	for i := len(s.stack) - 1; i >= 0; i-- {
		at := s.stack[i].name
		switch {
		case strings.Contains(names, " "+at+" "):
			s.cut(i)
		case keepOpen[at]:
			return
		}
	}
}

// cut closes the element at i and all within it.
func (s *elements) cut(i int) {
	for _, e := range s.stack[i:] {
		s.count(e, -1)
	}
	s.stack = s.stack[:i]
}

// count counts an element that opens, or one that closes as -1.
func (s *elements) count(e element, by int) {
	if e.hidden {
		s.hidden += by
	}
	switch e.name {
	case "svg", "math":
		s.foreign += by
	case "table":
		s.tables += by
	}
}

// set makes a set of names.
func set(names string) map[string]bool {
	all := make(map[string]bool)
	for name := range strings.FieldsSeq(names) {
		all[name] = true
	}
	return all
}

var (
	// hiddenElements are in no box, whatever the page says.
	hiddenElements = set("script style template title noscript noembed noframes iframe datalist rp " +
		"object audio video canvas desc metadata")

	// voidElements have no end.
	voidElements = set("area base br col embed frame hr img input link meta param source track wbr")

	// blocks stand on lines of their own.
	blocks = set("address article aside blockquote body br caption center dd details dialog dir div dl " +
		"dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li " +
		"main menu nav ol optgroup option p pre search section select summary table tbody textarea " +
		"tfoot thead tr ul")

	// cells stand apart from what is before and behind.
	cells = set("td th button input img svg")

	tableParts = set("table caption colgroup thead tbody tfoot tr td th")
	tableScope = set("table template")
	scope      = set("table caption td th template object select")

	// keepOpen are those within which a tag closes nothing that is outside.
	keepOpen = set("table td th caption template object button ul ol dl select div section article " +
		"aside main header footer nav form fieldset blockquote center figure details dialog body html")
)

// closedBy are the names of elements that a start tag closes, each with spaces around it.
var closedBy = impliedEnds()

func impliedEnds() map[string]string {
	closed := map[string]string{
		"li": " li ", "dt": " dt dd ", "dd": " dt dd ", "option": " option ",
		"optgroup": " option optgroup ", "tr": " tr td th ", "td": " td th ", "th": " td th ",
		"tbody": " tr td th tbody thead tfoot caption ", "tfoot": " tr td th tbody thead caption ",
		"thead": " caption tbody ", "body": " head ",
	}
	for name := range strings.FieldsSeq("address article aside blockquote center details dialog dir div " +
		"dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr main menu nav ol " +
		"p pre search section table ul") {
		closed[name] += " p "
	}
	return closed
}
