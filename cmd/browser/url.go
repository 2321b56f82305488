package browser

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"strings"
)

// ParseURL reads what somebody has typed as the address of a page, as browsers do: without a scheme
// it is https, and http for this machine, other addresses in digits, and names without a dot. What
// would go past a proxy is refused.
func ParseURL(typed string) (string, error) {
	text := strings.TrimSpace(typed)
	if scheme, _, has := strings.Cut(text, "://"); !has || strings.ContainsAny(scheme, "/?#:@") {
		if _, err := os.Stat(text); err == nil && strings.ContainsAny(text, `/\.`) {
			return "", fmt.Errorf("%q is a file here: a browser would open it without asking anybody, so "+
				"that there is nothing to record; serve it over HTTP", typed)
		}
		text = schemeOf(text) + "://" + text
	}
	u, err := url.Parse(text)
	if err != nil {
		return "", fmt.Errorf("%q is no URL: %w", typed, errors.Unwrap(err))
	}
	u.Scheme = strings.ToLower(u.Scheme)
	if u.Scheme != "http" && u.Scheme != "https" {
		return "", fmt.Errorf("%q: what is recorded is http:// and https://", typed)
	}
	if u.Hostname() == "" || strings.ContainsAny(u.Hostname(), " \t\\\"<>^`{|}") {
		return "", fmt.Errorf("%q has no host: give the address of a page, such as https://example.org/",
			typed)
	}
	if u.Path == "" {
		u.Path = "/"
	}
	return u.String(), nil
}

// schemeOf is the scheme of an address without one.
func schemeOf(text string) string {
	end := strings.IndexAny(text, "/?#")
	if end < 0 {
		end = len(text)
	}
	u, err := url.Parse("http://" + text[:end])
	if err != nil {
		return "https"
	}
	host := strings.ToLower(u.Hostname())
	_, notAddress := netip.ParseAddr(host)
	if notAddress == nil || !strings.Contains(host, ".") || strings.HasSuffix(host, ".localhost") {
		return "http"
	}
	return "https"
}
