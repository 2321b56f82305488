package recorder

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"warcorder/proxy/raced"
	"warcorder/recorder/record"
	"warcorder/store"
	"warcorder/store/warc"
)

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
	add(record.Metadata, "http://example.com/1", "application/warc-fields", "a: b\r\n",
		func(e *Extra) { e.ConcurrentTo = "<urn:uuid:elsewhere>" })
	add(record.Metadata, "http://example.com/1", "application/json", "{}",
		func(e *Extra) { e.ConcurrentTo = "<urn:uuid:elsewhere>" })
	add(record.Metadata, "http://example.com/1", "application/ld+json; a=b", "{}",
		func(e *Extra) { e.RefersTo = "<urn:uuid:elsewhere>" })
	x := c.begin("http://example.com/fault", exampleRequest, "")
	x.Fault = "connection refused"
	x.Commit()
	add(record.Conversion, "http://example.com/1", "text/plain", "converted",
		func(e *Extra) { e.RefersTo = "<urn:uuid:elsewhere>" })
	c.getOver(exampleChain("one"), "x")
	add(record.Resource, "https://example.com/?a=b#f", "Image/PNG", randomBytes(2000), nil)
	add(record.Resource, "https://example.com/fields", "application/warc-fields", "a: b\r\n", nil)
	c.getOver(exampleChain("two"), "y")
	c.close()
}

// TestExtraRecover cuts a file with such records at every record, one byte before and one behind,
// and recovers it with an index that ends anywhere before, or none.
func TestExtraRecover(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
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
	size := raced.Of(100) << 20
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
	if all := captures(t, c.dir); len(all) != 1 || all[0].Length < int64(size/2) {
		t.Errorf("%+v", all)
	}
}
