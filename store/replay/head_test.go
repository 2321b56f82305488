package replay

import (
	"strings"
	"testing"
)

func TestHead(t *testing.T) {
	h := head("GET /Host: no HTTP/1.1\r\nHost: a\r\nVARY :  x\r\nhost:b\nX: 1\r\n 2 \r\n\t3\r\n" +
		"nothing\r\nEmpty:\r\nvary: y, z\r\n\r\nHost: body\r\n")
	for _, c := range []struct{ name, all, first string }{
		{"Host", "a, b", "a"},
		{"vary", "x, y, z", "x"},
		{"X", "1 2 3", "1 2 3"},
		{"nothing", "", ""},
		{"Empty", "", ""},
		{"Accept", "", ""},
	} {
		if all, first := h.get(c.name), h.first(c.name); all != c.all || first != c.first {
			t.Errorf("%s: %q, first %q", c.name, all, first)
		}
		want := c.all != "" || c.name == "Empty"
		if has := h.has(c.name); has != want {
			t.Errorf("%s is there: %v", c.name, has)
		}
	}
	for _, broken := range []string{"", "\r\n", "GET", "GET / HTTP/1.1\r\nHos", "\n: x\n\n",
		"GET\r\n x"} {
		if got := head(broken).get("Host"); got != "" {
			t.Errorf("%q has the host %q", broken, got)
		}
	}
}

func TestListed(t *testing.T) {
	for value, want := range map[string]string{
		"":                     "",
		"a":                    "a",
		" a ,, b;q=1,":         "a|b;q=1",
		`"x,y", W/"z\",w", v`:  `"x,y"|W/"z\",w"|v`,
		`"open, to its end`:    `"open, to its end`,
		`"ends with a slash \`: `"ends with a slash \`,
	} {
		var got []string
		listed(value, func(e string) bool {
			got = append(got, e)
			return true
		})
		if strings.Join(got, "|") != want {
			t.Errorf("%q: %q, want %q", value, got, want)
		}
	}
}
