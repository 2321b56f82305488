package canon

import "strings"

// WithMethod returns url with the request's method appended as the argument
// __wb_method, in upper case, so that what was posted to a URL has a key other
// than the page itself. A GET, or an empty method, leaves url as it is.
//
// The argument is appended to the whole string: a fragment, which SURT drops,
// would take it along. (Seed: Request Body Canonicalization.)
func WithMethod(url, method string) string {
	method = strings.ToUpper(method)
	if method == "" || method == "GET" {
		return url
	}
	if strings.Contains(url, "?") {
		return url + "&__wb_method=" + method
	}
	return url + "?__wb_method=" + method
}
