package replay

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"warcorder/store/replay/ranges"
)

// film is a body of so many pieces, each a 206 of its own, of a size; each at its time.
func film(pieces, size int, more string, block func(n int) string) (records []stocked) {
	for n := range pieces {
		records = append(records, stocked{at: n, block: fmt.Sprintf("HTTP/1.1 206 Partial Content\r\n"+
			"ETag: \"v\"\r\nContent-Range: bytes %d-%d/%d\r\n%s\r\n%s", n*size, (n+1)*size-1, pieces*size,
			more, block(n))})
	}
	return records
}

// TestFilm: each piece of a film is found, and the film as a whole, though there are more pieces
// than captures are looked at for other answers.
func TestFilm(t *testing.T) {
	const pieces, size = 3*maxLooked + 7, 8
	name := func(n int) string { return fmt.Sprintf("%07x.", n) }
	s := stockOf(t, Config{}, film(pieces, size, "", name)...)
	for _, n := range []int{0, maxLooked, pieces - maxLooked, pieces - maxLooked - 1, pieces - 1} {
		g := s.get("GET", fmt.Sprintf("Range: bytes=%d-%d", n*size, (n+1)*size-1))
		want := fmt.Sprintf("206 %d-%d/%d %s", n*size, (n+1)*size-1, pieces*size, name(n))
		if g.String() != want {
			t.Errorf("piece %d: %s", n, g)
		}
	}
	var all strings.Builder
	for n := range pieces {
		all.WriteString(name(n))
	}
	if g := s.get("GET"); g.status != 200 || g.body != all.String() || g.err != nil {
		t.Errorf("all of it: %d, %d bytes, %v", g.status, len(g.body), g.err)
	}
	if g := s.get("GET", "Range: bytes=-9"); g.status != 206 || g.body != "."+name(pieces-1) {
		t.Errorf("its end: %s", g)
	}
	before := allocated()
	s.get("GET", "Range: bytes=0-7")
	if took := allocated() - before; took > 16<<20 {
		t.Errorf("%d bytes were allocated", took)
	}
}

// TestMeasured: of bodies in chunks some are read for an answer, and the others for those that come
// behind it.
func TestMeasured(t *testing.T) {
	const pieces, size = 20, 16 << 20
	body := strings.Repeat("x", size)
	s := stockOf(t, Config{}, film(pieces, size, "Transfer-Encoding: chunked\r\n", func(n int) string {
		return fmt.Sprintf("%x\r\n%07x.%s\r\n0\r\n\r\n", size, n, body[:size-8])
	})...)
	for _, n := range []int{0, pieces / 2, pieces - 1} {
		known := len(s.facts.known)
		g := s.get("GET", fmt.Sprintf("Range: bytes=%d-%d", n*size, n*size+7))
		if g.status != 206 || g.body != fmt.Sprintf("%07x.", n) {
			t.Errorf("piece %d: %.100s", n, g)
		}
		most := known + maxMeasured/size
		if now := len(s.facts.known); now > most || now < min(most, pieces) {
			t.Errorf("%d are measured, and were %d", now, known)
		}
	}
	if n := len(s.facts.known); n != pieces {
		t.Errorf("in the end %d are measured", n)
	}
}

// TestUnmeasured: what says more than it has is seen to be cut where it was not measured, and says
// less where it was.
func TestUnmeasured(t *testing.T) {
	s := stockOf(t, Config{}, film(1, 200_000, "Transfer-Encoding: chunked\r\n", func(int) string {
		return fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", 100_000, strings.Repeat("x", 100_000))
	})...)
	ctx, chosen := context.Background(), choice{}
	var err error
	if chosen, err = s.choose(mustAsk(t, s.Archive)); err != nil || len(chosen.parts) != 1 {
		t.Fatal(chosen, err)
	}
	for _, c := range []struct {
		left       int64
		sure       bool
		last, size int64
		end        error
	}{{0, false, 199_999, 50_000, io.ErrUnexpectedEOF}, {1, true, 99_999, 50_000, nil}} {
		known, sure, err := s.factsOf(ctx, &chosen.parts[0], &c.left)
		if err != nil || sure != c.sure || known.Last != c.last {
			t.Fatalf("%+v, %v, %v", known, sure, err)
		}
		v := version{parts: []part{{&chosen.parts[0], known}}, of: 200_000}
		of := v.take([]ranges.Span{{First: 50_000, Last: 199_999}})
		m, err := s.part(ctx, &v, &of)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := io.Copy(io.Discard, m.body); n != c.size || err != c.end {
			t.Errorf("%d bytes, %v", n, err)
		}
		m.body.Close()
	}
}

// mustAsk is a request for http://example.com/.
func mustAsk(t *testing.T, a *Archive) *asked {
	t.Helper()
	r, err := ask(a.current(t.Context()), a.keys, "GET", "http://example.com/", crlf("GET / HTTP/1.1"), nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
