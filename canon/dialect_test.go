package canon

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
)

// checkPywb compares with what pywb made of a vector.
func checkPywb(t *testing.T, v *bodyVector) {
	t.Helper()
	want := v.Expected.Pywb
	got := Pywb.Keys(v.request())
	if got.RequestBody != want.Query || got.URL != want.URL || got.URLKey != want.URLKey || !got.OK {
		t.Errorf("pywb: %+v, want %+v", got, want)
	}
	if want.Method != "" && got.Method != want.Method {
		t.Errorf("pywb: method %q, want %q", got.Method, want.Method)
	}
}

func checkWarcioJS(t *testing.T, v *bodyVector) {
	t.Helper()
	want := v.Expected.WarcioJS
	got := WarcioJS.Keys(v.request())
	if got.RequestBody != want.RequestBody || got.URL != want.URL || got.URLKey != want.URLKey ||
		!got.OK {
		t.Errorf("warciojs: %+v, want %+v", got, want)
	}
}

func TestBodyVectors(t *testing.T) {
	var advisory tally
	for _, v := range readBodies(t, "ref_bodies.json").Vectors {
		if v.Level == "required" || v.Level == "" {
			t.Run(v.ID+"/pywb", func(t *testing.T) { checkPywb(t, &v) })
			t.Run(v.ID+"/warciojs", func(t *testing.T) { checkWarcioJS(t, &v) })
			continue
		}
		want := v.Expected.Pywb.Query
		if v.Expected.Recommended != nil {
			want = v.Expected.Recommended.Query
		}
		advisory.count(t, v.ID+"/pywb", Pywb.Query(v.request()), want)
		advisory.count(t, v.ID+"/warciojs", WarcioJS.Query(v.request()), v.Expected.WarcioJS.RequestBody)
	}
	t.Logf("advisory: %d of %d as the reference", advisory.same, advisory.total)
}

func TestAMFVectors(t *testing.T) {
	var experimental tally
	for _, v := range readBodies(t, "ref_amf.json").Vectors {
		k := Pywb.Keys(v.request())
		experimental.count(t, v.ID, k.RequestBody+" "+k.URL+" "+k.URLKey,
			v.Expected.Pywb.Query+" "+v.Expected.Pywb.URL+" "+v.Expected.Pywb.URLKey)
	}
	t.Logf("experimental: %d of %d as the reference", experimental.same, experimental.total)
}

// contradictions is where an example of the seed says something else than its rules,
// which win: its examples are not normative.
var contradictions = map[string]struct{ why, url string }{
	"seed000-json-as-printed": {
		"the body lacks a comma behind 35.7, is no JSON, and has no fallback",
		"http://example.org/events?__wb_method=POST",
	},
	"seed000-multipart": {
		"the URL has %20 where the appendix has +, and submit-name where the body has submit-value",
		"http://example.org/?__wb_method=POST&__wb_post_data=--AaB03x%0A" +
			"Content-Disposition%3A+form-data%3B+name%3D%22submit-value%22%0A%0AExample%0A--AaB03x%0A" +
			"Content-Disposition%3A+form-data%3B+name%3D%22files%22%0AContent-Type%3A+multipart%2Fmixed%3B+boundary%3DBbC04y%0A%0A" +
			"--BbC04y%0AContent-Disposition%3A+file%3B+filename%3D%22file1.txt%22%0AContent-Type%3A+text%2Fplain%0A%0A" +
			"Content+of+file1.txt.%0A%0A" +
			"--BbC04y%0AContent-Disposition%3A+file%3B+filename%3D%22file2.html%22%0AContent-Type%3A+text%2Fhtml%0A%0A" +
			"%3C%21DOCTYPE+html%3E%3Ctitle%3EContent+of+file2.html.%3C%2Ftitle%3E%0A%0A--BbC04y--%0A--AaB03x--%0A",
	},
}

// Every example of the seed Request Body Canonicalization, under its section. The
// dialect Spec makes of it what the seed prints; Pywb and WarcioJS, what those do.
func TestSeedRequestBody(t *testing.T) {
	seen := 0
	for _, v := range readBodies(t, "seed000_request_body.json").Vectors {
		name := "Request Body Canonicalization/" + v.Section + "/" + v.ID
		t.Run(name+"/spec", func(t *testing.T) {
			want := v.Expected.Text
			if c, ok := contradictions[v.ID]; ok {
				seen++
				if c.url == want {
					t.Fatal("the seed does not contradict itself here")
				}
				t.Logf("the seed contradicts itself: %s", c.why)
				want = c.url
			}
			got := Spec.Keys(v.request())
			if key, _ := SURT(want); got.URL != want || got.URLKey != key {
				t.Errorf("URL %q, key %q, want %q, %q", got.URL, got.URLKey, want, key)
			}
		})
		if v.Level != "advisory" {
			t.Run(name+"/pywb", func(t *testing.T) { checkPywb(t, &v) })
			t.Run(name+"/warciojs", func(t *testing.T) { checkWarcioJS(t, &v) })
		}
	}
	if seen != len(contradictions) {
		t.Errorf("met %d contradictions of %d", seen, len(contradictions))
	}
}

// The table of the section "Encoding the request body": what becomes of a body that
// its type's encoding cannot read.
func TestSeedContentTypes(t *testing.T) {
	rows := readBodies(t, "seed000_request_body.json").Types
	if len(rows) != 6 {
		t.Fatalf("read %d rows", len(rows))
	}
	for _, row := range rows {
		t.Run(row.Type, func(t *testing.T) {
			want := ""
			if row.Fallback != nil && *row.Fallback == "binary" || row.Primary == "binary" {
				want = "__wb_post_data=/w=="
			}
			r := &Request{
				Method:      "POST",
				ContentType: strings.Replace(row.Type, "*", "x", 1),
				Body:        []byte{0xff},
			}
			if got := Spec.Query(r); got != want {
				t.Errorf("query %q, want %q", got, want)
			}
		})
	}
}

// The table of the appendix, "Percent plus encoding".
func TestSeedPercentPlus(t *testing.T) {
	table := readBodies(t, "seed000_request_body.json").PercentPlus
	if len(table) != 256 {
		t.Fatalf("read %d rows", len(table))
	}
	for c, want := range table {
		if got := string(percentPlus.appendByte(nil, byte(c))); got != want {
			t.Errorf("%02X: %q, want %q", c, got, want)
		}
	}
}

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
	for dialect, want := range map[Dialect]string{Pywb: pywb, Spec: spec, WarcioJS: warciojs, "": pywb} {
		if got := dialect.Query(r); got != want {
			t.Errorf("%s: %.300q, want %.300q", dialect, got, want)
		}
	}
}

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
			for dialect, want := range map[Dialect]string{Pywb: tt.pywb, Spec: tt.spec, WarcioJS: tt.warciojs} {
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

// What warcio.js appends is decoded, or nothing where it cannot be.
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

// Where a query is cut: at 4096 code points in Pywb, 4096 UTF-16 units in WarcioJS.
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

// A body longer than MaxBody counts as binary.
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

// A query that would be longer than 1 MiB names the body in Spec, whatever its type.
func TestLongQuery(t *testing.T) {
	for name, r := range map[string]Request{
		"json":       {ContentType: "application/json", Body: []byte(longName(`1`)(8 << 10))},
		"urlencoded": {ContentType: "application/x-www-form-urlencoded", Body: bytes.Repeat([]byte("&"), 400<<10)},
		"amf":        {ContentType: "application/x-amf", Body: []byte(amfList(40000, strings.Repeat("\x06", 40000)))},
		"binary":     {ContentType: "image/png", Body: make([]byte, 800<<10)},
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

// A body that asks for more work than one of its length may counts as binary, and that is
// said.
func TestBudget(t *testing.T) {
	body := []byte(amfShared(4 << 10))
	for dialect, want := range map[Dialect]string{
		Pywb: string(binaryQuery(body))[:4096], Spec: string(binaryQuery(body)), WarcioJS: string(binaryQuery(body))[:4096],
	} {
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

// A URL without a key is its own, with what was appended, and that is said.
func TestKeysErrors(t *testing.T) {
	const url = "http://e.org:x/?__wb_method=POST"
	for _, dialect := range []Dialect{Pywb, Spec} {
		k := dialect.Keys(&Request{URL: "http://e.org:x/", Method: "POST"})
		if k.OK || k.URL != url || k.URLKey != url {
			t.Errorf("%s: %+v", dialect, k)
		}
	}
}

// The keys of a GET cost no more than its SURT.
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
