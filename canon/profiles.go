package canon

import (
	"fmt"
	"path"
	"strings"
)

// A Rule gives the URLs of some hosts a profile.
type Rule struct {
	host    string
	prefix  string
	profile Profile
}

// NewRule returns a rule for the hosts that match host, in lower case, where * stands for any
// characters (*.wikipedia.org) as in the shell. Unless prefix is empty, the rule is for those of
// their URLs whose path is prefix or lies below it. A malformed pattern and a prefix without its
// slash are errors.
func NewRule(host, prefix string, profile Profile) (Rule, error) {
	if _, err := path.Match(host, ""); err != nil || host == "" {
		return Rule{}, fmt.Errorf("path profile %q: host %q is no pattern such as *.example.org",
			profile.Name(), host)
	}
	if prefix != "" && prefix[0] != '/' {
		return Rule{}, fmt.Errorf("path profile %q: path prefix %q does not begin with /", profile.Name(),
			prefix)
	}
	return Rule{strings.ToLower(host), strings.TrimSuffix(prefix, "/"), profile}, nil
}

// Profiles selects a profile for each URL: that of the first rule that matches, else the
// generic one. A rule with a path prefix therefore comes before one for the whole host.
type Profiles []Rule

// For returns the profile of url.
func (rules Profiles) For(url string) *Profile {
	host, start, end := locatePath(url)
	return rules.find(host, url[start:end])
}

// URL returns url with its path as its profile writes it. All else stays as it is, and
// so does a URL without a host, such as urn:a:b. The key that SURT gives is the same.
func (rules Profiles) URL(url string) string {
	host, start, end := locatePath(url)
	return url[:start] + rules.find(host, url[start:end]).Path(url[start:end]) + url[end:]
}

// find returns the profile of the first rule that matches. A path lies below a prefix
// however its letters are escaped.
func (rules Profiles) find(host, urlPath string) *Profile {
	plain := ""
	for i := range rules {
		rule := &rules[i]
		if ok, _ := path.Match(rule.host, host); !ok {
			continue
		}
		if rule.prefix != "" && plain == "" {
			plain = new(Profile).Path(urlPath)
		}
		if rule.prefix == "" || below(plain, rule.prefix) {
			return &rule.profile
		}
	}
	return new(Profile)
}

// below reports whether path is prefix or lies below it.
func below(path, prefix string) bool {
	rest, ok := strings.CutPrefix(path, prefix)
	return ok && (rest == "" || rest[0] == '/')
}

// locatePath finds the host of url, in lower case and without a port, and the path, which is
// url[start:end]. A URL without a host has an empty path at its end.
func locatePath(url string) (host string, start, end int) {
	_, rest, ok := strings.Cut(url, "://")
	if !ok {
		return "", len(url), len(url)
	}
	start = len(url) - len(rest)
	authority := rest
	if slash := strings.IndexAny(rest, "/?#"); slash >= 0 {
		authority = rest[:slash]
	}
	start += len(authority)
	host, _, _ = splitAuthority(authority)
	return strings.ToLower(host), start, start + pathEnd(url[start:])
}
