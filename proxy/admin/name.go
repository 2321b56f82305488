package admin

import (
	"context"
	"net/http"
	"strings"
)

// The proxy's own name, for clients that go through it (RFC 9476: nobody else has names in
// .internal). It and the names below it are resolved by nobody and recorded nowhere.
const (
	Name = "warcorder.internal"

	// TrustName is asked over TLS by the trust page alone, so that no person has ever let a browser
	// make an exception for it.
	TrustName = "trust." + Name
)

// IsName reports whether a host, in lower case, is a name of the proxy's own.
func IsName(host string) bool {
	host = strings.TrimSuffix(host, ".")
	return strings.HasSuffix(host, Name) &&
		(len(host) == len(Name) || host[len(host)-len(Name)-1] == '.')
}

// ByName marks a request as one for a name of the proxy's own that came through the proxy; r.Host
// is that name, and secure says that it came over TLS. Only by this mark is it such a request: who
// sends the name in a Host field to the proxy's address may be led there by a name server.
func ByName(r *http.Request, secure bool) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), byName{}, byName{secure}))
}

// byName is the mark, and its key.
type byName struct{ secure bool }

// cameByName returns the mark of a request, if it has one.
func cameByName(r *http.Request) (mark byName, marked bool) {
	mark, marked = r.Context().Value(byName{}).(byName)
	return mark, marked
}

// refuseByName is Admin.refuse for requests to a name of ours that came through the proxy. Under it
// are the pages that are for everybody: what a page at that name may do, it may do in the browser of
// everybody who goes through the proxy. No token counts here.
//
// A page of another site is to see nothing by which it could tell that there is a recorder, so it
// gets no answer at all, as from a name that leads nowhere. It may lead a person to the trust page.
// What it could have a browser keep as a file, in a frame that nobody sees, is for those who come
// from that page, and for what fetches files: that says no more than that it is a browser.
func (a *Admin) refuseByName(r *http.Request, page *Page, from sender) *refusal {
	isTrustPage := r.URL.Path == "/" || r.URL.Path == trustPath
	isQuestion := r.URL.Path == askPath && (r.Host == Name || r.Host == TrustName)
	switch {
	case isQuestion && a.mayAsk(r, from):
		return nil
	case from == otherPage && !(isTrustPage && followsLink(r)):
		return silence
	case r.Host != Name:
		return &refusal{http.StatusMisdirectedRequest, "This is warcorder, and nothing is here. Its own " +
			"name is " + Name + ", on the usual ports alone: http://" + Name + "/"}
	case page.Handler != nil && page.For != Everybody:
		return &refusal{http.StatusForbidden, "Through the proxy only what is for everybody can be had. " +
			"This page is at http://" + a.proxyAt(r) + r.URL.Path + ", past the proxy."}
	case from == untold && !isTrustPage && page.Handler != nil && (isQuestion || followsLink(r)):
		return &refusal{http.StatusForbidden, "Your browser does not say which page sent you. Follow the " +
			"link on http://" + Name + "/."}
	}
	return nil
}

// silence is an answer that is none: the connection ends.
var silence = &refusal{}

// mayAsk lets pages of recorders ask which recorder this is, which may be at another address than
// this name, and programs.
func (a *Admin) mayAsk(r *http.Request, from sender) bool {
	origins := r.Header.Values("Origin")
	if len(origins) == 0 {
		return from == ourPage || from == program
	}
	return len(origins) == 1 && a.isRecordersPage(origins[0])
}
