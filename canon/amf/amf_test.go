package amf

import (
	"bytes"
	"encoding/base64"
	"strings"
	"testing"
	"unicode/utf8"
)

// envelope wraps a value in an envelope with one request.
func envelope(version byte, value string) []byte {
	return []byte(
		"\x00" + string(version) + "\x00\x00\x00\x01\x00\x01s\x00\x02/1\x00\x00\x00\x00" + value)
}

// textOf is the text of a body, as long as it comes.
func textOf(body []byte) []byte {
	text, _ := Text(body, 1<<20, 1<<20+32*len(body))
	return text
}

// list0 is a body of n AMF0 values, list3 one of a single AMF3 value.
func list0(n byte, values string) []byte {
	return envelope(0, "\x0a\x00\x00\x00"+string(n)+values)
}
func list3(value string) []byte { return envelope(3, "\x0a\x00\x00\x00\x01\x11"+value) }

const number2 = "\x00\x40\x00\x00\x00\x00\x00\x00\x00"

// decodable are bodies, with what pywb made of the request's body, by means of Py3AMF 0.9.1.
var decodable = []struct {
	name string
	body []byte
	want string
}{
	{"no messages", []byte("\x00\x00\x00\x00\x00\x00"), ""},
	{
		"header is passed over",
		append([]byte("\x00\x00\x00\x01\x00\x01h\x01\x00\x00\x00\x00"+number2), list0(0, "")[4:]...),
		"[]",
	},
	{
		"numbers",
		list0(4,
			number2+"\x00\x3f\xf8\x00\x00\x00\x00\x00\x00"+"\x00\x44\x4b\x1a\xe4\xd6\xe2\xef\x50"+
				"\x00\x7f\xf0\x00\x00\x00\x00\x00\x00"),
		"[2,1.5,1000000000000000000000,inf]",
	},
	{
		"words",
		list0(5, "\x01\x01\x01\x00\x05\x06\x0d"),
		"[True,False,,<UndefinedType>{}</UndefinedType>,]",
	},
	{"strings", list0(2, "\x02\x00\x03\"\xc3\xa9\x0c\x00\x00\x00\x01b"), "[\"\u00e9,b]"},
	{
		"object",
		list0(1,
			"\x03\x00\x01b\x05\x00\x02\xc3\xa9"+number2+"\x00\x01a\x02\x00\x06\n\xf0\x9f\x98\x80\x7f\x00"+
				"\x01c\x01\x01\x00\x00\x09"),
		`[{"a": "\n\ud83d\ude00\u007f", "b": null, "c": true, "\u00e9": 2}]`,
	},
	{
		"not a number in an object",
		list0(1,
			"\x03\x00\x01b\x00\x7f\xf8\x00\x00\x00\x00\x00\x01\x00\x01c\x00\xff\xf0\x00\x00\x00\x00\x00"+
				"\x00\x00\x00\x09"),
		`[{"b": NaN, "c": -Infinity}]`,
	},
	{
		"object of a class",
		list0(1, "\x10\x00\x01C\x00\x01p\x0a\x00\x00\x00\x02"+number2+"\x05\x00\x00\x09"),
		`[{"p": [2, null]}]`,
	},
	{
		"reference",
		list0(2, "\x03\x00\x01p\x01\x01\x00\x00\x09\x07\x00\x00"),
		`[{"p": true},{"p": true}]`,
	},
	{
		"array with numbers for names",
		list0(1, "\x08\x00\x00\x00\x00\x00\x0210\x01\x01\x00\x019\x01\x01\x00\x00\x09"),
		`[{"9": true, "10": true}]`,
	},
	{
		"date",
		list0(1, "\x0b\x42\x76\xf6\x38\xd4\x47\xb0\x00\x00\x00"),
		"[datetime.datetime(2020, 1, 2, 0, 0, 0, 123000)]",
	},
	{
		"date without seconds",
		list3("\x08\x01\xc2\x52\x5d\xa3\xfe\xc0\x00\x00"),
		"[datetime.datetime(1960, 1, 2, 3, 4)]",
	},
	{
		"AMF3 numbers",
		list3(
			"\x09\x09\x01\x04\x01\x04\xff\xff\xff\xff\x04\x81\x00\x05\x40\x00\x00\x00\x00\x00\x00\x00"),
		"[[1,-1,128,2.0]]",
	},
	{
		"AMF3 references",
		list3("\x09\x09\x01\x06\x07abc\x06\x00\x0a\x0b\x01\x03k\x02\x01\x0a\x02"),
		`[[abc,abc,{"k": false},{"k": false}]]`,
	},
	{
		"AMF3 object of a class",
		list3("\x0a\x1b\x0dmy.Cls\x03p\x04\x05\x03q\x06\x03v\x01"),
		`[{"p": 5, "q": "v"}]`,
	},
	{"AMF3 array with names", list3("\x09\x01\x03k\x04\x07\x01"), `[{"k": 7}]`},
	{
		"collection",
		list3("\x0a\x07Cflex.messaging.io.ArrayCollection\x09\x05\x01\x04\x01\x06\x03a"),
		"[[1,a]]",
	},
	{
		"proxy",
		list3("\x0a\x07;flex.messaging.io.ObjectProxy\x0a\x0b\x01\x03a\x04\x01\x01"),
		`[<ObjectProxy>{"_amf_object": "{\"a\": 1}"}</ObjectProxy>]`,
	},
	{
		"remoting",
		list3("\x0a\x23Oflex.messaging.messages.RemotingMessage\x13operation\x09body\x01\x06\x03x"),
		"[<RemotingMessage operation=None>x</RemotingMessage>]",
	},
	{
		"command",
		list3(
			"\x0a\x23Mflex.messaging.messages.CommandMessage\x13operation\x09body\x04\x05\x09\x03\x01\x01"),
		`[<CommandMessage>{"body": "[]", "operation": "5"}</CommandMessage>]`,
	},
	{"any value", envelope(3, "\x11\x06\x05hi"), "hi"},
}

func TestText(t *testing.T) {
	for _, tt := range decodable {
		t.Run(tt.name, func(t *testing.T) {
			want := "<Envelope>[<Request target=s>" + tt.want + "</Request>]</Envelope>"
			if tt.want == "" {
				want = "<Envelope>[]</Envelope>"
			}
			if got := string(textOf(tt.body)); got != want {
				t.Errorf("%q, want %q", got, want)
			}
			if got, _ := Text(tt.body, 10, 1<<20); !strings.HasPrefix(want, string(got)) || len(got) != 10 {
				t.Errorf("%q, want the first 10 bytes of %q", got, want)
			}
		})
	}
}

// A message takes the place of the one before that has the same name.
func TestMessages(t *testing.T) {
	message := func(target, response string) string {
		return "\x00\x01" + target + "\x00\x02" + response + "\x00\x00\x00\x00\x0a\x00\x00\x00\x00"
	}
	body := "\x00\x00\x00\x00\x00\x03" + message("a", "/2") + message("b", "/1") + message("c",
		"/2") + "trailing"
	const want = "<Envelope>[<Request target=c>[]</Request>,<Request " +
		"target=b>[]</Request>]</Envelope>"
	if got := string(textOf([]byte(body))); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// undecodable are bodies that have no text, or none within their steps.
func undecodable() map[string][]byte {
	deep := strings.Repeat("\x09\x03\x01", 300) + "\x01"
	// Each of 40 arrays holds the one before it twice.
	doubling := "\x09\x51\x01\x09\x01\x01"
	for i := range 39 {
		doubling += "\x09\x05\x01" + strings.Repeat("\x09"+string(byte(2*(i+1))), 2)
	}
	return map[string][]byte{
		"no AMF":            []byte("not amf at all"),
		"nothing":           []byte("\x00"),
		"cut":               list0(5, ""),
		"cut string":        list0(1, "\x02\x00\x05ab"),
		"huge list":         envelope(0, "\x0a\xff\xff\xff\xff"),
		"huge array":        list3("\x09\xbf\xff\xff\xff\x01"),
		"huge string":       list3("\x06\xbf\xff\xff\xff"),
		"huge traits":       list3("\x0a\xbf\xff\xff\xff\x01"),
		"too many values":   envelope(0, "\x0a\x00\x20\x00\x00"+strings.Repeat("\x05", 1<<21)),
		"body is no list":   envelope(0, "\x02\x00\x01a"),
		"AMF3 body in AMF0": envelope(0, "\x11\x01"),
		"response": []byte(
			"\x00\x00\x00\x00\x00\x01\x00\x0b/1/onResult\x00\x02/1\x00\x00\x00\x00\x0a\x00\x00\x00\x00"),
		"not UTF-8":           list0(1, "\x02\x00\x01\xff"),
		"movie clip":          list0(1, "\x04"),
		"XML":                 list0(1, "\x0f\x00\x00\x00\x01x"),
		"AMF3 XML":            list3("\x07\x03x"),
		"byte array":          list3("\x0c\x03x"),
		"dictionary":          list3("\x11\x01\x00"),
		"no such object":      list0(1, "\x07\x00\x00"),
		"no such AMF3 object": list3("\x0a\x02"),
		"no such string":      list3("\x06\x00"),
		"no such traits":      list3("\x0a\x01"),
		"holds itself":        list3("\x09\x03\x01\x09\x00"),
		"too deep":            list3(deep),
		"too deep for AMF0":   list0(1, strings.Repeat("\x0a\x00\x00\x00\x01", 300)+"\x05"),
		"grows exponentially": list3(doubling),
		"numbers among names": list3("\x09\x03\x03k\x04\x07\x01\x04\x01"),
		"date in an object":   list3("\x0a\x0b\x01\x03k\x08\x01\x42\x76\xf6\x38\xd4\x47\xb0\x00\x01"),
		"date without a year": list3("\x08\x01\x7f\xf0\x00\x00\x00\x00\x00\x00"),
		"externalizable":      list3("\x0a\x07\x03C"),
		"message in an object": list3(
			"\x0a\x0b\x01\x03k\x0a\x03Mflex.messaging.messages.CommandMessage\x01"),
	}
}

func TestUndecodable(t *testing.T) {
	for name, body := range undecodable() {
		t.Run(name, func(t *testing.T) {
			if text := textOf(body); text != nil {
				t.Errorf("%.200s is %.200q", base64.StdEncoding.EncodeToString(body), text)
			}
		})
	}
}

// TestSteps: what does not suffice is told from what cannot be decoded.
func TestSteps(t *testing.T) {
	body := list0(2, "\x02\x00\x03abc\x05")
	text, left := Text(body, 1<<20, 1000)
	if text == nil || left <= 0 {
		t.Fatalf("%q, %d steps left of 1000", text, left)
	}
	took := 1000 - left
	if again, left := Text(body, 1<<20, took); string(again) != string(text) || left != 0 {
		t.Errorf("%q, %d steps left of the %d that it takes", again, left, took)
	}
	for steps := range took {
		if text, left := Text(body, 1<<20, steps); text != nil || left >= 0 {
			t.Fatalf("%q, %d steps left of %d", text, left, steps)
		}
	}
	if text, left := Text([]byte("no AMF"), 1<<20, 1000); text != nil || left < 0 {
		t.Errorf("what is no AMF: %q, %d steps left", text, left)
	}
}

func FuzzText(f *testing.F) {
	for _, tt := range decodable {
		f.Add(tt.body)
	}
	for _, body := range undecodable() {
		f.Add(body[:min(len(body), 4<<10)])
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		const limit = 1 << 20
		text, left := Text(body, limit, 1<<20+32*len(body))
		if text == nil {
			return
		}
		if left < 0 || len(text) > limit || !bytes.HasPrefix(text, []byte("<Envelope>[")) {
			t.Errorf("%d bytes, %d steps left: %.100q", len(text), left, text)
		}
		if len(text) < limit && !utf8.Valid(text) {
			t.Errorf("%q is not UTF-8", text)
		}
	})
}
