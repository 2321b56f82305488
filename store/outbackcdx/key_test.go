package outbackcdx

import (
	"strings"
	"testing"
)

// TestKey: what OutbackCDX's own tests (UrlCanonicalizerTest) say of URLs, and what follows from its
// source, as keys; "" is not certain.
func TestKey(t *testing.T) {
	for url, want := range map[string]string{
		"http://abr.business.gov.au/(dhj3bi55ekqndn3mjb5myu45)/entityTypeDetails.aspx?SearchText=12" +
			"5": "au,gov,business,abr)/entitytypedetails.aspx?searchtext=125",
		"http://www.basix.nsw.gov.au/information/index.jsp;jsessionid=3E544261B39C3B399E1C6BB38D688" +
			"8E6": "au,gov,nsw,basix)/information/index.jsp",
		"http://intersector.wa.gov.au/current_issue?CFID=2051199&CFTOKEN=697395b12ed216e1-F6DFAF77-" +
			"D433-FA57-5582BC6000844470&jsessionid=92303280691120833351543": "au,gov,wa,intersector)/current_issue",
		"http://jobsearch.gov.au/JobDetails/JobDetails.aspx?st=11&WHCode=0&TextOnly=0&rgn=&Occ=7991" +
			"&BroadLoc=0&SessionID=uqft0ovnt3tq4rrygdt5z145&CommJobs=0&CurPage=4&TotalRec=195&JobPos=65" +
			"&JobID=107556635&SortDir=1&SortField=3&": "au,gov,jobsearch)/jobdetails/jobdetails." +
			"aspx?broadloc=0&commjobs=0&curpage=4&jobid=107556635" +
			"&jobpos=65&occ=7991&rgn=&sortdir=1&sortfield=3&st=11&textonly=0&totalrec=195&whcode=0",
		"http://www.budget.gov.au":       "au,gov,budget)/",
		"http://host/%25%32%35":          "host)/%25",
		"http://host/%25%32%35%25%32%35": "host)/%25%25",
		"http://host/%2525252525":        "host)/%25",
		"http://host/asdf%25%32%35asd":   "host)/asdf%25asd",
		"http://host/%%%25%32%35asd%%":   "host)/%25%25%25asd%25%25",
		"http://host/?%%%25%32%35asd%%":  "host)/?%25%25%25asd%25%25",
		"http://www.google.com/":         "com,google)/",
		"http://host.com/%257Ea%2521b%2540c%2523d%2524e%25f%255E00%252611%252A22%252833%252944_55%2" +
			"52B": "com,host)/~a!b@c%23d$e%25f^00&11*22(33)44_55+",
		"http://www.GOOgle.com/":                    "com,google)/",
		"http://www.google.com/q?r?":                "com,google)/q?r?",
		"http://www.google.com/q?r?s":               "com,google)/q?r?s",
		"http://evil.com/foo;":                      "com,evil)/foo;",
		"http://evil.com/foo?bar;":                  "com,evil)/foo?bar;",
		"http://notrailingslash.com":                "com,notrailingslash)/",
		"https://www.securesite.com/":               "com,securesite)/",
		"http://host.com/ab%23cd":                   "com,host)/ab%23cd",
		"http://host.com//twoslashes?more//slashes": "com,host)/twoslashes?more//slashes",
		"http://web.acma.gov.au/apservices/action/challenge?method=viewChallenge": "au,gov,acma,web)/apservices/" +
			"action/challenge?method=viewchallenge",
		"https://example.com:443/":                   "com,example)/",
		"https://example.com/A/%C3%89/?b=2&a=%c3%a9": "com,example)/a/%c3%89?a=%c3%a9&b=2",
		"https://www12.xn--0ca.com/":                 "com,xn--0ca)/",
		"https://example.com/?":                      "com,example)/",
		"https://example.com?x":                      "com,example)/?x",
		"https://example.com/a%2Fb%2f%2E%2e/c":       "com,example)/a/c",

		// not certain, or not kept as SURTs are
		"http://%31%36%38%2e%31%38%38%2e%39%39%2e%32%36/x":  "",
		"http://168.188.99.26/":                             "",
		"http://3279880203/blah":                            "",
		"http://0x7f.1/":                                    "",
		"http://[::1]/":                                     "",
		"http://www.google.com.../":                         "",
		"http://www.evil.com/blah#frag":                     "",
		"http://www.gotaport.com:1234/":                     "",
		"http://example.com:443/":                           "",
		"http://user@example.com/":                          "",
		"http://example.org/too/many/../../../dots":         "",
		"http://host/%2525252525252525252525252525":         "",
		"http://example.com/%E9":                            "",
		"http://\u00c0.com/\u00c0":                          "",
		"  http://www.google.com/  ":                        "",
		"www.google.com":                                    "",
		"http://www.google.com/foo\tbar":                    "",
		`http://example.com/a\b`:                            "",
		"youtube-dl:http://example.com/":                    "",
		"urn:view:https://example.com/":                     "",
		"http:///":                                          "",
		"":                                                  "",
		"http://example.com/" + strings.Repeat("a", maxURL): "",
	} {
		key, ok := Key(url)
		if key != want || ok != (want != "") {
			t.Errorf("%.300s is %s, %v, want %s", url, key, ok, want)
		}
	}
}

// FuzzKey: no URL makes Key panic, and what a key is made of makes the same key.
func FuzzKey(f *testing.F) {
	f.Add("http://www.example.com/a%2525/?b=1&a=%c3%a9")
	f.Fuzz(func(t *testing.T, url string) {
		key, ok := Key(url)
		if !ok {
			return
		}
		if len(key) > 3*len(url)+2 || strings.ContainsAny(key, " \n#") {
			t.Errorf("%q is %q", url, key)
		}
	})
}
