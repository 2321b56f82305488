package canon

import "strings"

// WWWOFFLE returns the canonical form of url by WWWOFFLE's rules (its README.URL, "String to URL
// Conversion"), under which that proxy finds a page again, and the same form with the user name and
// password, if url has any. Each part of the form is escaped in one way only; arguments keep their
// order.
//
// README.URL does not ask for some things that WWWOFFLE does, and that are not done here: to
// resolve "." and "..", to rewrite IP addresses, and to unescape a host. A % that begins no escape
// is a character like others, and escaped.
func WWWOFFLE(url string) (canonical, withUserinfo string) {
	url, _, _ = strings.Cut(url, "#")
	protocol, rest := cutProtocol(url)
	authority, path, arguments := cutAuthority(rest)
	at := strings.LastIndexByte(authority, '@')
	before := protocol + "://"
	behind := wwwoffleHost(protocol, authority[at+1:]) + wwwofflePath(path) + wwwoffleArguments(
		arguments)
	return before + behind, before + wwwoffleUserinfo(authority[:max(at, 0)]) + behind
}

// cutProtocol takes the protocol off, in lower case; a URL without one has http. What stands before
// a colon is no protocol if a port or a password follows instead of slashes. Behind a protocol that
// WWWOFFLE knows one slash is enough.
func cutProtocol(url string) (protocol, rest string) {
	if !hasScheme(url) {
		return "http", url
	}
	before, behind, _ := strings.Cut(url, ":")
	protocol = strings.ToLower(before)
	rest, slashes := strings.CutPrefix(behind, "//")
	if !slashes && wwwofflePorts[protocol] > 0 {
		rest, slashes = strings.CutPrefix(behind, "/")
	}
	authority, _, _ := cutAuthority(behind)
	if !slashes && (strings.Contains(authority, "@") || strings.Trim(authority, "0123456789") == "") {
		return "http", url
	}
	return protocol, rest
}

// cutAuthority takes what is behind a protocol apart.
func cutAuthority(s string) (authority, path, arguments string) {
	s, arguments, _ = strings.Cut(s, "?")
	if slash := strings.IndexByte(s, '/'); slash >= 0 {
		return s[:slash], s[slash:], arguments
	}
	return s, "", arguments
}

// What stays literal in a user name or password, a path, an argument's value, and a host.
// WWWOFFLE leaves a host alone; but a key is printable ASCII.
var (
	wwwofflePassword  = keeping("!$*+,-.=_~")
	wwwofflePathChars = keeping("!$()*+,-./:;=_~")
	wwwoffleHostChars = printable().except(" ")
	wwwoffleArgument  = keeping("!$()*,-./:_|~").plus()
)

// wwwoffleUserinfo returns a user name and password with their @, if there are any.
func wwwoffleUserinfo(userinfo string) string {
	if userinfo == "" || userinfo == ":" {
		return ""
	}
	user, password, _ := strings.Cut(userinfo, ":")
	out := wwwofflePassword.append(nil, appendDecoded(nil, user))
	if password != "" {
		out = wwwofflePassword.append(append(out, ':'), appendDecoded(nil, password))
	}
	return string(append(out, '@'))
}

// wwwoffleHost returns a host in lower case, without the port that the protocol has anyway.
func wwwoffleHost(protocol, host string) string {
	address := strings.LastIndexByte(host, ']') + 1 // an IPv6 address has colons too
	name, digits, _ := strings.Cut(host[address:], ":")
	if port, ok := parsePort(digits); ok && port > 0 && port == wwwofflePorts[protocol] {
		host = host[:address] + name
	}
	return lowerASCII(string(wwwoffleHostChars.appendString(nil, host)))
}

var wwwofflePorts = map[string]int{"http": 80, "https": 443, "ftp": 21, "finger": 79}

func wwwofflePath(path string) string {
	if path == "" {
		return "/"
	}
	return string(wwwofflePathChars.append(nil, appendDecoded(nil, path)))
}

// wwwoffleArguments returns the query with its ?. Escapes are decoded where that changes no
// meaning; &amp; is an & that was left escaped as it stood in a page.
func wwwoffleArguments(query string) string {
	if query == "" {
		return ""
	}
	out := []byte{'?'}
	for query = singleAmp(query); query != ""; {
		if c, ok := escaped(query); ok {
			out, query = wwwoffleArgument.appendByte(out, c), query[3:]
			continue
		}
		if strings.IndexByte("&=;+?", query[0]) >= 0 {
			out = append(out, query[0])
		} else {
			out = wwwoffleArgument.appendByte(out, query[0])
		}
		query = query[1:]
	}
	return string(out)
}

// singleAmp writes each &amp;, in any case, as &.
func singleAmp(query string) string {
	var out strings.Builder
	for {
		before, rest, ok := strings.Cut(query, "&")
		out.WriteString(before)
		if !ok {
			return out.String()
		}
		out.WriteByte('&')
		if len(rest) >= 4 && strings.EqualFold(rest[:4], "amp;") {
			rest = rest[4:]
		}
		query = rest
	}
}
