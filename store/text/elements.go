package text

import "strings"

// maxDepth is how many elements may be open. Those within more of them are read as if they had no
// tags.
const maxDepth = 512

// element is one that is open. Of others it knows how deep they lie, 1 being the outermost; 0 is none.
type element struct {
	name   string
	hidden bool

	outer      int // the next one outwards of its name
	keeps      int // the innermost that keeps others open, among those that end with this one
	ends       int // and that no end tag goes beyond
	endsTables int // nor one of tables
}

// elements are those that are open, the outermost first. A tag that opens or closes others does it as
// in browsers, but for what changes nothing of what is seen. None of them is looked at but to close it:
// a tag takes the same time however many are open.
type elements struct {
	stack  []element
	depths map[string]int // of the innermost of each name

	hidden  int // of them
	foreign int // of them are svg or math
	tables  int // of them are tables
	deeper  int // that are open within maxDepth others
	work    int // elements that were looked at
}

// start opens an element, and closes those that it ends.
func (s *elements) start(e element) {
	s.closeImplied(closedBy[e.name])
	switch {
	case voidElements[e.name]:
	case tableParts[e.name] && e.name != "table" && s.tables == 0: // no browser takes it for one
	case len(s.stack) >= maxDepth:
		s.deeper++
	default:
		s.open(e)
	}
}

// end closes the innermost element of that name, with all that is in it, unless it is the end of an
// element outside the table or cell. It reports whether there was one.
func (s *elements) end(name string) bool {
	if s.deeper > 0 {
		s.deeper--
		return true
	}
	last := s.innermost()
	bound := last.ends
	if tableParts[name] {
		bound = last.endsTables
	}
	depth := s.depths[name]
	if depth == 0 || depth < bound {
		return false
	}
	s.cut(depth)
	return true
}

// closeImplied closes the elements that have one of the names, up to one that keeps others open.
func (s *elements) closeImplied(names []string) {
	for {
		depth := 0
		for _, name := range names {
			depth = max(depth, s.depths[name])
		}
		if depth == 0 || depth < s.innermost().keeps {
			return
		}
		s.cut(depth)
	}
}

// innermost returns the innermost element.
func (s *elements) innermost() (last element) {
	s.work++
	if len(s.stack) > 0 {
		last = s.stack[len(s.stack)-1]
	}
	return last
}

// open opens an element within all others.
func (s *elements) open(e element) {
	last := s.innermost()
	depth := len(s.stack) + 1
	e.outer, e.keeps, e.ends, e.endsTables = s.depths[e.name], last.keeps, last.ends, last.endsTables
	if keepOpen[e.name] {
		e.keeps = depth
	}
	if scope[e.name] {
		e.ends = depth
	}
	if tableScope[e.name] {
		e.endsTables = depth
	}
	if s.depths == nil {
		s.depths = make(map[string]int)
	}
	s.stack, s.depths[e.name] = append(s.stack, e), depth
	s.count(e, 1)
}

// cut closes the element at a depth and all within it.
func (s *elements) cut(depth int) {
	for len(s.stack) >= depth {
		e := s.innermost()
		s.stack = s.stack[:len(s.stack)-1]
		s.count(e, -1)
		if s.depths[e.name] = e.outer; e.outer == 0 {
			delete(s.depths, e.name)
		}
	}
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

// closedBy are the names of elements that a start tag closes.
var closedBy = impliedEnds()

func impliedEnds() map[string][]string {
	closed := make(map[string][]string)
	for name, names := range map[string]string{
		"li": "li", "dt": "dt dd", "dd": "dt dd", "option": "option", "optgroup": "option optgroup",
		"tr": "tr td th", "td": "td th", "th": "td th", "tbody": "tr td th tbody thead tfoot caption",
		"tfoot": "tr td th tbody thead caption", "thead": "caption tbody", "body": "head",
	} {
		closed[name] = strings.Fields(names)
	}
	for name := range strings.FieldsSeq("address article aside blockquote center details dialog dir div " +
		"dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr main menu nav ol " +
		"p pre search section table ul") {
		closed[name] = append(closed[name], "p")
	}
	return closed
}
