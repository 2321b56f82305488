package canon

import (
	"encoding/hex"
	"encoding/json"
	"slices"
	"testing"
)

// UnmarshalJSON reads [name, value], where a value that is not defined is null.
func (p *Pair) UnmarshalJSON(data []byte) error {
	var pair [2]*string
	if err := json.Unmarshal(data, &pair); err != nil {
		return err
	}
	p.Name = *pair[0]
	if pair[1] != nil {
		p.Value, p.Defined = *pair[1], true
	}
	return nil
}

// decodeForm returns the pairs of a text, of which the empty one is the empty set.
func decodeForm(text string) (pairs []Pair, ok bool) {
	if text == "" {
		return nil, true
	}
	return decodePairs(text)
}

// decodePairs returns the pairs of a text.
func decodePairs(text string) (pairs []Pair, ok bool) {
	ok = EachPair(text, func(p Pair) bool {
		pairs = append(pairs, p)
		return true
	})
	if !ok {
		return nil, false
	}
	return pairs, true
}

// encodeForm writes a data set as FormKey does. A set of one pair with an empty name and no value
// becomes the empty text; every other set of UTF-8 strings decodes to itself.
func encodeForm(pairs []Pair) string {
	var out []byte
	for i, p := range pairs {
		if i > 0 {
			out = append(out, '&')
		}
		out = p.append(out)
	}
	return string(out)
}

func TestFormVectors(t *testing.T) {
	var file struct {
		Meta    struct{ Count int }
		Vectors []struct {
			ID       string
			Hex      string `json:"input_hex"`
			Expected json.RawMessage
		}
	}
	readFile(t, "ref_urlencoded.json", &file)
	if len(file.Vectors) == 0 || len(file.Vectors) != file.Meta.Count {
		t.Fatalf("read %d vectors of %d", len(file.Vectors), file.Meta.Count)
	}
	for _, v := range file.Vectors {
		t.Run(v.ID, func(t *testing.T) {
			text, err := hex.DecodeString(v.Hex)
			if err != nil {
				t.Fatal(err)
			}
			pairs, ok := decodeForm(string(text))
			if string(v.Expected) == `"malformed"` {
				if ok {
					t.Errorf("decodeForm(%q) = %v, want it malformed", text, pairs)
				}
				return
			}
			var want struct {
				Pairs     []Pair
				Canonical string `json:"canonical_amp"`
			}
			if err := json.Unmarshal(v.Expected, &want); err != nil {
				t.Fatal(err)
			}
			if !ok || !slices.Equal(pairs, want.Pairs) {
				t.Errorf("decodeForm(%q) = %v, %v, want %v", text, pairs, ok, want.Pairs)
			}
			if key := FormKey(string(text)); key != want.Canonical {
				t.Errorf("FormKey(%q) = %q, want %q", text, key, want.Canonical)
			}
		})
	}
}

// TestDraft has every example of draft-hoehrmann-urlencoded-01, section 5: data sets, what is equal
// (==) and what is not (!!), and what is malformed.
func TestDraft(t *testing.T) {
	const document = "draft-hoehrmann-urlencoded-01/5. Examples/"
	var file struct {
		Meta      struct{ Count int }
		Malformed []string
		DataSets  []struct {
			ID, Option       string
			Pairs            []Pair
			Equal, Different []string
		}
	}
	readFile(t, "draft_hoehrmann_urlencoded.json", &file)
	examples := len(file.Malformed)
	for _, set := range file.DataSets {
		examples += len(set.Equal) + len(set.Different)
		t.Run(document+set.ID, func(t *testing.T) {
			decode := decodeForm
			if set.Option == "EmptyIsPair" {
				t.Log("the draft leaves the choice: here the empty text is a pair")
				decode = decodePairs
			}
			for _, text := range set.Equal {
				if pairs, ok := decode(text); !ok || !slices.Equal(pairs, set.Pairs) {
					t.Errorf("%q is %v, %v, want %v", text, pairs, ok, set.Pairs)
				}
				if got, want := FormKey(text), encodeForm(set.Pairs); got != want {
					t.Errorf("FormKey(%q) = %q, want %q", text, got, want)
				}
			}
			for _, text := range set.Different {
				if pairs, ok := decode(text); !ok || slices.Equal(pairs, set.Pairs) {
					t.Errorf("%q is %v, %v", text, pairs, ok)
				}
			}
		})
	}
	for _, text := range file.Malformed {
		t.Run(document+text, func(t *testing.T) {
			if pairs, ok := decodeForm(text); ok {
				t.Errorf("%q is %v, want it malformed", text, pairs)
			}
		})
	}
	if examples != file.Meta.Count {
		t.Errorf("read %d examples of %d", examples, file.Meta.Count)
	}
}

func TestFormKey(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"spellings", "b=%7e%20&a", "b=~+&a"},
		{"the same", "b=~+;a", "b=~+&a"},
		{"line breaks and NUL", "a=\r\n\x00", "a=%0D%0A%00"},
		{"mark", "\ufeffa", "%EF%BB%BFa"},
		{"malformed", "a=\xff", "__wb_post_data=YT3/"},
		{"half a character in a name, half in a value", "%C3=%A9", "__wb_post_data=JUMzPSVBOQ=="},
		{"surrogate", "a=%ED%A0%80", "__wb_post_data=YT0lRUQlQTAlODA="},
		{"too large", "a=%F4%90%80%80", "__wb_post_data=YT0lRjQlOTAlODAlODA="},
		{"empty", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := FormKey(tt.text); got != tt.want {
				t.Errorf("FormKey(%q) = %q, want %q", tt.text, got, tt.want)
			}
		})
	}
}
