package cdxapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"warcorder/canon"
	"warcorder/store"
)

// Pywb answers as the CDX server of pywb does: /cdx?url=… and so on.
func Pywb(c Collection) http.Handler { return newHandler(c, usual, askedOfPywb) }

// pywbKnows are the parameters of pywb's API; those that change nothing here too.
var pywbKnows = []string{"url", "matchType", "from", "from_ts", "to", "limit", "sort", "reverse", "closest",
	"filter", "fl", "fields", "output", "collapseTime", "resolveRevisits", "page", "pageSize",
	"showNumPages", "showPagedIndex", "method", "requestBody", "all", "content_type", "memento_format",
	"allowFuzzy", "nosource", "alt_url"}

// askedOfPywb judges a request.
func askedOfPywb(r *http.Request, _ string) (*question, error) {
	p := paramsOf(r.URL.RawQuery, pywbKnows)
	q := &question{
		resolve:  p.yes("resolveRevisits"),
		isPaged:  p.one("page") != "",
		page:     p.number("page", 0, 0, maxNumber/maxBlocks),
		pageSize: p.number("pageSize", pageBlocks, 1, maxBlocks),
		counts:   p.yes("showNumPages"),
		query:    store.Query{All: p.yes("all")},
		whole:    func(l *line) string { return string(l.appendCDXJ(nil)) },
	}
	absent := pywbLimit
	if q.isPaged {
		absent = 0
	}
	q.limit = p.number("limit", absent, 0, maxNumber)
	p.match(q)
	p.askedBy(q)
	p.period(q)
	p.pywbOrder(q)
	p.pywbFilters(q)
	if n := p.number("collapseTime", 0, 1, 14); n > 0 {
		q.inTime = true // as pywb does
		q.collapse = []func(*line) string{
			func(l *line) string { return l.value("timestamp")[:n] + " " + l.value("status") }}
	}
	if p.yes("showPagedIndex") {
		p.fail("showPagedIndex", "there is no secondary index: ask with showNumPages and page")
	}
	p.pywbFormat(q)
	return q, p.err
}

// match reads which URLs are asked for: a URL that begins with *. or ends with * says so too.
func (p *params) match(q *question) {
	q.query.URL = p.text("url")
	if alternative := p.text("alt_url"); alternative != "" {
		q.query.URL = alternative
	}
	asked := q.query.URL
	q.query.Match = store.Match(p.among("matchType", "exact", "prefix", "host", "domain", "ports"))
	if q.query.Match != "" || asked == "" {
		return
	}
	if host, is := strings.CutPrefix(asked, "*."); is {
		q.query.URL, q.query.Match = host, store.Domain
	} else if start, is := strings.CutSuffix(asked, "*"); is {
		q.query.URL, q.query.Match = start, store.Prefix
	}
	if q.query.URL == "" {
		p.fail("url", "%s names no host: all lines are had by warcorder export", quoted(asked))
	}
}

// askedBy reads by which method the URL was asked, and with what, and makes the URL one that has the
// key of that.
func (p *params) askedBy(q *question) {
	method, body := p.one("method"), p.text("requestBody")
	switch {
	case method == "" && body != "":
		p.fail("requestBody", "it is what was sent by a method, and method does not say by which")
	case strings.ContainsFunc(method, func(c rune) bool { return !isToken(c) }) || len(method) > 32:
		p.fail("method", "%s is no method of HTTP", quoted(method))
	case method == "" || strings.EqualFold(method, http.MethodGet) || q.query.URL == "":
		return
	case !q.isExact():
		p.fail("method", "it is for one URL, and matchType=%s", string(q.query.Match))
	}
	q.query.URL = canon.Pywb.Append(q.query.URL, method, body)
}

func isToken(c rune) bool {
	return c < 0x7f && c > ' ' && !strings.ContainsRune(`"(),/:;<=>?@[\]{}`, c)
}

// period reads the time that is asked for. Revisits may have their originals before it.
func (p *params) period(q *question) {
	q.query.From, q.query.To = p.time("from", "from_ts"), p.time("to")
	if q.resolve {
		q.from, q.to = q.query.From, q.query.To
		q.query.From, q.query.To = "", ""
	}
}

// pywbOrder reads the order of the lines. sort=closest needs a moment, and one needs no sort.
func (p *params) pywbOrder(q *question) {
	sort := p.among("sort", "reverse", "closest", "regular")
	at, isGiven := p.moment("closest")
	switch {
	case isGiven:
		q.order, q.at = outwards, at
	case sort == "reverse" || p.yes("reverse"):
		q.order = backwards
	}
}

// pywbFilters reads the filters; content_type is one in the place of all.
func (p *params) pywbFilters(q *question) {
	texts := p.values["filter"]
	if kind := p.one("content_type"); kind != "" {
		texts = []string{"=mime:" + kind}
	}
	filters, err := pywbFilters(texts)
	if err != nil && p.err == nil {
		p.err = err
	}
	q.filters = filters
}

// names reads which fields are asked for; nil is all.
func (p *params) names(name, text string, known ...string) (names []string) {
	if text == "" {
		return nil
	}
	if names = strings.Split(text, ","); len(names) > maxFields {
		p.fail(name, "it names %d fields, and may name %d", len(names), maxFields)
	}
	for _, one := range names {
		if !slices.Contains(known, one) {
			p.fail(name, "%s is no field: the fields are %s", quoted(one), strings.Join(known, ", "))
		}
	}
	return names
}

// pywbFormat reads how the lines are to be written.
func (p *params) pywbFormat(q *question) {
	text, name := p.first("fields", "fl")
	names := p.names(name, text, slices.Concat(fields, foreign)...)
	q.sayCounts = func(w http.ResponseWriter, n counted) {
		w.Header().Set("Content-Type", q.format.contentType)
		json.NewEncoder(w).Encode(n)
	}
	q.format = format{between: "\n", end: "\n"}
	switch p.among("output", "cdxj", "json", "text", "link") {
	case "json":
		q.format.contentType = "text/x-ndjson"
		q.format.line = func(dst []byte, l *line) []byte { return l.appendJSON(dst, names) }
	case "text":
		q.format.contentType = "text/plain"
		if names == nil {
			names = plain
		}
		q.format.line = func(dst []byte, l *line) []byte { return l.appendColumns(dst, names) }
	case "link":
		q.format.contentType = "application/link-format"
		q.format.between = ",\n"
		template := p.template("memento_format")
		q.format.line = func(dst []byte, l *line) []byte {
			return appendMemento(dst, mementoAt(template, l), "memento", l)
		}
	default:
		q.format.contentType = "text/x-cdxj"
		q.format.line = func(dst []byte, l *line) []byte { return l.appendSome(dst, names) }
	}
}

// appendSome appends the CDXJ line, with all fields or those that are named.
func (l *line) appendSome(dst []byte, names []string) []byte {
	if names == nil {
		return l.appendCDXJ(dst)
	}
	dst = append(append(append(dst, l.URLKey...), ' '), l.value("timestamp")...)
	names = slices.DeleteFunc(slices.Clone(names),
		func(name string) bool { return name == "urlkey" || name == "timestamp" })
	return l.appendFields(append(dst, ' '), names)
}

// template returns a value that mementoAt fills in. A URL may be long, and stands there a few times.
func (p *params) template(name string) string {
	text := p.one(name)
	if len(text) > maxTemplate || strings.Count(text, "{url}") > maxURLs {
		p.fail(name, "it may have %d bytes, and {url} %d times", maxTemplate, maxURLs)
	}
	return text
}

// mementoAt returns where a capture is had: the URL, or what a template with {timestamp} and {url}
// makes of it.
func mementoAt(template string, l *line) string {
	if template == "" {
		return l.URL
	}
	return strings.NewReplacer("{timestamp}", l.value("timestamp"), "{url}", l.URL).Replace(template)
}

// appendMemento appends a link of a time map (RFC 7089).
func appendMemento(dst []byte, at, relation string, l *line) []byte {
	return fmt.Appendf(dst, `<%s>; rel="%s"; datetime="%s"`, linkable(at), relation, dateOf(l.Capture))
}

// dateOf returns the moment of a capture, as a link says it.
func dateOf(c *store.Capture) string { return store.FourDigitYear(c.Time).Format(http.TimeFormat) }

// linkable returns a URL without what would end it in a link.
func linkable(at string) string {
	return strings.NewReplacer("<", "%3C", ">", "%3E", `"`, "%22", " ", "%20", "\n", "%0A", "\r", "%0D").
		Replace(at)
}
