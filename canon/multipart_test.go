package canon

import "testing"

func TestMultipart(t *testing.T) {
	const head = "--X\r\nContent-Disposition: form-data; "
	type1 := "multipart/form-data; boundary=X"
	binary := func(body string) string { return string(binaryQuery([]byte(body))) }
	tests := []struct{ name, contentType, body, pywb string }{
		{
			"two parts",
			type1,
			head + "name=\"a\"\r\n\r\n1\r\n" + head + "name=\"b\"\r\n\r\ntwo words\r\n--X--\r\n",
			"a=1&b=two+words",
		},
		{"LF", type1, "--X\nContent-Disposition: form-data; name=a\n\n1\n--X--", "a=1"},
		{
			"space behind delimiters",
			type1,
			"--X \r\nContent-Disposition: x; name=a\r\n \r\n1\r\n--X\t\v\r\n\r\n2\r\n--X-- \r\nno part",
			"a=1&None=2",
		},
		{
			"text before",
			type1,
			"preamble\r\n\r\n  --X\r\nContent-Disposition: x; name=a\r\n\r\n1\r\n--X--",
			"a=1",
		},
		{
			"text behind",
			type1,
			head + "name=a\r\n\r\n1\r\n--X--\r\n" + head + "name=b\r\n\r\n2\r\n--X--",
			"a=1",
		},
		{"no end", type1, head + "name=a\r\n\r\n1\r\n", "a=1"},
		{"ends in the head", type1, head + "name=a\r\n", "a="},
		{"ends behind a delimiter", type1, head + "name=a\r\n\r\n1\r\n--X\r\n", "a=1"},
		{"a CR is no line break, but at the end", type1, head + "name=a\r\n\r\n1\r2\r", "a=1%0D2"},
		{
			"one line break belongs to the delimiter",
			type1,
			head + "name=a\r\n\r\n1\r\n\r\n--X--",
			"a=1%0D%0A",
		},
		{
			"nearly a delimiter",
			type1,
			head + "name=a\r\n\r\n--Xx\r\n--\r\n--X-\r\n --X\r\n1--X\r\n--X--",
			"a=--Xx%0D%0A--%0D%0A--X-%0D%0A+--X%0D%0A1--X",
		},
		{"empty value", type1, head + "name=a\r\n\r\n\r\n" + head + "name=b\r\n\r\n--X--", "a=&b="},
		{"no delimiter", type1, "hello", ""},
		{"only the end", type1, "--X--\r\n", ""},
		{"no header", type1, "--X\r\n\r\n1\r\n--X--", "None=1"},
		{"no name", type1, head + "x=y\r\n\r\n1\r\n--X--", "None=1"},
		{"empty name", type1, head + "name=\"\"\r\n\r\n1\r\n--X--", "=1"},
		{"escaped name", type1, head + `name="a\"b\\c; d"` + "\r\n\r\n1\r\n--X--", "a%22b%5Cc%3B+d=1"},
		{"quote that does not end", type1, head + "name=\"a\r\n\r\n1\r\n--X--", "%22a=1"},
		{"last name counts", type1, head + "name=a; NAME = b \r\n\r\n1\r\n--X--", "b=1"},
		{
			"first header counts",
			type1,
			head + "name=a\r\nContent-Disposition: form-data; name=b\r\n\r\n1\r\n--X--",
			"a=1",
		},
		{
			"folded header",
			type1,
			"--X\r\nCONTENT-DISPOSITION: form-data;\r\n\tname=a\r\n\r\n1\r\n--X--",
			"a=1",
		},
		{
			"no header ends the head",
			type1,
			"--X\r\ngarbage\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--X--",
			"None=1",
		},
		{
			"space before the colon",
			type1,
			"--X\r\nContent-Disposition : form-data; name=a\r\n\r\n1\r\n--X--",
			"None=1",
		},
		{
			"headers that say nothing",
			type1,
			head + "name=a\r\nContent-Length: 1\r\nContent-Transfer-Encoding: base64\r\nContent-Type: " +
				"text/plain; charset=utf-16\r\n\r\nYWJj\r\n--X--",
			"a=YWJj",
		},
		{"not UTF-8", type1, head + "name=\"\xc3\"\r\n\r\n\xe2\x82\r\n--X--", "%EF%BF%BD=%EF%BF%BD"},
		{"file", type1, head + "name=f; filename=\r\n\r\n\xe2\x82\r\n--X--", "f=%E2%82"},
		{
			"quoted boundary",
			`multipart/form-data; Boundary="a b\"c"`,
			"--a b\"c\r\n\r\n1\r\n--a b\"c--",
			"None=1",
		},
		{"boundary of 201", "multipart/x; boundary=" + bound(201), "--" + bound(201) + "\n\n1", "None=1"},
		{"boundary of 202", "multipart/x; boundary=" + bound(202), "x", binary("x")},
		{"boundary ends in a space", `multipart/x; boundary="x "`, "--x \n\n1", binary("--x \n\n1")},
		{"boundary is no ASCII", "multipart/x; boundary=\u00e9", "x", binary("x")},
		{"boundary is empty", "multipart/x; boundary=", "x", binary("x")},
		{"no boundary", "multipart/x", "x", binary("x")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := &Request{Method: "POST", ContentType: tt.contentType, Body: []byte(tt.body)}
			if got := Pywb.Query(r); got != tt.pywb {
				t.Errorf("%q, want %q", got, tt.pywb)
			}
		})
	}
}

func bound(n int) string {
	const ten = "0123456789"
	out := ""
	for len(out) < n {
		out += ten
	}
	return out[:n]
}

// TestSpecMultipart has what Spec takes for a multipart/form-data message.
func TestSpecMultipart(t *testing.T) {
	const head = "--X\r\nContent-Disposition: form-data; "
	tests := []struct {
		name, contentType, body string
		valid                   bool
	}{
		{"valid", "multipart/form-data; boundary=X", head + "name=a\r\n\r\n1\r\n--X--\r\n", true},
		{"type in capitals", "Multipart/Mixed; boundary=X", head + "name=a\r\n\r\n1\r\n--X--\r\n", true},
		{"no end", "multipart/form-data; boundary=X", head + "name=a\r\n\r\n1\r\n", false},
		{"no parts", "multipart/form-data; boundary=X", "--X--\r\n", false},
		{"no name", "multipart/form-data; boundary=X", head + "\r\n\r\n1\r\n--X--\r\n", false},
		{
			"no form-data",
			"multipart/form-data; boundary=X",
			"--X\r\nContent-Disposition: file; name=a\r\n\r\n1\r\n--X--\r\n",
			false,
		},
		{"no boundary", "multipart/form-data", head + "name=a\r\n\r\n1\r\n--X--\r\n", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want := string(binaryQuery([]byte(tt.body)))
			if tt.valid {
				want = string(specEncoded([]byte(tt.body)))
			}
			r := &Request{Method: "POST", ContentType: tt.contentType, Body: []byte(tt.body)}
			if got := Spec.Query(r); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}

func TestWarcioJSMultipart(t *testing.T) {
	part := func(boundary, name, value string) string {
		return "--" + boundary + "\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" +
			value + "\r\n"
	}
	const form = "multipart/form-data; boundary="
	tests := []struct{ name, contentType, body, want string }{
		{"two parts", form + "X", part("X", "a", "1") + part("X", "b", " two ") + "--X--", "a=1&b=+two"},
		{
			"one line",
			form + "X",
			part("X", "a", "1\r2") + part("X", "b", "3\u20284") + "--X--",
			"a=1&b=3",
		},
		{"blank value", form + "X", part("X", "a", "\u00a0\ufeff") + "--X--", ""},
		{"empty line", form + "Q", part("Q", "a", "\r\nx") + "--Q--", "a="},
		{
			"last counts, at the first's place",
			form + "Q",
			part("Q", "a", "1") + part("Q", "b", "2") + part("Q", "a", "3") + "--Q--",
			"a=3&b=2",
		},
		{
			"file",
			form + "Q",
			"--Q\r\nContent-Disposition: form-data; name=\"a\"; filename=\"f\"\r\n\r\n1\r\n--Q--",
			"f=1",
		},
		{
			"file with a type",
			form + "Q",
			"--Q\r\nContent-Disposition: form-data; name=\"a\"; filename=\"f\"\r\nContent-Type: x\r\n\r\n" +
				"1 name=\"c\"\r\n\r\n2\r\n--Q--",
			"c=2",
		},
		{
			"name without a value, then one",
			form + "Q",
			"--Q\r\nname=\"\"; NAME=\"c\"\r\n\r\n2\r\n--Q--",
			"c=2",
		},
		{
			"no part of a multipart body",
			form + "Q",
			"before name=\"z\"\r\n\r\n9\r\n" + part("Q", "a", "1") + "--Q--\r\nname=\"y\"\r\n\r\n8",
			"z=9&a=1&y=8",
		},
		{"boundary in the value", form + "Q", part("Q", "a", "1-q2") + "--Q--", "a=1"},
		{"quoted boundary", form + `"Q"`, part("Q", "a", "1") + part("Q", "b", "2") + "--Q--", "a=1"},
		{
			"parameter behind",
			form + "Q; charset=utf-8",
			part("Q", "a", "1") + part("Q", "b", "2") + "--Q--",
			"a=1",
		},
		{"no boundary", "multipart/form-data", part("Q", "a", "1") + part("Q", "b", "2"), "a=1"},
		{"empty boundary", form, part("Q", "a", "1"), ""},
		{
			"a pattern stands for itself",
			form + "a.c",
			part("abc", "a", "1") + part("abc", "b", "2"),
			"a=1",
		},
		{
			"a pattern that is not itself",
			form + "a+c",
			part("a+c", "a", "1") + part("a+c", "b", "2"),
			"a=1&b=2",
		},
		{"no pattern", form + "(a", part("(a", "a", "1") + part("(A", "b", "2"), "a=1&b=2"},
		{"a repetition", form + "a{2}", part("a{2}", "a", "1") + part("a{2}", "b", "2"), "a=1&b=2"},
		{"LF", form + "Q", "--Q\nname=\"a\"\n\n1\n--Q--", ""},
		{"other multipart", "multipart/mixed; boundary=Q", "x", "__wb_post_data=eA=="},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := &Request{Method: "POST", ContentType: tt.contentType, Body: []byte(tt.body)}
			if got := WarcioJS.Query(r); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}
