package record

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"os"
	"testing"
)

func TestDeflates(t *testing.T) {
	var text []byte
	for _, name := range []string{"records.go", "records.go", "digest.go", "reference.go"} {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, source...)
	}
	random := make([]byte, 1<<20)
	rand.Read(random)
	for _, c := range []struct {
		name, fields string
		body         []byte
		want         bool
	}{
		{"text", "Content-Type: text/html; charset=utf-8", text, true},
		{"text with an encoding", "Content-Type: text/html\r\nContent-Encoding: br", text, false},
		{"text that looks random", "Content-Type: text/plain", random, true},
		{"JSON", "Content-Type: application/json", random, true},
		{"drawing", "Content-Type: IMAGE/SVG+XML", text, true},
		{"photograph", "Content-Type: image/jpeg", text, false},
		{"film", "Content-Type: video/mp4", text, false},
		{"web font", "Content-Type: font/woff2", text, false},
		{"other font", "Content-Type: font/ttf", text, true},
		{"bitmap", "Content-Type: image/bmp", make([]byte, 5000), true},
		{"archive", "Content-Type: application/zip", text, false},
		{"bytes that are text", "Content-Type: application/octet-stream", text, true},
		{"random bytes", "Content-Type: application/octet-stream", random, false},
		{"random bytes, no type", "X: y", random, false},
		{"600 random bytes", "X: y", random[:600], false},
		{"100 random bytes", "X: y", random[:100], true},
		{"text in front of random bytes", "Content-Type: application/pdf",
			append(text[:1000:1000], random...), false},
		{"gzip without a type", "X: y", gzipped(text), false},
		{"counting", "X: y", counting(5000), true},
		{"nothing", "X: y", nil, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := ParseHead([]byte("HTTP/1.1 200 OK\r\n" + c.fields + "\r\n\r\n"))
			if got := Deflates(&h, sampleOf(c.body)); got != c.want {
				t.Errorf("deflates: %t, want %t", got, c.want)
			}
		})
	}
}

// counting is bytes of which few values are frequent: numbers of four bytes.
func counting(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		if i%4 == 0 {
			b[i] = byte(i)
		}
	}
	return b
}

func gzipped(b []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	w.Write(b)
	w.Close()
	return out.Bytes()
}

func BenchmarkDeflates(b *testing.B) {
	body := make([]byte, 10<<10)
	rand.Read(body)
	h := ParseHead([]byte("HTTP/1.1 200 OK\r\n\r\n"))
	for b.Loop() {
		Deflates(&h, sampleOf(body))
	}
}
