package inject

import (
	"slices"
	"strings"
)

// allow returns fields whose policies let the script run (Content Security Policy Level 3); may is
// false if one forbids all scripts, by a sandbox.
func allow(fields []field, text string) (allowed []field, may bool) {
	hash := hashOf(text)
	for _, f := range fields {
		if f.name != "content-security-policy" {
			allowed = append(allowed, f)
			continue
		}
		var policies []string
		for policy := range strings.SplitSeq(f.value, ",") {
			policy, may := allowIn(policy, hash)
			if !may {
				return nil, false
			}
			policies = append(policies, policy)
		}
		f.value = strings.Join(policies, ",")
		f.raw = []byte("Content-Security-Policy: " + strings.TrimSpace(f.value) + "\r\n")
		allowed = append(allowed, f)
	}
	return allowed, true
}

// allowIn returns a policy that lets the script with that hash run. The directive that decides on
// inline scripts gets the hash; in place of default-src, which decides on styles too, comes one of
// its own.
func allowIn(policy, hash string) (allowed string, may bool) {
	directives := strings.Split(policy, ";")
	decides, at := "", -1
	for i, d := range directives {
		name, sources := cutDirective(d)
		if name == "sandbox" && !slices.Contains(sources, "allow-scripts") {
			return "", false
		}
		if rank(name) > rank(decides) {
			decides, at = name, i
		}
	}
	if at < 0 {
		return policy, true
	}
	_, sources := cutDirective(directives[at])
	if allowsInline(sources) {
		return policy, true
	}
	kept := slices.DeleteFunc(strings.Fields(directives[at]), func(s string) bool {
		return strings.EqualFold(s, "'none'")
	})
	if decides == "default-src" {
		own := strings.Join(append(append([]string{"script-src-elem"}, kept[1:]...), hash), " ")
		return strings.TrimRight(policy, "; ") + "; " + own, true
	}
	directives[at] = " " + strings.Join(append(kept, hash), " ")
	return strings.Join(directives, ";"), true
}

// rank says which directive decides on inline scripts: the one with the highest; of two with one
// name the first.
func rank(directive string) int {
	return slices.Index([]string{"", "default-src", "script-src", "script-src-elem"}, directive)
}

// cutDirective returns the name of a directive and its sources, in lower case.
func cutDirective(d string) (name string, sources []string) {
	words := strings.Fields(strings.ToLower(d))
	if len(words) == 0 {
		return "", nil
	}
	return words[0], words[1:]
}

// allowsInline reports whether sources let any inline script run. With a hash, a nonce or
// 'strict-dynamic' they do not, whatever else they say.
func allowsInline(sources []string) bool {
	return slices.Contains(sources, "'unsafe-inline'") &&
		!slices.ContainsFunc(sources, func(s string) bool {
			return s == "'strict-dynamic'" || strings.HasPrefix(s, "'nonce-") ||
				strings.HasPrefix(s, "'sha256-") || strings.HasPrefix(s, "'sha384-") ||
				strings.HasPrefix(s, "'sha512-")
		})
}
