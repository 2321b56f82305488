package replay

import (
	"net/http"
	"strings"

	"warcorder/store"
	"warcorder/store/replay/rules"
)

// lookup is one way of finding what was captured of a request.
type lookup struct {
	rule   string // what a choice made by it says
	key    store.Key
	text   string
	method string // of the captures; "" for a GET

	prefix string                    // of URL keys that are gone through, in the place of a key
	fits   func(*store.Capture) bool // which of the captures found count; nil: all
	bodies bool                      // fits looks at the SpecBody

	opens  int                       // how many may be opened; 0: maxOpened
	isSame func(*store.Capture) bool // which of those that are opened count; nil: all
}

// takes reports whether a capture is one that is looked for.
func (l *lookup) takes(c *store.Capture) bool {
	return c.Method == l.method && (l.fits == nil || l.fits(c))
}

// The names of the keys by which a capture is found, as a choice has them. What else it may have is
// the name of a rule.
const (
	ruleExact = "exact" // the URL is the same, and there is no body
	ruleQuery = "query" // canon.QueryKey: all of the body is the same
	rulePywb  = "pywb"  // the URL key is the same
	ruleForm  = "form"  // canon.FormKey: the data set is the same
	ruleParts = "parts" // the parts of a multipart body are the same
)

// lookups calls yield with the ways of finding what is asked for, the strictest first, until yield
// returns false. A URL key that is cut comes last: of a long body it says how that begins.
func (a *Archive) lookups(r *asked, yield func(*lookup) bool) {
	k, method := &r.keys, r.keys.Method
	pywb := &lookup{rule: rulePywb, key: store.URLKey, text: k.URLKey, method: method}
	isCut, parts := len(k.RequestBody) >= maxQuery, a.byParts(r)
	switch {
	case k.QueryKey != "" &&
		!yield(&lookup{rule: ruleQuery, key: store.QueryKey, text: k.QueryKey, method: method}):
	case !isCut && !yield(pywb):
	case method == http.MethodHead &&
		!yield(&lookup{rule: rulePywb, key: store.URLKey, text: r.urlKeyOf(r.url)}):
	case k.FormKey != "" && (r.isGET() || r.isForm()) && !yield(&lookup{rule: ruleForm,
		key: store.FormKey, text: k.FormKey, method: method, fits: r.sameURL()}):
	case parts != nil && !yield(parts):
	case !a.byRules(r, yield):
	case isCut:
		yield(pywb)
	}
}

// maxQuery is the length at which the query in a URL key is cut.
const maxQuery = 4096

// sameURL returns which captures were asked of the URL of r, whatever was sent. The data set of a
// request says nothing about its URL; that of a URL is all of its query.
func (r *asked) sameURL() func(*store.Capture) bool {
	part := func(url string) string { return url }
	if r.isGET() {
		part = withoutQuery
	}
	of := r.urlKeyOf(part(r.url))
	return func(c *store.Capture) bool { return r.urlKeyOf(part(c.URL)) == of }
}

func withoutQuery(url string) string {
	url, _, _ = strings.Cut(url, "?")
	return url
}

// byRules calls yield with what the rules say a request may have been, and reports whether yield
// has always returned true. A HEAD may be answered by what answered a GET. Of a body that is not
// kept whole rules say nothing, nor of what a redirect leads to: that was captured as it says.
func (a *Archive) byRules(r *asked, yield func(*lookup) bool) bool {
	if a.cfg.Rules == nil || !r.whole || len(r.via) > 0 {
		return true
	}
	q := rules.Asked{Method: r.method, URL: r.url, ContentType: r.contentType, Body: r.body}
	if r.method == http.MethodHead {
		q.Method = http.MethodGet
	}
	for _, s := range a.cfg.Rules.For(&q) {
		l := &lookup{rule: s.Rule, prefix: s.Prefix, fits: s.Fits, bodies: true,
			method: q.Method}
		if q.Method == http.MethodGet {
			l.method = ""
		}
		if s.Exact {
			l.key, l.text, l.prefix = store.URLKey, s.Prefix, ""
		}
		if !yield(l) {
			return false
		}
	}
	return true
}
