package deflate

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	klauspost "github.com/klauspost/compress/flate"
)

// reader reads streams back, with two decoders of others.
type reader struct{ std, klauspost io.Reader }

func newReader() *reader {
	return &reader{flate.NewReader(nil), klauspost.NewReader(nil)}
}

// check proves that stream, all of it, is a deflate stream that holds text.
func (r *reader) check(t testing.TB, stream, text []byte) {
	t.Helper()
	decoders := map[string]io.Reader{"compress/flate": r.std, "klauspost": r.klauspost}
	for name, decoder := range decoders {
		in := bytes.NewReader(stream)
		if err := decoder.(flate.Resetter).Reset(in, nil); err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(decoder)
		if err != nil {
			t.Fatalf("%s: %v after %d of %d bytes", name, err, len(got), len(text))
		}
		if !bytes.Equal(got, text) {
			t.Fatalf("%s: %d bytes came back that are not the %d of the text", name, len(got), len(text))
		}
		if in.Len() > 0 {
			t.Fatalf("%s: %d bytes behind the stream", name, in.Len())
		}
	}
}

// bound is how long the stream of n bytes gets at worst, in one call.
func bound(n int) int { return n + (n/pieceSize+1)*8 }

func (r *reader) checkDeflate(t testing.TB, e *Encoder, text []byte) {
	t.Helper()
	for _, kind := range []Kind{Body, Head} {
		e.Begin([]byte("before"))
		e.Deflate(text, kind, true)
		got, ok := bytes.CutPrefix(e.End(), []byte("before"))
		if !ok {
			t.Fatal("what was in dst is gone")
		}
		r.check(t, got, text)
		if len(got) > bound(len(text)) {
			t.Errorf("%d bytes became %d", len(text), len(got))
		}
	}
}

func random(n int) []byte {
	r, b := rand.New(rand.NewPCG(1, uint64(n))), make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// page returns n bytes that look like HTML.
func page(n int) []byte {
	r := rand.New(rand.NewPCG(2, uint64(n)))
	words := strings.Fields(
		"archive the record of a page that was there capture proxy and library but text list when " +
			"image web which history from")
	var b bytes.Buffer
	for b.Len() < n {
		fmt.Fprintf(&b, "<li class=\"entry\"><a href=\"/%s/%d.html\">", words[r.IntN(len(words))],
			r.IntN(1e6))
		for range 1 + r.IntN(20) {
			fmt.Fprintf(&b, "%s ", words[r.IntN(len(words))])
		}
		b.WriteString("</a></li>\n")
	}
	return b.Bytes()[:n]
}

const record = "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: " +
	"<urn:uuid:059e0b7d-ccdf-439b-abd5-610a14f13456>\r\n" +
	"WARC-Date: 2026-11-21T07:06:20.258551Z\r\nWARC-Target-URI: " +
	"https://www.example.com/assets/main.css?v=17\r\n" +
	"WARC-IP-Address: 93.184.216.34\r\nWARC-Protocol: http/1.1\r\nWARC-Protocol: tls/1.3\r\n" +
	"WARC-Cipher-Suite: TLS_AES_128_GCM_SHA256\r\n" +
	"WARC-Warcinfo-ID: <urn:uuid:0801e6cc-a406-498b-ba2d-004b8d843c3d>\r\nWARC-Payload-Digest: " +
	"sha1:5XBZ3PBIV5QJUL7B4UKEP6K2KF3T3YOC\r\n" +
	"WARC-Block-Digest: sha1:KVV7JGF2VCZVEXIZYBBWOOHBFOQOXXFB\r\nContent-Type: application/http; " +
	"msgtype=response\r\nContent-Length: 10539\r\n\r\n" +
	"HTTP/1.1 200 OK\r\nCache-Control: max-age=600, public\r\nContent-Length: 10240\r\n" +
	"Content-Type: text/css\r\nEtag: \"e470506200000007\"\r\n" +
	"Last-Modified: Wed, 01 Jul 2026 10:00:00 GMT\r\nServer: nginx\r\nVary: Accept-Encoding\r\n" +
	"Date: Sat, 21 Nov 2026 07:06:20 GMT\r\n\r\n"

// texts are what is easily got wrong, by name.
func texts() map[string][]byte {
	repeat := func(s string, n int) []byte { return bytes.Repeat([]byte(s), n) }
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}
	all := map[string][]byte{
		"empty": nil, "every byte": every,
		"every byte, many times": repeat(string(every), 300),
		"zeros":                  make([]byte, 200_000), "two bytes in turn": repeat("ab", 70_000),
		"seven bytes in turn": repeat("abcdefg", 20_000), "random": random(300_000),
		"half of the bytes": bytes.Map(func(r rune) rune { return r & 0x7f }, page(100_000)),
		"record":            []byte(record), "page": page(300_000),
		"page, then random": join(page(70_000), random(70_000)),
		"random, then page": join(random(70_000), page(70_000)),
		"page in random": join(random(40_000), page(1000), random(40_000), page(40_000),
			random(10)),
		"Cyrillic":                repeat("Сохраняется каждый байт, который прошёл через посредника. ", 500),
		"rare bytes only":         bytes.Map(func(r rune) rune { return 0xa1 + r%7 }, random(20_000)),
		"long words of few bytes": few(100_000),
	}
	for _, n := range []int{257, 258, 259, 260, 261, 262, 515, 516, 517, 518, 519, 774, 777} {
		all[fmt.Sprint("a match of ", n)] = join(random(n), []byte("-"), random(n), []byte("+"))
		all[fmt.Sprint("a run of ", n)] = join([]byte("before "), repeat("x", n),
			[]byte(" and behind it"))
	}
	for _, n := range []int{window - 1, window, window + 1, 1<<16 - 1, 1 << 16, 1<<16 + 1} {
		all[fmt.Sprint("a distance of ", n)] = join(random(n), random(n)[:300])
	}
	for _, n := range []int{
		pieceSize - 1, pieceSize, pieceSize + 1, 2*pieceSize - 1, 2 * pieceSize, 2*pieceSize + 1,
	} {
		all[fmt.Sprint("text of ", n)] = page(n)
		all[fmt.Sprint("random bytes of ", n)] = random(n)
	}
	return all
}

// few returns n bytes of four kinds: they shrink to a quarter, but have no matches to speak of.
func few(n int) []byte {
	b := random(n)
	for i := range b {
		b[i] = "acgt"[b[i]&3]
	}
	return b
}

// base64WithMatches returns n bytes of Base64 with a match every 3000 bytes.
func base64WithMatches(n int) []byte {
	b := base64.StdEncoding.AppendEncode(nil, random(n))[:n]
	for i := 3000; i+20 < n; i += 3000 {
		copy(b[i:], b[:20])
	}
	return b
}

func TestDeflate(t *testing.T) {
	e, r := new(Encoder), newReader() // for all: nothing of a text stays behind
	for name, text := range texts() {
		t.Run(name, func(t *testing.T) { r.checkDeflate(t, e, text) })
	}
}

// TestSplits has texts of every small length, cut in two at every byte.
func TestSplits(t *testing.T) {
	e, r := new(Encoder), newReader()
	long := []byte(record)[:300]
	for n := range len(long) {
		if testing.Short() && n%10 > 0 {
			continue
		}
		for cut := range n + 1 {
			e.Begin(nil)
			e.Deflate(long[:cut], Head, false)
			e.Deflate(long[cut:n], Body, true)
			r.check(t, e.End(), long[:n])
		}
	}
}

// TestDeflateAndStore has every kind of block behind every other.
func TestDeflateAndStore(t *testing.T) {
	e, r := new(Encoder), newReader()
	parts := [][]byte{
		nil, []byte("x"), []byte(record), page(50_000), random(1000), random(maxStored),
		random(maxStored + 1),
	}
	for i, a := range parts {
		for j, b := range parts {
			for ways := range 8 {
				for _, final := range []string{"deflate", "store"} {
					e.Begin(nil)
					switch ways & 3 {
					case 0:
						e.Deflate(a, Head, false)
					case 1:
						e.Store(false, a)
					case 2:
						e.Continue(a[:min(len(a), historySize)])
						e.Store(false, a[min(len(a), historySize):])
					case 3:
						n := min(len(a), maxStored)
						e.StoreHeader(n, false)
						stream := append(bytes.Clone(e.Take()), a[:n]...)
						e.Begin(stream)
						e.Deflate(a[n:], Body, false)
					}
					if ways&4 > 0 {
						e.Deflate(nil, Body, false)
					}
					if final == "store" {
						e.Store(true, nil, b[:len(b)/2], nil, b[len(b)/2:])
					} else {
						e.Deflate(b, Body, true)
					}
					t.Run(fmt.Sprintf("%d-%d-%d-%s", i, j, ways, final),
						func(t *testing.T) { r.check(t, e.End(), append(bytes.Clone(a), b...)) })
				}
			}
		}
	}
}

// TestContinue has a text in pieces of any length, the history of which is longer than a window.
func TestContinue(t *testing.T) {
	e, r := new(Encoder), newReader()
	random16 := random(1 << 16)
	for name, text := range map[string][]byte{
		"page":              page(1_000_000),
		"random":            random(400_000),
		"matches just gone": bytes.Repeat(random16[:window+1], 20),
		"matches just here": bytes.Repeat(random16[:window], 20),
		"history repeated":  bytes.Repeat(random16, 10),
		"pages and random":  bytes.Join([][]byte{page(200_000), random(100_000), page(300_000)}, nil),
	} {
		for _, size := range []int{0, 1000, 32768, 65535, historySize} {
			t.Run(fmt.Sprintf("%s/%d", name, size), func(t *testing.T) {
				lengths := rand.New(rand.NewPCG(3, 3))
				var stream []byte
				e.Begin(nil)
				for left := text; len(left) > 0; {
					n := size
					if n == 0 {
						n = lengths.IntN(historySize + 1)
					}
					n = min(n, len(left))
					e.Continue(left[:n])
					stream = append(stream, e.Take()...)
					left = left[n:]
				}
				e.Deflate([]byte("\r\n\r\n"), Body, true)
				stream = append(stream, e.End()...)
				r.check(t, stream, append(bytes.Clone(text), "\r\n\r\n"...))
			})
		}
	}
}

// TestShrinks has what must not be lost for the sake of speed.
func TestShrinks(t *testing.T) {
	e := new(Encoder)
	for _, test := range []struct {
		name string
		text []byte
		kind Kind
		most float64 // of the text
	}{
		{"record", []byte(record), Head, 0.75},
		{"page", page(100_000), Body, 0.30},
		{"small page", page(10_000), Body, 0.40},
		{"zeros", make([]byte, 100_000), Body, 0.02},
		{"few", few(100_000), Body, 0.33},
		{"few, not many", few(5000), Body, 0.35},
		{"Base64", base64.StdEncoding.AppendEncode(nil, random(4000)), Body, 0.80},
		{
			"Base64, once repeated",
			bytes.Repeat(base64.StdEncoding.AppendEncode(nil, random(4000)), 2),
			Body,
			0.41,
		},
		{"Base64, with matches", base64WithMatches(20_000), Body, 0.80},
		{"Cyrillic", texts()["Cyrillic"], Body, 0.05},
	} {
		t.Run(test.name, func(t *testing.T) {
			e.Begin(nil)
			e.Deflate(test.text, test.kind, true)
			if got := float64(len(e.End())) / float64(len(test.text)); got > test.most {
				t.Errorf("it shrinks to %.3f, more than %.3f", got, test.most)
			}
		})
	}
}

// TestSame proves that what has been encoded before does not tell.
func TestSame(t *testing.T) {
	used := new(Encoder)
	for range 2 {
		for name, text := range texts() {
			fresh := new(Encoder)
			fresh.Begin(nil)
			used.Begin(nil)
			fresh.Deflate(text, Body, true)
			used.Deflate(text, Body, true)
			if !bytes.Equal(fresh.End(), used.End()) {
				t.Errorf("%s: two streams", name)
			}
		}
	}
}

// TestContinueBehind has texts that other blocks part.
func TestContinueBehind(t *testing.T) {
	e, r := new(Encoder), newReader()
	first, other := page(1000), page(60_000)
	e.Begin(nil)
	var all []byte
	for i := range 20 {
		e.Continue(first)
		all = append(all, first...)
		if i%3 == 0 {
			e.Deflate(other, Body, false)
			all = append(all, other...)
		}
		e.Continue(other)
		e.Store(false, first)
		all = append(append(all, other...), first...)
	}
	e.Continue(bytes.Repeat(other, 10))
	e.Deflate(nil, Body, true)
	r.check(t, e.End(), append(all, bytes.Repeat(other, 10)...))
}

func FuzzDeflate(f *testing.F) {
	for _, text := range texts() {
		if len(text) < 10_000 {
			f.Add(text, uint16(len(text)/2), uint8(3))
			f.Add(text, uint16(len(text)), uint8(60))
		}
	}
	e, r := new(Encoder), newReader()
	f.Fuzz(func(t *testing.T, text []byte, cut uint16, times uint8) {
		r.checkDeflate(t, e, text)
		half := text[:min(int(cut), len(text))]
		e.Begin(nil)
		var all, stream []byte
		for range times % 64 {
			for _, p := range [][]byte{half, text} {
				p = p[:min(len(p), 6000)]
				e.Continue(p)
				all = append(all, p...)
				stream = append(stream, e.Take()...)
			}
			if cut%3 == 0 {
				e.Store(false, half)
				all = append(all, half...)
			}
		}
		e.Deflate(half, Head, false)
		e.Store(true, text, half)
		r.check(t, append(stream, e.End()...), bytes.Join([][]byte{all, half, text, half}, nil))
	})
}
