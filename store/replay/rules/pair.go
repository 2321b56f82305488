package rules

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"warcorder/canon"
	"warcorder/store"
)

// pair is two requests, which are an example of a rule or of its limit.
type pair [2]Asked

// pairs reads a list of lists of two requests.
func pairs(node *yaml.Node) ([]pair, error) {
	var all []pair
	for _, one := range node.Content {
		texts, err := list(one)
		if err != nil || len(texts) != 2 {
			return nil, errors.New("expected pairs of requests: [https://…, https://…]")
		}
		var p pair
		for i, text := range texts {
			if p[i], err = parseRequest(text); err != nil {
				return nil, err
			}
		}
		all = append(all, p)
	}
	return all, nil
}

// parseRequest reads a request of an example: the URL of a GET, or METHOD URL, or METHOD URL TYPE
// BODY. A body in quotes may have escapes in it, as in Go.
func parseRequest(text string) (Asked, error) {
	if !strings.Contains(text, " ") {
		text = "GET " + text
	}
	parts := append(strings.SplitN(text, " ", 4), "", "")
	if body, err := strconv.Unquote(parts[3]); err == nil {
		parts[3] = body
	}
	a := Asked{Method: parts[0], URL: parts[1], ContentType: parts[2], Body: []byte(parts[3])}
	if _, ok := newMessage(&a); !ok {
		return a, fmt.Errorf("%q is no request: write its URL, or METHOD URL TYPE BODY", text)
	}
	return a, nil
}

// try refuses the rule if its examples are none.
func (r *rule) try() error {
	for _, p := range r.same {
		if !r.finds(&p[0], &p[1]) || !r.finds(&p[1], &p[0]) {
			return r.errorf("same: it tells %s and %s apart", p[0].URL, p[1].URL)
		}
	}
	for _, p := range r.differs {
		if r.finds(&p[0], &p[1]) || r.finds(&p[1], &p[0]) {
			return r.errorf("differs: it takes %s for %s", p[0].URL, p[1].URL)
		}
	}
	return nil
}

// finds reports whether the rule finds one request when the other is asked.
func (r *rule) finds(asked, captured *Asked) bool {
	return (&Set{[]*rule{r}}).find(asked, captured) != ""
}

// find returns the name of what finds one request when the other is asked; "" if nothing does.
func (s *Set) find(asked, captured *Asked) string {
	c := asCapture(captured)
	for _, s := range s.For(asked) {
		if strings.HasPrefix(c.URLKey, s.Prefix) && (!s.Exact || c.URLKey == s.Prefix) && s.Fits(c) {
			return s.Rule
		}
	}
	return ""
}

// asCapture returns what the index would have of a request.
func asCapture(a *Asked) *store.Capture {
	c := &store.Capture{URL: a.URL}
	if a.Method != "GET" {
		c.Method = a.Method
	}
	new(store.Keyer).Fill(c, canon.Request{ContentType: a.ContentType, Body: a.Body})
	return c
}
