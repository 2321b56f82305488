package store

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"testing"
	"time"

	"warcorder/canon"
)

// uploadKinds are the types of bodies that are uploaded; uploadOf makes one of each.
var uploadKinds = []string{"binary", "form", "json", "multipart", "text", "base64-json"}

// uploadOf returns a request with a body of some size bytes.
func uploadOf(kind string, size int, seed uint64) canon.Request {
	random := rand.New(rand.NewPCG(seed, 9))
	noise := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8)}).Read(noise)
	r := canon.Request{URL: fmt.Sprintf("https://www.site%d.com/api/upload", seed%7), Method: "POST"}
	switch kind {
	case "binary":
		r.ContentType, r.Body = "application/octet-stream", noise
	case "form":
		form := []byte("csrf=1f8b08&text=")
		for len(form) < size {
			form = append(form, url.QueryEscape(words(random))+"+"...)
		}
		r.ContentType, r.Body = "application/x-www-form-urlencoded", form
	case "json":
		text := []byte(`{"events":[`)
		for len(text) < size {
			text = fmt.Appendf(text, `{"id":%d,"name":"%s","at":%d.5},`, random.Uint32(), words(random),
				random.Uint32())
		}
		r.ContentType, r.Body = "application/json", append(text, "0]}"...)
	case "multipart":
		text := []byte("--b1f8b08\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\n" +
			"a holiday\r\n--b1f8b08\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.jpg\"\r\n" +
			"Content-Type: image/jpeg\r\n\r\n")
		r.ContentType, r.Body = "multipart/form-data; boundary=b1f8b08",
			append(append(text, noise...), "\r\n--b1f8b08--\r\n"...)
	case "text":
		var text []byte
		for len(text) < size {
			text = append(text, words(random)+" "...)
		}
		r.ContentType, r.Body = "text/plain;charset=UTF-8", text
	case "base64-json":
		text := []byte(`{"name":"a.jpg","data":"`)
		text = base64.StdEncoding.AppendEncode(text, noise[:size*3/4])
		r.ContentType, r.Body = "application/json", append(text, `"}`...)
	}
	r.BodyLen = int64(len(r.Body))
	return r
}

// words returns a few of 2000 words.
func words(random *rand.Rand) string {
	var text []byte
	for range 5 {
		word := random.Uint64N(2000) * 0x9e3779b97f4a7c15 >> 20
		text = append(text, fmt.Sprintf("%x ", word)[:2+word%8]...)
	}
	return string(bytes.TrimSpace(text))
}

// uploadsIndex returns an index of n captures with originals, one of ten of them an upload, and how
// many bytes its pages take.
func uploadsIndex(t testing.TB, kind string, size, n int) (index *Bolt, used int64) {
	index = newIndex(t)
	addFile(t, index, benchFile)
	random := rand.New(rand.NewPCG(1, 2))
	keyer := new(Keyer)
	batch := make([]Capture, n)
	benchBatch(batch, random, allSites, 0, true)
	for i := range batch {
		c := &batch[i]
		if kind != "" && i%10 == 9 {
			r := uploadOf(kind, size, uint64(i))
			c.URL, c.Method = r.URL, r.Method
			keyer.Fill(c, r)
		}
	}
	for some := range slices.Chunk(batch, 50) {
		commit(t, index, some)
	}
	return index, usedBy(t, index)
}

// BenchmarkUploads measures what ten exchanges, one of them an upload, take in the index.
func BenchmarkUploads(b *testing.B) {
	const n = 2000
	for _, size := range []int{2 << 20, 1 << 20, 100 << 10, 20 << 10, 2 << 10, 0} {
		for _, kind := range uploadKinds {
			if size == 0 {
				kind = ""
			}
			b.Run(fmt.Sprintf("%s/%d-KiB", kind, size>>10), func(b *testing.B) {
				for b.Loop() {
					began := time.Now()
					_, used := uploadsIndex(b, kind, size, n)
					b.ReportMetric(float64(used)/n, "B/capture")
					b.ReportMetric(float64(time.Since(began).Microseconds())/n*10, "µs/upload")
				}
			})
			if size == 0 {
				break
			}
		}
	}
}

// TestUploadsInIndex: with an upload of 2 MiB in ten exchanges, a capture takes less than 2 KiB on
// average, with all that deduplication stores of it.
func TestUploadsInIndex(t *testing.T) {
	const n = 60
	for _, kind := range uploadKinds {
		_, used := uploadsIndex(t, kind, 2<<20, n)
		if used > n*1600 {
			t.Errorf("%s: %d bytes a capture", kind, used/n)
		}
	}
}
