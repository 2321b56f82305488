package route

import (
	"strings"
	"testing"
)

// BenchmarkTo is what each request takes that asks for its way.
func BenchmarkTo(b *testing.B) {
	environment, err := FromEnvironment(func(name string) string {
		return map[string]string{"ALL_PROXY": "p", "NO_PROXY": ".a.example,10.0.0.0/8"}[name]
	}, func(string, string) bool { return false })
	if err != nil {
		b.Fatal(err)
	}
	routes := map[string]Routes{"no rule": {}, "environment": environment.Routes}
	if routes["10 rules"], err = Parse(strings.Repeat("*.a.example=http://p,", 9) + "socks5://q"); err != nil {
		b.Fatal(err)
	}
	for name, r := range routes {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r.To(true, "www.b.example", "443")
			}
		})
	}
}
