package warc

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

func TestParseHeader(t *testing.T) {
	for _, test := range []struct {
		name, in string
		version  string
		want     Header // nil: an error
	}{
		{"plain", "WARC/1.1\r\nA: 1\r\nB: 2\r\n\r\n", "WARC/1.1", Header{{"A", "1"}, {"B", "2"}}},
		{"no fields", "WARC/1.0\r\n\r\n", "WARC/1.0", Header{}},
		{"LF alone", "WARC/1.0\nA: 1\n\n", "WARC/1.0", Header{{"A", "1"}}},
		{"order and duplicates", "WARC/1.1\r\nB: 2\r\na: 1\r\nA: 3\r\n\r\n", "WARC/1.1",
			Header{{"B", "2"}, {"a", "1"}, {"A", "3"}}},
		{"spaces around the value", "WARC/1.1\r\nA: \t 1 2 \t\r\n\r\n", "WARC/1.1", Header{{"A", "1 2"}}},
		{"no value", "WARC/1.1\r\nA:\r\n\r\n", "WARC/1.1", Header{{"A", ""}}},
		{"colons in the value", "WARC/1.1\r\nA:b:c\r\n\r\n", "WARC/1.1", Header{{"A", "b:c"}}},
		{"folded", "WARC/1.1\r\nA: 1\r\n  2\r\n\t3\r\nB: 4\r\n\r\n", "WARC/1.1",
			Header{{"A", "1 2 3"}, {"B", "4"}}},
		{"folded, first line empty", "WARC/1.1\r\nA:\r\n 1\r\n\r\n", "WARC/1.1", Header{{"A", "1"}}},
		{"folded, nothing in it", "WARC/1.1\r\nA: 1\r\n \r\n\r\n", "WARC/1.1", Header{{"A", "1"}}},
		{"UTF-8", "WARC/1.1\r\nA: é\r\n\r\n", "WARC/1.1", Header{{"A", "é"}}},
		{"no empty line", "WARC/1.1\r\nA: 1\r\n", "", nil},
		{"more behind the empty line", "WARC/1.1\r\nA: 1\r\n\r\nB: 2\r\n\r\n", "", nil},
		{"folded first line", "WARC/1.1\r\n A: 1\r\n\r\n", "", nil},
		{"line without colon", "WARC/1.1\r\nA 1\r\n\r\n", "", nil},
		{"no name", "WARC/1.1\r\n: 1\r\n\r\n", "", nil},
		{"space before the colon", "WARC/1.1\r\nA : 1\r\n\r\n", "", nil},
		{"not WARC", "HTTP/1.1 200 OK\r\n\r\n", "", nil},
		{"WARC 0.9", "warc/0.9 1234 response\r\n\r\n", "", nil},
		{"nothing", "", "", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			version, got, err := ParseHeader([]byte(test.in))
			if test.want == nil {
				if !errors.Is(err, ErrHeader) {
					t.Errorf("got %q and error %v, want ErrHeader", got, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if version != test.version || !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %s %q, want %s %q", version, got, test.version, test.want)
			}
		})
	}
}

func TestHeaderGet(t *testing.T) {
	h := Header{{"WARC-Protocol", "http/1.1"}, {"warc-protocol", "tls/1.3"}, {"Other", ""}}
	if got := h.Get("Warc-Protocol"); got != "http/1.1" {
		t.Errorf("Get: %q", got)
	}
	if got := h.Get("Missing"); got != "" {
		t.Errorf("Get of none: %q", got)
	}
	if got := h.Values("WARC-PROTOCOL"); !reflect.DeepEqual(got, []string{"http/1.1", "tls/1.3"}) {
		t.Errorf("Values: %q", got)
	}
}

func TestHeaderLength(t *testing.T) {
	for _, test := range []struct {
		name, fields string
		want         int64 // -1: an error
	}{
		{"one", "Content-Length: 12", 12},
		{"zero", "content-length: 0", 0},
		{"twice the same", "Content-Length: 12\r\nContent-Length: 12", 12},
		{"two", "Content-Length: 12\r\nContent-Length: 13", -1},
		{"none", "A: 1", -1},
		{"negative", "Content-Length: -1", -1},
		{"signed", "Content-Length: +1", -1},
		{"not a number", "Content-Length: 1k", -1},
		{"huge", "Content-Length: 4611686018427387904", -1},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, h, err := ParseHeader([]byte("WARC/1.1\r\n" + test.fields + "\r\n\r\n"))
			if err != nil {
				t.Fatal(err)
			}
			got, err := h.length()
			if test.want < 0 {
				if !errors.Is(err, ErrHeader) {
					t.Errorf("got %d and error %v, want ErrHeader", got, err)
				}
			} else if err != nil || got != test.want {
				t.Errorf("got %d, %v, want %d", got, err, test.want)
			}
		})
	}
}

func TestAppendField(t *testing.T) {
	for _, test := range []struct{ name, value, want string }{
		{"plain", "<urn:uuid:1>", "A: <urn:uuid:1>\r\n"},
		{"empty", "", "A: \r\n"},
		{"a second line", "x\r\nWARC-Type: revisit\n\x00y", "A: x  WARC-Type: revisit  y\r\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := string(AppendField([]byte("0"), "A", test.value)); got != "0"+test.want {
				t.Errorf("string: got %q", got)
			}
			if got := string(AppendField([]byte("0"), "A", []byte(test.value))); got != "0"+test.want {
				t.Errorf("bytes: got %q", got)
			}
		})
	}
	got := string(AppendInt(nil, "Content-Length", 1<<40))
	if got != "Content-Length: 1099511627776\r\n" {
		t.Errorf("AppendInt: got %q", got)
	}
}

// FuzzParseHeader: what is parsed, written and parsed again is the same.
func FuzzParseHeader(f *testing.F) {
	f.Add([]byte("WARC/1.1\r\nA: 1\r\n  2\r\nB:\r\n\r\n"))
	f.Add([]byte("WARC/1.0\nA: 1\n\n"))
	f.Add([]byte("WARC/1.1\r\nA: \r\n \r\n\t\r\nB: é\r\n\r\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		version, h, err := ParseHeader(in)
		if err != nil {
			if !errors.Is(err, ErrHeader) {
				t.Fatalf("error %v is not ErrHeader", err)
			}
			return
		}
		size := len(version)
		for _, field := range h {
			size += len(field.Name) + len(field.Value)
		}
		if size > len(in) || len(h) > maxLines {
			t.Fatalf("%d bytes in %d fields, of %d", size, len(h), len(in))
		}
		out := []byte(version + "\r\n")
		for _, field := range h {
			if strings.ContainsAny(field.Value, "\r\x00") {
				return // no line break, and a value that AppendField changes
			}
			out = AppendField(out, field.Name, field.Value)
		}
		version2, h2, err := ParseHeader(append(out, "\r\n"...))
		if err != nil {
			t.Fatalf("%q: %v", out, err)
		}
		if version2 != version || !reflect.DeepEqual(h2, h) {
			t.Fatalf("%q became %q", h, h2)
		}
	})
}
