package parquet

import (
	"net/netip"
	"net/url"
	"strings"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"
)

// host is what a table says of a host. What there is none of is "".
type host struct {
	name     string // "" if the URL has no host
	parts    [5]string
	reversed string

	registrySuffix, registeredDomain string // by the suffixes of registries alone
	privateSuffix, privateDomain     string // also by those of others, such as github.io
}

// maxHost is how many bytes a host may have of which more is said than its name: no name of the DNS
// has more than 255.
const maxHost = 1 << 10

// hostOf returns what is said of a host, as it stands in a URL. An address has a name, and nothing
// else. Of what is no name the columns are empty.
func hostOf(text string) (h host) {
	if len(text) > maxHost {
		h.name = text
		return h
	}
	name := strings.ToLower(text)
	if strings.HasPrefix(name, "[") {
		h.name = name
		return h
	}
	if name = ascii(name); name == "" {
		return h
	}
	name = strings.TrimSuffix(name, ".")
	h.name = name
	if isNumber(name[strings.LastIndexByte(name, '.')+1:]) {
		if at, err := netip.ParseAddr(name); err == nil {
			h.name = at.String()
		}
		return h
	}
	labels := strings.Split(name, ".")
	for i := range min(len(labels), len(h.parts)) {
		h.parts[i] = labels[len(labels)-1-i]
	}
	h.reversed = reversed(labels)
	h.suffixes()
	return h
}

// ascii returns a host in ASCII, or "" if it has no such form.
func ascii(name string) string {
	if strings.Contains(name, "%") {
		if plain, err := url.PathUnescape(name); err == nil {
			name = plain
		}
	}
	for i := range len(name) {
		if name[i] >= 0x80 {
			name, err := idna.Lookup.ToASCII(name)
			if err != nil {
				return ""
			}
			return name
		}
	}
	return name
}

// isNumber reports whether a label is one: a host that ends with a number is an address.
func isNumber(label string) bool {
	for i := range len(label) {
		if label[i] < '0' || label[i] > '9' {
			return false
		}
	}
	return label != ""
}

func reversed(labels []string) string {
	var b strings.Builder
	for i := len(labels) - 1; i >= 0; i-- {
		b.WriteString(labels[i])
		if i > 0 {
			b.WriteByte('.')
		}
	}
	return b.String()
}

// suffixes finds the public suffixes of the name. One that is in no list has none.
func (h *host) suffixes() {
	suffix, icann := publicsuffix.PublicSuffix(h.name)
	if !icann && !strings.Contains(suffix, ".") {
		return
	}
	h.privateSuffix, h.privateDomain = suffix, below(h.name, suffix)
	for !icann {
		_, up, found := strings.Cut(suffix, ".")
		if !found {
			return
		}
		suffix, icann = publicsuffix.PublicSuffix(up)
	}
	h.registrySuffix, h.registeredDomain = suffix, below(h.name, suffix)
}

// below returns the domain of a name that is one level below a suffix of it, or "" if the name is the
// suffix.
func below(name, suffix string) string {
	rest, is := strings.CutSuffix(name, "."+suffix)
	if !is {
		return ""
	}
	return name[strings.LastIndexByte(rest, '.')+1:]
}
