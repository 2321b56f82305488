package canon

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
)

func TestQuery(t *testing.T) {
	const json, text, form = "application/json", "text/plain", "application/x-www-form-urlencoded"
	const amf = "application/x-amf"
	tests := []struct{ name, contentType, body, pywb, spec, warciojs string }{
		{"overflow", json, `{"a":1e400}`, "", "a=Infinity", "a=Infinity"},
		{
			"overflow, fallback",
			text,
			`{"a":-1e400}`,
			"__wb_post_data=eyJhIjotMWU0MDB9",
			"a=-Infinity",
			"a=-Infinity",
		},
		{"overflow that a duplicate hides", json, `{"a":1e400,"a":1}`, "a=1", "a=1", "a=1"},
		{"overflow without a name", json, `{"":1e400,"d":2}`, "d=2", "=Infinity&d=2", "=Infinity&d=2"},
		{"half a pair", json, `{"a":"\ud800","b":1}`, "", "a=%EF%BF%BD&b=1", "a=%EF%BF%BD&b=1"},
		{"half a pair in a dropped name", json, `{"\ud800":{"a":1}}`, "a=1", "a=1", "a=1"},
		{
			"half a pair written over",
			json,
			`{"a.2_":"\ud800","a":[1,2]}`,
			"a.2_=2&a=1",
			"a.2_=%EF%BF%BD&a=1&a.2_=2",
			"a.2_=2&a=1",
		},
		{
			"different halves as names",
			json,
			`{"\ud800":1,"\ud801":2}`,
			"",
			"%EF%BF%BD=1&%EF%BF%BD=2",
			"%EF%BF%BD=1&%EF%BF%BD.2_=2",
		},
		{"pair", json, `{"a":"\ud83d\ude00"}`, "a=%F0%9F%98%80", "a=%F0%9F%98%80", "a=%F0%9F%98%80"},
		{
			"wrong order, then a pair",
			json,
			`{"a":"\ude00\ud83d\ud83d\ude00"}`,
			"",
			"a=%EF%BF%BD%EF%BF%BD%F0%9F%98%80",
			"a=%EF%BF%BD%EF%BF%BD%F0%9F%98%80",
		},
		{
			"name made before it comes",
			json,
			`{"a":[1,1,1],"a.3_":9,"c":{"a":7}}`,
			"a=1&a.2_=1&a.3_=1&a.3_.2_=9&a.4_=7",
			"a=1&a.2_=1&a.3_=1&a.3_=9&a.4_=7",
			"a=1&a.2_=1&a.3_=1&a.3_.2_=9&a.4_=7",
		},
		{
			"name made after it came",
			json,
			`{"a.2_":0,"a":[1,2,3]}`,
			"a.2_=2&a=1&a.3_=3",
			"a.2_=0&a=1&a.2_=2&a.3_=3",
			"a.2_=2&a=1&a.3_=3",
		},
		{
			"not quite a number",
			json,
			`{"a":[1,2],"b":{"a.02_":5,"a.1_":6,"a._":7}}`,
			"a=1&a.2_=2&a.02_=5&a.1_=6&a._=7",
			"a=1&a.2_=2&a.02_=5&a.1_=6&a._=7",
			"a=1&a.2_=2&a.02_=5&a.1_=6&a._=7",
		},
		{"escaped name is the same", json, `{"a":1,"\u0061":2}`, "a=2", "a=2", "a=2"},
		{
			"duplicate with leaves",
			json,
			`{"a":{"x":1},"b":2,"a":{"y":[3,4]}}`,
			"y=3&y.2_=4&b=2",
			"y=3&y.2_=4&b=2",
			"y=3&y.2_=4&b=2",
		},
		{
			"integer names",
			json,
			`{"b":1,"10":2,"9":3,"4294967295":4,"4294967294":5,"01":6}`,
			"b=1&10=2&9=3&4294967295=4&4294967294=5&01=6",
			"b=1&10=2&9=3&4294967295=4&4294967294=5&01=6",
			"9=3&10=2&4294967294=5&b=1&4294967295=4&01=6",
		},
		{
			"empty strings",
			json,
			`{"a":["",1,"",2]}`,
			"a=&a.2_=1&a.3_=&a.4_=2",
			"a=&a.2_=1&a.3_=&a.4_=2",
			"a=1&a.2_=2",
		},
		{"no names", json, `[1,["x",{}],null]`, "", "=1&.2_=x&.3_=null", "=1&.2_=x&.3_=null"},
		{"scalar", text, ` "x" `, "", "=x", "=x"},
		{"blank", text, " ", "__wb_post_data=IA==", "__wb_post_data=IA==", ""},
		{"byte order mark", json, "\ufeff {\"a\":1}", "a=1", "a=1", "a=1"},
		{"two byte order marks", json, "\ufeff\ufeff{\"a\":1}", "", "", ""},
		{"not UTF-8", json, "{\"a\":\"\xff\xe2\x82\"}", "", "", "a=%EF%BF%BD%EF%BF%BD"},
		{
			"not UTF-8, fallback",
			text,
			"\"\xff\"",
			"__wb_post_data=Iv8i",
			"__wb_post_data=Iv8i",
			"=%EF%BF%BD",
		},
		{"NaN is no JSON", json, `{"a":NaN}`, "", "", ""},
		{"plus", form, "a=b+c%2B%26", "a=b c+&", "__wb_post_data=a%3Db%2Bc%2B%26", "a=b+c%2B%26"},
		{
			"escaped bytes beside raw ones",
			form,
			"%C3\u20ac%A9%C3%A9",
			"\ufffd\u20ac\ufffd\u00e9",
			"__wb_post_data=%C3%E2%82%AC%A9%C3%A9",
			"%C3\u20ac%A9%C3%A9",
		},
		{
			"maximal subparts",
			form,
			"%F0%9F%98x%F0%80%80%ED%A0%80%E2%82%F4%90",
			"\ufffdx\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd",
			"__wb_post_data=%F0%9F%98x%F0%80%80%ED%A0%80%E2%82%F4%90",
			"%F0%9F%98x%F0%80%80%ED%A0%80%E2%82%F4%90",
		},
		{"form with a mark", form, "\ufeffa=1", "\ufeffa=1", "__wb_post_data=%EF%BB%BFa%3D1", "a=1"},
		{
			"type in capitals",
			"Application/JSON ; x",
			`{"a":1}`,
			"__wb_post_data=eyJhIjoxfQ==",
			"a=1",
			"__wb_post_data=eyJhIjoxfQ==",
		},
		{
			"type that begins like JSON",
			"application/jsonx",
			`{"a":1}`,
			"a=1",
			"__wb_post_data=eyJhIjoxfQ==",
			"__wb_post_data=eyJhIjoxfQ==",
		},
		{"space before the type", " text/plain", `{"a":1}`, "__wb_post_data=eyJhIjoxfQ==", "a=1", "a=1"},
		{
			"space behind the type",
			"text/plain ;x",
			`{"a":1}`,
			"a=1",
			"a=1",
			"__wb_post_data=eyJhIjoxfQ==",
		},
		{
			"AMF", amf, "\x00\x00\x00\x00\x00\x00",
			"request=%3CEnvelope%3E%5B%5D%3C%2FEnvelope%3E",
			"request=%3CEnvelope%3E%5B%5D%3C%2FEnvelope%3E",
			"__wb_post_data=AAAAAAAA",
		},
		{"AMF that cannot be decoded", amf, "\x00", "", "", "__wb_post_data=AA=="},
		{"empty body", form, "", "", "", ""},
		{"empty binary body", "", "", "", "", "__wb_post_data="},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := &Request{Method: "POST", ContentType: tt.contentType, Body: []byte(tt.body)}
			checkQueries(t, r, tt.pywb, tt.spec, tt.warciojs)
		})
	}
}

func checkQueries(t *testing.T, r *Request, pywb, spec, warciojs string) {
	t.Helper()
	wants := map[Dialect]string{Pywb: pywb, Spec: spec, WarcioJS: warciojs, "": pywb}
	for dialect, want := range wants {
		if got := dialect.Query(r); got != want {
			t.Errorf("%s: %.300q, want %.300q", dialect, got, want)
		}
	}
}

// TestQueryCut: a query is cut at 4096 code points in Pywb, 4096 UTF-16 units in WarcioJS.
func TestQueryCut(t *testing.T) {
	const form, json = "application/x-www-form-urlencoded", "application/json"
	emoji := strings.Repeat("\U0001f600", 5000)
	tests := []struct{ name, contentType, body, pywb, warciojs string }{
		{"characters of two units", form, "aa" + emoji, "aa" + emoji[:4*4094], "aa" + emoji[:4*2047]},
		{"half a character", form, "a" + emoji, "a" + emoji[:4*4095], "a" + emoji[:4*2047] + "\ufffd"},
		{
			"escaped characters",
			form,
			strings.Repeat("%F0%9F%98%80", 5000),
			emoji[:4*4096],
			strings.Repeat("%F0%9F%98%80", 5000)[:4096],
		},
		{
			"in an escape",
			json,
			`{"a":"` + strings.Repeat("&", 2000) + `"}`,
			"a=" + strings.Repeat("%26", 2000)[:4094],
			"a=" + strings.Repeat("%26", 2000)[:4094],
		},
		{
			"many fields",
			json,
			"{\"a\":[" + strings.Repeat("1,", 100000) + "1]}",
			numbered(4096),
			numbered(4096),
		},
		{
			"field out of sight overwrites",
			json,
			`{"a.3000_":0,"a":[` + strings.Repeat("1,", 4000) + "1]}",
			strings.Replace("a.3000_=0&"+numbered(4086), "_=0", "_=1", 1),
			strings.Replace("a.3000_=0&"+numbered(4086), "_=0", "_=1", 1),
		},
		{
			"half a pair out of sight",
			json,
			`{"a":[` + strings.Repeat("1,", 4000) + `"\ud800"]}`,
			"",
			numbered(4096),
		},
		{
			"binary",
			"",
			strings.Repeat("\x00", 5000),
			"__wb_post_data=" + strings.Repeat("A", 4081),
			"__wb_post_data=" + strings.Repeat("A", 4081),
		},
		{
			"multipart",
			"multipart/form-data; boundary=X",
			"--X\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n" + strings.Repeat("\u00e9",
				5000) + "\r\n--X--",
			"a=" + strings.Repeat("%C3%A9", 700)[:4094],
			"a=" + strings.Repeat("%C3%A9", 700)[:4094],
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := &Request{Method: "POST", ContentType: tt.contentType, Body: []byte(tt.body)}
			for dialect, want := range map[Dialect]string{Pywb: tt.pywb, WarcioJS: tt.warciojs} {
				if got := dialect.Query(r); got != want {
					t.Errorf("%s: %d bytes, want %d, %.40q…", dialect, len(got), len(want), got)
				}
			}
		})
	}
	r := &Request{Method: "POST", Body: make([]byte, 100000)}
	if got, want := len(Spec.Query(r)), len("__wb_post_data=")+133336; got != want {
		t.Errorf("spec: %d bytes, want %d", got, want)
	}
}

// numbered is the query of many a, cut.
func numbered(n int) string {
	var q strings.Builder
	q.WriteString("a=1")
	for i := 2; q.Len() < n; i++ {
		fmt.Fprintf(&q, "&a.%d_=1", i)
	}
	return q.String()[:n]
}

// TestLongBody: a body longer than MaxBody counts as binary.
func TestLongBody(t *testing.T) {
	body := append([]byte(`{"a":1`), bytes.Repeat([]byte(" "), MaxBody)...)
	body = append(body, '}')
	sum := sha256.Sum256(body)
	binary := string(binaryQuery(body[:3072]))
	withDigest := binary + "&__wb_post_sha256=" + fmt.Sprintf("%x", sum)
	tests := []struct {
		name                 string
		request              Request
		pywb, spec, warciojs string
	}{
		{
			"longest",
			Request{Body: append(body[:MaxBody-1:MaxBody-1], '}')},
			"a=1",
			binary + "&__wb_post_sha256=" +
				fmt.Sprintf("%x", sha256.Sum256(append(body[:MaxBody-1:MaxBody-1], '}'))),
			"a=1",
		},
		{
			"longest in spec",
			Request{Body: append(body[:maxSpecQuery-1:maxSpecQuery-1], '}')},
			"a=1",
			"a=1",
			"a=1",
		},
		{"whole", Request{Body: body}, binary[:4096], withDigest, binary[:4096]},
		{
			"beginning and digest",
			Request{Body: body[:3072], BodyLen: int64(len(body)), BodySHA256: sum[:]},
			binary[:4096],
			withDigest,
			binary[:4096],
		},
		{
			"beginning",
			Request{Body: body[:3072], BodyLen: int64(len(body))},
			binary[:4096],
			binary,
			binary[:4096],
		},
		{
			"a part is missing",
			Request{Body: []byte(`{"a":1}`), BodyLen: 8},
			"__wb_post_data=eyJhIjoxfQ==",
			"__wb_post_data=eyJhIjoxfQ==",
			"__wb_post_data=eyJhIjoxfQ==",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.request.Method, tt.request.ContentType = "POST", "application/json"
			checkQueries(t, &tt.request, tt.pywb, tt.spec, tt.warciojs)
		})
	}
}

// TestLongQuery: a query that would be longer than 1 MiB names the body in Spec, whatever its type.
func TestLongQuery(t *testing.T) {
	for name, r := range map[string]Request{
		"json": {ContentType: "application/json", Body: []byte(longName(`1`)(8 << 10))},
		"urlencoded": {
			ContentType: "application/x-www-form-urlencoded",
			Body:        bytes.Repeat([]byte("&"), 400<<10),
		},
		"amf": {
			ContentType: "application/x-amf",
			Body:        []byte(amfList(40000, strings.Repeat("\x06", 40000))),
		},
		"binary": {ContentType: "image/png", Body: make([]byte, 800<<10)},
	} {
		r.Method = "POST"
		want := string(binaryQuery(r.Body[:min(len(r.Body), 3072)])) + fmt.Sprintf("&__wb_post_sha256=%x",
			sha256.Sum256(r.Body))
		if got := Spec.Query(&r); got != want {
			t.Errorf("%s: %.100q, want %.100q", name, got, want)
		}
		r.ContentType, r.Body = "image/png", make([]byte, 786400)
		if got := Spec.Query(&r); got != string(binaryQuery(r.Body)) || len(got) > 1<<20 {
			t.Errorf("%s: %.100q of %d bytes", name, got, len(got))
		}
	}
}

// TestBudget: a body that asks for more work than a body of its length may counts as binary, and
// that is said.
func TestBudget(t *testing.T) {
	body := []byte(amfShared(4 << 10))
	binary := string(binaryQuery(body))
	wants := map[Dialect]string{Pywb: binary[:4096], Spec: binary, WarcioJS: binary[:4096]}
	for dialect, want := range wants {
		r := &Request{Method: "POST", ContentType: "application/x-amf", Body: body}
		keys := dialect.Keys(r)
		if keys.RequestBody != want || keys.Within != (dialect == WarcioJS) {
			t.Errorf("%s: %.100q, %v", dialect, keys.RequestBody, keys.Within)
		}
		if r.ContentType = "image/png"; !dialect.Keys(r).Within {
			t.Errorf("%s: a binary body is beyond its budget", dialect)
		}
	}
}
