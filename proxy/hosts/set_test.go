package hosts

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"
)

// TestSets: names are found by patterns, addresses by networks, and each names what it was found
// by.
func TestSets(t *testing.T) {
	for _, c := range []struct{ set, host, want string }{
		{"", "a.example", ""},
		{"*", "a.example", "*"},
		{"*", "203.0.113.1", "*"},
		{"@any", "a.example", "@any"},
		{"@any", "2001:db8::1", "@any"},
		{"b.example, *.A.example", "www.a.example", "*.a.example"},
		{"b.example, *.A.example", "a.example", ""},
		{"BÜCHER.example", "xn--bcher-kva.example", "bücher.example"},
		{"a.example.", "a.example", "a.example."},
		{"*.onion", "abc.onion", "*.onion"},
		{"192.0.2.7", "192.0.2.7", "192.0.2.7"},
		{"192.0.2.7", "::ffff:192.0.2.7", "192.0.2.7"},
		{"a.example,@private,10.0.0.1", "10.0.0.1", "@private"},
		{"[2001:DB8::1]", "2001:db8::1", "[2001:db8::1]"},
		{"2001:db8::/32", "2001:db8:ffff::", "2001:db8::/32"},
		{"@private", "private", ""},
		{"0xcafe.example", "0xcafe.example", "0xcafe.example"},
		{"7.example", "7.example", "7.example"},
	} {
		set, err := ParseSet(c.set)
		if err != nil {
			t.Errorf("%q: %v", c.set, err)
			continue
		}
		if got := find(set, c.host); got != c.want {
			t.Errorf("%q holds %q by %q, want %q", c.set, c.host, got, c.want)
		}
		if again, err := ParseSet(set.String()); err != nil || find(again, c.host) != c.want {
			t.Errorf("%q read again: %v", set, err)
		}
	}
}

func find(set Set, host string) (text string) {
	if address, err := netip.ParseAddr(host); err == nil {
		text, _ = set.OfAddress(address)
		return text
	}
	text, _ = set.OfName(host)
	return text
}

// TestManyPatterns: a name that is long and in another alphabet takes no longer for each pattern.
func TestManyPatterns(t *testing.T) {
	var text strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&text, "*.host%d.example,", i)
	}
	set, err := ParseSet(text.String() + "*.\u4e00.example")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		strings.Repeat("\u4e00\u0301", 200):                          "",
		strings.Repeat("\u00fc.", 300):                               "",
		strings.Repeat("\u00fc.", 200) + "\u4e00\u3002example\u3002": "*.\u4e00.example",
	} {
		began := time.Now()
		if got, _ := set.OfName(name); got != want {
			t.Errorf("%q is in %q", name, got)
		}
		if took := time.Since(began); took > time.Second {
			t.Errorf("%q took %v", name, took)
		}
	}
}

// TestNoSets: what could match nothing is refused, in words that say what is meant.
func TestNoSets(t *testing.T) {
	for _, bad := range []string{"http://a.example", "a.example:80", "192.0.2.1:80", "[::1]:80", "a/b",
		"192.0.2.0/33", "192.0.2/24", "@home", "@", "a,", ",", "*.*.example", "a.*", "true", "false",
		"127.1", "2130706433", "0x7f.1", "0x7f000001", "0177.0.0.1", "1.2.3.4.5", "*.1", "1.2.3.4.",
		"fe80::/10%eth0", "user@a.example", "::1::", "0x"} {
		if set, err := ParseSet(bad); err == nil || !strings.Contains(err.Error(), "without scheme") {
			t.Errorf("%q: %q, %v", bad, set, err)
		}
	}
}

// FuzzSet: what is read is read again from its own text, and means the same; what a file says is
// read in linear time.
func FuzzSet(f *testing.F) {
	for _, text := range []string{"*", "@any,@private", "a.example, *.b.example", "192.0.2.0/24,::1",
		"[::1]", "http://a", "0x7f.1", "bücher.example.", "::ffff:10.0.0.0/104",
		strings.Repeat("a,", 99)} {
		f.Add(text, "a.example", []byte{10, 0, 0, 1})
	}
	f.Fuzz(func(t *testing.T, text, host string, address []byte) {
		began := time.Now()
		set, err := ParseSet(text)
		if took := time.Since(began); took > time.Second+time.Duration(len(text))*10*time.Microsecond {
			t.Fatalf("%d bytes took %v", len(text), took)
		}
		if err != nil {
			return
		}
		again, err := ParseSet(set.String())
		if err != nil || again.String() != set.String() {
			t.Fatalf("%q is read as %q, and that as %q, %v", text, set, again, err)
		}
		name, byName := set.OfName(host)
		if other, has := again.OfName(host); other != name || has != byName {
			t.Fatalf("%q has %q by %q, and %q by %q", set, host, name, again, other)
		}
		one, ok := netip.AddrFromSlice(address)
		if !ok {
			return
		}
		network, byAddress := set.OfAddress(one)
		if _, mapped := set.OfAddress(netip.AddrFrom16(one.As16())); mapped != byAddress {
			t.Fatalf("%q has %v by %q, and not as it is written in IPv6, or the other way round", set, one,
				network)
		}
	})
}
