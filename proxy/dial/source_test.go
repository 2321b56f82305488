package dial

import "testing"

// TestParseSourceAddress: an address of each family at most, and of this machine.
func TestParseSourceAddress(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "",
		"192.0.2.1":              "192.0.2.1",
		"2001:db8::1, 192.0.2.1": "192.0.2.1,2001:db8::1",
		"[2001:db8::1]":          "2001:db8::1",
		"::ffff:192.0.2.1":       "192.0.2.1",
		"fe80::1%eth0":           "fe80::1%eth0",
	} {
		if s, err := ParseSourceAddress(text); err != nil || s.String() != want {
			t.Errorf("%q: %v, %v", text, s, err)
		}
	}
	for _, bad := range []string{"eth0", "192.0.2.0/24", "192.0.2.1:80", "0.0.0.0", "::", "224.0.0.1",
		"192.0.2.1,192.0.2.2", "2001:db8::1,2001:db8::2", ",", "192.0.2.1,"} {
		if s, err := ParseSourceAddress(bad); err == nil {
			t.Errorf("%q is read as %v", bad, s)
		}
	}
	for text, ok := range map[string]bool{"": true, "127.0.0.1": true, "192.0.2.1": false,
		"127.0.0.1,2001:db8::1": false} {
		s, err := ParseSourceAddress(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Check(); (err == nil) != ok {
			t.Errorf("%q: %v", text, err)
		}
	}
}
