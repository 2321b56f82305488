package proxy

import "testing"

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
			b := body{framing: chunked, strict: true}
			n, err := b.take([]byte(c.wire))
			if err != nil || !b.done() || c.wire[n:] != c.rest {
				t.Errorf("in one piece: rest %q, done %v, %v", c.wire[n:], b.done(), err)
			}
			b = body{framing: chunked, strict: true}
			n = 0
			for !b.done() && n < len(c.wire) { // byte by byte
				m, err := b.take([]byte(c.wire[n : n+1]))
				if err != nil {
					t.Fatal(err)
				}
				n += m
			}
			if !b.done() || c.wire[n:] != c.rest {
				t.Errorf("byte by byte: rest %q, done %v", c.wire[n:], b.done())
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
			b := body{framing: chunked, strict: true}
			if n, err := b.take([]byte(c.wire)); err == nil || n != c.good {
				t.Errorf("%d bytes, %v; want a fault behind %d", n, err, c.good)
			}
		})
	}
}

// TestResponseChunksMayEndInLF: an old origin harms nobody but its own client with them, and
// browsers read them.
func TestResponseChunksMayEndInLF(t *testing.T) {
	b := responseBody(&message{framing: chunked})
	wire := "3\nabc\n0\n\n"
	if n, err := b.take([]byte(wire)); err != nil || n != len(wire) || !b.done() {
		t.Errorf("%d of %d, done %v, %v", n, len(wire), b.done(), err)
	}
}

// TestLooseChunks: what a request may not have ends a response's connection, since a client may
// read it otherwise.
func TestLooseChunks(t *testing.T) {
	for name, wire := range looseChunks {
		t.Run(name, func(t *testing.T) {
			loose, strict := responseBody(&message{framing: chunked}), requestBody(
				&message{framing: chunked})
			if n, err := loose.take([]byte(wire)); err != nil || n != len(wire) || !loose.done() ||
				!loose.lax {
				t.Errorf("in a response: %d of %d, done %v, lax %v, %v", n, len(wire), loose.done(), loose.lax,
					err)
			}
			if _, err := strict.take([]byte(wire)); err == nil {
				t.Error("accepted in a request")
			}
		})
	}
	plain := responseBody(&message{framing: chunked})
	if plain.take([]byte("5;a\r\nabcde\r\n0\r\nX: y\r\n\r\n")); !plain.done() || plain.lax {
		t.Errorf("done %v, lax %v", plain.done(), plain.lax)
	}
}

// TestBodyLimit: what is just as long as allowed passes, in any pieces; of more the beginning.
func TestBodyLimit(t *testing.T) {
	chunks := "5\r\nabcde\r\n0\r\n\r\n"
	for name, c := range map[string]struct {
		b       body
		wire    string
		most    int64
		taken   int
		tooLong bool
	}{
		"no limit":          {body{framing: untilClose}, "abcdef", 0, 6, false},
		"sized, just":       {body{framing: sized, left: 6}, "abcdefg", 6, 6, false},
		"sized, more":       {body{framing: sized, left: 7}, "abcdefg", 6, 6, true},
		"chunked, just":     {body{framing: chunked}, chunks + "x", int64(len(chunks)), len(chunks), false},
		"chunked, more":     {body{framing: chunked}, chunks, int64(len(chunks)) - 1, len(chunks) - 1, true},
		"until close, just": {body{framing: untilClose}, "abcdef", 6, 6, false},
		"until close, more": {body{framing: untilClose}, "abcdefg", 6, 6, true},
		"a fault behind it": {body{framing: chunked}, "5\r\nabcdefg", 6, 6, true},
	} {
		t.Run(name, func(t *testing.T) {
			c.b.most = c.most
			slow := c.b
			if n, err := c.b.take([]byte(c.wire)); n != c.taken || (err == errBodyTooLong) != c.tooLong {
				t.Errorf("%d bytes, %v; want %d", n, err, c.taken)
			}
			if n, err := byteByByte(&slow, []byte(c.wire)); n != c.taken ||
				(err == errBodyTooLong) != c.tooLong {
				t.Errorf("byte by byte %d, %v; want %d", n, err, c.taken)
			}
		})
	}
}
