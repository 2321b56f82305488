package record

import (
	"bytes"
	"crypto/tls"
	"flag"
	"net/netip"
	"os"
	"path/filepath"
	"testing"
	"time"

	"warcorder/store"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// example is an exchange with something in every field.
func example() *Facts {
	started := time.Date(2026, 2, 28, 23, 59, 59, 123456789, time.FixedZone("", 3600))
	return &Facts{
		Started:  started,
		URL:      "https://example.com/",
		Method:   "GET",
		RemoteIP: netip.MustParseAddr("192.0.2.1"),
		TLS:      tls.VersionTLS13,
		Cipher:   tls.TLS_AES_128_GCM_SHA256,
		Ended:    started.Add(1234567 * time.Microsecond),
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
		change                  func(*Facts)
	}{
		{"https", exampleRequest, exampleResponse, func(f *Facts) {}},
		{"http-ipv6", exampleRequest, "HTTP/1.0 200 OK\n\nhi", func(f *Facts) {
			f.URL, f.TLS, f.Cipher = "http://u:p@[2001:db8::1]:80/a b[]?ä#frag", 0, 0
			f.RemoteIP = netip.MustParseAddr("2001:0DB8:0:0:0:0:0:1%eth0")
		}},
		{"ipv4-in-ipv6", exampleRequest, exampleResponse,
			func(f *Facts) { f.RemoteIP = netip.MustParseAddr("::ffff:192.0.2.7") }},
		{"post", "POST /form HTTP/1.1\r\nHost: example.com\r\nContent-Length: 3\r\n\r\na=b",
			exampleResponse, func(f *Facts) {
				f.URL, f.Method = "https://example.com/form?q=1", "POST"
				f.TLS, f.Cipher = tls.VersionTLS12, tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256
			}},
		{"truncated-body", exampleRequest, exampleResponse[:len(exampleResponse)-2],
			func(f *Facts) { f.Truncated = "disconnect" }},
		{"truncated-head", exampleRequest, "HTTP/1.1 200 OK\r\nContent-Ty",
			func(f *Facts) { f.Truncated, f.Fault = "disconnect", "origin closed inside of the head" }},
		{"upload-cut", "POST / HTTP/1.1\r\nHost: example.com\r\ncontent-length: 100\r\n\r\na=b", "",
			func(f *Facts) {
				f.Method, f.Truncated, f.Fault = "POST", "disconnect", "the client went away"
			}},
		{"upload-cut-chunked", "POST / HTTP/1.1\r\nHost: example.com\r\nTransfer-Encoding: chunked\r\n" +
			"\r\n5\r\nhel", "", func(f *Facts) {
			f.Method, f.Truncated, f.Fault = "POST", "disconnect", "the client went away"
		}},
		{"upload-not-waited-for",
			"POST / HTTP/1.1\r\nHost: example.com\r\nContent-Length: 100\r\n\r\na=b", exampleResponse,
			func(f *Facts) {
				f.Method, f.Fault = "POST", "the origin answered before the request's body had come"
			}},
		{"unverified", exampleRequest, exampleResponse,
			func(f *Facts) { f.Unverified = "x509: certificate has expired\r\nor is not yet valid" }},
		{"completion", exampleRequest, exampleResponse,
			func(f *Facts) { f.Completion = "part" }},
		{"via", exampleRequest, exampleResponse,
			func(f *Facts) { f.Via, f.RemoteIP = "socks5 > https", netip.Addr{} }},
		{"no-response", exampleRequest, "", func(f *Facts) { f.Fault = "connection reset by peer" }},
		{"no-response-no-fault", exampleRequest, "", func(f *Facts) {}},
		{"three-bytes", exampleRequest, "HT\x00", func(f *Facts) { f.Truncated = "disconnect" }},
		{"nothing", "", "", func(f *Facts) {
			f.Fault, f.RemoteIP, f.TLS, f.Cipher = "no such host", netip.Addr{}, 0, 0
		}},
		{"head", "HEAD / HTTP/1.1\r\nHost: example.com\r\n\r\n",
			"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", func(f *Facts) { f.Method = "HEAD" }},
		{"not-modified", exampleRequest, "HTTP/1.1 304 Not Modified\r\n\r\n", func(f *Facts) {}},
		{"chunked", exampleRequest, "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n5;x=y\r\n" +
			"hello\r\n0\r\nTrailer: z\r\n\r\n", func(f *Facts) {}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := example()
			c.change(f)
			compare(t, filepath.Join("testdata", "records", c.name+".golden"),
				recordsText(t, f, c.request, c.response))
		})
	}
}

// recordsText is the records of an exchange as they would stand in a file that is not compressed,
// then its CDXJ line.
func recordsText(t *testing.T, f *Facts, requestText, responseText string) []byte {
	t.Helper()
	id := &IDs{
		Warcinfo: ID{15: 1},
		Response: ID{15: 2},
		Request:  ID{15: 3},
		Metadata: ID{15: 4},
	}
	request, response := RequestOf([]byte(requestText), Digester{}), MessageOf([]byte(responseText),
		Digester{})
	r := NewRecords(&store.Keyer{}, &Style{})
	r.Make(f, &request, &response, id)
	var out bytes.Buffer
	if len(r.Response) > 0 {
		out.WriteString(string(r.Response) + responseText + "\r\n\r\n")
	}
	if len(r.Request) > 0 {
		out.WriteString(string(r.Request) + requestText + "\r\n\r\n")
	}
	if len(r.Metadata) > 0 {
		out.WriteString(string(r.Metadata) + "\r\n\r\n")
	}
	if r.Captured {
		out.Write(r.Capture.AppendCDXJ(nil))
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
	record, err := Warcinfo(&Style{}, ID{15: 1}, example().Started, "x-1.warc.gz",
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
	for _, d := range []Digester{{}, {Algorithm: SHA256}, {Entity: true}, {SHA256, true}} {
		for headSize := range len(block) + 1 {
			h := &Head{Size: headSize, Chunked: headSize%2 > 0}
			wantBlock, wantPayload := d.SumBytes(block), d.payload(block[headSize:], h)
			if gotBlock, gotPayload := d.sumMessage(block, h); gotBlock != wantBlock ||
				gotPayload != wantPayload {
				t.Errorf("%v, head of %d bytes: %v, %v in memory; want %v, %v", d, headSize, &gotBlock,
					&gotPayload, &wantBlock, &wantPayload)
			}
			gotBlock, gotPayload, err := d.SumReader(bytes.NewReader(block), h, make([]byte, 7), nil)
			if err != nil || gotBlock != wantBlock || gotPayload != wantPayload {
				t.Errorf("%v, head of %d bytes: %v, %v, %v; want %v, %v", d, headSize, &gotBlock, &gotPayload,
					err, &wantBlock, &wantPayload)
			}
		}
		want := d.SumBytes(chunked)
		if d.Entity {
			want = d.SumBytes([]byte("hello"))
		}
		if _, got := d.sumMessage(chunked, &Head{Chunked: true}); got != want {
			t.Errorf("%v: %v of a chunked body, want %v", d, &got, &want)
		}
	}
	hello := Digester{Algorithm: SHA256}.SumBytes([]byte("hello"))
	const want = "sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
	if got := hello.String(); got != want {
		t.Error(got)
	}
}

func TestIDs(t *testing.T) {
	var source IDSource
	seen := make(map[ID]bool)
	for range 1000 {
		id := source.Next()
		if seen[id] {
			t.Fatalf("%v twice", &id)
		}
		seen[id] = true
		if id[6]>>4 != 4 || id[8]>>6 != 2 {
			t.Fatalf("%v is no UUID of version 4", &id)
		}
	}
	id := ID{0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xde, 0xf0, 1, 2, 3, 4, 5, 6, 7, 8}
	if got := id.String(); got != "<urn:uuid:12345678-9abc-def0-0102-030405060708>" {
		t.Error(got)
	}
}
