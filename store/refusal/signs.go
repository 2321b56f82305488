package refusal

import "bytes"

// Sign is a field of a head that says that this answer is not the site's.
type Sign struct {
	Name   string // of the field, in lower case
	Value  string // all of its value, in any case; "" is any value that is not empty
	Prefix bool   // Value is only what it begins with
	Status int    // of the answers in which it is a sign; 0 is any
	Kind   Kind
	By     string // the vendor
	Source string // where it is known from
}

// Signs are all that are known. A field that its vendor sends with every answer (CF-Ray, X-Iinfo,
// X-DataDome, Server) is none.
var Signs = []Sign{
	{Name: "cf-mitigated", Value: "challenge", Kind: Challenge, By: "cloudflare",
		Source: "Cloudflare docs, Detect a Challenge Page response: the only value"},
	{Name: "x-amzn-waf-action", Value: "challenge", Kind: Challenge, By: "aws-waf",
		Source: "AWS WAF Developer Guide, CAPTCHA and Challenge action behavior: with 202"},
	{Name: "x-amzn-waf-action", Value: "captcha", Kind: Challenge, By: "aws-waf",
		Source: "AWS WAF Developer Guide, CAPTCHA and Challenge action behavior: with 405"},
	{Name: "x-vercel-mitigated", Value: "challenge", Kind: Challenge, By: "vercel",
		Source: "captures of the Vercel Security Checkpoint: with 403 and 429"},
	{Name: "x-vercel-mitigated", Value: "deny", Kind: Forbidden, By: "vercel",
		Source: "captures of requests that the Vercel Firewall denied: with 403"},
	{Name: "x-dd-b", Kind: Challenge, By: "datadome",
		Source: "DataDome docs, Validate Request: added when a request is blocked; 1, 2, 3 seen"},
	{Name: "x-kpsdk-ct", Status: 429, Kind: Challenge, By: "kasada",
		Source: "captures: the first answer is a 429 with the script of the challenge"},
	{Name: "sg-captcha", Value: "challenge", Kind: Challenge, By: "siteground",
		Source: "captures of SiteGround's robot challenge: with 202"},
	{Name: "bxpunish", Value: "1", Kind: Challenge, By: "alibaba",
		Source: "captures of Alibaba's sites (1688, Cainiao): a CAPTCHA with 200"},
	{Name: "set-cookie", Value: "techaro.lol-anubis-cookie-verification", Prefix: true,
		Kind: Challenge, By: "anubis",
		Source: "Anubis, lib/http.go: set with each challenge; the prefix is its default"},
	{Name: "x-px-blocked", Value: "1", Kind: Forbidden, By: "human",
		Source: "captures of sites behind HUMAN (PerimeterX): with 403"},
	{Name: "x-sucuri-block", Kind: Forbidden, By: "sucuri",
		Source: "wafw00f, and captures of Sucuri's firewall: with 403, the value is its rule"},
	{Name: "x-dotdefender-denied", Kind: Forbidden, By: "dotdefender",
		Source: "wafw00f and sqlmap"},
}

// maxName is longer than the name of any sign.
const maxName = 32

// byLength are the signs by the length of their names, which tells most fields of a head apart from
// them.
var byLength = func() (signs [maxName][]*Sign) {
	for i := range Signs {
		n := len(Signs[i].Name)
		signs[n] = append(signs[n], &Signs[i])
	}
	return signs
}()

// IsSign reports whether a field is one of Signs, in an answer of some status. It is for whoever
// reads all fields of all heads: what it costs there is a look at the length of a name, as a rule.
func IsSign(name, value []byte) bool { return signOf(name, value) != nil }

// signOf returns the sign that a field is, or nil.
func signOf(name, value []byte) *Sign {
	if len(name) >= maxName {
		return nil
	}
	for _, s := range byLength[len(name)] {
		if s.Name[0] == name[0]|0x20 && bytes.EqualFold(name, []byte(s.Name)) &&
			s.has(bytes.TrimSpace(value)) {
			return s
		}
	}
	return nil
}

func (s *Sign) has(value []byte) bool {
	switch {
	case s.Value == "":
		return len(value) > 0
	case s.Prefix:
		return bytes.HasPrefix(value, []byte(s.Value))
	}
	return bytes.EqualFold(value, []byte(s.Value))
}
