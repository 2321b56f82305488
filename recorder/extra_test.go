package recorder

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"warcorder/recorder/record"
	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/warc"
)

// extra returns a record with its block filled.
func (c *recording) extra(kind, uri, contentType, block string) *Extra {
	c.t.Helper()
	e := c.BeginExtra()
	e.Type, e.URI, e.ContentType = kind, uri, contentType
	if _, err := e.Block.Write([]byte(block)); err != nil {
		c.t.Fatal(err)
	}
	return e
}

// write writes a record, which must succeed.
func (c *recording) write(e *Extra) Written {
	c.t.Helper()
	written, err := e.Write(context.Background())
	if err != nil {
		c.t.Fatal(err)
	}
	return written
}

// TestExtra writes records of every kind and size, reads them back with gowarc and looks them up as
// soon as Write has returned.
func TestExtra(t *testing.T) {
	date := time.Date(2020, 2, 3, 4, 5, 6, 789_000_000, time.UTC)
	big := randomText(3 << 20)
	for _, test := range []struct {
		name    string
		change  func(*Extra)
		block   string
		want    map[string]string // header fields
		without []string
		url     string // in the index; "" if it is not there
		mime    string
	}{
		{"resource", func(e *Extra) {
			e.Date, e.RemoteIP, e.ConcurrentTo = date, netip.MustParseAddr("2001:db8::1"), "<urn:uuid:1>"
		}, "x",
			map[string]string{"WARC-Type": "resource", "WARC-Date": "2020-02-03T04:05:06.789000Z",
				"WARC-IP-Address": "2001:db8::1", "WARC-Concurrent-To": "<urn:uuid:1>", "Content-Length": "1"},
			[]string{"WARC-Refers-To"}, "urn:x:A", "text/plain"},
		{"of a page", func(e *Extra) { e.URI = "http://u:p@example.com/a b#f" }, "",
			map[string]string{"WARC-Target-URI": "http://example.com/a%20b", "Content-Length": "0"},
			[]string{"WARC-IP-Address", "WARC-Concurrent-To"}, "http://example.com/a%20b", "text/plain"},
		{"screenshot",
			func(e *Extra) { e.URI, e.ContentType = "screenshot:https://example.com/", "image/png" }, big,
			map[string]string{"Content-Length": fmt.Sprint(len(big))},
			nil, "screenshot:https://example.com/", "image/png"},
		{"metadata",
			func(e *Extra) {
				e.Type, e.ContentType, e.RefersTo = record.Metadata, "application/json", "<urn:uuid:2>"
			}, "{}",
			map[string]string{"WARC-Refers-To": "<urn:uuid:2>"}, []string{"WARC-Payload-Digest"}, "urn:x:A", "application/json"},
		{"metadata of the usual type", func(e *Extra) {
			e.Type, e.ContentType, e.ConcurrentTo = record.Metadata, "application/warc-fields", "<urn:uuid:3>"
		}, "a: b\r\n",
			map[string]string{"WARC-Concurrent-To": "<urn:uuid:3>"}, []string{"WARC-Payload-Digest"}, "", ""},
		{"conversion", func(e *Extra) { e.Type, e.RefersTo = record.Conversion, "<urn:uuid:4>" }, "text",
			map[string]string{"WARC-Type": "conversion"}, nil, "", ""},
		{"large conversion", func(e *Extra) { e.Type = record.Conversion }, big,
			map[string]string{"WARC-Type": "conversion"}, nil, "", ""},
		{"large metadata", func(e *Extra) { e.Type = record.Metadata }, big, nil,
			[]string{"WARC-Payload-Digest"}, "urn:x:A", "text/plain"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := open(t, t.TempDir(), Config{})
			e := c.extra(record.Resource, "urn:x:A", "text/plain; charset=utf-8", test.block)
			test.change(e)
			kind := e.ContentType
			before := time.Now()
			written := c.write(e)
			found := 0
			c.Index().Captures(store.Query{}, func(capture *store.Capture) bool {
				found++
				if capture.URL != test.url || capture.MIME != test.mime ||
					capture.Location != written.Location && capture.Length == 0 || capture.Status != 0 ||
					!strings.HasPrefix(capture.Digest, "sha1:") {
					t.Errorf("%+v", capture)
				}
				return true
			})
			if want := min(len(test.url), 1); found != want {
				t.Errorf("%d captures when Write had returned, want %d", found, want)
			}
			if status := c.Status(); status.Exchanges != 0 || status.Queued != 0 {
				t.Errorf("%+v", status)
			}
			c.close()
			records := readBack(t, c.dir)
			if len(records) != 2 {
				t.Fatal(records)
			}
			r := records[1]
			if r.block != test.block || r.faults != "" || r.offset != written.Offset ||
				r.file != written.File || r.get("WARC-Record-ID") != written.RecordID ||
				r.get("Content-Type") != kind {
				t.Errorf("%d bytes, %s %v; it was written to %+v", len(r.block), r.faults, r.header, written)
			}
			for name, want := range test.want {
				if got := r.get(name); got != want {
					t.Errorf("%s: %q, want %q", name, got, want)
				}
			}
			for _, name := range test.without {
				if r.header.Has(name) {
					t.Errorf("%s: %q", name, r.get(name))
				}
			}
			if r.get("WARC-Type") != record.Metadata && r.get("WARC-Payload-Digest") != r.get("WARC-Block-Digest") {
				t.Errorf("digests %v", r.header)
			}
			if got, err := time.Parse(time.RFC3339, r.get("WARC-Date")); err != nil ||
				test.want["WARC-Date"] == "" &&
					(got.Before(before.Truncate(time.Microsecond)) || got.After(time.Now())) {
				t.Errorf("date %v, %v", got, err)
			}
		})
	}
}

func TestExtraRefused(t *testing.T) {
	c := open(t, t.TempDir(), Config{})
	for name, test := range map[string]struct {
		change func(*Extra)
		want   string // "" if it is good
	}{
		"good":                   {func(*Extra) {}, ""},
		"response":               {func(e *Extra) { e.Type = "response" }, "resource, metadata, conversion"},
		"warcinfo":               {func(e *Extra) { e.Type = "warcinfo" }, "resource, metadata, conversion"},
		"no type":                {func(e *Extra) { e.Type = "" }, "resource, metadata, conversion"},
		"no URI":                 {func(e *Extra) { e.URI = "" }, "not absolute"},
		"path":                   {func(e *Extra) { e.URI = "/a:b" }, "not absolute"},
		"scheme alone":           {func(e *Extra) { e.URI = "urn:" }, "not absolute"},
		"space":                  {func(e *Extra) { e.URI = "urn:a b" }, "%XX"},
		"line break":             {func(e *Extra) { e.URI = "urn:a\r\nWARC-Type: response" }, "%XX"},
		"no ASCII":               {func(e *Extra) { e.URI = "urn:ä" }, "ASCII"},
		"brackets":               {func(e *Extra) { e.URI = "<urn:a>" }, "not absolute"},
		"http without host":      {func(e *Extra) { e.URI = "http:///a" }, "host"},
		"http without slashes":   {func(e *Extra) { e.URI = "http:example.com" }, "host"},
		"http with a port alone": {func(e *Extra) { e.URI = "https://:80/" }, "host"},
		"http with a name alone": {func(e *Extra) { e.URI = "https://user@/" }, "host"},
		"http, made good":        {func(e *Extra) { e.URI = "HTTP://example.com/ä<\n>" }, ""},
		"http, query alone":      {func(e *Extra) { e.URI = "http://example.com?a" }, ""},
		"no content type":        {func(e *Extra) { e.ContentType = "" }, "content type"},
		"content type, lines":    {func(e *Extra) { e.ContentType = "a/b\r\nWARC-Type: response" }, "content type"},
		"content type, no UTF-8": {func(e *Extra) { e.ContentType = "a/\xff" }, "content type"},
		"resource that refers":   {func(e *Extra) { e.RefersTo = "<urn:uuid:1>" }, "refers to no other"},
		"concurrent conversion": {
			func(e *Extra) { e.Type, e.ConcurrentTo = record.Conversion, "<urn:uuid:1>" }, "concurrent to no other",
		},
		"ID without brackets":  {func(e *Extra) { e.ConcurrentTo = "urn:uuid:1" }, "concurrent-to"},
		"ID with a line break": {func(e *Extra) { e.ConcurrentTo = "<urn:uuid:1>\r\nx: <y>" }, "concurrent-to"},
		"ID that is no URI":    {func(e *Extra) { e.Type, e.RefersTo = record.Metadata, "<1>" }, "refers-to"},
		"year of five digits":  {func(e *Extra) { e.Date = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) }, "year"},
		"both relations of metadata": {func(e *Extra) {
			e.Type, e.RefersTo, e.ConcurrentTo = record.Metadata, "<urn:uuid:1>", "<urn:uuid:2>"
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			e := c.extra(record.Resource, "urn:x", "text/plain", "x")
			test.change(e)
			_, err := e.Write(context.Background())
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
	c.close()
	for _, r := range readBack(t, c.dir) {
		if r.faults != "" {
			t.Errorf("%s %v", r.faults, r.header)
		}
	}
}

// TestExtraAfterClose: whoever waits for a record is told that it will not come.
func TestExtraAfterClose(t *testing.T) {
	c := open(t, t.TempDir(), Config{})
	e := c.extra(record.Resource, "urn:x", "text/plain", "x")
	c.close()
	if _, err := e.Write(context.Background()); !errors.Is(err, errClosed) {
		t.Errorf("%v", err)
	}
}

// TestExtraNotWritten: a record that cannot be written is waited for until the end, and then told
// as lost.
func TestExtraNotWritten(t *testing.T) {
	c := open(t, t.TempDir(), Config{})
	off := make(chan struct{})
	c.log.onLine = func(line string) {
		if strings.Contains(line, "recording is off") {
			close(off)
		}
	}
	archive := filepath.Join(c.dir, "archive")
	if err := os.RemoveAll(archive); err != nil {
		t.Fatal(err)
	}
	write(t, archive, nil) // a file, in which no file can be made
	failed := make(chan error, 1)
	e := c.extra(record.Resource, "urn:x", "text/plain", "x")
	go func() {
		_, err := e.Write(context.Background())
		failed <- err
	}()
	<-off
	select {
	case err := <-failed:
		t.Fatalf("%v before the recorder was closed", err)
	default:
	}
	if err := c.Close(); err == nil {
		t.Error("closed without an error")
	}
	if err := <-failed; !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("%v", err)
	}
	if c.log.count(`"exchange lost"`, "urn:x") != 1 {
		t.Error(c.log.b.String())
	}
}

// TestExtraGivenUp: who does not wait any longer loses nothing.
func TestExtraGivenUp(t *testing.T) {
	c := open(t, t.TempDir(), Config{CommitInterval: time.Hour})
	c.write(c.extra(record.Resource, "urn:first", "text/plain", "x")) // the next one waits for others
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := c.extra(record.Resource, "urn:x", "text/plain", "x").Write(ctx); !errors.Is(
		err,
		context.Canceled,
	) {
		t.Errorf("%v", err)
	}
	c.close()
	if urls := captures(t, c.dir); len(urls) != 2 {
		t.Errorf("%v", urls)
	}
}

func exampleChain(certificates ...string) *Chain {
	var der [][]byte
	for _, certificate := range certificates {
		der = append(der, []byte(certificate))
	}
	return NewChain(der)
}

// getOver commits an exchange over TLS.
func (c *recording) getOver(chain *Chain, body string) {
	c.t.Helper()
	x := c.begin("https://example.com/", exampleRequest, page(200, "text/html", "", body))
	x.Chain = chain
	x.Commit()
}

// TestChain: the certificates of an origin are recorded once a collection, by either lane, over
// several runs, and with an index that was made anew.
func TestChain(t *testing.T) {
	dir := t.TempDir()
	c := open(t, dir, Config{})
	first, second := exampleChain("leaf", "root"), exampleChain("leafroot", "")
	c.getOver(first, "one")
	c.getOver(first, "two")
	c.getOver(exampleChain("leaf", "root"), "another connection")
	c.getOver(exampleChain("large"), randomText(3<<20))
	c.getOver(exampleChain(), "no certificates")
	c.getOver(nil, "no TLS")
	x := c.begin("https://example.com/failed", exampleRequest, "")
	x.Fault, x.Chain = "reset", exampleChain("no response")
	x.Commit()
	c.close()
	if err := os.Remove(filepath.Join(dir, collection.IndexName)); err != nil {
		t.Fatal(err)
	}
	c = open(t, dir, Config{})
	c.getOver(exampleChain("leaf", "root"), "third")
	c.getOver(exampleChain("new"), "fourth")
	c.close()

	records := readBack(t, dir)
	ids := map[string]storedRecord{}
	var blocks []string
	for _, r := range records {
		ids[r.get("WARC-Record-ID")] = r
	}
	for _, r := range records {
		if r.get("WARC-Type") != record.Resource {
			continue
		}
		var sum []byte
		for rest := []byte(r.block); len(rest) > 0; {
			var block *pem.Block
			if block, rest = pem.Decode(rest); block == nil || block.Type != "CERTIFICATE" {
				t.Fatalf("%q", r.block)
			}
			sum = append(sum, block.Bytes...)
		}
		blocks = append(blocks, string(sum))
		hash := sha256.Sum256(sum)
		with := ids[r.get("WARC-Concurrent-To")]
		if r.faults != "" ||
			r.get("WARC-Target-URI") != "urn:x-warcorder:tls-chain:sha256:"+hex.EncodeToString(hash[:]) ||
			r.get("Content-Type") != "application/pem-certificate-chain" ||
			r.get("WARC-IP-Address") != "127.0.0.1" || with.header == nil ||
			with.get("WARC-Date") != r.get("WARC-Date") ||
			(with.get("WARC-Type") == "response") == (string(sum) == "no response") {
			t.Errorf("%s %v", r.faults, r.header)
		}
	}
	slices.Sort(blocks)
	if want := []string{"large", "leafroot", "new", "no response"}; !slices.Equal(blocks, want) {
		t.Errorf("%q, want %q", blocks, want)
	}
	if first.hash != second.hash { // DER tells where a certificate ends
		t.Error("the hash is not that of the certificates alone")
	}
}

// TestManyChains: those that are forgotten are asked for in the index.
func TestManyChains(t *testing.T) {
	c := open(t, t.TempDir(), Config{})
	onDisk := make(chan struct{})
	c.log.onLine = func(line string) {
		if strings.Contains(line, "tls-chain") {
			close(onDisk)
		}
	}
	c.getOver(exampleChain("one"), "x")
	<-onDisk
	c.Index() // waits until it is there too
	c.chains.mu.Lock()
	clear(c.chains.seen)
	for i := range maxChains {
		c.chains.seen[sha256.Sum256(fmt.Append(nil, i))] = true
	}
	c.chains.mu.Unlock()
	c.getOver(exampleChain("one"), "y")
	c.close()
	if n := len(c.chains.seen); n != 1 {
		t.Errorf("%d chains are remembered", n)
	}
	if all := captures(t, c.dir); len(all) != 3 {
		t.Errorf("%+v", all)
	}
}

// recordExtras records a file in which records that are no exchange stand between exchanges.
func recordExtras(t *testing.T, dir string, cfg Config) {
	t.Helper()
	c := open(t, dir, cfg)
	add := func(kind, uri, contentType, block string, change func(*Extra)) {
		e := c.extra(kind, uri, contentType, block)
		if change != nil {
			change(e)
		}
		c.write(e)
	}
	add(record.Resource, "urn:x:first", "text/plain", "x", nil)
	c.get("http://example.com/1")
	add(
		record.Metadata,
		"http://example.com/1",
		"application/warc-fields",
		"a: b\r\n",
		func(e *Extra) { e.ConcurrentTo = "<urn:uuid:elsewhere>" },
	)
	add(
		record.Metadata,
		"http://example.com/1",
		"application/json",
		"{}",
		func(e *Extra) { e.ConcurrentTo = "<urn:uuid:elsewhere>" },
	)
	add(
		record.Metadata,
		"http://example.com/1",
		"application/ld+json; a=b",
		"{}",
		func(e *Extra) { e.RefersTo = "<urn:uuid:elsewhere>" },
	)
	x := c.begin("http://example.com/fault", exampleRequest, "")
	x.Fault = "connection refused"
	x.Commit()
	add(
		record.Conversion,
		"http://example.com/1",
		"text/plain",
		"converted",
		func(e *Extra) { e.RefersTo = "<urn:uuid:elsewhere>" },
	)
	c.getOver(exampleChain("one"), "x")
	add(record.Resource, "https://example.com/?a=b#f", "Image/PNG", randomBytes(2000), nil)
	add(record.Resource, "https://example.com/fields", "application/warc-fields", "a: b\r\n", nil)
	c.getOver(exampleChain("two"), "y")
	c.close()
}

// TestExtraRecover cuts a file with such records at every record, one byte before and one behind,
// and recovers it with an index that ends anywhere before, or none.
func TestExtraRecover(t *testing.T) {
	dir := t.TempDir()
	recordExtras(t, dir, allKeys)
	want := exports(t, dir)
	if n := strings.Count(want[0], "\n"); n != 9 {
		t.Fatalf("%d lines:\n%s", n, want[0])
	}
	c := readCrashed(t, dir)
	var ends, whole []int64
	r, err := warc.NewReader(bytes.NewReader(c.bytes), c.name, 0)
	if err != nil {
		t.Fatal(err)
	}
	for rec, err := r.Next(); err == nil; rec, err = r.Next() {
		if err := rec.Close(); err != nil {
			t.Fatal(err)
		}
		ends = append(ends, rec.Offset+rec.Length)
		if rec.Type() != "response" &&
			(rec.Type() != "request" || rec.Header.Get("WARC-Concurrent-To") != "") {
			whole = append(whole, ends[len(ends)-1])
		}
	}
	for _, end := range ends {
		for _, size := range []int64{end - 1, end, end + 1} {
			if size > int64(len(c.bytes)) {
				continue
			}
			good := int64(0) // where the last whole record or exchange ends
			for _, at := range whole {
				if at <= size {
					good = at
				}
			}
			for _, committed := range append([]int64{-1}, whole...) {
				if committed > good {
					continue
				}
				dir := t.TempDir()
				c.restore(t, dir, size, committed)
				log := new(logBuffer)
				if _, err := recovered(allKeys, dir, zerolog.New(log), nil); err != nil {
					t.Fatal(err)
				}
				if good == 0 {
					continue
				}
				got, _ := os.ReadFile(filepath.Join(dir, "archive", c.name))
				if int64(len(got)) != good {
					t.Fatalf("cut at %d, committed %d: %d bytes are left, want %d\n%s", size, committed, len(got),
						good, log.b.String())
				}
				if all := captures(t, dir); !slices.Equal(sortedByOffset(all), c.before(good)) {
					t.Fatalf("cut at %d, committed %d: %+v, want %+v", size, committed, all, c.before(good))
				}
			}
		}
	}
}

// TestExtraRebuild makes the index anew, from records of every style.
func TestExtraRebuild(t *testing.T) {
	for name, cfg := range map[string]Config{
		"usual": allKeys, "WARC 1.0": {WARCVersion: "1.0"}, "SHA-256": {Digest: "sha256"},
		"entity": {PayloadDigest: "entity"}, "one by one": {Sync: syncAlways},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			recordExtras(t, dir, cfg)
			want, before := exports(t, dir), captures(t, dir)
			for _, r := range readBack(t, dir) {
				if r.faults != "" {
					t.Errorf("%s %v", r.faults, r.header)
				}
			}
			if _, err := rebuilt(cfg, dir, zerolog.Nop(), nil); err != nil {
				t.Fatal(err)
			}
			if got := exports(t, dir); !slices.Equal(got, want) {
				t.Errorf("rebuilt:\n%s\nwant:\n%s", got[0], want[0])
			}
			if got := captures(t, dir); !reflect.DeepEqual(got, before) {
				t.Errorf("rebuilt:\n%+v\nwant:\n%+v", got, before)
			}
		})
	}
}

func sortedByOffset(all []store.Capture) []store.Capture {
	slices.SortFunc(all, func(a, b store.Capture) int { return int(a.Offset - b.Offset) })
	return all
}

// TestExtraStreams: a record of any size takes no memory.
func TestExtraStreams(t *testing.T) {
	const size = 100 << 20
	c := open(t, t.TempDir(), Config{})
	piece := []byte(randomText(1 << 20))
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	e := c.BeginExtra()
	e.Type, e.URI, e.ContentType = record.Resource, "urn:x", "application/octet-stream"
	for range size / len(piece) {
		if _, err := e.Block.Write(piece); err != nil {
			t.Fatal(err)
		}
	}
	c.write(e)
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 16<<20 {
		t.Errorf("%d MB were taken for a record of %d MB", grown>>20, size>>20)
	}
	c.close()
	if all := captures(t, c.dir); len(all) != 1 || all[0].Length < size/2 {
		t.Errorf("%+v", all)
	}
}
