package http1

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// usual are the codings that a request may ask for unless a setting says otherwise.
var usual = Codings{Names: []string{"gzip", "deflate", "br"}}

// TestForward: what an origin gets of each field, and that no other byte changes.
func TestForward(t *testing.T) {
	const before, after = "GET /a HTTP/1.1\r\nhOST:  a \r\n", "X-A : 1\r\nno colon\r\nB: \xe9\r\n\r\n"
	dictionary := Codings{Names: []string{"gzip", "dcz"}}
	for _, c := range []struct {
		name         string
		fields, want string
		change       Change
	}{
		{"nothing", "Accept: */*\r\n", "Accept: */*\r\n", Change{&usual, true}},
		{"what recorders are told", "Warcprox-Meta: {\"warc-prefix\":\"job\"}\r\nX: y\r\nrecorder-skip:1\r\n" +
			"veidemann_eid: 1\r\nVEIDEMANN_JEID: 2\r\nveidemann_cid: 3\r\n", "X: y\r\n", Change{}},
		{"folded", "Warcprox-Meta: {\r\n \"a\":1\r\n\t}\r\nX: y\r\n", "X: y\r\n", Change{}},
		{"with blanks before the colon", "Warcprox-Meta\t : {}\r\nX: y\r\n", "X: y\r\n", Change{}},
		{"fields that begin like it", "Warcprox-Metadata: x\r\nWarcprox: y\r\nRecorder-Skip-It: 1\r\n",
			"Warcprox-Metadata: x\r\nWarcprox: y\r\nRecorder-Skip-It: 1\r\n", Change{}},
		{"proxy fields", "Proxy-Connection: keep-alive\r\nproxy-authorization: x\r\n y\r\nProxy: z\r\n",
			"Connection: keep-alive\r\nProxy: z\r\n", Change{}},
		{"a condition that stays", "If-None-Match: \"a\"\r\n", "If-None-Match: \"a\"\r\n",
			Change{Codings: &usual}},
		{"a condition that goes", "If-None-Match: \"a\"\r\nIf-Range: \"a\"\r\nif-modified-since: x\r\n y\r\n" +
			"If-Match: \"a\"\r\nIf-Unmodified-Since: z\r\nIf-None-Matches: 1\r\n",
			"If-Range: \"a\"\r\nIf-Match: \"a\"\r\nIf-Unmodified-Since: z\r\nIf-None-Matches: 1\r\n",
			Change{Condition: true}},
		{"any coding", "Accept-Encoding: zstd, dcb\r\nAvailable-Dictionary: :x:\r\n",
			"Accept-Encoding: zstd, dcb\r\nAvailable-Dictionary: :x:\r\n", Change{}},
		{"a dictionary", "Available-Dictionary: :x:\r\nX: y\r\ndictionary-id: \"z\"\r\n", "X: y\r\n",
			Change{Codings: &usual}},
		{"a dictionary that may be used", "Accept-Encoding: zstd, dcz\r\nAvailable-Dictionary: :x:\r\n",
			"Accept-Encoding: dcz\r\nAvailable-Dictionary: :x:\r\n", Change{Codings: &dictionary}},
	} {
		for _, end := range []string{"\r\n", "\n"} {
			t.Run(c.name, func(t *testing.T) {
				ends := func(s string) string { return strings.ReplaceAll(s, "\r\n", end) }
				head, want := ends(before+c.fields+after), ends(before+c.want+after)
				req, err := ParseRequest([]byte(head))
				if err != nil {
					t.Fatal(err)
				}
				if got := string(req.Forward(nil, []byte(head), nil, c.change)); got != want {
					t.Errorf("%q, want %q", got, want)
				}
				want = strings.Replace(want, "/a", "/b", 1)
				if got := string(req.Forward(nil, []byte(head), []byte("/b"), c.change)); got != want {
					t.Errorf("with another target %q, want %q", got, want)
				}
			})
		}
	}
}

// TestAcceptEncoding: which codings an origin is asked for, byte for byte.
func TestAcceptEncoding(t *testing.T) {
	for _, c := range []struct{ name, value, want string }{
		{"Chrome", "gzip, deflate, br, zstd", "gzip, deflate, br"},
		{"Chrome with a dictionary", "gzip, deflate, br, zstd, dcb, dcz", "gzip, deflate, br"},
		{"Chrome's media", "identity;q=1, *;q=0", "identity;q=1, *;q=0"},
		{"Safari", "gzip, deflate, br", "gzip, deflate, br"},
		{"curl", "deflate, gzip, br, zstd", "deflate, gzip, br"},
		{"in front", "zstd, gzip", "gzip"},
		{"in the middle", "gzip;q=1.0 , zstd;q=0.9 ,br;q=0.8", "gzip;q=1.0 ,br;q=0.8"},
		{"tight", "zstd,gzip,dcb,br", "gzip,br"},
		{"in capitals", "GZip, ZSTD, BR", "GZip, BR"},
		{"alone", "zstd", "identity"},
		{"any", "*", "identity"},
		{"any, with a weight", "gzip, *;q=0.1", "gzip"},
		{"refused", "gzip, zstd;q=0, *;q=0.000", "gzip, zstd;q=0, *;q=0.000"},
		{"refused in odd spelling", "gzip, zstd ; Q = 0", "gzip, zstd ; Q = 0"},
		{"a weight that is none", "gzip, zstd;q=00x", "gzip"},
		{"with nothing but a refusal beside it", "zstd, *;q=0", "identity"},
		{"identity", "identity", "identity"},
		{"identity and another", "identity;q=0.5, zstd", "identity;q=0.5"},
		{"x-gzip", "gzip, x-gzip", "gzip"},
		{"not known", "gzip, sdch, exi", "gzip"},
		{"empty", "", ""},
		{"blank", "   ", "   "},
		{"empty items", ",gzip,,br,", ",gzip,,br,"},
		{"empty items and others", ",zstd,,gzip,,zstd,", ",,gzip,,"},
		{"blanks behind", "gzip, zstd \t", "gzip \t"},
		{"no blank in front", "\tgzip\t,\tzstd", "\tgzip"},
		{"folded", "gzip,\r\n zstd,\r\n\tbr", "gzip,\r\n\tbr"},
		{"folded in front of the last", "gzip, br\r\n ,zstd", "gzip, br"},
		{"folded at once", "\r\n zstd, br", "\r\n br"},
		{"a fold with nothing else", "gzip,\r\n ,\r\n ,zstd", "gzip,\r\n ,"},
	} {
		for _, end := range []string{"\r\n", "\n"} {
			t.Run(c.name, func(t *testing.T) {
				value := strings.ReplaceAll(c.value, "\r\n", end)
				want := strings.ReplaceAll(c.want, "\r\n", end)
				for _, blank := range []string{" ", "", " \t"} {
					head := func(value string) string {
						return "GET / HTTP/1.1" + end + "aCCEPT-Encoding:" + blank + value + end + "X: zstd" + end + end
					}
					req, err := ParseRequest([]byte(head(value)))
					if err != nil {
						t.Fatal(err)
					}
					got := string(req.Forward(nil, []byte(head(value)), nil, Change{Codings: &usual}))
					if got != head(want) {
						t.Errorf("%q, want %q", got, head(want))
					}
				}
			})
		}
	}
}

// TestAcceptEncodings: several fields make one list, of which identity takes the place once.
func TestAcceptEncodings(t *testing.T) {
	for in, want := range map[string]string{
		"gzip|zstd|br":   "gzip|identity|br",
		"zstd|dcb|*":     "identity",
		"zstd, br|gzip":  "br|gzip",
		"zstd|gzip|dcz ": "identity|gzip",
	} {
		head := func(fields string) []byte {
			all := []string{"GET / HTTP/1.1"}
			for one := range strings.SplitSeq(fields, "|") {
				all = append(all, "Accept-Encoding: "+one)
			}
			return lines(all...)
		}
		req, err := ParseRequest(head(in))
		if err != nil {
			t.Fatal(err)
		}
		if got := req.Forward(nil, head(in), nil, Change{Codings: &usual}); !bytes.Equal(got, head(want)) {
			t.Errorf("%q: %q, want %q", in, got, head(want))
		}
	}
}

// TestParseCodings: what the setting may say, and what it is told if it says anything else.
func TestParseCodings(t *testing.T) {
	for text, want := range map[string]string{
		"any": "any", " ANY ": "any", "gzip": "gzip", "gzip, deflate,BR ": "gzip,deflate,br",
		"identity": "identity", "x-gzip,dcb": "x-gzip,dcb",
	} {
		c, err := ParseCodings(text)
		if err != nil || c.String() != want {
			t.Errorf("%q: %q, %v", text, c.String(), err)
		}
		if again, err := ParseCodings(c.String()); err != nil || again.String() != c.String() {
			t.Errorf("%q is not read back: %v", c.String(), err)
		}
	}
	for _, text := range []string{"", "brotli", "gzip;q=1", "gzip,,br", "gzip br", "*", "gzip, any"} {
		if c, err := ParseCodings(text); err == nil || !strings.Contains(err.Error(), "zstd") {
			t.Errorf("%q: %q, %v", text, c.String(), err)
		}
	}
}

// TestOtherCodings: which coding of a response is not in the set.
func TestOtherCodings(t *testing.T) {
	for _, c := range []struct {
		fields []string
		want   string
	}{
		{nil, ""},
		{[]string{"Content-Encoding: gzip"}, ""},
		{[]string{"content-encoding : zstd"}, ""}, // which is no field
		{[]string{"Content-Encoding: identity, ,"}, ""},
		{[]string{"Content-Encoding:zstd"}, "zstd"},
		{[]string{"Content-Encoding: gzip, Zstd ,dcb"}, "Zstd"},
		{[]string{"Content-Encoding: gzip", "X: y", "CONTENT-ENCODING: zstd"}, "zstd"},
		{[]string{"Content-Encoding: gzip,", "\tzstd"}, "zstd"},
		{[]string{"Content-Encoding:", " zstd", "X: y", " gzip"}, "zstd"},
		{[]string{"Content-Encoding: x-gzip"}, "x-gzip"},
	} {
		head := lines(append([]string{"HTTP/1.1 200 OK"}, c.fields...)...)
		asCame := bytes.Clone(head)
		res, err := ParseResponse(head, &Request{})
		if err != nil {
			t.Fatal(err)
		}
		if got := usual.Other(res.Encoding); string(got) != c.want {
			t.Errorf("%q: %q, want %q", c.fields, got, c.want)
		}
		if got := (&Codings{Any: true}).Other(res.Encoding); got != nil {
			t.Errorf("%q: %q is not any", c.fields, got)
		}
		if !bytes.Equal(head, asCame) {
			t.Errorf("the head has become %q", head)
		}
	}
}

// FuzzAcceptEncoding holds what an origin gets against an eye of its own: the items that may stay,
// in their order, and no other byte of the head changes.
func FuzzAcceptEncoding(f *testing.F) {
	for _, value := range []string{"gzip, deflate, br, zstd", "identity;q=1, *;q=0", "zstd", ",zstd,, gzip ,",
		"gzip,\r\n zstd", "*;q=0, zstd", "zstd;a=b;q=0.0,br;q=0.000", "gzip\n\t,\n zstd\n "} {
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value string) {
		head := "GET / HTTP/1.1\nA: zstd\nAccept-Encoding:" + value + "\nB: zstd\n\n"
		if end, _ := HeadEnd([]byte(head), 0); end != len(head) || strings.Contains(value, ":") {
			return
		}
		req, err := ParseRequest([]byte(head))
		if err != nil {
			return
		}
		got := string(req.Forward(nil, []byte(head), nil, Change{Codings: &usual}))
		if len(got) > len(head)+len("identity")-1 {
			t.Fatalf("%q has become longer: %q", head, got)
		}
		field, _, _ := strings.Cut(head[strings.Index(head, "Acc"):], "\nB: ")
		for at := 0; ; { // lines that are no fold, and no field either, end the field
			i := strings.IndexByte(field[at:], '\n')
			if i < 0 || at+i+1 == len(field) {
				break
			}
			if at += i + 1; field[at] != ' ' && field[at] != '\t' {
				field = field[:at-1]
				break
			}
		}
		start, rest, _ := strings.Cut(head, field)
		if !strings.HasPrefix(got, start) || !strings.HasSuffix(got, rest) {
			t.Fatalf("beside the field %q has changed: %q", head, got)
		}
		left := got[len(start) : len(got)-len(rest)]
		if want := itemsToStay(field[16:]); !slices.Equal(itemsOf(left[16:]), want) {
			t.Fatalf("of %q is left %q, want %q", field, left, want)
		}
		if slices.Equal(itemsOf(field[16:]), itemsToStay(field[16:])) && left != field {
			t.Fatalf("%q loses nothing and has become %q", field, left)
		}
	})
}

func itemsOf(value string) (items []string) {
	for one := range strings.SplitSeq(value, ",") {
		items = append(items, strings.Trim(one, " \t\r\n"))
	}
	return items
}

// itemsToStay are the items of an Accept-Encoding that an origin gets.
func itemsToStay(value string) (stay []string) {
	asks := false
	all := itemsOf(value)
	for _, item := range all {
		parts := strings.Split(item, ";")
		name, zero := strings.ToLower(strings.TrimSpace(parts[0])), false
		for _, p := range parts[1:] {
			key, weight, _ := strings.Cut(p, "=")
			if strings.EqualFold(strings.TrimSpace(key), "q") {
				weight = strings.TrimSpace(weight)
				zero = strings.HasPrefix(weight, "0") && strings.Trim(weight, "0.") == ""
			}
		}
		if zero || slices.Contains([]string{"", "gzip", "deflate", "br", "identity"}, name) {
			stay = append(stay, item)
			asks = asks || name != "" && !zero
		}
	}
	if !asks && len(stay) < len(all) {
		return []string{"identity"}
	}
	return stay
}

// TestLongFields: a head full of what is to be taken away is gone through once.
func TestLongFields(t *testing.T) {
	for name, fields := range map[string]string{
		"one list":        "Accept-Encoding: " + strings.Repeat("zstd, ", 170_000) + "gzip\r\n",
		"many lists":      strings.Repeat("Accept-Encoding: *\r\n", 50_000),
		"folds":           "Accept-Encoding: zstd" + strings.Repeat(",\r\n zstd", 100_000) + "\r\n",
		"weights":         "Accept-Encoding: zstd" + strings.Repeat(";q=1", 250_000) + "\r\n",
		"what is encoded": strings.Repeat("Content-Encoding: gzip\r\n", 43_000),
	} {
		t.Run(name, func(t *testing.T) {
			head := []byte("GET / HTTP/1.1\r\n" + fields + "\r\n")
			req, err := ParseRequest(head)
			if err != nil {
				t.Fatal(err)
			}
			dst := make([]byte, 0, len(head)+8)
			if allocs := testing.AllocsPerRun(3, func() {
				dst = req.Forward(dst[:0], head, nil, Change{Codings: &usual})
			}); allocs > 0 {
				t.Errorf("%v allocations", allocs)
			}
			if len(dst) > len(head)+8 {
				t.Errorf("%d bytes have become %d", len(head), len(dst))
			}
		})
	}
}
