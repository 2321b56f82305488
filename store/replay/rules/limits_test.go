package rules

import (
	"fmt"
	"strings"
	"testing"
)

func ownRules(t *testing.T, yaml string) *Set {
	t.Helper()
	s, err := Parse([]byte(yaml))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func jsonBody(text string) Asked {
	return Asked{Method: "POST", URL: "https://a.example/x", ContentType: "application/json",
		Body: []byte(text)}
}

// TestFits has what fits by an own rule, and what does not, wherever it would lie.
func TestFits(t *testing.T) {
	get := func(url string) Asked { return Asked{Method: "GET", URL: url} }
	const id = `"0b54b6b2-3ec5-4a8e-9d0e-0123456789ab"`
	for _, c := range []struct {
		name, rule      string
		asked, captured Asked
		want            bool
	}{
		{"as asked", "query: {x: any}", get("https://a.example/?x=1"), get("https://a.example/?x=2"), true},
		{"another host", "query: {x: any}", get("https://a.example/?x=1"), get("https://b.example/?x=2"),
			false},
		{"another port", "query: {x: any}", get("https://a.example/?x=1"),
			get("https://a.example:8443/?x=2"), false},
		{"another path", "query: {x: any}", get("https://a.example/a?x=1"), get("https://a.example/b?x=2"),
			false},
		{"another method", "query: {x: any}\n  body: any", get("https://a.example/?x=1"),
			form("https://a.example/?x=2", "a"), false},
		{"a rule for POST", "query: {x: any}\n  method: POST", get("https://a.example/?x=1"),
			get("https://a.example/?x=2"), false},
		{"one of two of a name", "query: {x: digits}", get("https://a.example/?x=abc&x=222222"),
			get("https://a.example/?x=111111&x=abc"), true},
		{"a leaf that comes again", "body: {id: uuid}", jsonBody(`{"a":[{"id":` + id + `},{"id":` + id + `}]}`),
			jsonBody(`{"a":[{"id":` + id + `},{"id":` + strings.ReplaceAll(id, "a", "c") + `}]}`), true},
		{"a leaf that does not look so", "body: {id: uuid}", jsonBody(`{"a":[{"id":` + id + `},{"id":1}]}`),
			jsonBody(`{"a":[{"id":` + id + `},{"id":2}]}`), false},
		{"a list in another order", "body: {id: uuid}", jsonBody(`{"id":` + id + `,"a":[1,2]}`),
			jsonBody(`{"id":` + id + `,"a":[2,1]}`), false},
		{"fields in another order", "body: {id: any}", form("https://a.example/", "id=1&a=1&b=2"),
			form("https://a.example/", "b=2&id=3&a=1"), true},
		{"an empty field first", "body: {id: any}", form("https://a.example/", "&id=1&a=1"),
			form("https://a.example/", "&id=2&a=1"), true},
		{"a name that is kept", "query: any\n  keep: A", get("https://a.example/?a=1&b=1"),
			get("https://a.example/?a=2&b=1"), false},
		{"matrix parameters", "matrix: {s: any}", get("https://a.example/a;s=1;t=2/b"),
			get("https://a.example/a;t=2;s=3/b"), true},
		{"others of them", "matrix: {s: any}", get("https://a.example/a;s=1;t=2/b"),
			get("https://a.example/a;t=3;s=3/b"), false},
		{"more than was asked", "query: {x: any}\n  either: true", get("https://a.example/"),
			get("https://a.example/?x=2"), true},
		{"more, and not by that rule", "query: {x: any}", get("https://a.example/"),
			get("https://a.example/?x=2"), false},
		{"what has too much", "query: {x: any}\n  either: true", get("https://a.example/"),
			get("https://a.example/?x=2&y=1"), false},
		{"a body of more than 1 MiB", `body: {"*": hex}`,
			form("https://a.example/", "abcdef01=deadbeef&"+strings.Repeat("a", 1<<20)),
			form("https://a.example/", "abcdef01=deadbeef&"+strings.Repeat("a", 1<<20)+"b"), false},
		{"bytes", `query: {x: any}`, Asked{Method: "POST", URL: "https://a.example/?x=1", Body: []byte{1, 2}},
			Asked{Method: "POST", URL: "https://a.example/?x=2", Body: []byte{1, 2}}, true},
		{"other bytes", `query: {x: any}`, Asked{Method: "POST", URL: "https://a.example/?x=1",
			Body: []byte{1, 2}}, Asked{Method: "POST", URL: "https://a.example/?x=2", Body: []byte{1, 3}}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := ownRules(t, "- name: own\n  "+c.rule)
			if got := s.find(&c.asked, &c.captured) != ""; got != c.want {
				t.Errorf("found: %v", got)
			}
			for _, search := range s.For(&c.asked) { // Fits decides, wherever a caller looks
				if got := search.Fits(asCapture(&c.captured)); got && !c.want {
					t.Error("it fits")
				}
			}
		})
	}
}

// TestStrictest: what leaves out less is tried first, and of many rules only some.
func TestStrictest(t *testing.T) {
	s := ownRules(t, `
- {name: long, query: {long: any}}
- {name: short, query: {s: any}}
- {name: middle, query: {m: any}}
- {name: all, query: any}
- {name: more, query: {more: any}, either: true}
`)
	var got []string
	for _, search := range s.For(&Asked{Method: "GET",
		URL: "https://a.example/?a=1&s=1&m=12&long=" + strings.Repeat("1", 20)}) {
		if !search.Exact {
			got = append(got, search.Rule)
		}
	}
	want := "[short middle short+middle long short+middle+long all short+middle+long+all+more]"
	if fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
	var many, url strings.Builder
	for i := range 100 {
		fmt.Fprintf(&many, "- {name: r%d, query: {a%d: any}}\n", i, i)
		fmt.Fprintf(&url, "&a%d=%s", i, strings.Repeat("1", i))
	}
	found := ownRules(t, many.String()).For(&Asked{Method: "GET", URL: "https://a.example/?b=1" + url.String()})
	if len(found) != 2*maxJoint-1 || found[0].Rule != "r0" {
		t.Errorf("%d searches, the first by %s", len(found), found[0].Rule)
	}
}

// TestTwoSpellings: http and https, www and not, and escapes that need not be are one.
func TestTwoSpellings(t *testing.T) {
	s := Shipped()
	captured := Asked{Method: "GET", URL: "https://www.a.example/caf%c3%a9?q=%61b&_=1700000000000"}
	for url, want := range map[string]bool{
		"http://a.example:80/caf%C3%A9?q=ab&_=1712345678901": true,
		"https://a.example/caf%C3%A9?q=aB&_=1712345678901":   false,
		"https://a.example/CAF%C3%A9?q=ab&_=1712345678901":   false,
		"https://a.example/caf%C3%A9?q=a+b&_=1712345678901":  false,
	} {
		if got := s.find(&Asked{Method: "GET", URL: url}, &captured) != ""; got != want {
			t.Errorf("%s: %v", url, got)
		}
	}
}
