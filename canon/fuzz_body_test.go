package canon

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"warcorder/canon/json"
)

// contentTypes are those that some dialect looks into, and one that none does.
var contentTypes = []string{
	"application/json", "text/plain;charset=UTF-8", "application/x-www-form-urlencoded",
	"multipart/form-data; boundary=X",
	"multipart/mixed; boundary=\"a.b\"", "application/x-amf", "image/png",
}

// addBodies gives the vectors' bodies to a fuzzer, with their types.
func addBodies(f *testing.F) {
	for _, v := range allBodies(f) {
		f.Add(v.Input.Method, v.Input.URL, v.Input.Type, v.Input.Body)
	}
	for _, contentType := range contentTypes {
		f.Add(
			"PUT",
			"http://example.org/?a",
			contentType,
			[]byte("--X\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--X--"),
		)
	}
}

func FuzzPywb(f *testing.F)     { fuzzDialect(f, Pywb) }
func FuzzSpec(f *testing.F)     { fuzzDialect(f, Spec) }
func FuzzWarcioJS(f *testing.F) { fuzzDialect(f, WarcioJS) }

func fuzzDialect(f *testing.F, dialect Dialect) {
	addBodies(f)
	f.Fuzz(func(t *testing.T, method, url, contentType string, body []byte) {
		r := &Request{URL: url, Method: method, ContentType: contentType, Body: bytes.Clone(body)}
		k := dialect.Keys(r)
		if !bytes.Equal(r.Body, body) {
			t.Error("the body was written to")
		}
		if k.OK && !strings.HasPrefix(k.URL, "filedesc") && !isPrintable(k.URLKey) {
			t.Errorf("the key of %q is %q", k.URL, k.URLKey)
		}
		if dialect != WarcioJS {
			if key, ok := SURT(dialect.Append(url, method, k.RequestBody)); key != k.URLKey || ok != k.OK {
				t.Errorf("SURT(%q) = %q, key %q", k.URL, key, k.URLKey)
			}
		}
		checkCut(t, dialect, k.RequestBody)
		checkText(t, k, url)
		for _, contentType := range contentTypes {
			r.Method, r.ContentType = "POST", contentType
			checkCut(t, dialect, dialect.Query(r))
		}
	})
}

// checkText: what is written for a body is UTF-8.
func checkText(t *testing.T, k Keys, url string) {
	t.Helper()
	if !utf8.ValidString(k.RequestBody) {
		t.Errorf("requestBody is %q", k.RequestBody)
	}
	if utf8.ValidString(url) && utf8.ValidString(k.Method) && !utf8.ValidString(k.URL) {
		t.Errorf("url is %q", k.URL)
	}
}

func FuzzJSON(f *testing.F) {
	for _, v := range allBodies(f) {
		f.Add(string(v.Input.Body))
	}
	f.Add(`{"a":[1,{"b":"\ud83d\ude00\n"},2.5e-7],"a":null,"10":true}`)
	f.Add("[\"\xff\"]") // what is not UTF-8 is refused before, but does not crash either
	f.Fuzz(func(t *testing.T, src string) {
		for _, rules := range []json.Rules{pywbRules, specRules, warcioJSRules} {
			p, ok := json.Parse(src, rules)
			if !ok {
				continue
			}
			p.Each(func(_ uint32, literal string) bool {
				pywbScalar(literal)
				if text := jsScalar(literal); utf8.ValidString(src) && !utf8.ValidString(text) {
					t.Errorf("%q in %q is %q", literal, src, text)
				}
				return true
			})
		}
	})
}

func FuzzMultipart(f *testing.F) {
	for _, v := range allBodies(f) {
		f.Add(v.Input.Type, v.Input.Body, "a", "b")
	}
	f.Fuzz(func(t *testing.T, contentType string, body []byte, name, value string) {
		m, _, begun := openMultipart(contentType, body)
		for more := begun; more; {
			var p part
			p, more = m.next()
			p.text(maxQuery)
		}
		isFormData(contentType, body)
		warcioJSMultipart(contentType, string(body))
		checkParts(t, name, value)
	})
}

// checkParts: parts that are written as browsers do are read as they are.
func checkParts(t *testing.T, name, value string) {
	if strings.ContainsAny(name, "\"\\\r\n") || strings.Contains(value, "--X") ||
		strings.HasSuffix(value, "\r") {
		return
	}
	part := "--X\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n"
	m, _, _ := openMultipart("multipart/form-data; boundary=X", []byte(part+part+"--X--\r\n"))
	for range 2 {
		p, ok := m.next()
		if got, _ := parameter(p.disposition, "name"); !ok || got != name || string(p.value) != value {
			t.Errorf("part %q, %q, want %q, %q", got, p.value, name, value)
		}
	}
	if _, ok := m.next(); ok || !m.closed {
		t.Error("the end was not found")
	}
}
