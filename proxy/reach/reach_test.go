package reach

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"warcorder/proxy/hosts"
)

// ownAddress is a public one of the machine itself.
const ownAddress = "198.51.100.7"

func judgeOf(t testing.TB, deny, allow string, beyond bool) *Judge {
	t.Helper()
	set := func(text string) hosts.Set {
		s, err := hosts.ParseSet(text)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	own, err := hosts.ParseNetworks(ownAddress)
	if err != nil {
		t.Fatal(err)
	}
	return New(Rules{set(deny), set(allow)}, Inside(), beyond, func() hosts.Networks { return own })
}

func parse(t testing.TB, texts string) (addresses []netip.Addr) {
	t.Helper()
	for text := range strings.FieldsSeq(texts) {
		addresses = append(addresses, netip.MustParseAddr(text))
	}
	return addresses
}

// look is a look-up of a name, and what of it may be dialled; or else a part of the reason.
type look struct{ host, addresses, passing, denial string }

const (
	rebinding = "DNS rebinding"
	ledInside = "the name has led into this network before"
	fromOut   = "other machines use this proxy"
)

// TestAddresses: which addresses of a host are dialled, look-up after look-up.
func TestAddresses(t *testing.T) {
	for _, c := range []struct {
		name, deny, allow string
		beyond            bool
		looks             []look
	}{
		{name: "on loopback all passes", looks: []look{
			{"a.example", "203.0.113.1 2001:db8::1", "203.0.113.1 2001:db8::1", ""},
			{"127.0.0.1", "127.0.0.1", "127.0.0.1", ""},
			{"::1", "::1", "::1", ""},
			{"::ffff:10.0.0.1", "10.0.0.1", "10.0.0.1", ""},
			{"169.254.169.254", "169.254.169.254", "169.254.169.254", ""},
			{"localhost", "127.0.0.1 ::1", "127.0.0.1 ::1", ""},
			{"router.lan", "192.168.1.1", "192.168.1.1", ""},
			{"us.example", ownAddress, ownAddress, ""},
		}},
		{name: "a name of both kinds", looks: []look{
			{"a.example", "127.0.0.1 203.0.113.1 10.0.0.1", "203.0.113.1", ""},
			{"a.example", "127.0.0.1", "", rebinding},
			{"b.example", "203.0.113.1 fe80::1%eth0", "203.0.113.1", ""},
			{"c.example", ownAddress + " 203.0.113.1", "203.0.113.1", ""},
		}},
		{name: "a name that moves inside", looks: []look{
			{"a.example", "203.0.113.1", "203.0.113.1", ""},
			{"a.example", "127.0.0.1", "", rebinding},
			{"a.example.", "127.0.0.1", "", rebinding},
			{"a.example", "::1 10.0.0.1", "", rebinding},
			{"a.example", "64:ff9b::7f00:1", "", rebinding},
			{"a.example", "2002:7f00:1::", "", rebinding},
			{"a.example", "::ffff:127.0.0.1", "", rebinding},
			{"a.example", "0.0.0.0", "", rebinding},
			{"a.example", ownAddress, "", rebinding},
			{"a.example", "203.0.113.2", "203.0.113.2", ""},
			{"b.a.example", "127.0.0.1", "127.0.0.1", ""},
		}},
		{name: "a name that moves outside", looks: []look{
			{"a.example", "127.0.0.1", "127.0.0.1", ""},
			{"a.example", "203.0.113.1", "", ledInside},
			{"a.example.", "203.0.113.1", "", ledInside},
			{"a.example", "203.0.113.1 10.0.0.1 2001:db8::1", "10.0.0.1", ""},
			{"a.example", ownAddress, ownAddress, ""},
			{"b.a.example", "203.0.113.1", "203.0.113.1", ""},
			{"0.example", "0.0.0.0", "0.0.0.0", ""},
			{"0.example", "203.0.113.1", "", "--allow=0.example."},
		}},
		{name: "a name that moves outside, denied inside", deny: "@private", looks: []look{
			{"a.example", "10.0.0.1", "", `the setting deny has "@private"`},
			{"a.example", "203.0.113.1", "203.0.113.1", ""},
			{"a.example", "127.0.0.1", "", rebinding},
		}},
		{name: "a name that moves outside, allowed by name", allow: "a.example", looks: []look{
			{"a.example", "127.0.0.1", "127.0.0.1", ""},
			{"a.example", "203.0.113.1", "203.0.113.1", ""},
		}},
		{name: "a name that moves outside, allowed by address", allow: "10.0.0.0/8", looks: []look{
			{"a.example", "10.0.0.1", "10.0.0.1", ""},
			{"a.example", "203.0.113.1", "203.0.113.1", ""},
			{"a.example", "127.0.0.1", "", rebinding},
			{"a.example", "10.0.0.1", "10.0.0.1", ""},
		}},
		{name: "a name that moves inside, allowed by name", allow: "a.example", looks: []look{
			{"a.example", "203.0.113.1", "203.0.113.1", ""},
			{"a.example", "127.0.0.1 203.0.113.1", "127.0.0.1 203.0.113.1", ""},
		}},
		{name: "a name that moves inside, allowed by address", allow: "10.0.0.0/8", looks: []look{
			{"a.example", "203.0.113.1 10.0.0.1 127.0.0.1", "203.0.113.1 10.0.0.1", ""},
		}},
		{name: "beyond loopback", beyond: true, looks: []look{
			{"a.example", "203.0.113.1", "203.0.113.1", ""},
			{"a.example", "203.0.113.1 127.0.0.1", "203.0.113.1", ""},
			{"127.0.0.1", "127.0.0.1", "", fromOut},
			{"::ffff:127.0.0.1", "127.0.0.1", "", "--allow=127.0.0.1."},
			{"64:ff9b::a00:1", "64:ff9b::a00:1", "", fromOut},
			{"fe80::1%eth0", "fe80::1%eth0", "", fromOut},
			{"router.lan", "192.168.1.1", "", "router.lan (192.168.1.1)"},
			{"router.lan", "192.168.1.1", "", "--allow=router.lan."},
			{"169.254.169.254", "169.254.169.254", "", "--allow=169.254.169.254."},
			{"168.63.129.16", "168.63.129.16", "", fromOut},
			{ownAddress, ownAddress, "", fromOut},
			{"us.example", ownAddress, "", fromOut},
		}},
		{name: "beyond loopback, allowed", beyond: true, allow: "*.lan,10.0.0.0/8", looks: []look{
			{"router.lan", "192.168.1.1 127.0.0.1", "192.168.1.1 127.0.0.1", ""},
			{"a.example", "10.0.0.1 192.168.1.1", "10.0.0.1", ""},
			{"10.0.0.1", "10.0.0.1", "10.0.0.1", ""},
			{"192.168.1.1", "192.168.1.1", "", fromOut},
		}},
		{name: "denied", deny: "*.bank.example, 203.0.113.0/24, @metadata", looks: []look{
			{"www.bank.example", "198.51.100.1", "", `the setting deny has "*.bank.example"`},
			{"b\u00fccher.bank.example", "198.51.100.1", "", "--allow=b\u00fccher.bank.example."},
			{"a;reboot;.bank.example", "198.51.100.1", "", "--allow=HOST."}, // nobody is to paste that
			{"bank.example", "198.51.100.1", "198.51.100.1", ""},
			{"a.example", "203.0.113.1 198.51.100.1", "198.51.100.1", ""},
			{"a.example", "203.0.113.1", "", `(203.0.113.1): the setting deny has "203.0.113.0/24"`},
			{"203.0.113.1", "203.0.113.1", "", `to 203.0.113.1: the setting deny has`},
			{"169.254.169.254", "169.254.169.254", "", `"@metadata"`},
			{"fd00:ec2::254", "fd00:ec2::254", "", `"@metadata"`},
		}},
		{name: "a white list", deny: "*", allow: "a.example, *.b.example, 192.0.2.0/24", looks: []look{
			{"a.example", "203.0.113.1 127.0.0.1", "203.0.113.1 127.0.0.1", ""},
			{"www.b.example", "203.0.113.1", "203.0.113.1", ""},
			{"c.example", "203.0.113.1", "", `the setting deny has "*"`},
			{"c.example", "203.0.113.1 192.0.2.1", "192.0.2.1", ""},
			{"127.0.0.1", "127.0.0.1", "", `the setting deny has "*"`},
			{"::ffff:192.0.2.7", "192.0.2.7", "192.0.2.7", ""},
		}},
		{name: "all is allowed", deny: "@private", allow: "@any", beyond: true, looks: []look{
			{"a.example", "10.0.0.1 127.0.0.1 203.0.113.1", "10.0.0.1 127.0.0.1 203.0.113.1", ""},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := judgeOf(t, c.deny, c.allow, c.beyond)
			for _, l := range c.looks {
				got, denial := j.Addresses(l.host, l.host, parse(t, l.addresses))
				if !slices.Equal(got, parse(t, l.passing)) || (denial == nil) != (l.passing != "") {
					t.Errorf("%s at %s: %v, %v", l.host, l.addresses, got, denial)
				} else if denial != nil && !strings.Contains(denial.Error(), l.denial) {
					t.Errorf("%s at %s: %v; want %q", l.host, l.addresses, denial, l.denial)
				}
			}
		})
	}
}

// TestNamesAlone: what is denied before a name server is asked, and where another machine asks it.
func TestNamesAlone(t *testing.T) {
	for _, c := range []struct {
		name, deny, allow string
		beyond            bool
		host, site        string
		here, elsewhere   bool // is denied
	}{
		{"no rule", "", "", false, "a.example", "a.example", false, false},
		{"denied", "a.example", "", false, "a.example", "a.example", true, true},
		{"denied by the name in the URL", "b.example", "", false, "a.example", "b.example", true, true},
		{"an address is judged as one", "*", "", false, "203.0.113.1", "203.0.113.1", false, true},
		{"allowed", "*", "a.example", false, "a.example", "a.example", false, false},
		{"allowed by what is dialled", "*", "a.example", false, "a.example", "b.example", false, false},
		{"not by the name in the URL", "*", "a.example", false, "b.example", "a.example", true, true},
		{"its addresses may be allowed", "*", "192.0.2.0/24", false, "a.example", "a.example", false,
			true},
		{"all addresses are denied", "@any", "", false, "a.example", "a.example", true, true},
		{"some are", "@private", "", false, "a.example", "a.example", false, false},
		{"inside, from outside", "", "", true, "127.0.0.1", "127.0.0.1", false, true},
		{"inside, from here", "", "", false, "127.0.0.1", "127.0.0.1", false, false},
		{"inside, mapped", "", "", true, "::ffff:10.0.0.1", "a.example", false, true},
		{"inside, by its name", "", "", true, "a.localhost.", "a.localhost.", false, true},
		{"allowed, by its name", "", "localhost", true, "localhost", "localhost", false, false},
		{"inside, one number", "", "", true, "2130706433", "2130706433", false, true},
		{"inside, hexadecimal", "", "", true, "0x7f.1", "0x7f.1", false, true},
		{"inside, octal", "", "", true, "0300.0250.1", "0300.0250.1", false, true},
		{"inside, in digits of another alphabet", "", "", true, "\uff11\uff12\uff17\u30021", "", false,
			true},
		{"inside, by its name, with another dot", "", "", true, "localhost\u3002", "", false, true},
		{"inside, percent-encoded", "", "", true, "%31%32%37.0.0.1", "", false, true},
		{"inside, its name percent-encoded", "", "", true, "%4Cocalhost", "", false, true},
		{"denied, percent-encoded", "a.example", "", false, "%61.example", "", false, true},
		{"denied by a percent-encoded URL", "b.example", "", false, "a.example", "%62.example", false,
			true},
		{"inside, up to a NUL", "", "", true, "127.0.0.1%00.example", "", false, true},
		{"a zone", "", "", false, "fe80::1%31", "", false, false},
		{"no encoding", "", "", true, "%zz.example", "", false, false},
		{"outside, one number", "", "", true, "134744072", "134744072", false, false},
		{"no number", "", "", true, "1.2.3.4.5", "1.2.3.4.5", false, false},
		{"a name that ends in one", "", "", true, "127.a.1", "127.a.1", false, false},
	} {
		j := judgeOf(t, c.deny, c.allow, c.beyond)
		if denial := j.Name(c.host, c.site); (denial != nil) != c.here {
			t.Errorf("%s: before it is looked up: %v", c.name, denial)
		}
		if denial := j.Elsewhere(c.host, c.site); (denial != nil) != c.elsewhere {
			t.Errorf("%s: looked up elsewhere: %v", c.name, denial)
		}
	}
}

// TestNoFlood: a page that makes up names by the hundred thousand does not make its own forgotten,
// nor takes memory or time, and others' names are not taken for its own.
func TestNoFlood(t *testing.T) {
	j := judgeOf(t, "", "", false)
	outside, inside := parse(t, "203.0.113.1"), parse(t, "127.0.0.1")
	j.Addresses("evil.example", "evil.example", outside)
	size := j.sides.outside.Cap()
	began := time.Now()
	for i := range 100_000 {
		name := fmt.Sprint(i, ".evil.example")
		j.Addresses(name, name, outside)
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("100,000 names took %v", took)
	}
	if _, denial := j.Addresses("evil.example", "evil.example", inside); denial == nil {
		t.Error("the name is forgotten")
	}
	taken := 0
	for i := range 1000 {
		name := fmt.Sprint("host", i, ".lan")
		if _, denial := j.Addresses(name, name, inside); denial != nil {
			taken++
		}
	}
	if taken > 0 || j.sides.outside.Cap() != size {
		t.Errorf("%d of 1000 names are taken for others; %d bits became %d", taken, size,
			j.sides.outside.Cap())
	}
}

// TestNoFloodInside: the same of names that lead inside. When there are too many, others lead
// outside only.
func TestNoFloodInside(t *testing.T) {
	j := judgeOf(t, "", "", false)
	out, in := parse(t, "203.0.113.1"), parse(t, "127.0.0.1")
	for i := range 2 * maxInside {
		name := fmt.Sprint(i, ".evil.example")
		j.Addresses(name, name, in)
	}
	if n := len(j.sides.inside); n != maxInside {
		t.Errorf("%d names are kept", n)
	}
	for _, c := range []struct {
		name      string
		addresses []netip.Addr
		says      string
	}{
		{"0.evil.example", out, ledInside}, {"0.evil.example", in, ""},
		{"a.example", in, "too many names"}, {"a.example", out, ""}, {"a.example", in, rebinding},
	} {
		_, denial := j.Addresses(c.name, c.name, c.addresses)
		if (denial == nil) != (c.says == "") || denial != nil && !strings.Contains(denial.Error(), c.says) {
			t.Errorf("%s at %v: %v", c.name, c.addresses, denial)
		}
	}
}

// TestOneSideAtOnce: of look-ups at the same time, whose answers differ, one side wins.
func TestOneSideAtOnce(t *testing.T) {
	j := judgeOf(t, "", "", false)
	sides := [2][]netip.Addr{parse(t, "203.0.113.1"), parse(t, "127.0.0.1")}
	for i := range 200 {
		var passed [2]atomic.Bool
		var asking sync.WaitGroup
		for k := range 8 {
			asking.Go(func() {
				name := fmt.Sprint(i, ".example")
				if _, denial := j.Addresses(name, name, sides[k%2]); denial == nil {
					passed[k%2].Store(true)
				}
			})
		}
		asking.Wait()
		if passed[0].Load() == passed[1].Load() {
			t.Fatalf("outside %v, inside %v", passed[0].Load(), passed[1].Load())
		}
	}
}

func BenchmarkAddresses(b *testing.B) {
	for _, c := range []struct{ name, deny string }{
		{"no rules", ""},
		{"ten rules", "@metadata,a.example,*.b.example,c.example,d.example,e.example,203.0.113.0/24," +
			"2001:db8::/32,@private,*.f.example"},
	} {
		b.Run(c.name, func(b *testing.B) {
			j := judgeOf(b, c.deny, "", false)
			addresses := parse(b, "198.51.100.1 2001:db9::1")
			b.ReportAllocs()
			for b.Loop() {
				j.Addresses("www.example.org", "www.example.org", addresses)
			}
		})
	}
}
