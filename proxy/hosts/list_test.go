package hosts

import "testing"

// TestLists: a host is found under all its spellings, and what could match none is refused: it
// would be recorded although its operator believes that it is not.
func TestLists(t *testing.T) {
	for _, c := range []struct {
		list, host string
		want       bool
	}{
		{"bank.example", "bank.example", true},
		{"Bank.Example", "bank.example", true},
		{"bank.example", "bank.example.", true}, // the dot of the root
		{"bank.example.", "bank.example", true},
		{"bank.example", "a.bank.example", false},
		{"*.bank.example", "a.bank.example", true},
		{"*.bank.example", "a.bank.example.", true},
		{"*.bank.example", "bank.example", false},
		{"*.bank.example", "otherbank.example", false},
		{".onion", "a.onion", true},
		{".onion", "onion", false},
		{"bücher.example", "xn--bcher-kva.example", true},
		{"xn--bcher-kva.example", "bücher.example", true},
		{"*.BÜCHER.example", "www.xn--bcher-kva.example", true},
		{"bank.example", "bank\u3002example\u3002", true}, // dots of another alphabet
		{"*.bank.example", "a.bank.example\uff0e", true},
		{"[2001:DB8::1]", "2001:db8:0:0:0:0:0:1", true},
		{"2001:db8:0:0::1", "2001:db8::1", true},
		{"::1", "::1", true},
		{"::1", "::2", false},
		{"under_score.example", "under_score.example", true},
		{" a.example , b.example", "b.example", true},
		{"*", "anything:at all", true},
		{"false", "false", false},
		{"a.example", "", false},
	} {
		list, err := ParseList(c.list)
		if err != nil || list.Has(c.host) != c.want {
			t.Errorf("%q holds %q: %v, %v; want %v", c.list, c.host, list.Has(c.host), err, c.want)
		}
		if again, err := ParseList(list.String()); err != nil || again.Has(c.host) != c.want {
			t.Errorf("%q read again: %v, %v", list, again, err)
		}
	}
	for _, bad := range []string{"bank.example:8443", "[::1]:443", "https://a.example", "a.example/x",
		"*.", ".", "a,", "a,*", "*.*.example", "a.*", "*a.example", "..a", "[a", "user@a", "xn--\u00fc\u200b:"} {
		if list, err := ParseList(bad); err == nil {
			t.Errorf("%q is read as %q", bad, list.Hosts)
		}
	}
}
