package removing

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"warcorder/recorder/record"
	"warcorder/store"
	"warcorder/store/selection"
)

// exact tells the URL that is meant from others that have its key: http from https, with www from
// without, /A from /a. These are no more than alike, and stay: who removes is told of them.
type exact struct {
	meant string   // as spelling has it; "" if any URL is meant that was selected
	alike []string // others that were met, the first mostAlike of them
}

const mostAlike = 20

// exactly is the exact for a selection.
func exactly(sel selection.Selection) *exact {
	if sel.URL == "" || sel.Match != store.Exact && sel.Match != "" {
		return &exact{}
	}
	return &exact{meant: spelling(sel.URL)}
}

// is reports whether a URL is the one that is meant, or one of a record about it.
func (e *exact) is(text string) bool {
	if e.meant == "" || spelling(text) == e.meant {
		return true
	}
	of, about := record.CutAbout(text)
	return about && spelling(of) == e.meant
}

// meets is is for a URL that was selected: it notes those that are no more than alike.
func (e *exact) meets(text string) bool {
	if e.is(text) {
		return true
	}
	if len(e.alike) < mostAlike && !slices.Contains(e.alike, text) {
		e.alike = append(e.alike, text)
	}
	return false
}

// routed refuses a URL whose fragment is the way to a page within a page, as in https://x/#/private:
// no request has it, and what was recorded is the whole of https://x/.
func routed(text string) error {
	before, fragment, _ := strings.Cut(text, "#")
	if strings.HasPrefix(fragment, "/") || strings.HasPrefix(fragment, "!") {
		return fmt.Errorf("%s: no record is of what stands behind the #: if all of %s is to go, name that",
			text, before)
	}
	return nil
}

// spelling is a URL as browsers write it: its scheme and host are in lower case, it has a path, and no
// port that goes without saying, what is no ASCII is escaped, and a fragment is left out.
func spelling(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "#")
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return text
	}
	_, behind, _ := strings.Cut(text, "//")
	rest := "/"
	if i := strings.IndexAny(behind, "/?"); i >= 0 {
		rest = behind[i:]
	}
	if rest[0] == '?' {
		rest = "/" + rest
	}
	host := strings.ToLower(u.Host)
	if port := u.Port(); port == "" || u.Scheme == "http" && port == "80" ||
		u.Scheme == "https" && port == "443" {
		host = strings.TrimSuffix(strings.TrimSuffix(host, port), ":")
	}
	if u.User != nil {
		host = u.User.String() + "@" + host
	}
	return u.Scheme + "://" + host + escaped(rest)
}

// escaped is a text with what is no ASCII, or a space, escaped.
func escaped(text string) string {
	var b strings.Builder
	for i := range len(text) {
		if c := text[i]; c <= ' ' || c >= 0x7f {
			const digits = "0123456789ABCDEF"
			b.Write([]byte{'%', digits[c>>4], digits[c&15]})
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
