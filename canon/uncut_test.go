package canon

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// half is the part of a SHA-256 that keys have.
func half(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text)))[:32] }

// TestQueryKey has what is hashed of a body: a query, its bytes, or nothing.
func TestQueryKey(t *testing.T) {
	const base = "com,example)/a?__wb_method=post"
	form := func(boundary, file string) []byte {
		part := "\r\nContent-Disposition: form-data; name="
		return []byte("--" + boundary + part + "t\r\n\r\na b\r\n--" + boundary + part +
			"\"f\"; filename=\"x\"\r\n\r\n" + file + "\r\n--" + boundary + "--\r\n")
	}
	long := strings.Repeat("%41+", 10_000)
	megabyte := strings.Repeat("x", maxSpecQuery)
	file := strings.Repeat("\x00\xffab", 1<<20)
	escapedFile := strings.Repeat("%00%FFab", 1<<20)
	longNames := `{"` + megabyte[:1000] + `":[` + strings.Repeat("1,", 2000) + `1]}`
	sum := sha256.Sum256([]byte("whole"))
	for _, test := range []struct {
		name string
		r    Request
		want string
	}{
		{"a GET", Request{Body: []byte("x")}, ""},
		{"a GET by name", Request{Method: "GET", Body: []byte("x")}, ""},
		{"no body", Request{Method: "POST"}, ""},
		{"a form", Request{Method: "POST", ContentType: "application/x-www-form-urlencoded",
			Body: []byte("a=%62")}, base + "#query=" + half("a=b")},
		{"a long form", Request{Method: "POST", ContentType: "application/x-www-form-urlencoded",
			Body: []byte(long)}, base + "#query=" + half(strings.Repeat("A ", 10_000))},
		{"a form of 1 MiB", Request{Method: "POST", ContentType: "application/x-www-form-urlencoded",
			Body: []byte(megabyte)}, base + "#query=" + half(megabyte)},
		{"a longer form", Request{Method: "POST", ContentType: "application/x-www-form-urlencoded",
			Body: []byte(megabyte + "x")}, base + "#body=" + half(megabyte+"x")},
		{"json", Request{Method: "put", ContentType: "application/json",
			Body: []byte(`{"a": [1.0, "b"]}`)},
			"com,example)/a?__wb_method=put#query=" + half("a=1&a.2_=b")},
		{"json of PATCH", Request{Method: "PATCH", ContentType: "application/json",
			Body: []byte(`{"a":1}`)}, "com,example)/a?__wb_method=patch#query=" + half("a=1")},
		{"json that grows", Request{Method: "POST", ContentType: "application/json",
			Body: []byte(longNames)}, base + "#body=" + half(longNames)},
		{"no json", Request{Method: "POST", ContentType: "application/json", Body: []byte(`{`)},
			base + "#body=" + half("{")},
		{"text", Request{Method: "POST", ContentType: "text/plain", Body: []byte("a=b")},
			base + "#body=" + half("a=b")},
		{"a multipart body", Request{Method: "POST", ContentType: "multipart/form-data; boundary=x",
			Body: form("x", file[:4])}, base + "#query=" + half("t=a+b&f=%00%FFab")},
		{"another boundary, a long file", Request{Method: "POST",
			ContentType: "multipart/form-data; boundary=long", Body: form("long", file)},
			base + "#query=" + half("t=a+b&f="+escapedFile)},
		{"no parts", Request{Method: "POST", ContentType: "multipart/form-data; boundary=y",
			Body: []byte("x")}, base + "#body=" + half("x")},
		{"too long", Request{Method: "POST", ContentType: "multipart/form-data; boundary=x",
			Body: form("x", "")[:20], BodyLen: MaxBody + 1, BodySHA256: sum[:]},
			base + "#body=" + half("whole")},
		{"of unknown end", Request{Method: "POST", Body: []byte("x"), BodyLen: 100}, ""},
	} {
		test.r.URL = "http://example.com/a"
		if got := QueryKey(&test.r, Pywb.Query(&test.r)); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// TestQueryKeyIsOfThePywbQuery: of a body whose query Pywb does not cut, the key has that query.
func TestQueryKeyIsOfThePywbQuery(t *testing.T) {
	compared := 0
	for _, v := range allBodies(t) {
		r := Request{URL: "http://example.com/", Method: "POST", ContentType: v.Input.Type,
			Body: v.Input.Body}
		q := Pywb.Query(&r)
		if q == "" || utf8.RuneCountInString(q) >= maxQuery {
			continue
		}
		want := "#query=" + half(q)
		if strings.HasPrefix(q, postData) && string(binaryQuery(r.Body)) == q {
			want = "#body=" + half(string(r.Body))
		}
		if got := QueryKey(&r, ""); got != QueryKey(&r, q) || !strings.HasSuffix(got, want) {
			t.Errorf("%s %.100q: %s, want %s", r.ContentType, r.Body, got, want)
		}
		compared++
	}
	if compared < 50 {
		t.Errorf("%d bodies were compared", compared)
	}
}

// TestMultipartDigest: what is hashed in pieces is what would be hashed as a whole.
func TestMultipartDigest(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	parameters := []string{"", "; name=a", "; name=\"\xff\"", "; filename=x; name=é"}
	for range 300 {
		var body []byte
		for range random.IntN(4) {
			body = append(body, "--b\r\nContent-Disposition: form-data"...)
			body = append(body, parameters[random.IntN(len(parameters))]...)
			body = append(body, "\r\n\r\n"...)
			for range random.IntN(40_000) {
				body = append(body, byte(random.Uint32N(256)>>random.Uint32N(2)))
			}
			body = append(body, "\r\n"...)
		}
		body = append(body, "--b--"...)
		got := multipartDigest("multipart/form-data; boundary=b", body)
		q, _ := pywbMultipart("multipart/form-data; boundary=b", body, MaxBody)
		want := sha256.Sum256(q)
		if !bytes.Equal(got, want[:]) && (got != nil || len(q) > 0) {
			t.Fatalf("%.200q: %x, want %x", body, got, want)
		}
	}
}
