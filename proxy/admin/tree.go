package admin

import (
	"net/http"
	"net/url"
	"strings"
)

// Tree is a page with many paths, some of which end with a URL: what http.ServeMux would clean of
// its slashes, by a redirect. Who may have it is judged as for any page.
type Tree struct {
	Page // whose Pattern is not looked at

	// Has reports whether a path is one of its, as it was sent: nothing is cleaned or unescaped.
	Has func(path string) bool

	// EndsInURL reports whether a path of its ends with a URL. The query is that URL's then, all of
	// it: a token in it is not ours.
	EndsInURL func(path string) bool
}

// AddTree mounts a tree. It may not have the path of a page.
func (a *Admin) AddTree(t Tree) { a.trees = append(a.trees, &t) }

// asked is a request as pages get it: none learns the token, whether it is right or not.
//
//	/export?token=TOKEN&url=…            in the query, of which all else stays as it is
//	/token=TOKEN/export?url=…            before the path
//	/token=TOKEN/web/2026id_/http://…    before the path alone where that ends with a URL
type asked struct {
	r         *http.Request
	tree      *Tree  // that has the path, if one has
	token     string // that stood in the URL
	endsInURL bool   // the path does, and the query is that URL's
}

// asked takes the token out of a request.
func (a *Admin) asked(r *http.Request) asked {
	in := asked{r: r}
	if _, named := cameByName(r); !named {
		in.takeBefore()
	}
	path, _, _ := strings.Cut(in.r.RequestURI, "?")
	for _, t := range a.trees {
		if t.Has(path) {
			in.tree, in.endsInURL = t, t.EndsInURL(path)
			break
		}
	}
	if !in.endsInURL {
		in.takeFromQuery(path)
	}
	return in
}

// takeBefore takes the token from before the path.
func (in *asked) takeBefore() {
	token, target, found := tokenBefore(in.r.RequestURI)
	if !found {
		return
	}
	address, err := url.ParseRequestURI(target)
	if err != nil {
		address = &url.URL{Path: "/"} // it was a part of what could be read
	}
	bare := *in.r
	bare.URL, bare.RequestURI = address, target
	in.r, in.token = &bare, token
}

// takeFromQuery takes the token out of the query.
func (in *asked) takeFromQuery(path string) {
	if !strings.ContainsAny(in.r.URL.RawQuery, tokenParam[:1]+"%") {
		return
	}
	token, others := cutToken(in.r.URL.RawQuery)
	bare, address := *in.r, *in.r.URL
	address.RawQuery = others
	bare.URL, bare.RequestURI = &address, joined(path, others)
	if in.r = &bare; in.token == "" {
		in.token = token
	}
}

// isWrong reports that a person has come with a token that is none. Who is let in without one would not
// know, and would keep it in the address. By a name that is not ours nobody learns whether it is one.
func (a *Admin) isWrong(in *asked) bool {
	_, named := cameByName(in.r)
	return in.token != "" && !named && a.ownName(in.r.Host) && followsLink(in.r) && !a.proofs.isToken(in.token)
}

var wrongToken = &refusal{http.StatusUnauthorized, "The token in the address is not the one of this " +
	"recorder: it has another in each run. That of now is in recorder.token, beside recorder.json in the " +
	"collection; the one that warcorder was started with (api-token) stays."}

// joined is a target of a path and a query.
func joined(path, query string) string {
	if query == "" {
		return path
	}
	return path + "?" + query
}

// tokenBefore takes the token off the beginning of a target.
func tokenBefore(target string) (token, rest string, found bool) {
	const begins = "/" + tokenParam + "="
	if !strings.HasPrefix(target, begins) {
		return "", target, false
	}
	end := strings.IndexAny(target[1:], "/?") + 1
	if end == 0 {
		end = len(target)
	}
	token, rest = target[len(begins):end], target[end:]
	if !strings.HasPrefix(rest, "/") {
		rest = "/" + rest
	}
	if plain, err := url.PathUnescape(token); err == nil {
		token = plain
	}
	return token, rest, true
}

// misplaced reports that somebody has put the token where it is taken for a part of a URL: to look
// that up would make the token known to whoever sees what was looked up. A value that is longer
// than any token may be in a URL is none, so that each byte is looked at some times at most.
func (a *Admin) misplaced(in *asked) bool {
	if !in.endsInURL {
		return false
	}
	rest := in.r.RequestURI
	for {
		_, value, found := strings.Cut(rest, tokenParam+"=")
		if !found {
			return false
		}
		rest = value
		value = value[:min(len(value), 3*a.proofs.longest+1)]
		if a.proofs.isAt(value, "&;?/#") || a.proofs.isAt(value, "&") { // a token may have the others in it
			return true
		}
	}
}

// isAt reports whether the token stands at the beginning of a text, up to one of the bytes that end it.
func (p *proofs) isAt(text, ends string) bool {
	if end := strings.IndexAny(text, ends); end >= 0 {
		text = text[:end]
	}
	plain, err := url.QueryUnescape(text)
	return p.isToken(text) || err == nil && p.isToken(plain)
}

var misplacedToken = &refusal{http.StatusBadRequest, "The token stands in the URL that is asked for, " +
	"where it is taken for a part of that. Put it before the path, /token=TOKEN/web/…, or into a header: " +
	"Authorization: Bearer TOKEN."}

// PathOf is the path of a request as logs may have it: without a token.
func PathOf(r *http.Request) string {
	_, target, _ := tokenBefore(r.URL.EscapedPath()) // a token may have an escaped slash
	return target
}
