package canon

// WithMethod returns url with the request's method appended as the argument
// __wb_method, in upper case, so that what was posted to a URL has a key other
// than the page itself. A GET, or an empty method, leaves url as it is. It is
// Pywb.Append of a request without a body.
func WithMethod(url, method string) string {
	return Pywb.Append(url, method, "")
}
