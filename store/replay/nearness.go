package replay

import "strings"

// A URL key is the same for many spellings of a URL: it ignores the scheme, a leading www and case,
// and sorts arguments. So captures of one key are told apart by how near their URLs are to the one
// that is asked for.
const (
	sameURL  = iota
	sameSite // scheme and authority are the same
	sameHost // the authority is the same
	sameKey
	nearnesses
)

// nearnessOf tells how near the URL of a capture is to the one that is asked for.
func nearnessOf(captured, asked string) int {
	if captured == asked {
		return sameURL
	}
	scheme, authority, rest := split(captured)
	askedScheme, askedAuthority, askedRest := split(asked)
	switch {
	case authority != askedAuthority:
		return sameKey
	case scheme != askedScheme:
		return sameHost
	case rest != askedRest:
		return sameSite
	}
	return sameURL
}

// split takes a URL apart: the scheme and the authority in lower case, without a default port, and
// what follows, which is a path at least.
func split(url string) (scheme, authority, rest string) {
	scheme, rest, _ = strings.Cut(url, "://")
	end := strings.IndexAny(rest, "/?")
	if end < 0 {
		end = len(rest)
	}
	scheme, authority, rest = strings.ToLower(scheme), strings.ToLower(rest[:end]), rest[end:]
	switch scheme {
	case "http", "ws":
		authority = strings.TrimSuffix(authority, ":80")
	case "https", "wss":
		authority = strings.TrimSuffix(authority, ":443")
	}
	if !strings.HasPrefix(rest, "/") {
		rest = "/" + rest
	}
	return scheme, authority, rest
}
