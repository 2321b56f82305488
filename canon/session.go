package canon

import "bytes"

// stripSessions removes session identifiers from an escaped query in lower case, in place: of each
// kind the last one that "&" or the end follows, and that "&". As in pywb an identifier need not
// begin an argument: xsid=... leaves the x.
func stripSessions(query []byte) []byte {
	if !mayHaveSession(query) {
		return query
	}
	for _, name := range []string{"jsessionid=", "phpsessid=", "sid=", "aspsessionid"} {
		query = cutLast(query, name)
	}
	return cutColdFusion(query)
}

// mayHaveSession is a quick look for what the names have in common.
func mayHaveSession(query []byte) bool {
	return bytes.Contains(query, []byte("sid=")) ||
		bytes.Contains(query, []byte("sessionid")) ||
		bytes.Contains(query, []byte("cfid="))
}

// cutLast removes from query the last session called name, and the "&" behind it. It searches
// forwards, for which the processor has instructions.
func cutLast(query []byte, name string) []byte {
	first, end := 0, 0
	for from := 0; ; {
		at := bytes.Index(query[from:], []byte(name))
		if at < 0 {
			break
		}
		value := from + at + len(name)
		if n := sessionValue(name, query[value:]); n > 0 {
			first, end = from+at, value+n
		}
		from = value
	}
	return cutArgument(query, first, end)
}

// cutArgument removes query[first:end], and the "&" behind it.
func cutArgument(query []byte, first, end int) []byte {
	if end == 0 {
		return query
	}
	return append(query[:first], query[min(end+1, len(query)):]...)
}

// sessionValue measures the value of a session called name that rest begins with. It is 0 if there
// is none, or if something else than "&" follows.
func sessionValue(name string, rest []byte) int {
	n := alnum32(rest)
	if name == "aspsessionid" {
		n = aspSession(rest)
	}
	if n < len(rest) && rest[n] != '&' {
		return 0
	}
	return n
}

// alnum32 measures the 32 letters and digits of a Java or PHP session.
func alnum32(rest []byte) int {
	if len(rest) < 32 || leading(rest[:32], isAlnum) < 32 {
		return 0
	}
	return 32
}

// aspSession measures the 8 letters, "=" and 24 letters of an ASP session.
func aspSession(rest []byte) int {
	if len(rest) < 33 || leading(rest[:8], isLetter) < 8 || rest[8] != '=' ||
		leading(rest[9:33], isLetter) < 24 {
		return 0
	}
	return 33
}

// cutColdFusion removes the last cfid=…&cftoken=…, neither of them empty. It looks for cftoken= and
// from there back, so that a query of nothing but cfid= takes linear time.
func cutColdFusion(query []byte) []byte {
	const between = "&cftoken="
	if !bytes.Contains(query, []byte("cfid=")) {
		return query
	}
	for end := len(query); ; {
		amp := bytes.LastIndex(query[:end], []byte(between))
		if amp < 0 {
			return query
		}
		argument := bytes.LastIndexByte(query[:amp], '&') + 1
		id := bytes.LastIndex(query[argument:max(argument, amp-1)], []byte("cfid="))
		token := leading(query[amp+len(between):], notAmpersand)
		if id >= 0 && token > 0 {
			return cutArgument(query, argument+id, amp+len(between)+token)
		}
		end = amp
	}
}

func notAmpersand(c byte) bool { return c != '&' }

// stripASPNET removes, in place, the session segments that ASP.NET puts into the
// path of an .aspx page, from an escaped path in lower case: the last (…)/ with 24
// letters and digits, and the last of the later form (s(…))/ or (a(…)s(…))/.
func stripASPNET(path []byte) []byte {
	if !bytes.Contains(path, []byte(".aspx")) {
		return path
	}
	return cutSegment(cutSegment(path, true), false)
}

// cutSegment removes the last session segment, tagged or plain, that an .aspx page follows. An
// unescaped path may hold "?", and what stands before a "?" does not belong to the page behind it.
func cutSegment(path []byte, tagged bool) []byte {
	for end := len(path); end >= 0; {
		start := bytes.LastIndexByte(path[:end], '?') + 1
		at, n := findSegment(path[start:end], tagged)
		if n > 0 {
			return append(path[:start+at], path[start+at+n:]...)
		}
		end = start - 1
	}
	return path
}

// findSegment returns where the last session segment before an .aspx page begins,
// and its length with the slash, 0 if there is none. The page has a name.
func findSegment(path []byte, tagged bool) (at, n int) {
	page := bytes.LastIndex(path, []byte(".aspx"))
	for at = page; at > 0; {
		at = bytes.LastIndex(path[:at], []byte("/(")) + 1
		n = plainSession(path[at:page])
		if tagged {
			n = taggedSession(path[at:page])
		}
		if at > 0 && n > 0 && at+n < page {
			return at, n
		}
	}
	return 0, 0
}

// plainSession measures "(…)/" at the beginning of segment, 0 if it is not there.
func plainSession(segment []byte) int {
	if n := parenthesised(segment); n > 0 && n < len(segment) && segment[n] == '/' {
		return n + 1
	}
	return 0
}

// taggedSession measures "(s(…))/", with one or more lettered parts.
func taggedSession(segment []byte) int {
	n := 1 // "("
	for n < len(segment) && isLetter(segment[n]) {
		part := parenthesised(segment[n+1:])
		if part == 0 {
			return 0
		}
		n += 1 + part
	}
	if n == 1 || !bytes.HasPrefix(segment[n:], []byte(")/")) {
		return 0
	}
	return n + 2
}

// parenthesised measures "(" 24 letters and digits ")", 0 if s begins otherwise.
func parenthesised(s []byte) int {
	if len(s) < 26 || s[0] != '(' || s[25] != ')' || leading(s[1:25], isAlnum) < 24 {
		return 0
	}
	return 26
}
