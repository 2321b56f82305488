package json

import (
	std "encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

// strict is RFC 8259, with a limit on depth.
var strict = Rules{Nesting: 990}

// bodies are those of the vectors, whatever their type.
func bodies(t testing.TB) (all []string) {
	t.Helper()
	for _, name := range []string{"ref_bodies", "request_body_canonicalization", "ref_amf"} {
		data, err := os.ReadFile("../testdata/" + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		var file struct {
			Vectors []struct {
				Input struct {
					Body []byte `json:"body_base64"`
				}
			}
		}
		if err := std.Unmarshal(data, &file); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, v := range file.Vectors {
			all = append(all, string(v.Input.Body))
		}
	}
	if len(all) < 90 {
		t.Fatalf("%d bodies", len(all))
	}
	return all
}

// leavesOf lists the leaves of a JSON text as name=literal.
func leavesOf(t testing.TB, src string, rules Rules) (leaves []string, ok bool) {
	t.Helper()
	p, ok := Parse(src, rules)
	if !ok {
		return nil, false
	}
	p.Each(func(name uint32, literal string) bool {
		leaves = append(leaves, p.Names.Text(name)+"="+literal)
		return true
	})
	return leaves, true
}

func TestParse(t *testing.T) {
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
			leaves, ok := leavesOf(t, tt.src, strict)
			if got := strings.Join(leaves, " "); !ok || got != tt.want {
				t.Errorf("%s: %s, %v, want %s", tt.src, got, ok, tt.want)
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	for _, src := range []string{
		"", " ", "{", "[", "}", "]", "{]", "[}", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "{,}", `{"a"}`,
		`{"a":}`,
		`{"a":1,}`, `{a:1}`, `{'a':1}`, `{"a" 1}`, `{"a":1 "b":2}`, `{"a":1}x`, `{"a":1}{}`, "[1]]",
		`{"a":1]`,
		"01", "-", "+1", "1.", ".5", "1e", "1e+", "0x1", "1_0", "--1", "-01", "00", "1.e5",
		"tru", "True", "nul", "truefalse", "NaN", "Infinity", "-Infinity", "undefined",
		`"`, `"a`, `"\`, `"\"`, `"\x"`, `"\u"`, `"\u12"`, `"\u12g4"`, `"\u+123"`, `"\u 123"`, "\"\t\"",
		"\"\n\"", "\"\x00\"", "'a'",
		"\v1", "\f1", "\u00a01", "\ufeff1", "1\x00", "\x00", "//\n1", "/**/1", "[1,//\n2]",
	} {
		if leaves, ok := leavesOf(t, src, strict); ok {
			t.Errorf("%q is %q", src, leaves)
		}
	}
}

// tree is a JSON value read by the standard library, with its members in order.
type tree struct {
	literal string
	object  bool
	names   []string
	values  []tree
}

func readTree(d *std.Decoder) tree {
	token, err := d.Token()
	if err != nil {
		panic(err) // the text was valid
	}
	delim, ok := token.(std.Delim)
	if !ok {
		literal, _ := std.Marshal(token)
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

// walk lists the leaves as Request Body Canonicalization says.
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

// check compares with the standard library, which reads the same grammar. It makes
// U+FFFD of half a surrogate pair, so that names which differ there are not compared.
func check(t *testing.T, src string) {
	t.Helper()
	p, ok := Parse(src, Rules{Nesting: 10000})
	if !utf8.ValidString(src) {
		return
	}
	if valid := std.Valid([]byte(src)); ok != valid {
		t.Fatalf("Parse(%q) is %v, the standard library says %v", src, ok, valid)
	}
	if !ok || strings.Contains(src, `\u`) {
		return
	}
	d := std.NewDecoder(strings.NewReader(src))
	d.UseNumber()
	want := readTree(d).walk("", nil)
	var got []string
	p.Each(func(name uint32, literal string) bool {
		if literal[0] == '"' {
			text, _ := std.Marshal(Unquote(literal))
			literal = string(text)
		}
		got = append(got, p.Names.Text(name)+"="+literal)
		return true
	})
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("leaves of %q: %q, want %q", src, got, want)
	}
}

func TestAsStandardLibrary(t *testing.T) {
	for _, body := range bodies(t) {
		check(t, body)
	}
	names := []string{`"a"`, `"b"`, `"\n"`, `""`}
	for i := range 4 * 4 * 4 * 4 {
		at := func(n int) string { return names[i>>(2*n)&3] }
		check(
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
	leaves, ok := leavesOf(t, src.String(), strict)
	if !ok || len(leaves) != 1001 || leaves[0] != "n0=2000" || leaves[999] != "n999=2999" ||
		leaves[1000] != "last=0" {
		t.Errorf("%d leaves, %v", len(leaves), ok)
	}
}

func FuzzParse(f *testing.F) {
	for _, body := range bodies(f) {
		f.Add(body)
	}
	f.Add(`{"a":[1,{"b":"\ud83d\ude00\n"},2.5e-7],"a":null,"10":true}`)
	f.Add("[\"\xff\"]") // what is not UTF-8 is refused before, but does not crash either
	f.Fuzz(check)
}
