package store

import (
	"slices"
	"strings"
	"testing"

	"warcorder/canon"
)

// TestNoBodies: nothing of a request's body is in the lines, of whatever dialect and by whatever
// key; the method is, and the lines are sorted.
func TestNoBodies(t *testing.T) {
	b := newIndex(t)
	file := addFile(t, b, "a.warc.gz")
	var batch []Capture
	for i, r := range []canon.Request{
		{URL: "http://www.example.com/login", Method: "POST",
			ContentType: "application/x-www-form-urlencoded", Body: []byte("user=anna&password=secret1")},
		{URL: "http://www.example.com/login", Method: "POST", ContentType: "application/json",
			Body: []byte(`{"a":"secret2"}`)},
		{URL: "http://www.example.com/login", Method: "put", ContentType: "text/plain",
			Body: []byte("secret3")},
		{URL: "http://www.example.com/login?q=kept", Method: "POST", ContentType: "image/png",
			Body: []byte("secret4")},
		{URL: "http://www.example.com/login?q=kept"},
		{URL: "http://www.example.com/zzz"},
	} {
		c := captureOf(r.URL, testTime, file.Name, int64(i))
		c.Method = r.Method
		if r.Method != "" {
			r.BodyLen = int64(len(r.Body))
			keys := canon.Pywb.Keys(&r)
			c.URLKey, c.RequestBody = keys.URLKey, keys.RequestBody
			c.SpecBody, c.WarcioJSBody = canon.Spec.Query(&r), canon.WarcioJS.Query(&r)
			c.FormKey = string(r.Body)
		}
		c.PathKey = r.URL
		batch = append(batch, c)
	}
	commit(t, b, batch, file)
	for _, dialect := range []canon.Dialect{"", canon.Pywb, canon.Spec, canon.WarcioJS} {
		for _, key := range []Key{URLKey, PathKey} {
			var out strings.Builder
			done, err := b.Export(&out, Query{Dialect: dialect, Key: key, NoBodies: true}, nil)
			lines := strings.SplitAfter(strings.TrimSuffix(out.String(), "\n"), "\n")
			if err != nil || done.Lines != 6 || len(lines) != 6 {
				t.Fatalf("%s %s: %+v, %v: %s", dialect, key, done, err, out.String())
			}
			for _, leaked := range []string{"secret", "anna", "c2VjcmV0", "requestBody", "__wb_post_data"} {
				if strings.Contains(out.String(), leaked) {
					t.Errorf("%s %s: %q is there: %s", dialect, key, leaked, out.String())
				}
			}
			if !slices.IsSorted(lines) {
				t.Errorf("%s %s: not sorted: %s", dialect, key, out.String())
			}
			if key == URLKey && strings.Count(out.String(), "__wb_method=") != 4 {
				t.Errorf("%s: the keys do not say the method: %s", dialect, out.String())
			}
			if strings.Count(out.String(), "kept") < 2 {
				t.Errorf("%s %s: the query of a URL is missing: %s", dialect, key, out.String())
			}
		}
	}
	if _, err := b.Export(nil, Query{Key: FormKey, NoBodies: true}, nil); err == nil {
		t.Error("the key form is exported without bodies")
	}
}
