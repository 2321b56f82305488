package http1

import (
	"testing"

	"warcorder/proxy/http1/http1test"
)

func TestChunkedBody(t *testing.T) {
	for name, c := range map[string]struct {
		wire string
		rest string // what lies behind the body
	}{
		"one chunk":               {"3\r\nabc\r\n0\r\n\r\nnext", "next"},
		"no chunk":                {"0\r\n\r\n", ""},
		"leading zeros":           {"0003\r\nabc\r\n000\r\n\r\n", ""},
		"upper and lower case":    {"A\r\n0123456789\r\na\r\n0123456789\r\n0\r\n\r\n", ""},
		"extensions":              {"3;name=\"va;lue\"\r\nabc\r\n0;last\r\n\r\nGET", "GET"},
		"spaces behind the size":  {"3 \t\r\nabc\r\n0\r\n\r\n", ""},
		"trailers":                {"3\r\nabc\r\n0\r\nExpires: x\r\nX-Sum: y\r\n\r\nHTTP", "HTTP"},
		"line ends inside a body": {"8\r\n\r\n0\r\n\r\n\n\r\n0\r\n\r\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := Body{Framing: Chunked, strict: true}
			n, err := b.Take([]byte(c.wire))
			if err != nil || !b.Done() || c.wire[n:] != c.rest {
				t.Errorf("in one piece: rest %q, done %v, %v", c.wire[n:], b.Done(), err)
			}
			b = Body{Framing: Chunked, strict: true}
			n = 0
			for !b.Done() && n < len(c.wire) { // byte by byte
				m, err := b.Take([]byte(c.wire[n : n+1]))
				if err != nil {
					t.Fatal(err)
				}
				n += m
			}
			if !b.Done() || c.wire[n:] != c.rest {
				t.Errorf("byte by byte: rest %q, done %v", c.wire[n:], b.Done())
			}
		})
	}
}

func TestBadChunks(t *testing.T) {
	for name, c := range map[string]struct {
		wire string
		good int // bytes before the fault
	}{
		"no size":                  {"\r\nabc", 1},
		"not hexadecimal":          {"g\r\n", 0},
		"0x":                       {"0x3\r\nabc\r\n", 1},
		"negative":                 {"-3\r\nabc", 0},
		"longer than its size":     {"3\r\nabcd\r\n0\r\n\r\n", 6},
		"size over 15 digits":      {"1234567890123456\r\n", 15},
		"CR in the size line":      {"3\rabc", 2},
		"CR in an extension":       {"3;a\rb\r\n", 4},
		"NUL in an extension":      {"3;a\x00b\r\n", 3},
		"CR in a trailer":          {"0\r\nX: a\rb\r\n\r\n", 8},
		"LF alone, size line":      {"3\nabc\r\n0\r\n\r\n", 1},
		"LF alone, behind data":    {"3\r\nabc\n0\r\n\r\n", 6},
		"LF alone in an extension": {"3;a\nabc\r\n0\r\n\r\n", 3},
	} {
		t.Run(name, func(t *testing.T) {
			b := Body{Framing: Chunked, strict: true}
			if n, err := b.Take([]byte(c.wire)); err == nil || n != c.good {
				t.Errorf("%d bytes, %v; want a fault behind %d", n, err, c.good)
			}
		})
	}
}

// TestResponseChunksMayEndInLF: an old origin harms nobody but its own client with them, and
// browsers read them.
func TestResponseChunksMayEndInLF(t *testing.T) {
	b := ResponseBody(&Message{Framing: Chunked})
	wire := "3\nabc\n0\n\n"
	if n, err := b.Take([]byte(wire)); err != nil || n != len(wire) || !b.Done() {
		t.Errorf("%d of %d, done %v, %v", n, len(wire), b.Done(), err)
	}
}

// TestLooseChunks: what a request may not have ends a response's connection, since a client may
// read it otherwise.
func TestLooseChunks(t *testing.T) {
	for name, wire := range http1test.LooseChunks {
		t.Run(name, func(t *testing.T) {
			loose, strict := ResponseBody(&Message{Framing: Chunked}), RequestBody(
				&Message{Framing: Chunked})
			if n, err := loose.Take([]byte(wire)); err != nil || n != len(wire) || !loose.Done() ||
				!loose.Lax {
				t.Errorf("in a response: %d of %d, done %v, lax %v, %v", n, len(wire), loose.Done(), loose.Lax,
					err)
			}
			if _, err := strict.Take([]byte(wire)); err == nil {
				t.Error("accepted in a request")
			}
		})
	}
	plain := ResponseBody(&Message{Framing: Chunked})
	if plain.Take([]byte("5;a\r\nabcde\r\n0\r\nX: y\r\n\r\n")); !plain.Done() || plain.Lax {
		t.Errorf("done %v, lax %v", plain.Done(), plain.Lax)
	}
}

// TestBodyLimit: what is just as long as allowed passes, in any pieces; of more the beginning.
func TestBodyLimit(t *testing.T) {
	chunks := "5\r\nabcde\r\n0\r\n\r\n"
	for name, c := range map[string]struct {
		b       Body
		wire    string
		most    int64
		taken   int
		tooLong bool
	}{
		"no limit":          {Body{Framing: UntilClose}, "abcdef", 0, 6, false},
		"sized, just":       {Body{Framing: Sized, left: 6}, "abcdefg", 6, 6, false},
		"sized, more":       {Body{Framing: Sized, left: 7}, "abcdefg", 6, 6, true},
		"chunked, just":     {Body{Framing: Chunked}, chunks + "x", int64(len(chunks)), len(chunks), false},
		"chunked, more":     {Body{Framing: Chunked}, chunks, int64(len(chunks)) - 1, len(chunks) - 1, true},
		"until close, just": {Body{Framing: UntilClose}, "abcdef", 6, 6, false},
		"until close, more": {Body{Framing: UntilClose}, "abcdefg", 6, 6, true},
		"a fault behind it": {Body{Framing: Chunked}, "5\r\nabcdefg", 6, 6, true},
	} {
		t.Run(name, func(t *testing.T) {
			c.b.Most = c.most
			slow := c.b
			if n, err := c.b.Take([]byte(c.wire)); n != c.taken || (err == ErrBodyTooLong) != c.tooLong {
				t.Errorf("%d bytes, %v; want %d", n, err, c.taken)
			}
			if n, err := byteByByte(&slow, []byte(c.wire)); n != c.taken ||
				(err == ErrBodyTooLong) != c.tooLong {
				t.Errorf("byte by byte %d, %v; want %d", n, err, c.taken)
			}
		})
	}
}
