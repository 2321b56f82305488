package refusal

import (
	"bytes"
	"strings"
	"testing"
)

// TestOf: what is a refusal, by whom, and what it says of another try.
func TestOf(t *testing.T) {
	for _, c := range []struct {
		name, fields string
		status       int
		kind         Kind
		by, retry    string
	}{
		{"a page", "Content-Type: text/html", 200, None, "", ""},
		{"a page that names a time", "Retry-After: 120", 200, None, "", ""},
		{"forbidden", "Server: nginx", 403, Forbidden, "", ""},
		{"too many", "Retry-After: 120", 429, TooMany, "", "120"},
		{"unavailable, with a date", "retry-after :  Fri, 31 Dec 1999 23:59:59 GMT ", 503, Unavailable, "",
			"Fri, 31 Dec 1999 23:59:59 GMT"},
		{"two times", "Retry-After:\nRetry-After: 1\nRetry-After: 2", 503, Unavailable, "", "1"},
		{"bytes of any kind", "Retry-After: \x1b[2J\x00é", 429, TooMany, "", "\x1b[2J\x00é"},
		{"not found", "", 404, None, "", ""},
		{"bad gateway", "Retry-After: 5", 502, None, "", ""},
		{"no status", "", 0, None, "", ""},

		{"Cloudflare", "CF-Mitigated: challenge", 403, Challenge, "cloudflare", ""},
		{"Cloudflare, any case and status", "cf-mitigated:Challenge\nRetry-After: 3", 200, Challenge,
			"cloudflare", "3"},
		{"AWS WAF", "x-amzn-waf-action: challenge", 202, Challenge, "aws-waf", ""},
		{"AWS WAF, CAPTCHA", "x-amzn-waf-action: captcha", 405, Challenge, "aws-waf", ""},
		{"Vercel", "X-Vercel-Mitigated: challenge", 429, Challenge, "vercel", ""},
		{"Vercel denies", "X-Vercel-Mitigated: deny", 403, Forbidden, "vercel", ""},
		{"DataDome", "X-DataDome: protected\nX-DD-B: 1", 403, Challenge, "datadome", ""},
		{"Kasada", "x-kpsdk-ct: 0abc", 429, Challenge, "kasada", ""},
		{"SiteGround", "SG-Captcha: challenge", 202, Challenge, "siteground", ""},
		{"Alibaba", "bxpunish: 1", 200, Challenge, "alibaba", ""},
		{"Anubis", "Set-Cookie: a=b\nSet-Cookie: techaro.lol-anubis-cookie-verification=0190; Path=/",
			200, Challenge, "anubis", ""},
		{"Anubis, elsewhere", "Location: https://a.example/.within.website/?redir=https%3A%2F%2Fb",
			307, Challenge, "anubis", ""},
		{"Akamai", "Server: AkamaiGHost", 403, Forbidden, "akamai", ""},
		{"HUMAN", "x-px-blocked: 1", 403, Forbidden, "human", ""},
		{"Sucuri", "Server: Sucuri/Cloudproxy\nX-Sucuri-Block: FBP007", 403, Forbidden, "sucuri", ""},
		{"dotDefender, whatever the status", "X-dotDefender-denied: 1", 200, Forbidden, "dotdefender", ""},
		{"a block, then a challenge", "X-Sucuri-Block: 1\nCF-Mitigated: challenge", 403, Challenge,
			"cloudflare", ""},
		{"a challenge, then a block", "CF-Mitigated: challenge\nX-Sucuri-Block: 1", 403, Challenge,
			"cloudflare", ""},
		{"two challenges", "X-DD-B: 1\nCF-Mitigated: challenge", 403, Challenge, "datadome", ""},
		{"a block is no 429", "X-Sucuri-Block: 1", 429, TooMany, "sucuri", ""},

		{"Cloudflare serves it", "Server: cloudflare\nCF-Ray: 8a\nCF-Cache-Status: HIT", 200, None, "", ""},
		{"another value", "CF-Mitigated: challenged", 200, None, "", ""},
		{"DataDome guards it", "X-DataDome: protected\nX-DataDome-CID: a", 200, None, "", ""},
		{"Imperva guards it", "X-Iinfo: 1-2-3\nX-CDN: Imperva", 200, None, "", ""},
		{"Akamai serves it", "Server: AkamaiGHost", 200, None, "", ""},
		{"a redirect", "Location: /?redir=1", 307, None, "", ""},
		{"Vercel serves it", "Server: Vercel\nX-Vercel-Id: iad1::a", 200, None, "", ""},
		{"Kasada lets it pass", "x-kpsdk-ct: 0abc", 200, None, "", ""},
		{"Anubis has let it pass", "Set-Cookie: techaro.lol-anubis-auth=x", 302, None, "", ""},
		{"no value", "X-DD-B:", 200, None, "", ""},
		{"in the value of another field", "X: a\n cf-mitigated: challenge", 200, None, "", ""},
		{"no colon", "cf-mitigated challenge\nx-dd-b", 200, None, "", ""},
		{"behind the head", "X: a\n\ncf-mitigated: challenge", 200, None, "", ""},
	} {
		for _, end := range []string{"\r\n", "\n"} {
			head := "HTTP/1.1 200 OK" + end + strings.ReplaceAll(c.fields, "\n", end) + end + end
			r := Of(c.status, []byte(head))
			if r.Kind != c.kind || r.By != c.by || string(r.RetryAfter) != c.retry {
				t.Errorf("%s: %v by %q, %q", c.name, r.Kind, r.By, r.RetryAfter)
			}
		}
	}
}

// TestSigns: each sign is found by Of, and by IsSign unless the status tells; it says whose it is
// and where it is known from.
func TestSigns(t *testing.T) {
	for _, s := range Signs {
		value := s.Value
		if value == "" {
			value = "x"
		}
		if s.Name != strings.ToLower(s.Name) || len(s.Name) >= maxName || s.By == "" || s.Source == "" ||
			s.Kind == None {
			t.Errorf("%+v", s)
		}
		tells := OfStatus(s.Status) == None
		if IsSign([]byte(strings.ToUpper(s.Name)), []byte(" "+value+" ")) != tells {
			t.Errorf("%s: %s is not found", s.Name, value)
		}
		status := s.Status
		if status == 0 {
			status = 200
		}
		r := Of(status, []byte("HTTP/1.1 200 OK\r\n"+s.Name+": "+value+"\r\n\r\n"))
		if r.Kind != s.Kind || r.By != s.By {
			t.Errorf("%s: %s is %+v", s.Name, value, r)
		}
	}
}

// FuzzOf: an answer whose status is no refusal is one only where IsSign has found a sign, so that
// who has asked IsSign misses nothing.
func FuzzOf(f *testing.F) {
	f.Add(200, "HTTP/1.1 200 OK\r\nX-DD-B: 1\r\n\r\n")
	f.Add(429, "HTTP/1.1 429 No\nx-kpsdk-ct: a\nRetry-After: \x00\n\n")
	f.Fuzz(func(t *testing.T, status int, head string) {
		signed := false
		for line := range strings.Lines(head) {
			name, value, _ := strings.Cut(line, ":")
			signed = signed || IsSign(bytes.TrimRight([]byte(name), " \t"), []byte(value))
		}
		r := Of(status, []byte(head))
		if r.Kind != None && OfStatus(status) == None && !signed ||
			r.Kind == None && (r.By != "" || r.RetryAfter != nil) {
			t.Errorf("%+v of %d and %q", r, status, head)
		}
		if !strings.Contains(head, string(r.RetryAfter)) {
			t.Errorf("Retry-After %q of %q", r.RetryAfter, head)
		}
	})
}

// BenchmarkIsSign is what the fields of a usual head cost.
func BenchmarkIsSign(b *testing.B) {
	var fields [][2][]byte
	for _, name := range strings.Fields("Date Server Content-Type Cache-Control ETag Vary " +
		"X-Frame-Options Strict-Transport-Security Connection Content-Length Set-Cookie CF-Ray") {
		fields = append(fields, [2][]byte{[]byte(name), []byte(" session=12345; Path=/")})
	}
	for b.Loop() {
		for i := range fields {
			if IsSign(fields[i][0], fields[i][1]) {
				b.Fatal(string(fields[i][0]))
			}
		}
	}
}
