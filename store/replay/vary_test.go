package replay

import (
	"strconv"
	"strings"
	"testing"
)

// TestVary: of captures of one URL the one whose request agrees in what its Vary names; else the
// one that differs least; of those that differ as much the nearest.
func TestVary(t *testing.T) {
	// captures, each a line: VARY | fields of the request, with / between them
	capture := func(line string, at int) exchange {
		vary, fields, _ := strings.Cut(line, "|")
		x := exchange{at: at, text: strconv.Itoa(at), response: "HTTP/1.1 200 OK"}
		if vary != "" {
			x.response += "\nVary: " + vary
		}
		x.fields = lines(fields)
		return x
	}
	for _, c := range []struct {
		name     string
		captured []string // in order of time; the text of each is its number, from 1
		asked    string   // fields
		want     string
	}{
		{"none names anything", []string{"|A: 1", "|A: 2"}, "A: 1", "2"},
		{"one agrees", []string{"A|A: 1", "A|A: 2"}, "A: 1", "1"},
		{"the nearest agrees", []string{"A|A: 1", "A|A: 1"}, "A: 1", "2"},
		{"none agrees", []string{"A|A: 1", "A|A: 2"}, "A: 3", "2"},
		{"none has it, and it is not asked", []string{"A|", "A|"}, "", "2"},
		{"one that has none is nearer than one with another", []string{"A|", "A|A: 2"}, "", "1"},
		{"another value before none", []string{"A|A: 2", "A|"}, "A: 1", "1"},
		{"less differs", []string{"A, B|A: 1/B: 2", "A, B|A: 2/B: 2"}, "A: 1/B: 1", "1"},
		{"other names in another case", []string{"uSER-aGENT|User-Agent: x", "user-agent|User-Agent: y"},
			"User-Agent: x", "1"},
		{"blanks say nothing", []string{"A|A: x,y ;q=1", "A|A: z"}, "A:  x , y; q=1 ", "1"},
		{"blanks in between do", []string{"A|A: x y", "A|A: xy"}, "A: x  y", "1"},
		{"a field that comes twice", []string{"A|A: x/A: y", "A|A: x"}, "A: x, y", "1"},
		{"Vary that comes twice", []string{"B\nVary: A|A: 1", "B\nVary: A|A: 2"}, "A: 1", "1"},
		{"cookies never", []string{"Cookie|Cookie: a", "Cookie|Cookie: b"}, "Cookie: a", "2"},
		{"authorization never", []string{"Authorization|Authorization: a", "Authorization|"},
			"Authorization: a", "2"},
		{"origin does", []string{"Origin|Origin: http://a", "Origin|Origin: http://b"},
			"Origin: http://a", "1"},
		{"* never agrees", []string{"|", "*|"}, "", "1"},
		{"* before nothing", []string{"*|", "*|"}, "", "2"},
		{"codings are no words", []string{"Accept-Encoding|Accept-Encoding: gzip",
			"Accept-Encoding|Accept-Encoding: gzip, br"}, "Accept-Encoding: gzip", "2"},
		{"Next.js", []string{"RSC, Next-Router-State-Tree|RSC: 1/Next-Router-State-Tree: a",
			"RSC, Next-Router-State-Tree|"}, "RSC: 1/Next-Router-State-Tree: b", "1"},
		{"a later one that names nothing", []string{"A|A: 1", "|"}, "A: 1", "2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := archived(t, Config{})
			for i, line := range c.captured {
				r.add(capture(line, i+1))
			}
			r.settle()
			got, err := r.choose(r.asked(exchange{fields: lines(c.asked)}))
			if err != nil {
				t.Fatal(err)
			}
			if text := r.textOf(&got); text != c.want {
				t.Errorf("%s, want %s", text, c.want)
			}
		})
	}
}

// lines makes lines of fields with / between them; a // in a value stays.
func lines(fields string) string {
	if fields == "" {
		return ""
	}
	fields = strings.ReplaceAll(fields, "//", "\x00")
	fields = strings.ReplaceAll(fields, "/", "\r\n") + "\r\n"
	return strings.ReplaceAll(fields, "\x00", "//")
}

// TestKinds: where a URL was both a page and data, and nothing says on what that depends, each asks
// for its own.
func TestKinds(t *testing.T) {
	const page, data = "HTTP/1.1 200 OK\nContent-Type: Text/HTML; charset=utf-8",
		"HTTP/1.1 200 OK\nContent-Type: application/problem+json"
	both := archived(t, Config{}, exchange{at: 1, text: "page", response: page},
		exchange{at: 2, text: "data", response: data})
	later := archived(t, Config{}, exchange{at: 1, text: "data", response: data},
		exchange{at: 2, text: "page", response: page})
	for _, c := range []struct {
		name, fields string
		archive      *recording
		want         string
	}{
		{"a page", asDocument, both, "page"},
		{"what asks for HTML", "Accept: text/html, */*\r\n", both, "page"},
		{"a script", "Accept: */*\r\nSec-Fetch-Dest: empty\r\n", both, "data"},
		{"a script, later", "Accept: */*\r\nSec-Fetch-Dest: empty\r\n", later, "page"},
		{"what asks for JSON", "Accept: Application/JSON;q=1, */*\r\n", later, "data"},
		{"a page, later", asDocument, later, "page"},
	} {
		if _, text := c.archive.ask(exchange{fields: c.fields}); text != c.want {
			t.Errorf("%s gets %s", c.name, text)
		}
	}
	only := archived(t, Config{}, exchange{text: "data", response: data})
	if _, text := only.ask(exchange{fields: asDocument}); text != "data" {
		t.Errorf("where there is no page: %q", text)
	}
}

// TestCodings: a client that cannot read how a body is coded gets another capture.
func TestCodings(t *testing.T) {
	r := archived(t, Config{},
		exchange{at: 1, text: "plain"},
		exchange{at: 2, text: "br", response: "HTTP/1.1 200 OK\nContent-Encoding: br"},
		exchange{at: 3, text: "gzip", response: "HTTP/1.1 200 OK\nContent-Encoding: gzip"})
	for accepted, want := range map[string]string{
		"gzip, br":               "gzip",
		"br":                     "br",
		"br;q=1.0, gzip;q=0":     "br",
		"identity":               "plain",
		"":                       "plain",
		"*":                      "gzip",
		"*;q=0.0, x-gzip;q=0.1":  "gzip",
		"gzip;q=0, *":            "br",
		"deflate, zstd;q=broken": "plain",
	} {
		fields := ""
		if accepted != "" {
			fields = "Accept-Encoding: " + accepted + "\r\n"
		}
		if _, text := r.ask(exchange{fields: fields}); text != want {
			t.Errorf("%q gets %s, want %s", accepted, text, want)
		}
	}
	only := archived(t, Config{},
		exchange{text: "br", response: "HTTP/1.1 200 OK\nContent-Encoding: br"})
	if _, text := only.ask(exchange{}); text != "br" {
		t.Errorf("where there is no other: %q", text)
	}
}
