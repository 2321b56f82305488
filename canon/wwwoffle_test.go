package canon

import "testing"

// wwwoffleVectors is a file of what WWWOFFLE makes of URLs.
type wwwoffleVectors struct {
	Meta    struct{ Count int }
	Vectors []struct {
		ID, Rule, Level string
		URL             bytesOrText
		Expected        struct {
			Canonical bytesOrText
			Userinfo  bytesOrText `json:"canonical_with_userinfo"`
		}
	}
}

func checkWWWOFFLE(t *testing.T, file, document string) {
	var vectors wwwoffleVectors
	readFile(t, file, &vectors)
	if len(vectors.Vectors) == 0 || len(vectors.Vectors) != vectors.Meta.Count {
		t.Fatalf("read %d vectors of %d", len(vectors.Vectors), vectors.Meta.Count)
	}
	var advisory tally
	for _, v := range vectors.Vectors {
		canonical, userinfo := WWWOFFLE(string(v.URL))
		if v.Level == "advisory" {
			advisory.count(t, v.ID, canonical, string(v.Expected.Canonical))
			continue
		}
		t.Run(document+v.ID+" "+v.Rule, func(t *testing.T) {
			if canonical != string(v.Expected.Canonical) || userinfo != string(v.Expected.Userinfo) {
				t.Errorf("WWWOFFLE(%q) = %q, %q, want %q, %q", v.URL, canonical, userinfo, v.Expected.Canonical,
					v.Expected.Userinfo)
			}
		})
	}
	t.Logf("advisory: %d of %d as the reference", advisory.same, advisory.total)
}

func TestWWWOFFLEVectors(t *testing.T) { checkWWWOFFLE(t, "ref_wwwoffle.json", "") }

// TestREADMEURL has every rule of README.URL. The last letters of an id count the rule's cases.
func TestREADMEURL(t *testing.T) {
	checkWWWOFFLE(t, "wwwoffle_readme_url.json", "README.URL/String to URL Conversion/")
}

func TestWWWOFFLE(t *testing.T) {
	tests := []struct{ name, url, canonical, userinfo string }{
		{"fragment", "http://e.org/a#b?c", "http://e.org/a", ""},
		{"arguments without a path", "http://e.org?a", "http://e.org/?a", ""},
		{"host and port without a protocol", "e.org:8080/a", "http://e.org:8080/a", ""},
		{"user without a protocol", "u:p@e.org/a", "http://e.org/a", "http://u:p@e.org/a"},
		{"protocol in the arguments", "e.org/?u=http://x.org/", "http://e.org/?u=http://x.org/", ""},
		{"one slash", "http:/www.foo.com/bar", "http://www.foo.com/bar", ""},
		{"one slash, capitals and a port", "FTP:/www.foo.com:21/bar?a", "ftp://www.foo.com/bar?a", ""},
		{"one slash and a user", "https:/u@e.org", "https://e.org/", "https://u@e.org/"},
		{"three slashes", "http:///bar", "http:///bar", ""},
		{"a port that is empty", "e.org:/bar", "http://e.org:/bar", ""},
		{"two protocols", "p:x.org/http://y", "p://x.org/http://y", ""},
		{"port with zeros", "http://e.org:0080/", "http://e.org/", ""},
		{"port of another protocol", "ftp://e.org:80/", "ftp://e.org:80/", ""},
		{"finger", "finger://e.org:79/", "finger://e.org/", ""},
		{"no number as port", "http://e.org:x/", "http://e.org:x/", ""},
		{"two ports", "http://e.org:80:80/", "http://e.org:80:80/", ""},
		{"IPv6 and port", "http://[::1]:80/", "http://[::1]/", ""},
		{"IPv6 that ends like a port", "http://[::80]/", "http://[::80]/", ""},
		{"password with an @", "http://u:p@q@e.org/", "http://e.org/", "http://u:p%40q@e.org/"},
		{"empty password", "http://u:@e.org/", "http://e.org/", "http://u@e.org/"},
		{"nothing before the @", "http://:@e.org/", "http://e.org/", "http://e.org/"},
		{"malformed escapes", "http://e.org/%zz%?%zz%", "http://e.org/%25zz%25?%25zz%25", ""},
		{"NUL", "http://e.org/%00a?%00a", "http://e.org/%00a?%00a", ""},
		{"escaped space", "http://e.org/?a%20b c+d%2B", "http://e.org/?a+b+c+d%2B", ""},
		{
			"entity in capitals, once",
			"http://e.org/?a&AMP;b&amp;amp;c&amp",
			"http://e.org/?a&b&amp;c&amp",
			"",
		},
		{"escaped separators", "http://e.org/?%26%3d%3b%2b%3f", "http://e.org/?%26%3D%3B%2B%3F", ""},
		{"host that is no ASCII", "http://B\u00fccher .org/", "http://b%c3%bccher%20.org/", ""},
		{"case of a path", "http://e.org/A?B", "http://e.org/A?B", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.userinfo == "" {
				tt.userinfo = tt.canonical
			}
			canonical, userinfo := WWWOFFLE(tt.url)
			if canonical != tt.canonical || userinfo != tt.userinfo {
				t.Errorf("WWWOFFLE(%q) = %q, %q, want %q, %q", tt.url, canonical, userinfo, tt.canonical,
					tt.userinfo)
			}
		})
	}
}
