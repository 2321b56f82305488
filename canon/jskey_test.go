package canon

import "testing"

// TestWarcioJSKey has the keys that warcio.js 2.4.11 gave.
func TestWarcioJSKey(t *testing.T) {
	tests := []struct{ url, want string }{
		{"http://e.com", "com,e)/"},
		{"https://WWW.Example.com/A?B", "com,example,www)/a?b"},
		{"https://www12.Example.com/A?B", "com,example)/a?b"},
		{"http://www.www.e.com/", "com,e,www)/"},
		{"http://www5e.com/", "com,www5e)/"},
		{"http:/www.e.com/", "com,e,www)/"},
		{`http:\\e.com\a`, "com,e)/a"},
		{"http:////e.com", "com,e)/"},
		{"http://\twww.e.com/a\n", "com,e,www)/a"},
		{"http://e.com/a \x00\x1f", "com,e)/a"},
		{"http://u:p@q@www.e.com:80/", "com,e,www)/"},
		{"http://e.com:443/", "com,e:443)/"},
		{"https://e.com:00443/#F?x", "com,e)/"},
		{"http://e.com:/", "com,e)/"},
		{"http://e.com:0/", "com,e:0)/"},
		{"http://e.com./", ",com,e)/"},
		{"http://e.com\\@x.com/", "com,e)/@x.com/"},
		{"http://e.com?@x.com/", "com,e)/?@x.com/"},
		{"http://e.com/?", "com,e)/"},
		{"http://e.com/?b&&a=%41&A=b", "com,e)/?&a=%41&a=b&b"},
		{"http://e.com/?n=1&n.2_=2", "com,e)/?n.2_=2&n=1"},
		{"http://e.com/a//b/../c/./d/%2e%2E/e/", "com,e)/a//c/e/"},
		{"http://e.com/a//../b", "com,e)/a/b"},
		{"http://e.com/../..", "com,e)/"},
		{"http://e.com/a/.%2e", "com,e)/"},
		{"http://e.com/a/.", "com,e)/a/"},
		{"http://e.com/...", "com,e)/..."},
		{"http://e.com/%C3%A9\u00c9%zz", "com,e)/%c3%a9%C3%A9%zz"},
		{"http://e.com/\u0130\u0391\u03a3", "com,e)/i%CC%87%CE%B1%CF%82"},
		{"http://e.com/\"<>`{}|\\^' ~", "com,e)/%22%3C%3E%60%7B%7D|/^'%20~"},
		{"http://e.com/?\"<>`{}|\\^' ~\u00e9\x7f", "com,e)/?%22%3C%3E`{}|\\^%27%20~%C3%A9%7F"},
		{
			"http://e.com/(S(4hqa0555fwsecu455xqckv45))/x.aspx",
			"com,e)/(s(4hqa0555fwsecu455xqckv45))/x.aspx",
		},
		{"http://e.com/\xff\xe2\x82", "com,e)/%EF%BF%BD%EF%BF%BD"},
		{"http://1.2.3.4/", "4,3,2,1)/"},
		{"http://0x7F.1/", "1,0,0,127)/"},
		{"http://017700000001./", "1,0,0,127)/"},
		{"http://1.256/", "0,1,0,1)/"},
		{"http://0x/", "0,0,0,0)/"},
		{"http://1../", ",,1)/"},
		{"http://a.1a/", "1a,a)/"},
		{"http://[2001:DB8:0:0:0:0:0:1]:8080/", "[2001:db8::1]:8080)/"},
		{"http://[::ffff:1.2.3.4]:/", "[::ffff:102:304])/"},
		{"http://[1::3:0:0:6:0:0]/", "[1:0:3::6:0:0])/"},
		{"http://[1:2:3:4:5:6:7::]/", "[1:2:3:4:5:6:7:0])/"},
		{"http://[::]/", "[::])/"},
		{"http://B\u00fccher.example/", "example,xn--bcher-kva)/"},
		{"http://fa\u00df.de/", "de,xn--fa-hia)/"},
		{"http://XN--BCHER-KVA.com/", "com,xn--bcher-kva)/"},
		{"http://\uff11\uff12\uff17.1/", "1,0,0,127)/"},
		{"http://e\u3002com/", "com,e)/"},
		{"http://e%2E%41.com/", "com,a,e)/"},
		{"http://e_x\"`{}.com/", "com,e_x\"`{})/"},
		{"http://ab--c.com/", "com,ab--c)/"},
	}
	for _, tt := range tests {
		t.Run(tt.url, func(t *testing.T) {
			if got, ok := WarcioJS.Key(tt.url); !ok || got != tt.want {
				t.Errorf("Key(%+q) = %q, %v, want %q", tt.url, got, ok, tt.want)
			}
		})
	}
}

// TestWarcioJSKeyErrors has URLs without a key: of other schemes, and such as a browser refuses. What
// warcio.js gives back for these is the URL without its "www.".
func TestWarcioJSKeyErrors(t *testing.T) {
	tests := []struct{ url, want string }{
		{"", ""},
		{"HTTP://e.com/", "HTTP://e.com/"},
		{" http://e.com/", " http://e.com/"},
		{"mailto:a@b", "mailto:a@b"},
		{"httpx://A.b/", "httpx://A.b/"},
		{"http://www.E.com:x/\u00c9?A#F", "http://E.com:x/\u00c9?A#F"},
		{"http://WWW.E.com:x/", "http://WWW.E.com:x/"},
		{"http://www.", "http://"},
		{"http://", "http://"},
		{"http://?a", "http://?a"},
		{"http://e.com@/", "http://e.com@/"},
		{"http://:80/", "http://:80/"},
		{"http://e.com:65536/", "http://e.com:65536/"},
		{"http://e com/", "http://e com/"},
		{"http://e%00.com/", "http://e%00.com/"},
		{"http://e%FF.com/", "http://e%FF.com/"},
		{"http://e%3A80/", "http://e%3A80/"},
		{"http://e^x/", "http://e^x/"},
		{"http://xn--a/", "http://xn--a/"},
		{"http://256.1.1.1/", "http://256.1.1.1/"},
		{"http://4294967296/", "http://4294967296/"},
		{"http://1.2.3.4.5/", "http://1.2.3.4.5/"},
		{"http://1..2/", "http://1..2/"},
		{"http://08.1/", "http://08.1/"},
		{"http://a.0x1/", "http://a.0x1/"},
		{"http://[::1", "http://[::1"},
		{"http://[::1]x/", "http://[::1]x/"},
		{"http://[1.2.3.4]/", "http://[1.2.3.4]/"},
		{"http://[::1%25a]/", "http://[::1%25a]/"},
		{"http://[12345::]/", "http://[12345::]/"},
	}
	for _, tt := range tests {
		t.Run(tt.url, func(t *testing.T) {
			if got, ok := WarcioJS.Key(tt.url); ok || got != tt.want {
				t.Errorf("Key(%+q) = %q, %v, want %q, false", tt.url, got, ok, tt.want)
			}
		})
	}
}
