package canon

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// leavesOf lists the leaves of a JSON text as name=literal.
func leavesOf(t testing.TB, src string, rules jsonRules) (leaves []string, ok bool) {
	t.Helper()
	p, ok := parseJSON(src, rules)
	if !ok {
		return nil, false
	}
	p.each(func(name uint32, literal string) bool {
		leaves = append(leaves, p.names.text(name)+"="+literal)
		return true
	})
	return leaves, true
}

func TestParseJSON(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"scalar", " 1 ", "=1"},
		{
			"runs",
			`{"a":[1, "x" ,null,[true],2,{"b":3},4 , 5]}`,
			`a=1 a="x" a=null a=true a=2 b=3 a=4 a=5`,
		},
		{"outer names are dropped", `{"a":{"b":{"c":1}},"d":[{"e":2}]}`, "c=1 e=2"},
		{"name of an array in an array", `{"a":[[1],[[2]]]}`, "a=1 a=2"},
		{"empty containers", `{"a":[],"b":{},"c":[[],{}],"d":1}`, "d=1"},
		{"duplicates", `{"a":1,"b":2,"a":{"c":[3,4]},"b":[]}`, "c=3 c=4"},
		{"duplicates within", `[{"a":1,"a":2},{"a":3}]`, "a=2 a=3"},
		{"escaped names", `{"\u0061\n":1}`, "a\n=1"},
		{"numbers", `[0,-0,0.0,1e5,1E+5,-1.5e-5,10]`, "=0 =-0 =0.0 =1e5 =1E+5 =-1.5e-5 =10"},
		{"commas in strings", `["a,b", "c"]`, `="a,b" ="c"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			leaves, ok := leavesOf(t, tt.src, specRules)
			if got := strings.Join(leaves, " "); !ok || got != tt.want {
				t.Errorf("%s: %s, %v, want %s", tt.src, got, ok, tt.want)
			}
		})
	}
}

func TestParseJSONErrors(t *testing.T) {
	for _, src := range []string{
		"", " ", "{", "[", "}", "]", "{]", "[}", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "{,}", `{"a"}`, `{"a":}`,
		`{"a":1,}`, `{a:1}`, `{'a':1}`, `{"a" 1}`, `{"a":1 "b":2}`, `{"a":1}x`, `{"a":1}{}`, "[1]]", `{"a":1]`,
		"01", "-", "+1", "1.", ".5", "1e", "1e+", "0x1", "1_0", "--1", "-01", "00", "1.e5",
		"tru", "True", "nul", "truefalse", "NaN", "Infinity", "-Infinity", "undefined",
		`"`, `"a`, `"\`, `"\"`, `"\x"`, `"\u"`, `"\u12"`, `"\u12g4"`, `"\u+123"`, `"\u 123"`, "\"\t\"", "\"\n\"", "\"\x00\"", "'a'",
		"\v1", "\f1", "\u00a01", "\ufeff1", "1\x00", "\x00", "//\n1", "/**/1", "[1,//\n2]",
	} {
		if leaves, ok := leavesOf(t, src, specRules); ok {
			t.Errorf("%q is %q", src, leaves)
		}
	}
}

func TestJSONRules(t *testing.T) {
	nested := func(n int) string { return strings.Repeat(`[{"a":`, n/2) + "1" + strings.Repeat("}]", n/2) }
	number := func(digits int) string { return "-" + strings.Repeat("1", digits) }
	tests := []struct {
		name, src string
		rules     jsonRules
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
			if _, ok := leavesOf(t, tt.src, tt.rules); ok != tt.ok {
				t.Errorf("%v, want %v", ok, tt.ok)
			}
		})
	}
}

// tree is a JSON value read by the standard library, with its members in order.
type tree struct {
	literal string
	object  bool
	names   []string
	values  []tree
}

func readTree(d *json.Decoder) tree {
	token, err := d.Token()
	if err != nil {
		panic(err) // the text was valid
	}
	delim, ok := token.(json.Delim)
	if !ok {
		literal, _ := json.Marshal(token)
		return tree{literal: string(literal)}
	}
	node := tree{object: delim == '{'}
	for d.More() {
		name := ""
		if node.object {
			token, _ := d.Token()
			name, _ = token.(string)
		}
		value := readTree(d)
		if i := indexOf(node.names, name); node.object && i >= 0 {
			node.values[i] = value
			continue
		}
		node.names, node.values = append(node.names, name), append(node.values, value)
	}
	if _, err := d.Token(); err != nil {
		panic(err)
	}
	return node
}

func indexOf(names []string, name string) int {
	for i := range names {
		if names[i] == name {
			return i
		}
	}
	return -1
}

// walk lists the leaves as the seed's algorithm does.
func (n tree) walk(name string, leaves []string) []string {
	if n.literal != "" {
		return append(leaves, name+"="+n.literal)
	}
	for i, value := range n.values {
		if n.object {
			name = n.names[i]
		}
		leaves = value.walk(name, leaves)
	}
	return leaves
}

// checkJSON compares with the standard library, which reads the same grammar. It makes
// U+FFFD of half a surrogate pair, so that names which differ there are not compared.
func checkJSON(t *testing.T, src string) {
	t.Helper()
	p, ok := parseJSON(src, jsonRules{nesting: 10000})
	if !utf8.ValidString(src) {
		return
	}
	if valid := json.Valid([]byte(src)); ok != valid {
		t.Fatalf("parseJSON(%q) is %v, the standard library says %v", src, ok, valid)
	}
	if !ok || strings.Contains(src, `\u`) {
		return
	}
	d := json.NewDecoder(strings.NewReader(src))
	d.UseNumber()
	want := readTree(d).walk("", nil)
	var got []string
	p.each(func(name uint32, literal string) bool {
		if literal[0] == '"' {
			text, _ := json.Marshal(unquoteJSON(literal))
			literal = string(text)
		}
		got = append(got, p.names.text(name)+"="+literal)
		return true
	})
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("leaves of %q: %q, want %q", src, got, want)
	}
}

func TestJSONAsStandardLibrary(t *testing.T) {
	for _, v := range allBodies(t) {
		checkJSON(t, string(v.Input.Body))
	}
	names := []string{`"a"`, `"b"`, `"\n"`, `""`}
	for i := range 4 * 4 * 4 * 4 {
		at := func(n int) string { return names[i>>(2*n)&3] }
		checkJSON(
			t,
			fmt.Sprintf(`{%s:[1,{%s:2}],%s:{%s:3,"c":[[4],5]},"c":6}`, at(0), at(1), at(2), at(3)),
		)
	}
}

// An object too large for the table on the stack.
func TestManyMembers(t *testing.T) {
	var src strings.Builder
	src.WriteString("{")
	for i := range 3000 {
		fmt.Fprintf(&src, `"n%d":%d,`, i%1000, i)
	}
	src.WriteString(`"last":0}`)
	leaves, ok := leavesOf(t, src.String(), specRules)
	if !ok || len(leaves) != 1001 || leaves[0] != "n0=2000" || leaves[999] != "n999=2999" ||
		leaves[1000] != "last=0" {
		t.Errorf("%d leaves, %v", len(leaves), ok)
	}
}
