package canon

import (
	"strings"
	"testing"
)

// builtin returns the built-in profile called name.
func builtin(t testing.TB, name string) *Profile {
	t.Helper()
	for _, p := range BuiltinProfiles() {
		if p.Name() == name {
			return &p
		}
	}
	t.Fatalf("no profile %q", name)
	return nil
}

// checkPath: the path is written so, and so it stays.
func checkPath(t *testing.T, p *Profile, path, want string) {
	t.Helper()
	if got := p.Path(path); got != want {
		t.Errorf("%s: Path(%q) = %q, want %q", p.Name(), path, got, want)
	}
	if again := p.Path(want); again != want {
		t.Errorf("%s: Path(%q) = %q, not idempotent", p.Name(), want, again)
	}
}

func TestPathVectors(t *testing.T) {
	var file struct {
		Meta    struct{ Count int }
		Vectors []struct {
			ID       string
			Input    bytesOrText
			Expected map[string]bytesOrText
		}
	}
	readFile(t, "ref_paths.json", &file)
	if len(file.Vectors) == 0 || len(file.Vectors) != file.Meta.Count {
		t.Fatalf("read %d vectors of %d", len(file.Vectors), file.Meta.Count)
	}
	for _, v := range file.Vectors {
		if len(v.Expected) != 4 {
			t.Errorf("%s: %d profiles", v.ID, len(v.Expected))
		}
		for name, want := range v.Expected {
			t.Run(v.ID+"/"+name, func(t *testing.T) {
				checkPath(t, builtin(t, name), string(v.Input), string(want))
			})
		}
	}
}

// TestURIPathNormalization has every example of that document, its classes of bytes and its sets.
func TestURIPathNormalization(t *testing.T) {
	var file struct {
		Meta    struct{ Count int }
		Classes map[string]string                          `json:"byte_classes"`
		Sets    map[string]struct{ Decode, Encode string } `json:"profiles_to_implement"`
		Printed map[string]struct{ Decode, Encode string } `json:"profiles_as_printed"`
		Vectors []struct {
			ID, Profile, Input, Expected, Note string
		}
	}
	readFile(t, "uri_path_normalization.json", &file)
	if len(file.Vectors) != 10 || len(file.Vectors) != file.Meta.Count {
		t.Fatalf("read %d vectors of %d", len(file.Vectors), file.Meta.Count)
	}
	for _, v := range file.Vectors {
		t.Run("URI path normalization/"+v.ID, func(t *testing.T) {
			t.Log(v.Note)
			checkPath(t, builtin(t, v.Profile), v.Input, v.Expected)
		})
	}
	t.Run("URI path normalization/Theory/classes of bytes", func(t *testing.T) {
		classes := map[fate]string{decode: "unreserved", encode: "disallowed", keep: "reserved"}
		for c, fate := range generic {
			code := string([]byte{hexDigits[c>>4], hexDigits[c&15]})
			if classes[fate] != file.Classes[code] {
				t.Errorf("%s is %s, want %s", code, classes[fate], file.Classes[code])
			}
		}
	})
	for name, sets := range file.Sets {
		t.Run("URI path normalization/Theory/sets of "+name, func(t *testing.T) {
			if printed, ok := file.Printed[name]; ok && printed != sets {
				t.Logf("the document contradicts itself: its prose has decode %q, encode %q; "+
					"its configuration and its decoder ring decode the slash", printed.Decode, printed.Encode)
				if name != "upload" || !strings.Contains(printed.Encode, "/") {
					t.Errorf("unexpected contradiction")
				}
			}
			want, err := newProfile(name, []byte(sets.Decode), []byte(sets.Encode))
			if err != nil || want != *builtin(t, name) {
				t.Errorf("the sets differ, or %v", err)
			}
		})
	}
}

// TestHiera has the example of a configuration in URI path normalization, section Implementation.
func TestHiera(t *testing.T) {
	p, err := NewProfile("upload", "2F", "21 24 26 27 28 29 2A 2B 2C 3A 3B 3D 40 5B 5D")
	if err != nil || p != *builtin(t, "upload") {
		t.Errorf("not the profile upload, or %v", err)
	}
}

func TestNewProfileErrors(t *testing.T) {
	tests := []struct{ name, decode, encode, want string }{
		{"overlap", "3A 2c", "2C", `path profile "overlap": encode: 2C (',') is in decode too`},
		{
			"slash",
			"",
			"2F",
			`path profile "slash": encode: 2F ('/') parts the path and cannot be encoded`,
		},
		{
			"foreign to decode",
			"41",
			"",
			`path profile "foreign to decode": decode: 41 ('A') is not one of the characters :/[]@!$&'()*` +
				`+,;=`,
		},
		{
			"foreign to encode",
			"",
			"3F",
			`path profile "foreign to encode": encode: 3F ('?') is not one of the characters :/[]@!$&'()*` +
				`+,;=`,
		},
		{
			"escape",
			"25",
			"",
			`path profile "escape": decode: 25 ('%') is not one of the characters :/[]@!$&'()*+,;=`,
		},
		{
			"no code",
			"2F ;",
			"",
			`path profile "no code": decode: ";" is no hexadecimal code of a character, such as 2F`,
		},
		{
			"long code",
			"",
			"2F2F",
			`path profile "long code": encode: "2F2F" is no hexadecimal code of a character, such as 2F`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := NewProfile(tt.name, tt.decode, tt.encode); err == nil || err.Error() != tt.want {
				t.Errorf("error %v, want %s", err, tt.want)
			}
		})
	}
}

// rules are those for the sites of URI path normalization.
func rules(t testing.TB) Profiles {
	t.Helper()
	var all Profiles
	for _, r := range []struct{ host, prefix, profile string }{
		{"upload.wikimedia.org", "", "upload"},
		{"*.wikipedia.org", "/api/rest_v1", "restbase"},
		{"*.Wikipedia.org", "", "mediawiki"},
	} {
		rule, err := NewRule(r.host, r.prefix, *builtin(t, r.profile))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, rule)
	}
	return all
}

func TestProfilesURL(t *testing.T) {
	tests := []struct{ name, url, profile, want string }{
		{"no rule", "http://example.org/a%2Fb%28%7e", "generic", "http://example.org/a%2Fb%28~"},
		{
			"host",
			"https://en.wikipedia.org/wiki/A%2fB_%28c%29?x=%28",
			"mediawiki",
			"https://en.wikipedia.org/wiki/A/B_(c)?x=%28",
		},
		{
			"host in capitals, port, user",
			"https://u@EN.m.Wikipedia.org:8080/%3A#%3A",
			"mediawiki",
			"https://u@EN.m.Wikipedia.org:8080/:#%3A",
		},
		{"host too short", "https://wikipedia.org/%3A", "generic", "https://wikipedia.org/%3A"},
		{
			"prefix",
			"https://en.wikipedia.org/api/rest_v1/page/html/A%2fB%3a",
			"restbase",
			"https://en.wikipedia.org/api/rest_v1/page/html/A%2FB:",
		},
		{
			"prefix alone",
			"https://en.wikipedia.org/api/rest_v1?%3a",
			"restbase",
			"https://en.wikipedia.org/api/rest_v1?%3a",
		},
		{
			"prefix, escaped",
			"https://en.wikipedia.org/api/rest%5Fv1/%2f",
			"restbase",
			"https://en.wikipedia.org/api/rest_v1/%2F",
		},
		{
			"prefix of a name only",
			"https://en.wikipedia.org/api/rest_v11/%2f",
			"mediawiki",
			"https://en.wikipedia.org/api/rest_v11//",
		},
		{
			"upload",
			"http://upload.wikimedia.org/a (1).jpg",
			"upload",
			"http://upload.wikimedia.org/a%20%281%29.jpg",
		},
		{"no path", "http://upload.wikimedia.org?(", "upload", "http://upload.wikimedia.org?("},
		{"no host", "urn:a%41:(", "generic", "urn:a%41:("},
		{
			"malformed escapes",
			"http://example.org/%/%4/%zz/100%",
			"generic",
			"http://example.org/%25/%254/%25zz/100%25",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := rules(t).For(tt.url).Name(); got != tt.profile {
				t.Errorf("For(%q) is %s, want %s", tt.url, got, tt.profile)
			}
			if got := rules(t).URL(tt.url); got != tt.want {
				t.Errorf("URL(%q) = %q, want %q", tt.url, got, tt.want)
			}
		})
	}
}

func TestNewRuleErrors(t *testing.T) {
	for _, r := range []struct{ host, prefix, want string }{
		{"[a", "", `path profile "generic": host "[a" is no pattern such as *.example.org`},
		{"", "", `path profile "generic": host "" is no pattern such as *.example.org`},
		{"a", "api", `path profile "generic": path prefix "api" does not begin with /`},
	} {
		if _, err := NewRule(r.host, r.prefix, Profile{}); err == nil || err.Error() != r.want {
			t.Errorf("NewRule(%q, %q): %v, want %s", r.host, r.prefix, err, r.want)
		}
	}
}
