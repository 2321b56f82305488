package trust

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
)

func facts() Facts {
	return Facts{
		Root: Root{Name: `O'Neil's "<CA>"`, Fingerprint: "AB:CD", Until: "2030-01-01",
			Password: "changeit"},
		Name: "name.internal", Recorder: "ID", Ask: "http://name.internal/here",
		AskTrust: "https://trust.name.internal/here",
	}
}

var visit = Visit{Proxy: "192.0.2.1:8080", Local: true, Phones: "192.0.2.1:8080",
	System: "linux"}

func pageOf(t *testing.T, f Facts, v Visit) string {
	t.Helper()
	page, err := Page(f, v)
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// TestPage: each system's steps are there once, those of the client's first and open; who looks from
// elsewhere is told of no commands; an institution's certificate is not to be taken away.
func TestPage(t *testing.T) {
	for _, own := range []bool{true, false} {
		for _, first := range append(systems, system{}, system{ID: "unheard of"}) {
			f, v := facts(), visit
			f.Root.Institution, v.Local, v.System = !own, own, first.ID
			page := pageOf(t, f, v)
			for _, s := range systems {
				if n := strings.Count(page, ">"+s.Name+"<"); n != 1 {
					t.Errorf("%s is there %d times", s.Name, n)
				}
			}
			if first.Name != "" && !strings.Contains(page, `<h2 id="here">`+first.Name+"</h2>") {
				t.Errorf("%s is not first", first.Name)
			}
			if n := strings.Count(page, "When you are done</h3>"); n != len(systems) {
				t.Errorf("%s: %d ends for %d systems", first.ID, n, len(systems))
			}
			for want, is := range map[string]bool{"<code>warcorder browser</code>": own,
				"<svg": own, "Delete or Distrust": own, "certutil -d sql:$HOME/.pki/nssdb -D": own,
				"of an institution": !own, "AB:CD": true, "2030-01-01": true,
				`-n &#39;O&#39;\&#39;&#39;Neil&#39;\&#39;&#39;s &#34;&lt;CA&gt;&#34;&#39; -i`: true} {
				if strings.Contains(page, want) != is {
					t.Errorf("own %v, %s: %s: %v", own, first.ID, want, !is)
				}
			}
		}
	}
}

// TestPhones: steps for a phone have an address that it reaches, or say that there is none.
func TestPhones(t *testing.T) {
	v := visit
	v.Proxy = "127.0.0.1:8080"
	for _, c := range []struct {
		local  bool
		phones string
		want   int // how often the address of this machine alone is there
		says   bool
	}{{true, "192.0.2.1:8080", 1, false}, {true, "", 1, true}, {false, "", 3, false}} {
		v.Local, v.Phones = c.local, c.phones
		page := pageOf(t, facts(), v)
		got := strings.Count(page, "› Configure Proxy › Manual: server <code>127.0.0.1<") +
			strings.Count(page, "Proxy › Manual: host\n<code>127.0.0.1<") +
			strings.Count(page, "address <code>127.0.0.1<")
		if says := strings.Contains(page, "answers its own machine alone"); got != c.want || says != c.says {
			t.Errorf("%+v: %d, %v", c, got, says)
		}
	}
}

// TestPageAsksNobody: nothing of the page is from elsewhere, its script and its style are what the
// policy has the hashes of, and no element carries a script or a style of its own.
func TestPageAsksNobody(t *testing.T) {
	f := facts()
	doc, err := html.Parse(strings.NewReader(pageOf(t, f, visit)))
	if err != nil {
		t.Fatal(err)
	}
	policy := Policy(f)
	links := 0
	for n := range doc.Descendants() {
		if n.Type == html.ElementNode && (n.Data == "script" || n.Data == "style") &&
			!strings.Contains(policy, hashOf(n.FirstChild.Data)) {
			t.Errorf("the policy has not the hash of %s", n.Data)
		}
		for _, a := range n.Attr {
			switch {
			case a.Key == "src" || a.Key == "style" || strings.HasPrefix(a.Key, "on"):
				t.Errorf("%s has %s=%s", n.Data, a.Key, a.Val)
			case n.Data == "a" && a.Key == "href":
				links++
				if !strings.HasPrefix(a.Val, "/") && !strings.HasPrefix(a.Val, "http://192.0.2.1:8080/") &&
					!strings.HasSuffix(a.Val, "://name.internal/") {
					t.Errorf("a link to %s", a.Val)
				}
			}
		}
	}
	if links < 10 || !strings.HasPrefix(policy, "default-src 'none'; ") ||
		!strings.Contains(policy, "; connect-src http://name.internal/here https://trust.name.internal/here;") {
		t.Errorf("%d links, %s", links, policy)
	}
}

// TestSystemOf: browsers as they call themselves.
func TestSystemOf(t *testing.T) {
	for agent, want := range map[string]string{
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/156.0.0.0 Safari/537.36":       "windows",
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/26.0 Safari/605.1.15": "macos",
		"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/156.0.0.0 Safari/537.36":                 "linux",
		"Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0":                            "firefox",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:153.0) Gecko/20100101 Firefox/153.0":                  "firefox",
		"Mozilla/5.0 (Android 16; Mobile; rv:153.0) Gecko/153.0 Firefox/153.0":                              "android",
		"Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 Chrome/156.0.0.0 Mobile Safari/537.36":       "android",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 FxiOS/153.0":           "ios",
		"curl/7.88.1": "", "": "",
	} {
		if got := SystemOf(agent); got != want {
			t.Errorf("%s: %q", agent, got)
		}
	}
}

// TestLongPage: the longest that clients can make the page is no more work than the page.
func TestLongPage(t *testing.T) {
	v := visit
	v.Proxy = strings.Repeat("h", 253) + ":65535"
	v.Phones = "[2001:db8:1111:2222:3333:4444:5555:6666]:65535"
	v.System = SystemOf(strings.Repeat("Linux Android ", 4000))
	if n := len(pageOf(t, facts(), v)); n > 64<<10 {
		t.Errorf("%d bytes", n)
	}
	v.Phones = strings.Repeat("h", 4000)
	if _, err := Page(facts(), v); err == nil {
		t.Error("a QR code of a text that fits into none")
	}
}

func BenchmarkPage(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Page(facts(), visit); err != nil {
			b.Fatal(err)
		}
	}
}
