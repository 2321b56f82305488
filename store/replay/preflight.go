package replay

import (
	"net/http"
	"strings"

	"warcorder/store"
)

// A preflight asks whether a page of another origin may send a request (Fetch, CORS protocol). At
// capture the browser may have remembered the answer to an earlier one, for another URL's method or
// fields, or for the same in a tab that is not in the archive. So where the request itself was
// captured, its preflight is made up: it allows what is asked, to those whom the answer to the
// request allows to read it. A preflight that was captured as it is asked is answered as it was,
// also where it was refused.

// ofPreflight are the fields that say what a preflight asks for.
var ofPreflight = []string{"origin", "access-control-request-method", "access-control-request-headers"}

// isPreflight reports whether the request is a preflight.
func (r *asked) isPreflight() bool {
	return r.method == http.MethodOptions && r.head.has("Origin") &&
		r.head.first("Access-Control-Request-Method") != ""
}

// settles reports whether a choice answers a preflight: it was captured as it is asked, or it allows
// what is asked.
func (c *choice) settles(r *asked) bool {
	return c.whole != nil && (c.differs == 0 || r.allows(c.response.Head))
}

// allows reports whether the answer to a preflight allows what is asked.
func (r *asked) allows(answer head) bool {
	if !allowsOrigin(answer, r.head.first("Origin")) {
		return false
	}
	method := r.head.first("Access-Control-Request-Method")
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost:
	default:
		if !hasOrAny(answer.get("Access-Control-Allow-Methods"), method) {
			return false
		}
	}
	allowed, all := answer.get("Access-Control-Allow-Headers"), true
	listed(r.head.get("Access-Control-Request-Headers"), func(name string) bool {
		all = hasOrAny(allowed, name)
		return all
	})
	return all
}

// allowsOrigin reports whether an answer may be read by the pages of an origin.
func allowsOrigin(answer head, origin string) bool {
	allowed := answer.first("Access-Control-Allow-Origin")
	return allowed == "*" || allowed == origin && origin != ""
}

// hasOrAny reports whether a list has a name, or "*".
func hasOrAny(list, name string) (has bool) {
	listed(list, func(element string) bool {
		has = element == "*" || strings.EqualFold(element, name)
		return !has
	})
	return has
}

// rulePreflight is how Explain says that an answer was made up; the capture is that of the request.
const rulePreflight = "preflight"

// maxPreflight is how many captures of the request that a preflight asks for are opened.
const maxPreflight = 8

// preflight makes up the answer to a preflight; nil if the request that it asks for was not
// captured, or its answer was for nobody else.
func (a *Archive) preflight(r *asked) (answer []byte, err error) {
	method := r.head.first("Access-Control-Request-Method")
	switch {
	case !isToken(method):
		return nil, nil
	case method == http.MethodGet || method == http.MethodHead:
		return a.preflightOfGET(r, method)
	}
	opened := 0
	err = a.anyBody(method, r, func(c *store.Capture) bool {
		if isNone(c) || nearnessOf(c.URL, r.url) > sameSite {
			return true
		}
		opened++
		answer = a.preflightBy(r, method, c)
		return answer == nil && opened < maxPreflight
	})
	return answer, err
}

// preflightOfGET makes up the answer to a preflight by what answers the request itself.
func (a *Archive) preflightOfGET(r *asked, method string) ([]byte, error) {
	of, err := ask(r.index, a.keys, method, r.url, []byte(method+" / HTTP/1.1\r\n\r\n"), nil)
	if err != nil {
		return nil, err
	}
	of.at, of.head = r.at, r.head
	c, err := a.choose(of)
	if err != nil || !c.found() {
		return nil, err
	}
	defer c.close()
	if c.whole == nil {
		return a.preflightBy(r, method, &c.parts[0]), nil
	}
	return a.allowing(r, method, c.whole, head(c.response.Head)), nil
}

// anyBody calls yield with captures of the URL key of r, made by a method that is not GET whatever
// was sent, until yield returns false. Not all are found where there are very many of other URLs.
func (a *Archive) anyBody(method string, r *asked, yield func(*store.Capture) bool) error {
	key, ended := r.urlKeyOf(r.url), false
	path, _, _ := strings.Cut(key, "?")
	usual := path + "?__wb_method=" + strings.ToLower(method)
	ofMethod := func(c *store.Capture) bool {
		if c.Method == method && r.urlKeyOf(c.URL) == key {
			ended = !yield(c)
		}
		return !ended
	}
	_, err := r.index.under(usual, maxUnder, false, ofMethod)
	if err != nil || ended {
		return err
	}
	_, err = r.index.under(path+"?", maxUnder, false, func(c *store.Capture) bool {
		return strings.HasPrefix(c.URLKey, usual) || ofMethod(c)
	})
	return err
}

// preflightBy makes up the answer to a preflight by what a capture allows; nil if it allows
// nothing, or cannot be read.
func (a *Archive) preflightBy(r *asked, method string, c *store.Capture) []byte {
	response, err := a.files.Response(c)
	if err != nil {
		return nil
	}
	defer response.Close()
	return a.allowing(r, method, c, head(response.Head))
}

// allowing makes up the answer to a preflight by that to the request itself, which is of a capture;
// nil if that allows nothing.
func (a *Archive) allowing(r *asked, method string, c *store.Capture, answer head) []byte {
	if !allowsOrigin(answer, r.head.first("Origin")) {
		return nil
	}
	m := newMessage("204 No Content")
	m.field("Access-Control-Allow-Origin", answer.first("Access-Control-Allow-Origin"))
	m.field("Access-Control-Allow-Methods", method)
	if names := tokens(r.head.get("Access-Control-Request-Headers")); names != "" {
		m.field("Access-Control-Allow-Headers", names)
	}
	if answer.first("Access-Control-Allow-Credentials") == "true" {
		m.field("Access-Control-Allow-Credentials", "true")
	}
	if r.head.first("Access-Control-Request-Private-Network") == "true" {
		m.field("Access-Control-Allow-Private-Network", "true")
	}
	if a.cfg.Explain {
		m.fields(explain(rulePreflight, c))
	}
	a.tally.preflights.Add(1)
	return m.end()
}

// tokens returns the tokens of a list, as a list.
func tokens(list string) string {
	var all []string
	listed(list, func(element string) bool {
		if isToken(element) {
			all = append(all, element)
		}
		return true
	})
	return strings.Join(all, ", ")
}

// isToken reports whether s is a token (RFC 9110 section 5.6.2).
func isToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(c rune) bool {
		return c <= ' ' || c >= 0x7f || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, c)
	})
}
