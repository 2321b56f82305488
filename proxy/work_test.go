package proxy

import (
	"bytes"
	"cmp"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"warcorder/proxy/hosts"
	"warcorder/proxy/http1"
	"warcorder/proxy/http1/http1test"
)

// A head may be as long as max-header-size, and whoever sends it chooses its shape and the pieces
// in which it comes. What took minutes at 2 MiB by quadratic work takes milliseconds by linear
// work, so that a bound between them holds on any machine.
var longHead = cmp.Or(map[string]int{"1": 8 << 20}[os.Getenv("CI_LONG")], 2<<20)

const longHeadTime = 10 * time.Second

// inTime runs f, which must not take longer than linear work does.
func inTime(t *testing.T, f func()) {
	t.Helper()
	begin := time.Now()
	f()
	if took := time.Since(begin); took > longHeadTime {
		t.Errorf("%v", took)
	}
}

// shapes are heads of n bytes each part of which is seen by each other if the work is not linear.
func shapes(n int) map[string][]byte {
	repeat := func(s string, n int) string { return strings.Repeat(s, n/len(s)) }
	return map[string][]byte{
		"folds behind a long line": http1test.Head("GET / HTTP/1.1",
			repeat("a", n/2)+":\r\n"+repeat(" \r\n", n/2)),
		"folds behind a line of no colon": http1test.Head("GET / HTTP/1.1",
			repeat("a ", n/2)+"\r\n"+repeat("\t\r\n", n/2)),
		"folds behind a short line": http1test.Head("GET / HTTP/1.1", "A: b\r\n"+repeat(" \r\n", n)),
		"long folds":                http1test.Head("GET / HTTP/1.1", "A: b\r\n"+repeat(" content-lengt\r\n", n)),
		"lines":                     http1test.Head("GET / HTTP/1.1", repeat("a:\r\n", n)),
		"lists":                     http1test.Head("GET / HTTP/1.1", "Connection:"+repeat(",", n)),
		"lengths":                   http1test.Head("GET / HTTP/1.1", "Content-Length: 1"+repeat(",1", n)),
		"versions in the target":    http1test.Head("GET " + repeat("/HTTP/", n) + " HTTP/1.1"),
		"spaces":                    http1test.Head("GET" + repeat(" ", n) + "/ HTTP/1.1"),
		"proxy fields":              http1test.Head("GET / HTTP/1.1", "Proxy-A: b\r\n"+repeat(" \r\nProxy-A:\r\n", n)),
		"codings":                   http1test.Head("GET / HTTP/1.1", "Accept-Encoding:"+repeat("x;q=0;,", n)),
		"codings in many fields":    http1test.Head("GET / HTTP/1.1", repeat("Accept-Encoding:*\r\n", n)),
		"encodings in many fields":  http1test.Head("GET / HTTP/1.1", repeat("Content-Encoding:br\r\n", n)),
		"codings in folds":          http1test.Head("GET / HTTP/1.1", "Accept-Encoding:\r\n"+repeat(" x,\r\n ,\r\n", n)),
		"authority":                 http1test.Head("GET http://" + repeat("@", n) + "a/ HTTP/1.1"),
		"host":                      http1test.Head("GET http://" + repeat("a.", n) + " HTTP/1.1"),
		"one name of all alphabets": http1test.Head("GET http://" + manyRunes(n) + "/ HTTP/1.1"),
	}
}

// manyRunes is n bytes of characters of which few are the same: encoding them as a name takes time
// for each pair.
func manyRunes(n int) string {
	var b strings.Builder
	for r := rune(0x4e00); b.Len() < n; r++ {
		if r == 0x9fa5 {
			r = 0x4e00
		}
		b.WriteRune(r)
	}
	return b.String()
}

// most is all that a request may lose on its way.
var most = http1.Change{Codings: &http1.Codings{Names: []string{"gzip", "br"}}, Condition: true}

// TestLongHeads: all that is done with a head before it goes to the origin takes time by its
// length.
func TestLongHeads(t *testing.T) {
	list, err := hosts.ParseList("a.example,*.b.example")
	if err != nil {
		t.Fatal(err)
	}
	for name, head := range shapes(longHead) {
		t.Run(name, func(t *testing.T) {
			inTime(t, func() {
				if end, _ := http1.HeadEnd(head, 0); end < len(head)-2 {
					t.Errorf("the head ends at %d of %d", end, len(head))
				}
				s := &session{head: head}
				req, err := http1.ParseRequest(head)
				if err != nil {
					return
				}
				to, target, err := s.destination(&req)
				if err != nil {
					target = req.Target
				}
				s.forward(nil, &req, target, most)
				list.Has(to.siteName())
				http1.WithoutUserinfo(string(req.Target))
			})
			status := slices.Concat([]byte("HTTP/1.1 200 OK"), head[bytes.IndexByte(head, '\r'):])
			inTime(t, func() {
				if res, err := http1.ParseResponse(status, &http1.Request{}); err == nil {
					most.Codings.Other(res.Encoding)
				}
			})
		})
	}
}

// TestDrippedHeads: a head that comes in a million pieces is not looked at from its start a million
// times.
func TestDrippedHeads(t *testing.T) {
	for name, head := range shapes(longHead) {
		t.Run(name, func(t *testing.T) {
			inTime(t, func() {
				known, end, from := false, -1, 0
				for i := 0; end < 0 && i < len(head); i += 2 {
					piece := head[:min(i+2, len(head))]
					if !known {
						_, known = http1.TargetForm(piece)
					}
					end, from = http1.HeadEnd(piece, from)
				}
				if end < len(head)-2 {
					t.Errorf("the head ends at %d of %d", end, len(head))
				}
			})
		})
	}
}

// TestLongChunkLines: the framing of a body is read in one pass, however it is cut.
func TestLongChunkLines(t *testing.T) {
	for name, wire := range map[string]string{
		"small chunks": strings.Repeat("1\r\na\r\n", longHead/6),
		"extensions":   strings.Repeat("1;"+strings.Repeat("a", 1000)+"\r\na\r\n", longHead/1000),
		"trailer":      "0\r\n" + strings.Repeat("a:\r\n", (1<<20)/4-1), // all that a trailer may be
	} {
		for _, piece := range []int{1, 7, len(wire)} {
			b := http1.ResponseBody(&http1.Message{Framing: http1.Chunked})
			inTime(t, func() {
				for rest := []byte(wire); len(rest) > 0; rest = rest[min(piece, len(rest)):] {
					if n, err := b.Take(rest[:min(piece, len(rest))]); err != nil || n == 0 {
						t.Fatalf("%s: %d, %v", name, n, err)
					}
				}
			})
		}
	}
}

// FuzzWork looks for shapes of heads and bodies whose parts are seen more often than once: pieces
// are repeated until quadratic work takes far longer than any bound on linear work.
func FuzzWork(f *testing.F) {
	f.Add([]byte("GET / HTTP/1.1\r\n"), []byte("a"), []byte("\r\n "))
	f.Add([]byte("GET "), []byte("HTTP/"), []byte(" "))
	f.Add([]byte("GET http://"), []byte("@a:"), []byte("\xe4\xb8\x80"))
	f.Add([]byte("HTTP/1.1 200 OK\r\nA: b\r\n"), []byte("Connection: ,a"), []byte("\r\n\t"))
	f.Add([]byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), []byte("1;"),
		[]byte("a\r\n"))
	f.Fuzz(func(t *testing.T, prefix, one, other []byte) {
		if len(prefix)+len(one)+len(other) > 1<<10 || len(one) == 0 || len(other) == 0 {
			return
		}
		const half = 1 << 19
		wire := slices.Concat(prefix, bytes.Repeat(one, half/len(one)),
			bytes.Repeat(other, half/len(other)), []byte("\r\n\r\n"))
		quickest := time.Hour // of three: a machine that does something else meanwhile is no fault
		for range 3 {
			begin := time.Now()
			workOn(wire)
			if quickest = min(quickest, time.Since(begin)); quickest < time.Second {
				return
			}
		}
		t.Errorf("%v for %d bytes", quickest, len(wire))
	})
}

// workOn does with a message all that a session does between its reads and writes.
func workOn(wire []byte) {
	end, from := -1, 0
	for i := 0; end < 0 && i < len(wire); i += 64 {
		http1.TargetForm(wire[:min(i+64, len(wire))])
		end, from = http1.HeadEnd(wire[:min(i+64, len(wire))], from)
	}
	if end < 0 {
		return
	}
	if req, err := http1.ParseRequest(wire[:end]); err == nil {
		s := &session{head: wire[:end]}
		if to, target, err := s.destination(&req); err == nil {
			s.forward(nil, &req, target, most)
			hosts.OneSpelling(to.siteName())
		}
		b := http1.RequestBody(&req.Message)
		b.Take(wire[end:])
	}
	if res, err := http1.ParseResponse(wire[:end], &http1.Request{}); err == nil {
		most.Codings.Other(res.Encoding)
		b := http1.ResponseBody(&res.Message)
		b.Take(wire[end:])
	}
}
