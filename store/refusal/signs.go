package refusal

import "bytes"

// Sign is a field of a head that says that this answer is not the site's.
type Sign struct {
	Name   string // of the field, in lower case
	Value  string // all of its value, in any case; "" is any value that is not empty
	Part   bool   // Value is only a part of it, in the same case
	Status int    // of the answers in which it is a sign; 0 is any
	Kind   Kind
	By     string // the vendor
	Source string // where it is known from
}

// Signs are all that are known. A field that its vendor sends with every answer (CF-Ray, X-Iinfo,
// X-DataDome) is none.
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
		Source: "DataDome docs, Validate Request: added when a request is blocked; Heritrix"},
	{Name: "x-kpsdk-ct", Status: 429, Kind: Challenge, By: "kasada",
		Source: "captures: the first answer is a 429 with the script of the challenge"},
	{Name: "sg-captcha", Value: "challenge", Kind: Challenge, By: "siteground",
		Source: "captures of SiteGround's robot challenge: with 202"},
	{Name: "bxpunish", Value: "1", Kind: Challenge, By: "alibaba",
		Source: "captures of Alibaba's sites (1688, Cainiao): a CAPTCHA with 200"},
	{Name: "set-cookie", Value: "techaro.lol-anubis-cookie-verification", Part: true,
		Kind: Challenge, By: "anubis",
		Source: "Anubis, lib/http.go: set with each challenge; the name is its default"},
	{Name: "location", Value: "/.within.website/?redir=", Part: true, Status: 307, Kind: Challenge,
		By: "anubis", Source: "Heritrix, BotBlockDetector; Anubis, lib/http.go"},
	{Name: "x-px-blocked", Value: "1", Kind: Forbidden, By: "human",
		Source: "captures of sites behind HUMAN (PerimeterX): with 403"},
	{Name: "server", Value: "AkamaiGHost", Status: 403, Kind: Forbidden, By: "akamai",
		Source: "Heritrix, BotBlockDetector: the edge answered, and not the site"},
	{Name: "x-sucuri-block", Kind: Forbidden, By: "sucuri",
		Source: "wafw00f, and captures of Sucuri's firewall: with 403, the value is its rule"},
	{Name: "x-dotdefender-denied", Kind: Forbidden, By: "dotdefender",
		Source: "wafw00f and sqlmap"},
}

// maxName is longer than the name of any sign.
const maxName = 32

// byLength are signs by the length of their names, which tells most fields of a head apart from
// them.
type byLength [maxName][]sign

// sign is a Sign with its texts as bytes.
type sign struct {
	*Sign
	name, value []byte
}

func signsThat(belong func(*Sign) bool) (signs byLength) {
	for i := range Signs {
		if s := &Signs[i]; belong(s) {
			n := len(s.Name)
			signs[n] = append(signs[n], sign{s, []byte(s.Name), []byte(s.Value)})
		}
	}
	return signs
}

var (
	all = signsThat(func(*Sign) bool { return true })
	// those of answers that are no refusal by their status alone
	telling = signsThat(func(s *Sign) bool { return OfStatus(s.Status) == None })
)

// IsSign reports whether a field may make an answer a refusal whose status is none. It is for
// whoever reads all fields of all heads: what it costs there is a look at the length of a name, as
// a rule.
func IsSign(name, value []byte) bool { return telling.find(name, value) != nil }

// find returns the sign that a field is, or nil.
func (l *byLength) find(name, value []byte) *Sign {
	if len(name) >= maxName {
		return nil
	}
	for i := range l[len(name)] {
		s := &l[len(name)][i]
		if s.name[0] == name[0]|0x20 && bytes.EqualFold(name, s.name) && s.has(bytes.TrimSpace(value)) {
			return s.Sign
		}
	}
	return nil
}

func (s *sign) has(value []byte) bool {
	switch {
	case len(s.value) == 0:
		return len(value) > 0
	case s.Part:
		return bytes.Contains(value, s.value)
	}
	return bytes.EqualFold(value, s.value)
}
