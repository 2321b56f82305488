package replay

import (
	"net/http"
	"slices"
	"strings"

	"warcorder/recorder/record"
	"warcorder/store"
)

// redirectsToItself reports whether a redirect leads to what is asked for, by the same method: a
// client that gets it would come again, and again. If the capture's URL is spelled as the one that
// is asked for, the redirect leads to that spelling, else to any with the URL key.
func (r *asked) redirectsToItself(c *store.Capture, response head) bool {
	to := r.redirectedTo(response)
	if to == "" || becomesGET(r.method, c.Status) {
		return false
	}
	if nearnessOf(to, r.url) == sameURL || nearnessOf(to, quoted(r.url)) == sameURL {
		return true
	}
	return nearnessOf(c.URL, r.url) != sameURL && r.urlKeyOf(to) == r.urlKeyOf(r.url)
}

// redirectedTo returns the URL to which a redirect leads who asks for r; "" if it leads nowhere.
func (r *asked) redirectedTo(response head) string {
	location := response.first("Location")
	if location == "" {
		return ""
	}
	return record.TargetURI(resolve(r.url, location))
}

// maxFollowed is how many redirects are followed for one request.
const maxFollowed = 8

// followed are the redirects that were followed for one request, and whether they led round, by the
// URLs on their way: one that was captured again and again is followed once.
type followed struct {
	redirects int
	round     map[string]bool
}

// comesBack reports whether a redirect of a GET leads to what redirects back to what is asked for,
// with nothing to end that: a page that looks whether cookies are kept sends everybody round, and
// by the cookie it lets them in. Only some redirects are followed.
func (a *Archive) comesBack(r *asked, response head) bool {
	to := r.redirectedTo(response)
	if to == "" || !r.isGET() {
		return false
	}
	if slices.Contains(r.via, to) {
		return true
	}
	if r.followed == nil {
		r.followed = &followed{round: make(map[string]bool)}
	}
	through := strings.Join(append(slices.Clip(r.via), r.url, to), " ")
	if round, known := r.followed.round[through]; known {
		return round
	}
	if r.followed.redirects++; r.followed.redirects > maxFollowed {
		return false
	}
	round := a.leadsRound(r, to)
	r.followed.round[through] = round
	return round
}

// leadsRound reports whether a URL to which r is redirected has no answer but redirects back.
func (a *Archive) leadsRound(r *asked, to string) bool {
	next, err := ask(r.index, a.keys, http.MethodGet, to, nil, nil)
	if err != nil {
		return false
	}
	next.head, next.at = r.head, r.at
	next.via, next.followed = append(slices.Clip(r.via), r.url), r.followed
	c, err := a.choose(next)
	c.close()
	return err == nil && !c.found() &&
		slices.ContainsFunc(c.refused, func(f refused) bool { return f.why == whyRound })
}

// becomesGET reports whether a client that is redirected with that status asks by GET (Fetch,
// HTTP-redirect fetch): what a form was posted to often leads to itself.
func becomesGET(method string, status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound:
		return method == http.MethodPost
	case http.StatusSeeOther:
		return method != http.MethodGet && method != http.MethodHead
	}
	return false
}
