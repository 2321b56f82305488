package canon

import (
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

// contradictions are the examples of Request Body Canonicalization that say something else than its
// rules. The rules win: its examples are not normative.
var contradictions = map[string]struct{ why, url string }{
	"seed000-json-as-printed": {
		"the body lacks a comma behind 35.7, is no JSON, and has no fallback",
		"http://example.org/events?__wb_method=POST",
	},
	"seed000-multipart": {
		"the URL has %20 where the appendix has +, and submit-name where the body has submit-value",
		"http://example.org/?__wb_method=POST&__wb_post_data=--AaB03x%0A" +
			"Content-Disposition%3A+form-data%3B+name%3D%22submit-value%22%0A%0AExample%0A--AaB03x%0A" +
			"Content-Disposition%3A+form-data%3B+name%3D%22files%22%0AContent-Type%3A+multipart%2Fmixed%3" +
			"B+boundary%3DBbC04y%0A%0A" +
			"--BbC04y%0AContent-Disposition%3A+file%3B+filename%3D%22file1.txt%22%0AContent-Type%3A+text%" +
			"2Fplain%0A%0A" +
			"Content+of+file1.txt.%0A%0A" +
			"--BbC04y%0AContent-Disposition%3A+file%3B+filename%3D%22file2.html%22%0AContent-Type%3A+text" +
			"%2Fhtml%0A%0A" +
			"%3C%21DOCTYPE+html%3E%3Ctitle%3EContent+of+file2.html.%3C%2Ftitle%3E%0A%0A--BbC04y--%0A--AaB" +
			"03x--%0A",
	},
}

// TestRequestBodyCanonicalization has every example of that document, under its section. The
// dialect Spec makes of it what the document prints; Pywb and WarcioJS, what pywb and warcio.js do.
func TestRequestBodyCanonicalization(t *testing.T) {
	seen := 0
	for _, v := range readBodies(t, "request_body_canonicalization.json").Vectors {
		name := "Request Body Canonicalization/" + v.Section + "/" + v.ID
		t.Run(name+"/spec", func(t *testing.T) {
			want := v.Expected.Text
			if c, ok := contradictions[v.ID]; ok {
				seen++
				if c.url == want {
					t.Fatal("the document does not contradict itself here")
				}
				t.Logf("the document contradicts itself: %s", c.why)
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

// TestContentTypes has the table of the section "Encoding the request body": what becomes of a body
// that the encoding of its type cannot read.
func TestContentTypes(t *testing.T) {
	rows := readBodies(t, "request_body_canonicalization.json").Types
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

// TestPercentPlus has the table of the appendix, "Percent plus encoding".
func TestPercentPlus(t *testing.T) {
	table := readBodies(t, "request_body_canonicalization.json").PercentPlus
	if len(table) != 256 {
		t.Fatalf("read %d rows", len(table))
	}
	for c, want := range table {
		if got := string(percentPlus.appendByte(nil, byte(c))); got != want {
			t.Errorf("%02X: %q, want %q", c, got, want)
		}
	}
}
