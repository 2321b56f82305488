package rules

import (
	"strings"
	"testing"
)

// TestParse has what is refused, and in which words.
func TestParse(t *testing.T) {
	for _, c := range []struct{ name, yaml, want string }{
		{"nothing", "", ""},
		{"null", "null", ""},
		{"no rules", "[]", ""},
		{"as JSON", `[{"name":"a","query":{"x":"any"}}]`, ""},
		{"the word any", "- name: a\n  query: any\n  keep: id", ""},
		{"a path", "- name: a\n  path: /x/{digits uuid}/{s=*}/**", ""},
		{"a mapping", "name: a", "line 1: expected a list of rules"},
		{"no YAML", "- [", "yaml: line 1"},
		{"no rule", "- a", "line 1: expected a rule"},
		{"no name", "- query: any", `rule "", line 1: a name is`},
		{"a bad name", "- name: A b\n  query: any", `rule "A b", line 1: a name is`},
		{"twice", "- name: a\n  query: any\n- name: a\n  query: any",
			`rule "a", line 3: there is another rule of that name`},
		{"a member twice", "- name: a\n  query: any\n  query: any", `rule "a", line 1: query is there twice`},
		{"leaves nothing out", "\n- name: a\n  host: a.example", `rule "a", line 2: it leaves nothing out`},
		{"an unknown key", "- name: a\n  querry: any", `rule "a", line 1: querry: a rule has no such key`},
		{"an unknown kind", "- name: a\n  query: {x: number}", `query: x: "number" is no kind: use any, base64`},
		{"no kind", "- name: a\n  query: {x: ''}", "query: x: a kind of values is missing"},
		{"no terms", "- name: a\n  query: [x]", "query: expected names with kinds"},
		{"a bad argument", "- name: a\n  query: {'x y': any}", "query: x y: a name is printable ASCII"},
		{"two stars", "- name: a\n  query: {'*x*': any}", "one * at most"},
		{"an argument twice", "- name: a\n  query: {x: any, X: any}", "query: X: it is there twice"},
		{"stars twice", "- name: a\n  query: {x*: any, X*: any}", "query: X*: it is there twice"},
		{"a bad host", "- name: a\n  query: any\n  host: 'https://a.example/'", "host: \"https://a.example/\" is no host"},
		{"a star host", "- name: a\n  query: any\n  host: '*'", `host: "*" is no host`},
		{"no path", "- name: a\n  query: any\n  path: x", `path: "x": a path begins with /`},
		{"a bad segment", "- name: a\n  query: any\n  path: /a*b*", "one * at most"},
		{"a bad kind of segment", "- name: a\n  query: any\n  path: '/{x}'", `"x" is no kind`},
		{"varies", "- name: a\n  host-varies: true", "host-varies needs the hosts"},
		{"no truth", "- name: a\n  query: any\n  either: 1", "either: expected true or false"},
		{"an alias", "- &a {name: a, query: any}\n- *a", "line 2: expected a rule"},
		{"a line of its own", `[{"name":"a","line":"17","query":{"x":"y"}}]`, `rule "a", line 17: query: x:`},
		{"an example", "- name: a\n  query: {x: any}\n  same: [['http://a/?x=1', 'http://a/?x=2']]", ""},
		{"a wrong example", "- name: a\n  query: {x: any}\n  same: [['http://a/?x=1&y=1', 'http://a/?x=2&y=2']]",
			`rule "a", line 1: same: it tells http://a/?x=1&y=1 and http://a/?x=2&y=2 apart`},
		{"a wrong limit", "- name: a\n  query: {x: any}\n  differs: [['http://a/?x=1', 'http://a/?x=2']]",
			`rule "a", line 1: differs: it takes http://a/?x=1 for http://a/?x=2`},
		{"no pair", "- name: a\n  query: {x: any}\n  same: [['http://a/?x=1']]", "expected pairs of requests"},
		{"no request", "- name: a\n  query: {x: any}\n  same: [['urn:a', 'urn:b']]", `"GET urn:a" is no request`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := Parse([]byte(c.yaml))
			if c.want == "" {
				if err != nil || s == nil {
					t.Fatal(err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

// TestWith: own rules are added to those that are shipped.
func TestWith(t *testing.T) {
	own, err := Parse([]byte("- name: own\n  query: {chance: any}"))
	if err != nil {
		t.Fatal(err)
	}
	all := Shipped().With(own).With(nil)
	if got := all.find(&Asked{Method: "GET", URL: "http://a/?chance=1&_=1700000000000"},
		&Asked{Method: "GET", URL: "http://a/?chance=2&_=1800000000000"}); got != "own+jquery-cache" {
		t.Errorf("found by %q", got)
	}
	if len(Shipped().rules)+1 != len(all.rules) {
		t.Error("a rule is lost")
	}
}

// TestKinds has what looks like each kind, and what does not quite.
func TestKinds(t *testing.T) {
	for _, c := range []struct{ kind, is, isNot string }{
		{"any", "x", "-"},
		{"empty", "", "x"},
		{"digits", "123456", "12345"},
		{"digits", "0000000000", "12345a"},
		{"hex", "0aF9c1e2", "0aF9c1e"},
		{"hex", "deadbeef", "deadbeeg"},
		{"uuid", "0b54b6b2-3ec5-4a8e-9d0e-0123456789aB", "0b54b6b2-3ec5-4a8e-9d0e-0123456789a"},
		{"uuid", "00000000-0000-0000-0000-000000000000", "00000000-0000-0000-00000-00000000000"},
		{"base64", "AAECAwQFBgcICQ==", "AAECAwQFBgc="},
		{"base64", "ab-_ab-_ab-_ab-_", "ab=_ab-_ab-_ab-_"},
		{"fraction", "0.8471029384756", "0.847"},
		{"fraction", "0.84710293847e-7", "1.8471029384756"},
		{"seconds", "1700000000", "999999999"},
		{"seconds", "1700000000.123", "9700000000"},
		{"milliseconds", "1700000000000", "1700000000"},
		{"date", "2024-01-02T03:04:05.123Z", "2024-01-02"},
		{"date", "20240102T030405Z", "2024-01-02Tea"},
		{"time", "1700000000", "17"},
		{"id", "k3ld92mf", "kkkkkkkk"},
		{"id", "a1-_a1-_", "12345678"},
		{"word", "-", ""},
		{"word", "a_1", "a.1"},
		{"callback", "jQuery321048_1700000000000", "showPrices"},
		{"callback", "angular.callbacks._0", "7"},
		{"chance", "0.8471029384756", "2"},
		{"empty digits", "", "1"},
	} {
		k, err := parseKinds(c.kind)
		if err != nil || !k.have(c.is) || c.isNot != "-" && k.have(c.isNot) {
			t.Errorf("%s: %q is one: %v, %q: %v; %v", c.kind, c.is, k.have(c.is), c.isNot,
				k.have(c.isNot), err)
		}
	}
}

// TestPaths has patterns, and what they match.
func TestPaths(t *testing.T) {
	for _, c := range []struct {
		pattern, path string
		want          bool
	}{
		{"/", "/", true}, {"/", "", true}, {"/", "/a", false},
		{"/a", "/a", true}, {"/a", "/a/", false}, {"/a/", "/a/", true}, {"/a", "/A", false},
		{"/a*", "/abc", true}, {"/a*c", "/ac", true}, {"/a*c", "/a", false}, {"/aba*aba", "/aba", false},
		{"/*", "/", true}, {"/*/b", "/a/b", true}, {"/*/b", "/a/c/b", false},
		{"/**", "/", true}, {"/**", "/a/b", true},
		{"/**/b", "/b", true}, {"/**/b", "/a/b/a/b", true}, {"/**/b", "/a/b/a", false},
		{"/a/**", "/a/", true}, {"/a/**", "/a", true}, {"/a/**", "/b/a", false},
		{"/**/a/**/b/**", "/x/a/y/b/z", true}, {"/**/a/**/b/**", "/x/b/y/a/z", false},
		{"/**/a/b", "/a/a/a/b", true}, {"/{digits}", "/123456", true}, {"/{digits}", "/1", false},
		{"/caf\u00e9", "/caf%C3%A9", true},
	} {
		p, err := parsePath(c.pattern)
		if err != nil {
			t.Fatal(err)
		}
		if _, got := p.match(appendSegments(nil, c.path)); got != c.want {
			t.Errorf("%s matches %s: %v", c.pattern, c.path, got)
		}
	}
}
