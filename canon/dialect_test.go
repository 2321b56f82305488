package canon

import (
	"strings"
	"testing"
)

func TestMethods(t *testing.T) {
	tests := []struct{ method, pywb, spec, warciojs string }{
		{"", "http://e.org/", "http://e.org/", "http://e.org/"},
		{"GET", "http://e.org/", "http://e.org/", "http://e.org/"},
		{
			"get",
			"http://e.org/",
			"http://e.org/?__wb_method=get&a=1",
			"http://e.org/?__wb_method=get&a=1",
		},
		{
			"put",
			"http://e.org/?__wb_method=PUT&a=1",
			"http://e.org/?__wb_method=put&a=1",
			"http://e.org/?__wb_method=put&a=1",
		},
		{
			"PATCH",
			"http://e.org/?__wb_method=PATCH",
			"http://e.org/?__wb_method=PATCH&a=1",
			"http://e.org/?__wb_method=PATCH&a=1",
		},
		{
			"HEAD",
			"http://e.org/?__wb_method=HEAD",
			"http://e.org/?__wb_method=HEAD&a=1",
			"http://e.org/?__wb_method=HEAD&a=1",
		},
	}
	for _, tt := range tests {
		t.Run(tt.method, func(t *testing.T) {
			r := &Request{
				URL:         "http://e.org/",
				Method:      tt.method,
				ContentType: "application/json",
				Body:        []byte(`{"a":1}`),
			}
			wants := map[Dialect]string{Pywb: tt.pywb, Spec: tt.spec, WarcioJS: tt.warciojs}
			for dialect, want := range wants {
				if k := dialect.Keys(r); k.URL != want {
					t.Errorf("%s: %q, want %q", dialect, k.URL, want)
				}
			}
		})
	}
	for method, want := range map[string]string{"": "GET", "GET": "GET", "pOst": "POST"} {
		if k := Pywb.Keys(&Request{Method: method}); k.Method != want {
			t.Errorf("method %q is %q, want %q", method, k.Method, want)
		}
	}
}

// TestWarcioJSAppend: what warcio.js appends is decoded, or nothing where it cannot be.
func TestWarcioJSAppend(t *testing.T) {
	tests := []struct{ name, url, query, want string }{
		{"decoded", "http://e.org/", "a=%C3%A9%20%41", "http://e.org/?__wb_method=POST&a=\u00e9 A"},
		{
			"reserved",
			"http://e.org/",
			"%3b%2f%3F%3a%40%26%3d%2b%24%2c%23%25",
			"http://e.org/?__wb_method=POST&%3b%2f%3F%3a%40%26%3d%2b%24%2c%23%",
		},
		{"cut in an escape", "http://e.org/", "a=b%2", "http://e.org/?__wb_method=POST&"},
		{"not UTF-8", "http://e.org/", "a=%ED%A0%80", "http://e.org/?__wb_method=POST&"},
		{"half a character", "http://e.org/", "a=%C3\u00e9", "http://e.org/?__wb_method=POST&"},
		{"too large", "http://e.org/", "a=%F4%90%80%80", "http://e.org/?__wb_method=POST&"},
		{"longest", "http://e.org/", "%F4%8F%BF%BF", "http://e.org/?__wb_method=POST&\U0010ffff"},
		{"query", "http://e.org/?", "a", "http://e.org/?&__wb_method=POST&a"},
		{"nothing but a query", "?", "a", "??__wb_method=POST&a"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := WarcioJS.Append(tt.url, "POST", tt.query); got != tt.want {
				t.Errorf("Append(%q, %q) = %q, want %q", tt.url, tt.query, got, tt.want)
			}
		})
	}
}

// TestKeysErrors: a URL without a key is its own, with what was appended, and that is said.
func TestKeysErrors(t *testing.T) {
	const url = "http://e.org:x/?__wb_method=POST"
	for _, dialect := range []Dialect{Pywb, Spec} {
		k := dialect.Keys(&Request{URL: "http://e.org:x/", Method: "POST"})
		if k.OK || k.URL != url || k.URLKey != url {
			t.Errorf("%s: %+v", dialect, k)
		}
	}
}

// TestKeysAllocate: the keys of a GET cost no more than its SURT.
func TestKeysAllocate(t *testing.T) {
	r := &Request{URL: typical[2].url, Method: "GET", Body: []byte("ignored")}
	if allocations := testing.AllocsPerRun(10, func() { Pywb.Keys(r) }); allocations > 3 {
		t.Errorf("%v allocations, want 3 at most", allocations)
	}
}

func TestDialectUnmarshalText(t *testing.T) {
	var d Dialect
	if err := d.UnmarshalText([]byte("warciojs")); err != nil || d != WarcioJS {
		t.Errorf("warciojs: %q, %v", d, err)
	}
	if err := d.UnmarshalText([]byte("pwyb")); err == nil || !strings.Contains(err.Error(), "pywb") ||
		d != WarcioJS {
		t.Errorf("unknown: %q, %v", d, err)
	}
}
