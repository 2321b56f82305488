package admin

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"html/template"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// proof is the way in which a request shows that its sender has the token.
type proof int

const (
	noProof  proof = iota
	inHeader       // Authorization: Bearer TOKEN. A page sends it only with our consent (consent.go)
	inURL          // ?token=TOKEN or /token=TOKEN/…, where a client cannot send fields
	inCookie       // for the browser of a person who came with it in the URL, or who sees the live page
)

// proofs knows what shows that somebody has the token.
//
// Cookies know no ports: whatever else is served at our address on another port gets ours from the
// browser of whoever goes there. So the cookie is not the token and tells nothing of it; it counts
// from the client's own address alone, for cookieLife at most, and no longer than this process
// lives; and its name has our port in it, so that recorders do not take each other's.
type proofs struct {
	tokens [][sha256.Size]byte // of which neither length nor start shows in the time of a comparison
	secret []byte              // that cookies are made with

	longest int // of the tokens, in bytes
}

// cookieLife is how long a cookie counts.
const cookieLife = 12 * time.Hour

func newProofs(tokens []string) proofs {
	p := proofs{secret: []byte(rand.Text())}
	for _, token := range tokens {
		if token != "" {
			p.tokens = append(p.tokens, sha256.Sum256([]byte(token)))
			p.longest = max(p.longest, len(token))
		}
	}
	return p
}

// of returns the best proof that a request has; shown is the token in its URL.
func (p *proofs) of(r *http.Request, shown string) proof {
	scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if strings.EqualFold(scheme, "Bearer") && p.isToken(strings.TrimSpace(given)) {
		return inHeader
	}
	if p.isToken(shown) {
		return inURL
	}
	if cookie, err := r.Cookie(cookieName(r)); err == nil && p.isCookie(cookie.Value, r) {
		return inCookie
	}
	return noProof
}

func (p *proofs) isToken(given string) bool {
	got, same := sha256.Sum256([]byte(given)), 0
	for _, want := range p.tokens {
		same |= subtle.ConstantTimeCompare(got[:], want[:])
	}
	return same == 1
}

// tokenParam is the parameter of a URL that has the token.
const tokenParam = "token"

// cutToken returns the first token in a query, and the query without any. It looks at each byte a
// few times at most, and keeps no more than there are.
func cutToken(query string) (token, others string) {
	var kept strings.Builder
	found := false
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if name, err := url.QueryUnescape(name); err == nil && name == tokenParam {
			if value, err := url.QueryUnescape(value); err == nil && !found {
				token, found = value, true
			}
			continue
		}
		if kept.Len() > 0 {
			kept.WriteByte('&')
		}
		kept.WriteString(pair)
	}
	return token, kept.String()
}

// exchange gives a person who came with the token in the URL a cookie for it, and leads on to the
// URL without it, so that neither the history nor the next page's Referer has it. A redirect would
// not do: what begins on another site is that site's to its end, and the cookie would not be sent.
func (p *proofs) exchange(w http.ResponseWriter, r *http.Request) {
	p.give(w, r)
	w.Header().Set("Referrer-Policy", "origin")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	leadingOn.Execute(w, r.RequestURI)
}

// give gives a browser the cookie.
func (p *proofs) give(w http.ResponseWriter, r *http.Request) {
	http.SetCookie(w, &http.Cookie{
		Name:     cookieName(r),
		Value:    p.cookie(r, time.Now().Add(cookieLife).Unix()),
		Path:     "/",
		HttpOnly: true,
		SameSite: http.SameSiteStrictMode,
	})
}

var leadingOn = template.Must(template.New("leading on").Parse(`<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>warcorder</title>
<meta http-equiv="refresh" content="0; url={{.}}">
<p><a href="{{.}}">Go on</a></p>
</html>
`))

// cookie makes the cookie that counts for a client until then.
//
//	EXPIRY.MAC    Unix time, and the HMAC-SHA256 of it and of the client's address, in hex
func (p *proofs) cookie(r *http.Request, until int64) string {
	expiry := strconv.FormatInt(until, 10)
	mac := hmac.New(sha256.New, p.secret)
	mac.Write([]byte(expiry + " " + clientAddress(r)))
	return expiry + "." + hex.EncodeToString(mac.Sum(nil))
}

func (p *proofs) isCookie(given string, r *http.Request) bool {
	expiry, _, _ := strings.Cut(given, ".")
	until, err := strconv.ParseInt(expiry, 10, 64)
	return err == nil && time.Now().Unix() < until && len(p.tokens) > 0 &&
		hmac.Equal([]byte(given), []byte(p.cookie(r, until)))
}

// clientAddress is the address that a request came from, without its port. All of this machine's
// loopback are one: localhost leads a browser now to one of them, now to another.
func clientAddress(r *http.Request) string {
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	if from.Addr().Unmap().IsLoopback() {
		return "loopback"
	}
	return from.Addr().Unmap().String()
}

// cookieName is the name of the cookie of the proxy on the port that the client has asked.
func cookieName(r *http.Request) string {
	_, port, err := net.SplitHostPort(r.Host)
	if _, bad := strconv.ParseUint(port, 10, 16); err != nil || bad != nil {
		return "warcorder"
	}
	return "warcorder-" + port
}

// cookieMay is Admin.refuse for who has the cookie, and comes from a page of ours or from none.
// What changes something must say which page it comes from, and, where a browser says that too, that
// the page is of the same origin: what a person typed is of none.
func cookieMay(r *http.Request, page *Page) *refusal {
	switch {
	case page.For != Controllers:
		return nil
	case r.Header.Get("Origin") == "":
		return &refusal{http.StatusForbidden, "With the cookie only a page of warcorder's own may ask " +
			"for this, and the request names no page (Origin)."}
	}
	for _, site := range r.Header.Values("Sec-Fetch-Site") {
		if site != "same-origin" {
			return &refusal{http.StatusForbidden, "With the cookie only a page of warcorder's own may " +
				"ask for this, and no page did (Sec-Fetch-Site)."}
		}
	}
	return nil
}
