package canon

import (
	"strings"
	"testing"
)

// repeated is a body or URL of a shape, about n bytes long.
func repeated(first, middle, last string, n int) string {
	return first + strings.Repeat(middle, n/max(1, len(middle))) + last
}

// FuzzBodyCost looks for a body that costs more than linear work, by what it repeats.
func FuzzBodyCost(f *testing.F) {
	long := strings.Repeat("a", 1<<10)
	f.Add("application/json", `{"`+long+`":[`, `1,[],`, `1]}`)
	f.Add("application/json", `{"a.2_":1,"a":[`, `"\u00e9",{"b":1e308},`, `1]}`)
	f.Add("text/plain", `{"a":1`, `,"\ud800":[5e-324]`, `}`)
	f.Add("multipart/form-data; boundary=a.*b|a", "", "a", "")
	f.Add("multipart/form-data; boundary=X",
		"--X\nContent-Disposition: form-data; name=\"a\"", "\n ;\"\\", "\n\nx\n--X--")
	f.Add("multipart/form-data; boundary=X",
		"", "--X\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n\n--Xa", "--X--")
	f.Add("application/x-www-form-urlencoded", "", "%25&;+\u00e9\xff", "")
	for _, middle := range []string{
		"\x03\x00\x01a\x05\x00\x00\x09", "\x07\x00\x00", "\x0a\x00\x00\x00\x01", "\x10\x00\x01C",
	} {
		f.Add("application/x-amf", amfList(1<<20, "\x03\x00\x01a\x0a\x00\x10\x00\x00"), middle, "")
	}
	f.Add("application/x-amf", amfValue("\x0a\x13\x01"+amfHeader(len(long))+long), "\x0a\x01\x01", "")
	f.Fuzz(func(t *testing.T, contentType, first, middle, last string) {
		for _, n := range []int{4 << 10, 64 << 10} {
			for _, dialect := range dialects {
				if !checkCost(t, dialect, contentType, repeated(first, middle, last, n)) {
					return
				}
			}
		}
	})
}

// FuzzURLCost looks for a URL that does.
func FuzzURLCost(f *testing.F) {
	f.Add("http://", "\u00e9.", "/")
	f.Add("http://xn--", "a-", "/")
	f.Add("http://a/", "/../(a%2525.aspx", "?")
	f.Add("http://a/?cfid=", "&cftoken=sid=&amp;", "")
	f.Add("", "http:", "")
	keys := urlKeys(f)
	f.Fuzz(func(t *testing.T, first, middle, last string) {
		for _, n := range []int{4 << 10, 64 << 10} {
			for name, key := range keys {
				if !checkURLCost(t, name, key, repeated(first, middle, last, n)) {
					return
				}
			}
		}
	})
}
