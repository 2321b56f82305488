package admin

import "net/http"

// consent lets the page that asks read the answer (CORS), whichever site it is of: it has the token
// in its URL, which nobody gave it but who has the token. Cookies count for nothing there.
func consent(h http.Header, r *http.Request) {
	h.Add("Vary", "Origin")
	origin := r.Header.Get("Origin")
	if origin == "" {
		return
	}
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Expose-Headers", exposed)
	if isPreflight(r) {
		h.Set("Access-Control-Allow-Methods", "GET, HEAD, POST")
		h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, If-Range, Range")
		h.Set("Access-Control-Max-Age", "600")
	}
}

// isPreflight reports a browser's question whether a page may ask.
func isPreflight(r *http.Request) bool {
	return r.Method == http.MethodOptions && r.Header.Get("Origin") != "" &&
		r.Header.Get("Access-Control-Request-Method") != ""
}

// exposed are the fields that such a page may read, beside those that all may: what readers of parts
// need, and what tells which capture an answer is.
const exposed = "Accept-Ranges, Content-Encoding, Content-Length, Content-Location, Content-Range, " +
	"ETag, Link, Memento-Datetime"
