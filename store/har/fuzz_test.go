package har

import (
	"encoding/json"
	"runtime"
	"testing"
)

// FuzzHeads: whatever stands in the heads of an exchange, in its URL and its form, is valid JSON
// that is read back as it was, in memory that is bounded by its length.
func FuzzHeads(f *testing.F) {
	for _, s := range []string{"", "GET /a HTTP/1.1\r\nCookie: a=b; c=\xe9\r\n x\r\nA\xff: \x00\r\n\r\n",
		"HTTP/1.1 200 \xe9\nSet-Cookie: a=b; max-age=1; domain=\xff\nLocation: \xc3\xa9\nContent-Type: \xff\n\n"} {
		f.Add([]byte(s), s, "http://example.com/?a=%E9&\xff=<>#")
	}
	f.Fuzz(func(t *testing.T, sent []byte, kind, address string) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		h := parseHead(sent)
		x := exchange{request: requestOf("", address)}
		x.request.takeHead(h)
		x.response, x.content.Type = responseOf(h, 200, begun)
		x.posted = &postData{Type: text(kind), Params: paramsOf(kind, sent)}
		q := newQuoter()
		for _, v := range []any{&x.request, &x.response, &x.content, x.posted} {
			b, err := q.value(v)
			if err != nil || !json.Valid(b) {
				t.Fatalf("%q: %v", b, err)
			}
		}
		runtime.ReadMemStats(&after)
		took, length := after.TotalAlloc-before.TotalAlloc, len(sent)+len(kind)+len(address)
		if most := uint64(1<<20 + 2000*length); took > most {
			t.Errorf("%d bytes were allocated for %d", took, length)
		}
		b, err := q.value(&x.request)
		var back request
		if err == nil {
			err = json.Unmarshal(b, &back)
		}
		if err != nil || len(back.Fields) != len(h.fields) {
			t.Fatal(err)
		}
		for i, f := range back.Fields {
			if bytesOf(f, f.Name) != h.fields[i].name || bytesOf(f, f.Value) != h.fields[i].value {
				t.Errorf("%q: %q", h.fields[i], f)
			}
		}
	})
}

// bytesOf returns the bytes that the name or the value of a field had.
func bytesOf(p pair, half string) string {
	if p.Comment == "" {
		return half
	}
	var b []byte
	for _, r := range half {
		b = append(b, byte(r))
	}
	return string(b)
}
