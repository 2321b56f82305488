package v09

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"warcorder/store/warc"
)

// uuid is a WARC-Record-ID.
func uuid(n int) string { return fmt.Sprintf("<urn:uuid:00000000-0000-4000-8000-%012d>", n) }

// sha is a WARC-Block-Digest that holds.
func sha(block string) string {
	digest, err := sha1Of(strings.NewReader(block))
	if err != nil {
		panic(err)
	}
	return digest
}

// old makes a 1.1 record of "Name: value" lines.
func old(block string, lines ...string) made {
	var h warc.Header
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ": ")
		h = append(h, warc.Field{Name: name, Value: value})
	}
	return made{append(h, warc.Field{Name: "Content-Length", Value: strconv.Itoa(len(block))}), block}
}

func randomBytes(n int) string {
	b := make([]byte, n)
	source := rand.NewChaCha8([32]byte{9})
	source.Read(b)
	return string(b)
}

// olds are 1.1 records of all types, as our recorder and others write them.
func olds() []made {
	page := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>"
	ask := "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n"
	nested := resource(5, "in a record") + "\r\n\r\nwarc/0.9 20 response\r\n\r\n"
	binary := "\x00\x01\xff\r\n\r\n\x1f\x8b\x08\x00" + randomBytes(5000)
	large := randomBytes(3 << 20)
	text := strings.Repeat("much the same\n", 300_000)
	const date = "WARC-Date: 2026-01-02T03:04:05.678901Z"
	info := "WARC-Warcinfo-ID: " + uuid(0)
	long := "http://a.example/" + strings.Repeat("ü?%20\u3000", 20_000)
	return []made{
		old("software: x\r\n", "WARC-Type: warcinfo", "WARC-Record-ID: "+uuid(0), date,
			"WARC-Filename: my file ü%20-1.warc.gz", "Content-Type: application/warc-fields",
			"WARC-Block-Digest: "+sha("software: x\r\n")),
		old(
			page,
			"WARC-Type: response",
			"WARC-Record-ID: "+uuid(1),
			date,
			"WARC-Target-URI: http://a.example/",
			"WARC-IP-Address: 2001:db8::1",
			"WARC-Protocol: http/1.1",
			"WARC-Protocol: tls/1.3",
			"WARC-Cipher-Suite: TLS_AES_128_GCM_SHA256",
			info,
			"WARC-Payload-Digest: "+sha("<html>"),
			"WARC-Block-Digest: "+sha(page),
			"Content-Type: application/http; msgtype=response",
		),
		old(
			ask,
			"WARC-Type: request",
			"WARC-Record-ID: "+uuid(2),
			"WARC-Concurrent-To: "+uuid(1),
			date,
			"WARC-Target-URI: http://a.example/",
			info,
			"Content-Type: application/http;msgtype=request",
			"WARC-Block-Digest: "+sha(ask),
		),
		old(
			"fault: none\r\n",
			"WARC-Type: metadata",
			"WARC-Record-ID: "+uuid(3),
			date,
			"WARC-Target-URI: http://a.example/",
			"WARC-Concurrent-To: "+uuid(1),
			"WARC-Concurrent-To: "+uuid(2),
			info,
			"Content-Type: application/warc-fields",
		),
		old("later", "WARC-Type: metadata", "WARC-Record-ID: "+uuid(4), "WARC-Date: 2026-02",
			"WARC-Refers-To: "+uuid(1), "Content-Type: text/plain; charset=utf-8"),
		old(
			"HTTP/1.1 200 OK\r\n\r\n",
			"WARC-Type: revisit",
			"WARC-Record-ID: "+uuid(5),
			"WARC-Date: 2026-01-03T03:04:05+02:00",
			"WARC-Target-URI: http://a.example/",
			"WARC-Profile: "+identicalPayload,
			"WARC-Refers-To: "+uuid(1),
			"WARC-Refers-To-Target-URI: http://a.example/",
			"WARC-Refers-To-Date: 2026-01-02T03:04:05.678901Z",
			"WARC-Concurrent-To: "+uuid(6),
			"WARC-Truncated: length",
			"WARC-Payload-Digest: "+sha("<html>"),
			"Content-Type: application/http; msgtype=response",
		),
		old(
			"",
			"WARC-Type: revisit",
			"WARC-Record-ID: "+uuid(6),
			"WARC-Date: 2026-01-03T03:04:05Z",
			"WARC-Target-URI: http://a.example/",
			"WARC-Profile: http://netpreserve.org/warc/1.1/server-not-modified",
		),
		old(
			"converted",
			"WARC-Type: conversion",
			"WARC-Record-ID: "+uuid(7),
			date,
			"WARC-Target-URI: http://a.example/",
			"WARC-Refers-To: "+uuid(1),
			"Content-Type: text/plain",
		),
		old("20260102030405\r\na.example. 600 IN A 192.0.2.1\r\n", "WARC-Type: resource",
			"WARC-Record-ID: "+uuid(8), date, "WARC-Target-URI: dns:a.example", "Content-Type: text/dns"),
		old("by another writer", "WARC-Type: response", "WARC-Record-ID: "+uuid(9), date,
			"WARC-Target-URI: dns:b.example", "Content-Type: text/dns"),
		old(
			nested,
			"WARC-Type: resource",
			"WARC-Record-ID: <http://a.example/id/1>",
			date,
			"WARC-Target-URI: "+long,
			"Content-Type: application/warc",
			"WARC-Block-Digest: sha256:nothing that can be checked",
		),
		old(
			binary,
			"WARC-Type: resource",
			"WARC-Record-ID: <uuid:odd>",
			date,
			"WARC-Target-URI: http://a.example/a b\u2028c",
			"Content-Type: image/png",
		),
		old(
			"",
			"WARC-Type: resource",
			"WARC-Record-ID: bare:id",
			date,
			"WARC-Target-URI: http://a.example/empty",
		),
		old(
			large,
			"WARC-Type: response",
			"WARC-Record-ID: "+uuid(20),
			date,
			"WARC-Target-URI: http://a.example/large",
			info,
			"WARC-Block-Digest: "+sha(large),
			"WARC-Truncated: disconnect",
			"Content-Type: application/http; msgtype=response",
		),
		old(
			text,
			"WARC-Type: resource",
			"WARC-Record-ID: "+uuid(21),
			date,
			"WARC-Target-URI: http://a.example/text",
			info,
			"WARC-Block-Digest: "+sha(text),
			"Content-Type: text/plain",
		),
		old(
			large[:memory/2],
			"WARC-Type: resource",
			"WARC-Record-ID: "+uuid(22),
			date,
			"WARC-Target-URI: http://a.example/half",
			"Content-Type: application/x-half",
		),
		old("x", "WARC-Type: screenshot", "WARC-Record-ID: "+uuid(23), date, "WARC-Target-URI: urn:x",
			"Content-Type: image/png", "WARC-Page-ID: 7", "Truncated: a", "Verbatim-Truncated: b",
			"Related-Record-ID: c", "Checksum: md5:00", "Converted-From: d", "Empty: ", "Subject-URI: e"),
		old("x", "WARC-Type: warcinfo", "WARC-Record-ID: "+uuid(24), date, info),
		old("x", "WARC-Type: resource", "WARC-Record-ID: "+uuid(25), "WARC-Date: some day",
			"WARC-Target-URI: urn:y", "WARC-IP-Address: 2001:DB8::0001", "WARC-Concurrent-To: <>"),
		old("", "Empty: "),
	}
}

// lines are a header's fields, in an order that does not depend on theirs; of those of one name the
// order counts.
func lines(h warc.Header) []string {
	byName := make(map[string][]string)
	for _, f := range h {
		name := strings.ToLower(f.Name)
		byName[name] = append(byName[name], name+": "+f.Value)
	}
	var all []string
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		all = append(all, byName[name]...)
	}
	return all
}

func sameRecords(t *testing.T, got, want []made) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d records, want %d", len(got), len(want))
	}
	for i := range min(len(got), len(want)) {
		g, w := lines(got[i].header), lines(want[i].header)
		if !slices.Equal(g, w) {
			t.Errorf("record %d:\ngot  %.3000q\nwant %.3000q", i, g, w)
		}
		if got[i].block != want[i].block {
			t.Errorf("record %d: another block, %d bytes, want %d", i, len(got[i].block), len(want[i].block))
		}
	}
}

// exported writes records to a new directory and returns the files in their order.
func exported(t *testing.T, target int64, records []made) []string {
	t.Helper()
	dir := t.TempDir()
	w := &Writer{Dir: dir, Prefix: "x", Host: "host", Target: target, Temp: t.TempDir()}
	for _, m := range records {
		if err := w.Write(warc.Version, m.header, strings.NewReader(m.block), int64(len(m.block))); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(files, func(a, b string) int { return strings.Compare(serial(a), serial(b)) })
	return files
}

// serial is the part of a file's name that says its place in the order.
func serial(path string) string { return strings.Split(filepath.Base(path), "-")[2] }

func TestRoundTrip(t *testing.T) {
	for _, target := range []int64{0, 10 << 20, 1 << 20, 200_000, 1} {
		t.Run(fmt.Sprint("target ", target), func(t *testing.T) {
			want := olds()
			if target == 1 { // each record, and each few bytes of a block, in a file of its own
				want = slices.DeleteFunc(want, func(m made) bool { return len(m.block) > 20_000 })
			}
			files := exported(t, target, want)
			var c collected
			if err := c.importer(t).Import(files...); err != nil {
				t.Fatal(err)
			}
			for _, f := range c.findings {
				t.Errorf("finding %v", f)
			}
			sameRecords(t, c.records, want)
			if target >= 200_000 {
				sizes(t, files, target)
			}
			// Twice through is the same again.
			var twice collected
			if err := twice.importer(t).Import(exported(t, target, c.records)...); err != nil {
				t.Fatal(err)
			}
			sameRecords(t, twice.records, want)
		})
	}
}

// TestRoundTripBackwards imports the files in the wrong order: segments find together.
func TestRoundTripBackwards(t *testing.T) {
	want := olds()
	files := exported(t, 200_000, want)
	slices.Reverse(files)
	var c collected
	if err := c.importer(t).Import(files...); err != nil {
		t.Fatal(err)
	}
	key := func(m made) string { return strings.Join(lines(m.header), "\n") }
	byKey := func(a, b made) int { return strings.Compare(key(a), key(b)) }
	slices.SortStableFunc(want, byKey)
	slices.SortStableFunc(c.records, byKey)
	sameRecords(t, c.records, want)
}

// sizes holds the files to the target.
func sizes(t *testing.T, files []string, target int64) {
	t.Helper()
	for _, path := range files {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() > target {
			t.Errorf("%s has %d bytes", path, info.Size())
		}
	}
}

// TestExportForm looks at the files themselves: one member a record, with `sl`, and segments as
// section 7.2 has them.
func TestExportForm(t *testing.T) {
	large := randomBytes(500_000)
	files := exported(t, 200_000, []made{
		olds()[0], olds()[1],
		old(
			large,
			"WARC-Type: response",
			"WARC-Record-ID: "+uuid(1),
			"WARC-Date: 2026-01-02T03:04:05Z",
			"WARC-Target-URI: http://a.example/",
			"WARC-Block-Digest: "+sha(large),
			"WARC-Truncated: time",
			"Content-Type: application/http; msgtype=response",
		),
		olds()[2],
	})
	if len(files) != 4 {
		t.Fatalf("%d files", len(files))
	}
	var heads []string
	for _, path := range files {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		heads = append(heads, path[strings.LastIndex(path, "x-"):][:2])
		for len(b) > 0 {
			n := int(b[16]) | int(b[17])<<8 | int(b[18])<<16
			r := newReader(t, string(b[:n]))
			rec, err := r.Next()
			if err != nil {
				t.Fatal(err)
			}
			heads = append(heads, string(rec.Header.append(nil, rec.Size)))
			if _, err := r.Next(); err != io.EOF {
				t.Errorf("behind the record: %v", err)
			}
			b = b[n:]
		}
	}
	all := strings.Join(heads, "\n")
	for _, line := range heads {
		if i := strings.Index(line, "continuation http"); i >= 0 {
			id := line[strings.Index(line, "uuid:"):][:41]
			all = strings.ReplaceAll(all, id, "uuid:RANDOM")
		}
	}
	golden(t, "export.golden", strings.ReplaceAll(all, "\r\n", "\n"))
}

// TestExportImported makes 0.9 of what has been imported: no field of 0.9 is lost on the way there,
// but for those that 1.1 says otherwise.
func TestExportImported(t *testing.T) {
	first := imported(t, testdata(t, "appendix-b.warc"))
	var second collected
	if err := second.importer(t).Import(exported(t, 0, first.records)...); err != nil {
		t.Fatal(err)
	}
	sameRecords(t, second.records, first.records)
	var files []string
	for _, path := range exported(t, 0, first.records) {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, string(b))
	}
	was, is := newReader(t, testdata(t, "appendix-b.warc")), newReader(t, files[0])
	for {
		a, errA := was.Next()
		b, errB := is.Next()
		if errA == io.EOF && errB == io.EOF {
			return
		}
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		if fmt.Sprint(a.Type, a.URI, a.Date, a.ContentType, a.ID) != fmt.Sprint(
			b.Type,
			b.URI,
			b.Date,
			b.ContentType,
			b.ID,
		) {
			t.Errorf("%q became %q", a.Header, b.Header)
		}
		for _, f := range a.Fields {
			if !slices.Contains(b.Fields.Values(f.Name), f.Value) {
				t.Errorf("%s: %q is not in %q", f.Name, f.Value, b.Fields)
			}
		}
	}
}

// TestExportReader exports a file, up to where it is damaged, and nothing that is not whole.
func TestExportReader(t *testing.T) {
	var file bytes.Buffer
	for _, m := range olds() {
		head := []byte(warc.Version + "\r\n")
		for _, f := range m.header {
			head = warc.AppendField(head, f.Name, f.Value)
		}
		file.Write(
			warc.NewCompressor().
				Append(nil, [][]byte{head, []byte("\r\n"), []byte(m.block), []byte(warc.RecordEnd)}, -1),
		)
	}
	whole := bytes.Clone(file.Bytes())
	broken := bytes.Clone(whole)
	broken[len(broken)-6] ^= 1
	for name, test := range map[string]struct {
		file    []byte
		records int
		damaged bool
	}{"whole": {whole, len(olds()), false}, "broken": {broken, len(olds()) - 1, true}} {
		t.Run(name, func(t *testing.T) {
			r, err := warc.NewReader(bytes.NewReader(test.file), "f.warc.gz", 0)
			if err != nil {
				t.Fatal(err)
			}
			w := &Writer{Dir: t.TempDir(), Prefix: "x", Host: "host"}
			err = w.Export(r)
			var damage *warc.Damage
			if errors.As(err, &damage) != test.damaged || err != nil && !test.damaged {
				t.Error(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			files, _ := filepath.Glob(filepath.Join(w.Dir, "*.warc.gz"))
			var c collected
			if err := c.importer(t).Import(files...); err != nil {
				t.Fatal(err)
			}
			sameRecords(t, c.records, olds()[:test.records])
		})
	}
}

// TestMemory sends a large block there and back; what is allocated on the way does not grow with
// it.
func TestMemory(t *testing.T) {
	const size = 64 << 20
	block := &pattern{left: size}
	w := &Writer{Dir: t.TempDir(), Prefix: "x", Host: "host", Target: 1 << 20, Temp: t.TempDir()}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	h := old("", "WARC-Type: resource", "WARC-Record-ID: "+uuid(1), "WARC-Date: 2026-01-02T03:04:05Z",
		"WARC-Target-URI: urn:x").header
	if err := w.Write(warc.Version, h, block, size); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(w.Dir, "*"))
	if len(files) != 1 {
		t.Errorf("%d files: it deflates to less than the target", len(files))
	}
	var got int64
	im := &Importer{Temp: t.TempDir(), Out: func(_ []byte, block io.Reader, n int64) (err error) {
		got, err = io.Copy(io.Discard, block)
		return err
	}}
	if err := im.Import(files...); err != nil || got != size {
		t.Errorf("%d bytes, %v", got, err)
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 16<<20 {
		t.Errorf("%d bytes allocated", n)
	}
}

// pattern is left bytes that deflate well.
type pattern struct{ left int }

func (p *pattern) Read(b []byte) (int, error) {
	if p.left == 0 {
		return 0, io.EOF
	}
	n := min(len(b), p.left)
	clear(b[:n])
	p.left -= n
	return n, nil
}

// TestWriterErrors leaves nothing of a record whose block is not what it should be.
func TestWriterErrors(t *testing.T) {
	good := olds()[1]
	for name, block := range map[string]io.Reader{
		"short":       strings.NewReader("x"),
		"long":        strings.NewReader(randomBytes(2*memory + 1)),
		"cannot read": io.MultiReader(strings.NewReader("x"), failing{}),
	} {
		for _, size := range []int64{memory / 2, 2 * memory} {
			t.Run(fmt.Sprint(name, " ", size), func(t *testing.T) {
				w := &Writer{Dir: t.TempDir(), Prefix: "x", Host: "host"}
				if err := w.Write(warc.Version, good.header, strings.NewReader(good.block), int64(len(good.block))); err != nil {
					t.Fatal(err)
				}
				if err := w.Write(warc.Version, good.header, block, size); err == nil {
					t.Error("no error")
				}
				if err := w.Close(); err != nil {
					t.Fatal(err)
				}
				files, _ := filepath.Glob(filepath.Join(w.Dir, "*"))
				var c collected
				if err := c.importer(t).Import(files...); err != nil {
					t.Fatal(err)
				}
				sameRecords(t, c.records, []made{good})
			})
		}
	}
	w := &Writer{Dir: t.TempDir(), Prefix: "x"}
	if err := w.Write(warc.Version, good.header, strings.NewReader(good.block), int64(len(good.block))); err != nil {
		t.Fatal(err)
	}
	if err := w.Abandon(); err != nil {
		t.Error(err)
	}
	if files, _ := filepath.Glob(filepath.Join(w.Dir, "*")); len(files) > 0 {
		t.Errorf("%q are left", files)
	}
	w = &Writer{Dir: t.TempDir(), Prefix: "iipc"}
	if err := w.Write(warc.Version, good.header, strings.NewReader(good.block), int64(len(good.block))); err == nil {
		t.Error("a reserved prefix is taken")
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("cannot read") }
