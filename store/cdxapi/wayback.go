package cdxapi

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"warcorder/store"
)

// Search answers as the Wayback Machine does at /cdx/search/cdx.
func Search(c Collection) http.Handler { return newHandler(c, usual, askedOfWayback) }

// waybackKnows are the parameters of the Wayback Machine's CDX server.
var waybackKnows = []string{"url", "matchType", "from", "to", "limit", "offset", "sort", "closest",
	"filter", "fl", "output", "collapse", "fastLatest", "showResumeKey", "resumeKey", "page", "pageSize",
	"showNumPages", "showPagedIndex", "all", "gzip", "last", "resolveRevisits", "showDupeCount",
	"showSkipCount", "lastSkipTimestamp", "showGroupCount", "showUniqCount", "collapseTime"}

// The columns of the Wayback Machine's lines, and what they are called in ours.
var (
	columns  = []string{"urlkey", "timestamp", "original", "mimetype", "statuscode", "digest", "length"}
	ofColumn = map[string]string{"original": "url", "mimetype": "mime", "statuscode": "status"}
)

// columnOf returns the field of a column: by its name, by ours, or by its number.
func columnOf(name string) (field string, is bool) {
	if n, err := strconv.Atoi(name); err == nil && n >= 0 && n < len(columns) {
		name = columns[n]
	}
	if field, is := ofColumn[name]; is {
		return field, true
	}
	for _, field := range fields[:11] {
		if field == name {
			return field, true
		}
	}
	return truncated, name == truncated
}

// truncated is a column that no line of CDXJ has: "yes" where a response is not there to its end.
const truncated = "truncated"

// column returns what a line has in a column of that field: "-" for nothing, and the Base32 of a
// SHA-1 without its name.
func (l *line) column(field string) string {
	value := l.value(field)
	if field == "digest" {
		value = strings.TrimPrefix(value, "sha1:")
	}
	if value == "" {
		return "-"
	}
	return value
}

// appendWayback appends columns with a space between them.
func (l *line) appendWayback(dst []byte, names []string) []byte {
	for i, name := range names {
		if i > 0 {
			dst = append(dst, ' ')
		}
		dst = appendColumn(dst, l.column(name))
	}
	return dst
}

// askedOfWayback judges a request.
func askedOfWayback(r *http.Request, _ string) (*question, error) {
	p := paramsOf(r.URL.RawQuery, waybackKnows)
	q := p.wayback()
	p.waybackFormat(q, p.among("output", "json", "text"))
	return q, p.err
}

// wayback reads all parameters but how lines are to be written.
func (p *params) wayback() *question {
	q := &question{
		isPaged:   p.one("page") != "" && p.one("page") != "-1",
		pageSize:  p.number("pageSize", pageBlocks, 1, maxBlocks),
		counts:    p.yes("showNumPages"),
		pastPages: true,
		skipped:   p.number("offset", 0, 0, maxNumber),
		resume:    p.position("resumeKey"),
		resumable: p.yes("showResumeKey"),
		query:     store.Query{All: p.yes("all")},
		whole:     func(l *line) string { return string(l.appendWayback(nil, columnFields)) },
	}
	if q.isPaged {
		q.page = p.number("page", 0, 0, maxNumber/maxBlocks)
	}
	p.match(q)
	p.period(q)
	p.waybackLimit(q)
	p.waybackOrder(q)
	filters, err := waybackFilters(p.values["filter"])
	if err != nil && p.err == nil {
		p.err = err
	}
	q.filters = filters
	p.collapses(q)
	p.goesOn(q)
	for _, name := range []string{"showPagedIndex", "resolveRevisits", "showDupeCount", "showSkipCount",
		"lastSkipTimestamp", "showGroupCount", "showUniqCount"} {
		if p.yes(name) {
			p.fail(name, "this is not supported here")
		}
	}
	q.sayCounts = func(w http.ResponseWriter, n counted) {
		w.Header().Set("Content-Type", "text/plain")
		fmt.Fprintln(w, n.Pages)
	}
	return q
}

// goesOn judges whether a key to go on fits what is asked.
func (p *params) goesOn(q *question) {
	if q.resume == (position{}) {
		return
	}
	q.skipped = 0 // the first answer has passed them over
	if n := len(q.resume.sums); n > 0 && n != sumSize*len(q.collapse) {
		p.fail("resumeKey", "it is of an answer that was collapsed by other columns")
	}
}

// columnFields are the fields of the columns.
var columnFields = []string{"urlkey", "timestamp", "url", "mime", "status", "digest", "length"}

// waybackLimit reads how many lines are asked for: less than 0 are the last ones.
func (p *params) waybackLimit(q *question) {
	n := p.number("limit", 0, -maxNumber, maxNumber)
	if n == 0 && (p.yes("fastLatest") || p.yes("last")) {
		n = -1
	}
	switch {
	case n < 0:
		q.last = -n
	case n == 0 && !q.isPaged:
		q.limit = waybackLimit
	default:
		q.limit = n
	}
}

// waybackOrder reads the order of the lines.
func (p *params) waybackOrder(q *question) {
	sort := p.among("sort", "reverse", "closest", "regular")
	at, isGiven := p.moment("closest")
	switch {
	case sort == "closest" && isGiven:
		q.order, q.at = outwards, at
	case sort == "closest":
		p.fail("closest", "sort=closest needs the moment in it")
	case sort == "reverse":
		q.order = backwards
	}
	if q.last > 0 && q.order != forwards {
		p.fail("limit", "less than 0, which asks for the last lines, it goes with no sort")
	}
	if (q.resumable || q.resume != position{}) && (q.order != forwards || q.last > 0) {
		p.fail("showResumeKey", "a key to go on is for lines in their order")
	}
}

// collapses reads by what lines that follow one another are collapsed: FIELD, or FIELD:N, its first N
// characters.
func (p *params) collapses(q *question) {
	texts := p.values["collapse"]
	if n := p.one("collapseTime"); n != "" {
		texts = append(texts[:len(texts):len(texts)], "timestamp:"+n)
	}
	if len(texts) > maxFilters {
		p.fail("collapse", "there are %d, and may be %d", len(texts), maxFilters)
		return
	}
	for _, text := range texts {
		name, number, isCut := strings.Cut(text, ":")
		field, is := columnOf(name)
		n, err := strconv.Atoi(number)
		if !is || isCut && (err != nil || n < 1) {
			p.fail("collapse", "%s is neither FIELD nor FIELD:N; the fields are %s", quoted(text),
				strings.Join(columns, ", "))
			return
		}
		q.collapse = append(q.collapse, func(l *line) string {
			value := l.column(field)
			if isCut {
				value = value[:min(n, len(value))]
			}
			return value
		})
	}
}

// waybackFormat reads how the lines are to be written.
func (p *params) waybackFormat(q *question, output string) {
	names := columns
	if text := p.one("fl"); text != "" {
		names = strings.Split(text, ",")
	}
	if len(names) > maxFields {
		p.fail("fl", "it names %d fields, and may name %d", len(names), maxFields)
	}
	var of []string
	for _, name := range names {
		field, is := columnOf(name)
		if !is {
			p.fail("fl", "%s is no field: the fields are %s", quoted(name), strings.Join(columns, ", "))
		}
		of = append(of, field)
	}
	if output == "json" {
		q.format = arrays(names, of)
		return
	}
	q.format = format{contentType: "text/plain", between: "\n", end: "\n",
		line:   func(dst []byte, l *line) []byte { return l.appendWayback(dst, of) },
		resume: func(dst []byte, key string) []byte { return append(append(dst, "\n\n"...), key...) },
	}
}

// arrays writes lines as arrays in an array, with the names of the columns before them.
func arrays(names, of []string) format {
	header := appendArray([]byte("["), names)
	return format{
		contentType: "application/json",
		begin:       string(header), end: "]\n", none: "[]\n",
		line: func(dst []byte, l *line) []byte {
			var values []string
			for _, field := range of {
				values = append(values, l.column(field))
			}
			return appendArray(append(dst, ",\n"...), values)
		},
		resume: func(dst []byte, key string) []byte {
			return appendArray(append(dst, ",\n[],\n"...), []string{key})
		},
	}
}

func appendArray(dst []byte, values []string) []byte {
	for i, value := range values {
		dst = store.AppendJSON(append(dst, "[,"[min(i, 1)]), value)
	}
	return append(dst, ']')
}
