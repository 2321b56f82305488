// Package vector computes every key of requests that are written down as JSON, one object a line,
// and writes the keys in the same way: to hold package canon against other implementations, and to
// use it from programs in other languages.
//
// Invariant: each line of input gives one line of output, in order, and memory does not grow with
// their number. A line may be of any length; one with a body of 1 MiB takes less than 200 MB,
// whatever the body.
package vector

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"warcorder/canon"
)

// Request is one line of input. All but URL may be missing.
type Request struct {
	ID          json.RawMessage `json:"id"` // given back as it came
	URL         Text            `json:"url"`
	Method      string          `json:"method"`
	ContentType string          `json:"content_type"`
	Body        []byte          `json:"body_base64"`
	Dialect     canon.Dialect   `json:"dialect"`
	// of the path: generic, mediawiki, restbase, upload
	Profile string `json:"profile"`
	// to be written under the profile in place of the URL's path
	RawPath *Text `json:"raw_path"`
	// to be decoded as a form when there is no body
	Urlencoded    string `json:"urlencoded"`
	UrlencodedHex string `json:"urlencoded_hex"` // the same, for bytes that are not UTF-8
}

// Keys is one line of output.
type Keys struct {
	ID               json.RawMessage `json:"id,omitempty"`
	URLKey           Text            `json:"urlkey"`
	URL              Text            `json:"url"` // with method and request body appended
	RequestBody      Text            `json:"request_body"`
	SURT             Text            `json:"surt"` // of the plain URL
	Path             Text            `json:"path"`
	WWWOFFLE         Text            `json:"wwwoffle"`
	WWWOFFLEUserinfo Text            `json:"wwwoffle_userinfo"`
	Form             Form            `json:"form"`
	Query            Text            `json:"query,omitempty"`         // as canon's QueryKey says
	Beyond           bool            `json:"beyond_budget,omitempty"` // as canon's QueryWithin says
}

// Form is the decoding of an urlencoded data set.
type Form struct {
	Pairs     Pairs  `json:"pairs"`
	Canonical string `json:"canonical"`
	Malformed bool   `json:"malformed"`
}

// Text is a string of any bytes: a JSON string, or {"hex":"…"} if it is not UTF-8.
type Text string

// UnmarshalJSON reads either form.
func (t *Text) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, (*string)(t))
	}
	var object struct {
		Hex *string `json:"hex"`
	}
	if err := json.Unmarshal(b, &object); err != nil || object.Hex == nil {
		return fmt.Errorf(`%.40s is neither a string nor {"hex":"…"}`, b)
	}
	raw, err := hex.DecodeString(*object.Hex)
	*t = Text(raw)
	return err
}

// MarshalJSON writes the form that keeps every byte.
func (t Text) MarshalJSON() ([]byte, error) {
	if !utf8.ValidString(string(t)) {
		return json.Marshal(map[string]string{"hex": hex.EncodeToString([]byte(t))})
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false) // json.Marshal would write & as \u0026
	err := encoder.Encode(string(t))
	return b.Bytes(), err
}

// Pairs is an urlencoded text that stands for its pairs, of name and value: a million of them take
// no more room than the text.
type Pairs string

// MarshalJSON writes the pairs; null is a value that is not there.
func (p Pairs) MarshalJSON() ([]byte, error) {
	if p == "" {
		return []byte("[]"), nil
	}
	out := make([]byte, 0, 4*len(p)+16)
	canon.EachPair(string(p), func(pair canon.Pair) bool {
		out = appendString(append(out, ",["...), pair.Name)
		if pair.Defined {
			out = appendString(append(out, ','), pair.Value)
		} else {
			out = append(out, ",null"...)
		}
		out = append(out, ']')
		return true
	})
	out[0] = '['
	return append(out, ']'), nil
}

// appendString appends a JSON string. Most need no escapes.
func appendString(dst []byte, s string) []byte {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' || s[i] == '"' || s[i] == '\\' {
			escaped, _ := Text(s).MarshalJSON() // which is UTF-8
			return append(dst, bytes.TrimSpace(escaped)...)
		}
	}
	return append(append(append(dst, '"'), s...), '"')
}

// Of returns all keys of a request. An unknown profile and malformed hexadecimal are errors.
func Of(r *Request) (*Keys, error) {
	profile, err := profileNamed(r.Profile)
	if err != nil {
		return nil, err
	}
	url := string(r.URL)
	request := &canon.Request{URL: url, Method: r.Method, ContentType: r.ContentType, Body: r.Body}
	made := r.Dialect.Keys(request)
	keys := &Keys{
		ID:          r.ID,
		URLKey:      Text(made.URLKey),
		URL:         Text(made.URL),
		RequestBody: Text(made.RequestBody),
		Beyond:      !made.Within,
	}
	surt, _ := canon.SURT(url)
	offline, withUserinfo := canon.WWWOFFLE(url)
	keys.SURT, keys.WWWOFFLE, keys.WWWOFFLEUserinfo = Text(surt), Text(offline), Text(withUserinfo)
	if r.RawPath != nil {
		keys.Path = Text(profile.Path(string(*r.RawPath)))
	} else {
		keys.Path = Text(profile.Path(pathOf(made.URL)))
	}
	keys.Query = Text(canon.QueryKey(request, canon.Pywb.Query(request)))
	keys.Form, err = formOf(r)
	return keys, err
}

func profileNamed(name string) (*canon.Profile, error) {
	if name == "" {
		name = "generic"
	}
	var known []string
	for _, p := range canon.BuiltinProfiles() {
		if p.Name() == name {
			return &p, nil
		}
		known = append(known, p.Name())
	}
	return nil, fmt.Errorf("profile %q: use one of %s", name, strings.Join(known, ", "))
}

// pathOf returns the path of a URL: what lies between its authority and its query.
func pathOf(url string) string {
	_, rest, ok := strings.Cut(url, "://")
	if !ok {
		_, rest, _ = strings.Cut(url, ":")
	} else if slash := strings.IndexAny(rest, "/?#"); slash >= 0 {
		rest = rest[slash:]
	} else {
		rest = ""
	}
	if end := strings.IndexAny(rest, "?#"); end >= 0 {
		rest = rest[:end]
	}
	return rest
}

// formOf decodes the body, or without one the text given as urlencoded.
func formOf(r *Request) (Form, error) {
	text := string(r.Body)
	switch {
	case text != "":
	case r.UrlencodedHex != "":
		raw, err := hex.DecodeString(r.UrlencodedHex)
		if err != nil {
			return Form{}, fmt.Errorf("urlencoded_hex: %w", err)
		}
		text = string(raw)
	default:
		text = r.Urlencoded
	}
	if !canon.EachPair(text, func(canon.Pair) bool { return true }) {
		return Form{Canonical: canon.FormKey(text), Malformed: true}, nil
	}
	return Form{Pairs: Pairs(text), Canonical: canon.FormKey(text)}, nil
}

// Run reads requests and writes their keys until the input ends. It stops at the first line that is
// no request; the error has its number.
func Run(in io.Reader, out io.Writer) error {
	lines := bufio.NewReaderSize(in, 64<<10)
	buffered := bufio.NewWriterSize(out, 64<<10)
	encoder := json.NewEncoder(buffered)
	encoder.SetEscapeHTML(false)
	for number := 1; ; number++ {
		line, readErr := lines.ReadBytes('\n')
		if readErr != nil && readErr != io.EOF {
			return readErr
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			if err := one(line, encoder); err != nil {
				buffered.Flush()
				return fmt.Errorf("line %d: %w", number, err)
			}
		}
		if lines.Buffered() == 0 || readErr == io.EOF {
			if err := buffered.Flush(); err != nil { // who asks line by line gets an answer line by line
				return err
			}
		}
		if readErr == io.EOF {
			return nil
		}
	}
}

func one(line []byte, encoder *json.Encoder) error {
	var r Request
	if err := json.Unmarshal(line, &r); err != nil {
		return err
	}
	keys, err := Of(&r)
	if err != nil {
		return err
	}
	return encoder.Encode(keys)
}
