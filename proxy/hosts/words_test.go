package hosts

import (
	"regexp"
	"strings"
	"testing"

	"warcorder/proxy/http1"
)

// TestBrowserChatterFile: each line has a host in its one spelling, once, and says what it is for;
// none is one of the sites that the file says are left out.
func TestBrowserChatterFile(t *testing.T) {
	if !regexp.MustCompile(`(?m)^# Version 20\d\d-\d\d-\d\d\.`).MatchString(browserChatter) {
		t.Error("the file does not say of when it is")
	}
	sites := map[string]bool{}
	for line := range strings.Lines(browserChatter) {
		if list, is := strings.CutPrefix(line, "#   "); is {
			for _, site := range strings.Fields(list) {
				sites[site] = true
			}
		}
	}
	if len(sites) < 10 {
		t.Errorf("%d sites are left out: are they still marked so?", len(sites))
	}
	list := List{Hosts: []string{BrowserChatter}}
	for site := range sites {
		if list.Has(site) {
			t.Errorf("%s is in the list", site)
		}
	}
	seen := map[string]bool{}
	for line := range strings.Lines(browserChatter) {
		if strings.HasPrefix(line, "#") || line == "\n" {
			continue
		}
		host, what, _ := strings.Cut(strings.TrimSpace(line), " ")
		if parsed, err := ParseList(host); err != nil || parsed.String() != host || seen[host] {
			t.Errorf("%q: %v, %v, seen before: %t", host, parsed, err, seen[host])
		}
		if strings.TrimSpace(what) == "" || !strings.Contains(what, "  ") && len(host) < 38 {
			t.Errorf("%q is not said what for: %q", host, what)
		}
		seen[host] = true
	}
	if n := len(seen); n < 50 || n > 300 {
		t.Errorf("%d hosts", n)
	}
}

// TestWords: a word stands for its list, beside hosts and in any spelling; one that is none is an
// error that names those that are.
func TestWords(t *testing.T) {
	for _, c := range []struct {
		list, host string
		want       bool
	}{
		{"@browser-chatter", "update.googleapis.com", true},
		{"@Browser-Chatter", "update.googleapis.com.", true},
		{"@browser-chatter", "r1---sn-abc.gvt1.com", true},
		{"@browser-chatter", "a.b.c.gvt1.com", true},
		{"@browser-chatter", "gvt1.com", false},
		{"@browser-chatter", "notgvt1.com", false},
		{"@browser-chatter", "x.update.googleapis.com", false},
		{"@browser-chatter", "msedge.b.tlu.dl.delivery.mp.microsoft.com", true},
		{"@browser-chatter", "example.org", false},
		{"@browser-chatter", "", false},
		{"@browser-chatter", ".", false},
		{"@browser-chatter", "com", false},
		{"bank.example, @browser-chatter", "bank.example", true},
		{"@browser-chatter,*.bank.example", "a.bank.example", true},
		{"@browser-chatter,bank.example", "aus5.mozilla.org", true},
		{"*", "example.org", true},
		{"false", "update.googleapis.com", false},
	} {
		list, err := ParseWords(c.list)
		if err != nil || list.Has(c.host) != c.want {
			t.Errorf("%q holds %q: %v, %v; want %v", c.list, c.host, list.Has(c.host), err, c.want)
		}
		if again, err := ParseWords(list.String()); err != nil || again.Has(c.host) != c.want {
			t.Errorf("%q read again: %v, %v", list, again, err)
		}
	}
	for _, bad := range []string{"@", "@browser", "a.example,@chatter", "@browser-chatter,"} {
		if list, err := ParseWords(bad); err == nil {
			t.Errorf("%q is read as %q", bad, list.Hosts)
		}
	}
	if _, err := ParseWords("@foo"); err == nil || !strings.Contains(err.Error(), BrowserChatter) {
		t.Errorf("the words are not named: %v", err)
	}
	if _, err := ParseList(BrowserChatter); err == nil {
		t.Error("a list without words has one")
	}
}

// TestWith: a word is added once, to a list of its own.
func TestWith(t *testing.T) {
	before := List{Hosts: make([]string, 0, 4)}
	after := before.With(BrowserChatter).With(BrowserChatter)
	if len(before.Hosts) != 0 || len(after.Hosts) != 1 || before.Hosts[:1][0] != "" {
		t.Errorf("%q, %q", before.Hosts, after.Hosts)
	}
}

// TestWordsAllocateNothing, and take no longer for a name that is made of dots.
func TestWordsAllocateNothing(t *testing.T) {
	list := List{Hosts: []string{BrowserChatter}}
	list.Has("read.it.once")
	for _, host := range []string{"example.org", strings.Repeat("a.", http1.MaxHost/2),
		strings.Repeat(".", http1.MaxHost)} {
		if n := testing.AllocsPerRun(100, func() { list.Has(host) }); n > 0 {
			t.Errorf("%.20q: %v allocations", host, n)
		}
	}
	longest := words[BrowserChatter]().labels
	if longest > 8 {
		t.Errorf("%d labels of each host are looked at", longest)
	}
}

func BenchmarkHas(b *testing.B) {
	for name, list := range map[string]List{
		"none":  {},
		"three": {Hosts: []string{"bank.example", "*.bank.example", "mail.example"}},
		"word":  {Hosts: []string{BrowserChatter}},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				list.Has("www.some-site.example.org")
			}
		})
	}
}
