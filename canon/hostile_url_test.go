package canon

import "strings"

// hostileURLs are shapes of URLs.
var hostileURLs = []struct {
	name string
	url  func(n int) string
}{
	{"schemes", filled("", "http://", "")},
	{"at signs", filled("http://", "@", "/")},
	{"colons", filled("http://", ":", "/")},
	{"a long port", filled("http://a:", "0", "/")},
	{"brackets", filled("http://", "[", "]/")},
	{"dots", filled("http://", ".", "/")},
	{"labels", filled("http://", "a.", "/")},
	{"digits", filled("http://", "1", "/")},
	{"a long label", filled("http://", "\u00e9", "/")},
	{"a long label of many letters", letters},
	{"labels that are not ASCII", filled("http://", "\u00e9.", "/")},
	{"labels from right to left", filled("http://", "\u05d0.", "/")},
	{"ideographic dots", filled("http://", "\u3002", "/")},
	{"punycode", filled("http://xn--", "a", "/")},
	{"punycode of many labels", filled("http://", "xn--4ca.", "/")},
	{"accents", filled("http://a", "\u0301", "/")},
	{"what NFKC makes longer", filled("http://", "\ufdfa", "/")},
	{"what is dropped", filled("http://", "\u00ad", "/")},
	{"an escaped host", filled("http://", "%25", "41/")},
	{"an escaped host that is not ASCII", filled("http://", "%C3%A9", "/")},
	{"sigmas", filled("http://a/", "\u03a3", "")},
	{"escapes of escapes", filled("http://a/%", "25", "")},
	{"escapes", filled("http://a/", "%25", "41")},
	{"percent signs", filled("http://a/?", "%", "")},
	{"not ASCII", filled("http://a/", "\u00e9", "")},
	{"not UTF-8", filled("http://a/", "\xff", "")},
	{"up", filled("http://a/", "a/../", "")},
	{"all up", func(n int) string {
		return "http://a/" + strings.Repeat("a/", n/5) + strings.Repeat("../", n/5)
	}},
	{"escaped dots", filled("http://a/", "a/%2e%2e/", "")},
	{"slashes", filled("http://a", "/", "")},
	{"backslashes", filled("http://a", "/a\\..", "")},
	{"arguments", filled("http://a/?", "&", "")},
	{"arguments to sort", filled("http://a/?", "b=1&a&", "")},
	{"arguments alike", func(n int) string {
		root := "&" + strings.Repeat("a", 1000)
		return "http://a/?" + strings.Repeat(root+"b"+root+"a", n/2004)
	}},
	{"entities", filled("http://a/?", "&AmP;", "")},
	{"sessions", filled("http://a/?", "sid=", "")},
	{"sessions in full", filled("http://a/?", "phpsessid=0123456789abcdef0123456789abcdef&", "x")},
	{"cfid", filled("http://a/?", "cfid=", "")},
	{"cftoken", filled("http://a/?cfid=", "&cftoken=", "")},
	{"aspx", filled("http://a/", "/(a", "/b.aspx")},
	{"aspx sessions", filled("http://a/(", "a(0123456789abcdef01234567)", "/.aspx")},
	{"aspx pages", filled("http://a/", "/(%3f.aspx", "")},
	{"fragments", filled("http://a/", "#", "")},
	{"line breaks", filled("http://a/", "\n", "")},
	{"spaces", filled("", " ", "http://a/")},
	{"no host", filled("urn:", ":a", "")},
	{"form pairs", filled("http://a/?", "a=b;", "")},
}

// letters is a host of as many different letters as there are.
func letters(n int) string {
	out := []byte("http://")
	for r := rune(0x4e00); len(out) < n; r++ {
		out = append(out, string(0x4e00+(r-0x4e00)%20000)...)
	}
	return string(out) + "/"
}
