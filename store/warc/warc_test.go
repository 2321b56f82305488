package warc

import (
	"crypto/sha1"
	"encoding/base32"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// testRecord is a response record in the parts that a recorder hands to a Compressor.
type testRecord struct {
	warc, http, body []byte
}

func newRecord(number int, body []byte) testRecord {
	http := []byte("HTTP/1.1 200 OK\r\nServer: test\r\nContent-Type: text/css; charset=utf-8\r\n" +
		fmt.Sprintf("Content-Length: %d\r\n",
			len(body)) + "ETag: \"6546-2710\"\r\nCache-Control: public, max-age=31536000\r\n\r\n")
	block := append(append([]byte(nil), http...), body...)
	head := []byte(Version + "\r\n")
	head = AppendField(head, "WARC-Type", "response")
	head = AppendField(head, "WARC-Record-ID",
		fmt.Sprintf("<urn:uuid:1b671a64-40d5-491e-99b0-%012d>", number))
	head = AppendField(head, "WARC-Date", "2026-11-21T05:45:12.123456Z")
	head = AppendField(head, "WARC-Target-URI",
		fmt.Sprintf("https://www.example.com/assets/css/main.css?v=%d", number))
	head = AppendField(head, "WARC-IP-Address", "93.184.216.34")
	head = AppendField(head, "WARC-Payload-Digest", testDigest(body))
	head = AppendField(head, "WARC-Block-Digest", testDigest(block))
	head = AppendField(head, "Content-Type", "application/http; msgtype=response")
	head = AppendInt(head, "Content-Length", int64(len(block)))
	return testRecord{append(head, "\r\n"...), http, body}
}

func testDigest(b []byte) string {
	sum := sha1.Sum(b)
	return "sha1:" + base32.StdEncoding.EncodeToString(sum[:])
}

func (r testRecord) parts() [][]byte { return [][]byte{r.warc, r.http, r.body, []byte(RecordEnd)} }

func (r testRecord) text() string {
	return string(r.warc) + string(r.http) + string(r.body) + RecordEnd
}

// member returns the record as a gzip member, with its body in stored blocks if stored is set.
func (r testRecord) member(stored bool) []byte {
	if stored {
		return NewCompressor().Append(nil, r.parts(), 2)
	}
	return NewCompressor().Append(nil, r.parts(), -1)
}

// textBody returns n bytes that compress about 3:1; encodedBody n that do not.
func textBody(n int) []byte {
	words := strings.Fields(
		"color background margin padding: solid #336699; 0 auto .header .footer { } px em font-family " +
			"sans-serif border none")
	random := rand.New(rand.NewPCG(1, uint64(n)))
	var b strings.Builder
	for b.Len() < n {
		fmt.Fprintf(&b, "%s %d ", words[random.IntN(len(words))], random.IntN(1000))
	}
	return []byte(b.String()[:n])
}

func encodedBody(n int) []byte {
	random := rand.New(rand.NewPCG(2, uint64(n)))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(random.Uint32())
	}
	return b
}

func writeFile(t testing.TB, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.warc.gz")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
