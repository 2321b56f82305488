package canon

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// checkKeys: what holds for the keys of any request in any dialect.
func checkKeys(t testing.TB, r *Request) {
	t.Helper()
	for _, dialect := range []Dialect{Pywb, Spec, WarcioJS} {
		k := dialect.Keys(r)
		if again := dialect.Append(r.URL, r.Method, k.RequestBody); again != k.URL {
			t.Errorf("%s: Append gives %q, Keys %q", dialect, again, k.URL)
		}
		if key, ok := dialect.Key(k.URL); key != k.URLKey || ok != k.OK {
			t.Errorf("%s: the key of %q is %q, Keys has %q", dialect, k.URL, key, k.URLKey)
		}
		if dialect != WarcioJS {
			if key, ok := SURT(k.URL); key != k.URLKey || ok != k.OK {
				t.Errorf("%s: SURT(%q) = %q, key %q", dialect, k.URL, key, k.URLKey)
			}
		}
		if k.OK && !strings.HasPrefix(k.URL, "filedesc") && !isPrintable(k.URLKey) {
			t.Errorf("%s: the key of %q is %q", dialect, k.URL, k.URLKey)
		}
		checkCut(t, dialect, k.RequestBody)
		if k.Method == "" || k.Method == "GET" && k.URL != r.URL {
			t.Errorf("%s: method %q, URL %q", dialect, k.Method, k.URL)
		}
	}
}

// checkCut: a query is no longer than its dialect allows.
func checkCut(t testing.TB, dialect Dialect, query string) {
	t.Helper()
	if dialect == Pywb && len([]rune(query)) > maxQuery ||
		dialect == WarcioJS && cutUTF16(query, maxQuery) != query {
		t.Errorf("%s: a query of %d bytes", dialect, len(query))
	}
}

// checkProfiles: a profile done twice is a profile done once, and changes no key, as long
// as the path is that of a request: without line breaks, and white space around it.
func checkProfiles(t testing.TB, path string) {
	t.Helper()
	legal := !strings.ContainsAny(path, "\t\r\n") && strings.Trim(path, " \v\f") == path
	before, _ := SURT("http://example.com/" + path)
	for _, p := range BuiltinProfiles() {
		once := p.Path(path)
		if twice := p.Path(once); twice != once {
			t.Errorf("%s: %q becomes %q and then %q", p.Name(), path, once, twice)
		}
		if written := once[:pathEnd(once)]; !isPrintable("/" + written) {
			t.Errorf("%s: %q becomes %q", p.Name(), path, once)
		}
		if after, _ := SURT("http://example.com/" + once); legal && after != before {
			t.Errorf("%s: SURT of %q is %q, of %q %q", p.Name(), path, before, once, after)
		}
	}
}

// checkPairs: what is encoded is decoded to the same, and has one spelling.
func checkPairs(t testing.TB, pairs []Pair) {
	t.Helper()
	text := encodeForm(pairs)
	decoded, ok := decodePairs(text)
	if len(pairs) > 0 && (!ok || !slices.Equal(decoded, pairs)) {
		t.Errorf("%+v is encoded as %q, decoded as %+v", pairs, text, decoded)
	}
	if key := FormKey(text); key != text || !isPrintable("/"+text) {
		t.Errorf("FormKey(%q) = %q", text, key)
	}
}

// randomText draws from what has a meaning somewhere.
func randomText(r *rand.Rand) string {
	tokens := []string{
		"%", "%4", "%41", "%25", "%2F", "%2f", "%3F", "%23", "%zz", "%C3%A9", "%C3", "%F0%9F%98%80",
		"%00", "%0A", "&", "&amp;", "=", ";", "+", " ", "?", "#",
		"/", "//", "/../", "/./", ".", ":", "@", "a", "B", "~", "\u00e9", "\U0001f600", "\xff",
		"\xe2\x82", "\x00", "\"", "{", "}", "[", "]", ",", `\u00`, `\ud800`, "1", "-0",
		"1e5", "true", "null", `{"a":`, `"a":1`, "(", ")", "!", "$", "'", "*", "www.",
		"sid=0123456789abcdef0123456789abcdef", "__wb_method=", "--X", "\r\n", "\n", "name=\"a\"",
	}
	var out strings.Builder
	for range r.IntN(12) {
		out.WriteString(tokens[r.IntN(len(tokens))])
	}
	return out.String()
}

func TestProperties(t *testing.T) {
	for _, v := range allBodies(t) {
		checkKeys(t, v.request())
	}
	for _, url := range allURLs(t) {
		checkKeys(t, &Request{URL: url, Method: "POST", Body: []byte("x")})
		_, path, _ := strings.Cut(url, "://")
		checkProfiles(t, path)
	}
	r := rand.New(rand.NewPCG(1, 2))
	types := []string{
		"application/json", "text/plain", "application/x-www-form-urlencoded",
		"multipart/form-data; boundary=X", "application/x-amf", "",
	}
	for range 20000 {
		checkKeys(
			t,
			&Request{
				URL:         "http://e.org/" + randomText(r),
				Method:      "PUT",
				ContentType: types[r.IntN(len(types))],
				Body:        []byte(randomText(r)),
			},
		)
		checkProfiles(t, randomText(r))
		name, value := strings.ToValidUTF8(randomText(r), ""), strings.ToValidUTF8(randomText(r), "")
		checkPairs(
			t,
			[]Pair{
				{name, value, true}, {value, "", false}, {"", "", true}, {name, "", true}, {"", "", false},
			},
		)
		if t.Failed() {
			break
		}
	}
}

// TestSpellingsMeet: equivalent spellings have the same key of other kinds.
func TestSpellingsMeet(t *testing.T) {
	a, _ := WWWOFFLE("http://Example.org:80/%7eu/a%3bb?x=%41%20b#f")
	if b, _ := WWWOFFLE("http://example.org/~u/a;b?x=A+b"); a != b {
		t.Errorf("WWWOFFLE: %q and %q", a, b)
	}
	profiles := rules(t)
	const wiki = "https://de.wikipedia.org/wiki/"
	if a, b := profiles.URL(wiki+"A%2fB%28c%29"), profiles.URL(wiki+"A/B(c)"); a != b {
		t.Errorf("Profiles: %q and %q", a, b)
	}
	if a, b := FormKey("a=b c;d=%7E"), FormKey("a=b+c&d=~"); a != b {
		t.Errorf("FormKey: %q and %q", a, b)
	}
}
