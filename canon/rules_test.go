package canon

import (
	"strings"
	"testing"

	"warcorder/canon/json"
)

// TestJSONRules: each dialect takes what its tool takes.
func TestJSONRules(t *testing.T) {
	nested := func(n int) string {
		return strings.Repeat(`[{"a":`, n/2) + "1" + strings.Repeat("}]", n/2)
	}
	number := func(digits int) string { return "-" + strings.Repeat("1", digits) }
	tests := []struct {
		name, src string
		rules     json.Rules
		ok        bool
	}{
		{"depth of pywb", nested(990), pywbRules, true},
		{"too deep for pywb", nested(992), pywbRules, false},
		{"depth of warcio.js", nested(3000), warcioJSRules, true},
		{"too deep for warcio.js", nested(3002), warcioJSRules, false},
		{"far too deep", strings.Repeat("[", 1<<20), warcioJSRules, false},
		{"digits of pywb", number(4300), pywbRules, true},
		{"too many digits", number(4301), pywbRules, false},
		{
			"too many digits in what a duplicate hides",
			`{"a":` + number(4301) + `,"a":1}`,
			pywbRules,
			false,
		},
		{"digits with a fraction", number(5000) + ".5", pywbRules, true},
		{"digits elsewhere", number(5000), specRules, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, ok := json.Parse(tt.src, tt.rules); ok != tt.ok {
				t.Errorf("%v, want %v", ok, tt.ok)
			}
		})
	}
}
