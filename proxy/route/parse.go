package route

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"warcorder/proxy/hosts"
	"warcorder/proxy/http1"
)

const (
	// maxHops is how many parents a way may have.
	maxHops = 8

	// maxCredential is how many bytes a user or a password may have (RFC 1929 section 2).
	maxCredential = 255
)

// defaultPorts are those of parents whose URL has none, as Go, Chromium and Firefox have them.
var defaultPorts = map[string]string{
	"http": "80", "https": "443", "socks5": "1080", "socks5h": "1080",
}

// Parse reads a comma-separated list of rules, PATTERN=WAY, or WAY alone for all hosts. A way is
// "direct", or the URLs of its parents with blanks between. An error names what is wrong and shows
// nothing that could be part of a password.
func Parse(text string) (r Routes, err error) {
	if strings.TrimSpace(text) == "" {
		return r, nil
	}
	for one := range strings.SplitSeq(text, ",") {
		next, err := parseRule(strings.TrimSpace(one))
		if err != nil {
			return Routes{}, fmt.Errorf("number %d of the ways: %w", len(r.rules)+1, err)
		}
		if err := r.Add(Routes{rules: []rule{next}}); err != nil {
			return Routes{}, err
		}
	}
	return r, nil
}

// parseRule reads one rule. What stands before the first "=" is a pattern, unless a URL has begun
// there.
func parseRule(text string) (rule, error) {
	pattern, way := hosts.List{All: true}, text
	if before, after, found := strings.Cut(text, "="); found && !strings.Contains(before, "://") {
		var err error
		if pattern, err = parsePattern(strings.TrimSpace(before)); err != nil {
			return rule{}, err
		}
		way = after
	}
	w, err := parseWay(way)
	return rule{pattern: pattern, way: w}, err
}

// parsePattern reads a pattern. What is none may be a piece of a password: it is not shown.
func parsePattern(text string) (hosts.List, error) {
	pattern, err := hosts.ParseList(text)
	if err != nil || !pattern.All && len(pattern.Hosts) == 0 {
		err = errors.New(`no pattern of hosts stands before the "=": write *.onion=URL, a name or an ` +
			"address without scheme and port, or * for all; in a password, = is %3D and a comma %2C")
	}
	return pattern, err
}

// parseWay reads the URLs of a way.
func parseWay(text string) (*Way, error) {
	fields := strings.Fields(text)
	switch {
	case len(fields) == 0:
		return nil, errors.New(`no way is named: give "direct", or the URL of a proxy`)
	case len(fields) == 1 && fields[0] == "direct":
		return nil, nil
	case len(fields) > maxHops:
		return nil, fmt.Errorf("%d proxies in a row are more than %d", len(fields), maxHops)
	}
	w := &Way{}
	for i, field := range fields {
		h, err := parseHop(field)
		if err != nil {
			if len(fields) > 1 {
				err = fmt.Errorf("proxy %d of %d: %w", i+1, len(fields), err)
			}
			return nil, err
		}
		w.hops = append(w.hops, h)
		w.kind = strings.TrimPrefix(w.kind+" > "+h.scheme, " > ")
	}
	return w, nil
}

// parseHop reads the URL of a parent: SCHEME://[USER[:PASSWORD]@]HOST[:PORT][/].
func parseHop(text string) (h hop, err error) {
	scheme, rest, found := strings.Cut(text, "://")
	h.scheme = strings.ToLower(scheme)
	if _, known := defaultPorts[h.scheme]; !found || !known {
		return h, errors.New("a proxy is given as a URL that begins with http://, https://, " +
			`socks5:// or socks5h://; "direct" is none, and stands alone`)
	}
	rest = strings.TrimSuffix(rest, "/")
	at := strings.LastIndexByte(rest, '@')
	authority := rest[at+1:]
	if strings.ContainsAny(rest, "/?#") {
		return h, errors.New(
			"the URL of a proxy has no path; in a user or a password, / is written %2F, ? %3F and # %23")
	}
	if h.host, h.port, err = http1.SplitAuthority(authority, defaultPorts[h.scheme]); err != nil {
		return h, errors.New("the URL of a proxy is SCHEME://HOST:PORT or SCHEME://USER:PASSWORD@" +
			"HOST:PORT, where a comma in the password is %2C: " + reason(err))
	}
	spelled, ok := hosts.OneSpelling(h.host)
	if !ok || spelled == "" || strings.ContainsFunc(spelled, isOdd) {
		return h, errors.New("the host of the URL of a proxy is neither a name nor an address")
	}
	h.host = spelled
	if at < 0 {
		return h, nil
	}
	return h, h.parseUserinfo(rest[:at])
}

// isOdd reports what is in no host.
func isOdd(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.:", r))
}

// reason is why an authority is none, of the URL of a parent and not of a target.
func reason(err error) string {
	return strings.ReplaceAll(err.Error(), "target", "URL")
}

func (h *hop) parseUserinfo(text string) error {
	user, password, _ := strings.Cut(text, ":")
	var err, err2 error
	h.user, err = url.PathUnescape(user)
	h.password, err2 = url.PathUnescape(password)
	h.asks = true
	place := "of " + h.scheme + "://" + h.address() + " "
	switch {
	case err != nil || err2 != nil:
		return errors.New("the user or the password " + place + "has a % that begins no %XX: " +
			"a % itself is written %25")
	case h.isHTTP() && strings.Contains(h.user, ":"):
		return errors.New("the user " + place + "has a colon in it, which no HTTP proxy can be told")
	case h.isHTTP():
		return nil
	case h.user == "" || h.password == "" || len(h.user) > maxCredential ||
		len(h.password) > maxCredential:
		return errors.New("a SOCKS proxy is told a user and a password, each of 1 to " +
			strconv.Itoa(maxCredential) + " bytes: those " + place + "are not")
	}
	return nil
}
