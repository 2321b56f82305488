package replay

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"

	"warcorder/store"
)

// TestLarge: bodies of many MB, and parts of them, pass through some buffers, for many clients at
// once.
func TestLarge(t *testing.T) {
	const size = 64 << 20
	body := strings.Repeat("0123456789abcdef", size/16)
	inChunks := "3000000\r\n" + body[:48<<20] + "\r\n1000000\r\n" + body[48<<20:] + "\r\n0\r\n\r\n"
	length := fmt.Sprintf("Content-Length: %d\r\n", size)
	s := stockOf(t, Config{},
		stocked{url: "http://example.com/sized", block: whole200(length) + body},
		stocked{url: "http://example.com/chunked", block: whole200(chunked) + inChunks})
	for name, fields := range map[string]string{
		"sized": "X: y", "chunked": "X: y", "sized ": "Range: bytes=1-",
		"chunked ": "Range: bytes=-40000000", "sized  ": "Range: bytes=0-9,20000000-40000000,67108863-",
	} {
		t.Run(name+fields, func(t *testing.T) {
			before := allocated()
			var clients sync.WaitGroup
			for range 4 {
				clients.Go(func() {
					_, rest, err := s.Answer(context.Background(), "GET",
						"http://example.com/"+strings.TrimSpace(name), crlf("GET / HTTP/1.1", fields), nil)
					if err != nil {
						t.Error(err)
						return
					}
					defer rest.Close()
					if n, err := io.Copy(io.Discard, rest); err != nil || n < 20_000_000 {
						t.Errorf("%d bytes, %v", n, err)
					}
				})
			}
			clients.Wait()
			if took := allocated() - before; took > 16<<20 {
				t.Errorf("%d bytes were allocated", took)
			}
		})
	}
}

// allocated is how many bytes have been allocated so far.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// TestRewound: many ranges of a body that has to be read from its beginning for each of them are
// answered with all of it; a few are answered as they are.
func TestRewound(t *testing.T) {
	const size, many = 32 << 20, 64
	r := archived(t, Config{}, exchange{text: strings.Repeat("0123456789abcdef", size/16)})
	ranged := func(n int) exchange {
		list := make([]string, n)
		for i := range list {
			first := size - (i+1)*size/many
			list[i] = fmt.Sprintf("%d-%d", first, first)
		}
		return exchange{fields: "Range: bytes=" + strings.Join(list, ",") + "\r\n"}
	}
	if answer, _ := r.ask(ranged(4)); answer.status() != "206" {
		t.Errorf("few: %s", answer)
	}
	if answer, text := r.ask(ranged(many)); answer.status() != "200" || len(text) != size {
		t.Errorf("many: %s%d bytes", answer, len(text))
	}
	parts := archived(t, Config{}, exchange{text: strings.Repeat("0123456789abcdef", size/16), response: fmt.Sprintf(
		"HTTP/1.1 206 Partial Content\nETag: \"v\"\nContent-Range: bytes 0-%d/%d", size-1, size+1)})
	if answer, _ := parts.ask(ranged(4)); !strings.Contains(answer.get("Content-Type"), "multipart") {
		t.Errorf("few of a part: %s", answer)
	}
	if answer, text := parts.ask(ranged(many)); answer.status() != "206" || len(text) != 1 {
		t.Errorf("many of a part: %s%d bytes", answer, len(text))
	}
	s := stockOf(t, Config{}, stocked{block: whole200("") + strings.Repeat("x", size)})
	x := ranged(many)
	if g := s.get("GET", strings.TrimSpace(x.fields)); g.status != 206 {
		t.Errorf("many, of what is not compressed: %d", g.status)
	}
}

// TestManyParts: of very many parts some are looked at, once.
func TestManyParts(t *testing.T) {
	const many = maxLooked + 300
	records := make([]stocked, many)
	for i := range records {
		records[i] = stocked{at: i, block: strings.Replace(part206(i%20, i%20, ""), `"v"`,
			fmt.Sprintf(`"v%d"`, i/20), 1)}
	}
	s := stockOf(t, Config{}, records...)
	if g := s.get("GET", "Range: bytes=0-"); g.status != 206 {
		t.Errorf("%.100s", g)
	}
	if n := len(s.facts.known); n > maxLooked {
		t.Errorf("%d records were looked at", n)
	}
	before := allocated()
	if g := s.get("GET", "Range: bytes=3-4"); g.String() != "206 3-4/20 34" {
		t.Errorf("%.100s", g)
	}
	if took := allocated() - before; took > 8<<20 {
		t.Errorf("%d bytes were allocated", took)
	}
}

// TestMemo: what is remembered is bounded.
func TestMemo(t *testing.T) {
	var m memo[int]
	for i := range 3 * maxKnown {
		m.put(store.Location{Offset: int64(i)}, i)
		if v, known := m.get(store.Location{Offset: int64(i)}); !known || v != i {
			t.Fatalf("%d: %d, %v", i, v, known)
		}
	}
	if len(m.known) > maxKnown {
		t.Errorf("%d are remembered", len(m.known))
	}
}

// BenchmarkAnswer: a page of 10 KB, as it is stored, and a part of it.
func BenchmarkAnswer(b *testing.B) {
	body := strings.Repeat("0123456789", 1024)
	s := stockOf(b, Config{}, stocked{block: whole200("Content-Length: 10240\r\n") + body})
	buf := make([]byte, 32<<10)
	for _, fields := range []string{"Accept: */*", "Range: bytes=100-9000", "If-None-Match: \"v\""} {
		b.Run(fields[:5], func(b *testing.B) {
			start := crlf("GET / HTTP/1.1", "Host: example.com", fields)
			b.ReportAllocs()
			for b.Loop() {
				_, rest, err := s.Answer(context.Background(), "GET", "http://example.com/", start, nil)
				if err != nil {
					b.Fatal(err)
				}
				for err == nil {
					_, err = rest.Read(buf)
				}
				if err != io.EOF || rest.Close() != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
