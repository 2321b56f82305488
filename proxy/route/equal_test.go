package route

import "testing"

// TestEqual: routes are equal that lead everywhere by the same ways, with the same passwords.
func TestEqual(t *testing.T) {
	environment := func(values map[string]string) *Routes {
		e, err := FromEnvironment(func(name string) string { return values[name] },
			func(string, string) bool { return false })
		if err != nil {
			t.Fatal(err)
		}
		return &e.Routes
	}
	list := func(text string) *Routes {
		routes, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		return &routes
	}
	makers := map[string]func() *Routes{
		"none":         func() *Routes { return new(Routes) },
		"one":          func() *Routes { return list("http://a:pw@p.test:1") },
		"a password":   func() *Routes { return list("http://a:pW@p.test:1") },
		"a port":       func() *Routes { return list("http://a:pw@p.test:2") },
		"a chain":      func() *Routes { return list("http://a:pw@p.test:1 socks5://q.test:1") },
		"a pattern":    func() *Routes { return list("*.test=http://a:pw@p.test:1") },
		"direct":       func() *Routes { return list("a.test=direct") },
		"environment":  func() *Routes { return environment(map[string]string{"http_proxy": "p.test:1"}) },
		"its secure":   func() *Routes { return environment(map[string]string{"https_proxy": "p.test:1"}) },
		"its NO_PROXY": func() *Routes { return environment(map[string]string{"http_proxy": "p.test:1", "no_proxy": "a"}) },
	}
	for name, one := range makers {
		for other, two := range makers {
			if got := one().Equal(two()); got != (name == other) {
				t.Errorf("%s and %s: %t", name, other, got)
			}
		}
	}
}
