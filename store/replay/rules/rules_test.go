package rules

import (
	"strings"
	"testing"
)

// TestShipped: each rule says what it is for and where that is known, and has an example that it is
// needed for, and one that shows its limit. Both are tried both ways.
func TestShipped(t *testing.T) {
	for _, r := range Shipped().rules {
		t.Run(r.name, func(t *testing.T) {
			if r.reason == "" || r.known == "" {
				t.Error("it does not say what it is for, or where that is known")
			}
			if len(r.same) == 0 || len(r.differs) == 0 {
				t.Error("it has no pair that shows it, or none that shows its limit")
			}
			if err := r.try(); err != nil {
				t.Error(err)
			}
			for _, p := range r.same {
				if asCapture(&p[0]).URLKey == asCapture(&p[1]).URLKey {
					t.Errorf("%s and %s have one key without it", p[0].URL, p[1].URL)
				}
			}
		})
	}
}

// TestShippedTogether: all rules at once keep apart what each of them keeps apart.
func TestShippedTogether(t *testing.T) {
	all := Shipped()
	for _, r := range all.rules {
		for _, p := range r.differs {
			for _, pair := range []pair{p, {p[1], p[0]}} {
				if found := all.find(&pair[0], &pair[1]); found != "" {
					t.Errorf("%s: %s takes %s for %s", r.name, found, pair[0].URL, pair[1].URL)
				}
			}
		}
		for _, p := range r.same {
			if found := all.find(&p[0], &p[1]); !strings.Contains("+"+found+"+", "+"+r.name+"+") {
				t.Logf("%s: an example of it is found by %q first", r.name, found)
			}
		}
	}
}
