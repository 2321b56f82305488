package canon

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"testing"
)

// readFile reads a file of vectors.
func readFile(t testing.TB, name string, into any) {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// bytesOrText is a string of a vector, which is {"hex": "…"} where it is not UTF-8.
type bytesOrText string

func (s *bytesOrText) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err == nil {
		*s = bytesOrText(text)
		return nil
	}
	var object struct{ Hex string }
	if err := json.Unmarshal(data, &object); err != nil {
		return err
	}
	decoded, err := hex.DecodeString(object.Hex)
	*s = bytesOrText(decoded)
	return err
}

// tally counts rows that gate nothing.
type tally struct{ same, total int }

func (c *tally) count(t *testing.T, id, got, want string) {
	c.total++
	if got == want {
		c.same++
		return
	}
	t.Logf("%s: %.200q, reference %.200q", id, got, want)
}

// bodyVectors is a file of request bodies.
type bodyVectors struct {
	Meta        struct{ Count int }
	Vectors     []bodyVector
	PercentPlus []string `json:"percent_plus_table"`
	Types       []struct {
		Type     string `json:"content_type"`
		Primary  string
		Fallback *string
	} `json:"content_types"`
}

type bodyVector struct {
	ID, Section, Level string
	Input              struct {
		Method, URL string
		Type        string `json:"content_type"`
		Body        []byte `json:"body_base64"`
	}
	Expected struct {
		Text string `json:"spec_text"`
		Pywb struct {
			Method, Query, URL, URLKey string
			Error                      any
		}
		WarcioJS struct{ URL, RequestBody, URLKey string }
		// Recommended is there where pywb crashes.
		Recommended *struct{ Query string }
	}
}

func (v *bodyVector) request() *Request {
	return &Request{
		URL:         v.Input.URL,
		Method:      v.Input.Method,
		ContentType: v.Input.Type,
		Body:        v.Input.Body,
	}
}

func readBodies(t testing.TB, name string) bodyVectors {
	t.Helper()
	var file bodyVectors
	readFile(t, name, &file)
	if len(file.Vectors) == 0 || len(file.Vectors) != file.Meta.Count {
		t.Fatalf("%s: read %d vectors of %d", name, len(file.Vectors), file.Meta.Count)
	}
	return file
}

// allBodies is every body of the vectors, for properties and fuzzing.
func allBodies(t testing.TB) (all []bodyVector) {
	files := []string{"ref_bodies.json", "request_body_canonicalization.json", "ref_amf.json"}
	for _, name := range files {
		all = append(all, readBodies(t, name).Vectors...)
	}
	return all
}

// allURLs is every URL of the vectors.
func allURLs(t testing.TB) (urls []string) {
	for _, v := range readVectors(t) {
		urls = append(urls, v.URL)
	}
	for _, v := range allBodies(t) {
		urls = append(urls, v.Input.URL)
	}
	for _, u := range typical {
		urls = append(urls, u.url)
	}
	return urls
}
