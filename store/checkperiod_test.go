package store

import "testing"

func TestCheckPeriod(t *testing.T) {
	for _, test := range []struct {
		from, to string
		ok       bool
	}{
		{"", "", true},
		{"2026", "", true},
		{"", "2999", true},
		{"2026", "2026", true},
		{"202602", "2026", true},
		{"2026", "20260228", true},
		{"20240229", "2024022923", true},
		{"202605011200", "20260501120000", true},
		{"20260501120003", "20260501120003", true},

		{"", "2", false},
		{"", "202", false},
		{"", "20261", false},
		{"", "2026113", false},
		{"", "202611300", false},
		{"", "202605011200000", false},
		{"20261399", "", false},
		{"", "20269999", false},
		{"", "20261199", false},
		{"20260229", "", false},
		{"20240010", "", false},
		{"", "2026050124", false},
		{"", "202605012360", false},
		{"", "20260501235961", false},
		{"yesterday", "", false},
		{"-202", "", false},
		{"2027", "2026", false},
		{"20260502", "202605", true},
		{"20260602", "202605", false},
	} {
		if err := CheckPeriod(test.from, test.to); (err == nil) != test.ok {
			t.Errorf("from %q to %q: %v", test.from, test.to, err)
		}
	}
}
