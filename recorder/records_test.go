package recorder

import (
	"bytes"
	"crypto/tls"
	"flag"
	"net/netip"
	"os"
	"path/filepath"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// example is an exchange with something in every field.
func example() *Exchange {
	started := time.Date(2026, 2, 28, 23, 59, 59, 123456789, time.FixedZone("", 3600))
	return &Exchange{
		Started:  started,
		URL:      "https://example.com/",
		Method:   "GET",
		RemoteIP: netip.MustParseAddr("192.0.2.1"),
		TLS:      tls.VersionTLS13,
		Cipher:   tls.TLS_AES_128_GCM_SHA256,
		ended:    started.Add(1234567 * time.Microsecond),
	}
}

const (
	exampleRequest  = "GET / HTTP/1.1\r\nHost: example.com\r\n\r\n"
	exampleResponse = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: " +
		"5\r\n\r\nhello"
)

// TestRecords compares the records of exchanges, byte for byte, and their captures with golden
// files.
func TestRecords(t *testing.T) {
	for _, c := range []struct {
		name, request, response string
		change                  func(*Exchange)
	}{
		{"https", exampleRequest, exampleResponse, func(x *Exchange) {}},
		{"http-ipv6", exampleRequest, "HTTP/1.0 200 OK\n\nhi", func(x *Exchange) {
			x.URL, x.TLS, x.Cipher = "http://u:p@[2001:db8::1]:80/a b[]?ä#frag", 0, 0
			x.RemoteIP = netip.MustParseAddr("2001:0DB8:0:0:0:0:0:1%eth0")
		}},
		{"ipv4-in-ipv6", exampleRequest, exampleResponse, func(x *Exchange) { x.RemoteIP = netip.MustParseAddr("::ffff:192.0.2.7") }},
		{"post", "POST /form HTTP/1.1\r\nHost: example.com\r\nContent-Length: 3\r\n\r\na=b", exampleResponse, func(x *Exchange) {
			x.URL, x.Method, x.TLS, x.Cipher = "https://example.com/form?q=1", "POST", tls.VersionTLS12, tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256
		}},
		{"truncated-body", exampleRequest, exampleResponse[:len(exampleResponse)-2], func(x *Exchange) { x.Truncated = "disconnect" }},
		{"truncated-head", exampleRequest, "HTTP/1.1 200 OK\r\nContent-Ty", func(x *Exchange) { x.Truncated, x.Fault = "disconnect", "origin closed inside of the head" }},
		{"upload-cut", "POST / HTTP/1.1\r\nHost: example.com\r\ncontent-length: 100\r\n\r\na=b", "", func(x *Exchange) {
			x.Method, x.Truncated, x.Fault = "POST", "disconnect", "the client went away"
		}},
		{"upload-cut-chunked", "POST / HTTP/1.1\r\nHost: example.com\r\nTransfer-Encoding: chunked\r\n" +
			"\r\n5\r\nhel", "", func(x *Exchange) {
			x.Method, x.Truncated, x.Fault = "POST", "disconnect", "the client went away"
		}},
		{"upload-not-waited-for", "POST / HTTP/1.1\r\nHost: example.com\r\nContent-Length: 100\r\n\r\na=b", exampleResponse, func(x *Exchange) {
			x.Method, x.Fault = "POST", "the origin answered before the request's body had come"
		}},
		{"unverified", exampleRequest, exampleResponse, func(x *Exchange) { x.Unverified = "x509: certificate has expired\r\nor is not yet valid" }},
		{"no-response", exampleRequest, "", func(x *Exchange) { x.Fault = "connection reset by peer" }},
		{"no-response-no-fault", exampleRequest, "", func(x *Exchange) {}},
		{"three-bytes", exampleRequest, "HT\x00", func(x *Exchange) { x.Truncated = "disconnect" }},
		{"nothing", "", "", func(x *Exchange) {
			x.Fault, x.RemoteIP, x.TLS, x.Cipher = "no such host", netip.Addr{}, 0, 0
		}},
		{"head", "HEAD / HTTP/1.1\r\nHost: example.com\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", func(x *Exchange) { x.Method = "HEAD" }},
		{"not-modified", exampleRequest, "HTTP/1.1 304 Not Modified\r\n\r\n", func(x *Exchange) {}},
		{"chunked", exampleRequest, "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n5;x=y\r\n" +
			"hello\r\n0\r\nTrailer: z\r\n\r\n", func(x *Exchange) {}},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := example()
			c.change(x)
			compare(t, filepath.Join("testdata", "records", c.name+".golden"),
				recordsText(t, x, c.request, c.response))
		})
	}
}

// recordsText is the records of an exchange as they would stand in a file that is not compressed,
// then its CDXJ line.
func recordsText(t *testing.T, x *Exchange, requestText, responseText string) []byte {
	t.Helper()
	id := &ids{
		warcinfo: recordID{15: 1},
		response: recordID{15: 2},
		request:  recordID{15: 3},
		metadata: recordID{15: 4},
	}
	request, response := requestOf([]byte(requestText), digester{}), messageOf([]byte(responseText),
		digester{})
	r := records{keyer: &Keyer{}, style: &style{}}
	r.make(x, &request, &response, id)
	var out bytes.Buffer
	if len(r.response) > 0 {
		out.WriteString(string(r.response) + responseText + "\r\n\r\n")
	}
	if len(r.request) > 0 {
		out.WriteString(string(r.request) + requestText + "\r\n\r\n")
	}
	if len(r.metadata) > 0 {
		out.WriteString(string(r.metadata) + "\r\n\r\n")
	}
	if r.captured {
		out.Write(r.capture.AppendCDXJ(nil))
		out.WriteString("\n")
	}
	return out.Bytes()
}

func compare(t *testing.T, golden string, got []byte) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(golden), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s:\n%s\nwant:\n%s", golden, got, want)
	}
}

func TestWarcinfo(t *testing.T) {
	record, err := warcinfoRecord(&style{}, recordID{15: 1}, example().Started, "x-1.warc.gz",
		"crawler", "default")
	if err != nil {
		t.Fatal(err)
	}
	compare(t, filepath.Join("testdata", "warcinfo.golden"), record)
}

// TestSumReader checks the digests of one pass against those of two, for blocks that are in memory
// and that are read in small pieces.
func TestSumReader(t *testing.T) {
	block := []byte(exampleResponse)
	chunked := []byte("3;x\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n")
	for _, d := range []digester{{}, {algorithm: sha256Digest}, {entity: true}, {sha256Digest, true}} {
		for headSize := range len(block) + 1 {
			h := &head{size: headSize, chunked: headSize%2 > 0}
			wantBlock, wantPayload := d.of(block), d.payload(block[headSize:], h)
			if gotBlock, gotPayload := d.sumBytes(block, h); gotBlock != wantBlock ||
				gotPayload != wantPayload {
				t.Errorf("%v, head of %d bytes: %v, %v in memory; want %v, %v", d, headSize, &gotBlock,
					&gotPayload, &wantBlock, &wantPayload)
			}
			gotBlock, gotPayload, err := d.sumReader(bytes.NewReader(block), h, make([]byte, 7), nil)
			if err != nil || gotBlock != wantBlock || gotPayload != wantPayload {
				t.Errorf("%v, head of %d bytes: %v, %v, %v; want %v, %v", d, headSize, &gotBlock, &gotPayload,
					err, &wantBlock, &wantPayload)
			}
		}
		want := d.of(chunked)
		if d.entity {
			want = d.of([]byte("hello"))
		}
		if _, got := d.sumBytes(chunked, &head{chunked: true}); got != want {
			t.Errorf("%v: %v of a chunked body, want %v", d, &got, &want)
		}
	}
	hello := digester{algorithm: sha256Digest}.of([]byte("hello"))
	if got := hello.String(); got != "sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824" {
		t.Error(got)
	}
}

func TestIDs(t *testing.T) {
	var source idSource
	seen := make(map[recordID]bool)
	for range 1000 {
		id := source.next()
		if seen[id] {
			t.Fatalf("%v twice", &id)
		}
		seen[id] = true
		if id[6]>>4 != 4 || id[8]>>6 != 2 {
			t.Fatalf("%v is no UUID of version 4", &id)
		}
	}
	id := recordID{0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xde, 0xf0, 1, 2, 3, 4, 5, 6, 7, 8}
	if got := id.String(); got != "<urn:uuid:12345678-9abc-def0-0102-030405060708>" {
		t.Error(got)
	}
}
