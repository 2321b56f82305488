package readback

import (
	"bufio"
	"bytes"
	"compress/flate"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/warc"
)

// handmade is a collection with one file, of which an index says that all of it is committed.
type handmade struct {
	*Files
	path string
	file store.File
}

// makeFile makes a collection of a file that nobody has looked at before.
func makeFile(t testing.TB, name string) *handmade {
	t.Helper()
	dir := collection.Dir(t.TempDir())
	if err := dir.Make(collection.DefaultMode); err != nil {
		t.Fatal(err)
	}
	index, err := store.Open(dir.Index(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	h := &handmade{Files: New(dir, index), path: dir.WARC(name)}
	t.Cleanup(func() { h.Close(); index.Close() })
	if h.file, err = index.AddFile(name); err != nil {
		t.Fatal(err)
	}
	return h
}

// capture writes the file and returns the capture of the record that is all of it.
func (h *handmade) capture(t testing.TB, write func(*os.File) error) *store.Capture {
	t.Helper()
	f, err := os.Create(h.path)
	if err != nil {
		t.Fatal(err)
	}
	if err := write(f); err != nil {
		t.Fatal(err)
	}
	size, err := f.Seek(0, io.SeekEnd)
	if err = errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	h.file.Committed, h.file.Sealed = size, true
	if err := h.index.NoteFiles([]store.File{h.file}); err != nil {
		t.Fatal(err)
	}
	return h.here(size)
}

// here is the capture of a record of that length at the beginning of the file.
func (h *handmade) here(length int64) *store.Capture {
	return &store.Capture{URL: "http://example.com/", URLKey: "com,example)/",
		Location: store.Location{File: h.file.Name, Length: length}}
}

// piece is so many times the same text.
type piece struct {
	text  string
	times int
}

// gzipOf writes pieces into one gzip member. What comes many times is compressed once: the blocks of a
// MiB refer to nothing before it, so that they may follow themselves.
func gzipOf(pieces ...piece) func(*os.File) error {
	return func(f *os.File) error {
		out := bufio.NewWriter(f)
		out.WriteString("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff")
		sum, size := uint32(0), 0
		for _, p := range pieces {
			text := []byte(strings.Repeat(p.text, max(1, min(p.times, (1<<20)/len(p.text)))))
			blocks := deflated(text)
			for left := p.times * len(p.text); left > 0; left -= len(text) {
				if left < len(text) {
					text = text[:left]
					blocks = deflated(text)
				}
				out.Write(blocks)
				sum, size = crc32.Update(sum, crc32.IEEETable, text), size+len(text)
			}
		}
		out.WriteString("\x03\x00") // the last block, which is empty
		out.Write(binary.LittleEndian.AppendUint32(nil, sum))
		out.Write(binary.LittleEndian.AppendUint32(nil, uint32(size)))
		return out.Flush()
	}
}

// deflated returns blocks of a text, of which none is the last.
func deflated(text []byte) []byte {
	var blocks bytes.Buffer
	w, err := flate.NewWriter(&blocks, flate.BestSpeed)
	if err == nil {
		_, err = w.Write(text)
	}
	if err = errors.Join(err, w.Flush()); err != nil {
		panic(err) // the level is right, and a buffer takes all
	}
	return blocks.Bytes()
}

const hostileHead = "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://example.com/\r\n" +
	"Content-Type: application/http;msgtype=response\r\nContent-Length: %d\r\n\r\n"

// TestHostileMembers: whatever a member of some MB holds, a response takes little memory, and no
// longer than its length asks for.
func TestHostileMembers(t *testing.T) {
	const message, many = "HTTP/1.1 200 OK\r\n\r\n", 512 << 20
	head := func(size int) piece { return piece{fmt.Sprintf(hostileHead, size), 1} }
	for name, c := range map[string]struct {
		pieces []piece
		want   int64 // bytes of the body
		err    error
		noHead bool // there is no response
		memory uint64
	}{
		"zeros": {[]piece{head(many + len(message)), {message, 1}, {"\x00", many}, {"\r\n\r\n", 1}},
			many, nil, false, 1 << 20},
		"zeros behind the record": {[]piece{head(len(message) + 5), {message + "hello", 1}, {"\x00", many}},
			5, warc.ErrLength, false, 1 << 20},
		"line breaks behind the record": {[]piece{head(len(message) + 5), {message + "hello", 1},
			{"\r\n", many / 2}}, 5, warc.ErrLength, false, 1 << 20},
		"line breaks before the record": {[]piece{{"\r\n", many / 2}, head(0)}, 0, warc.ErrLength, true,
			1 << 20},
		"less than it says": {[]piece{head(1 << 40), {message, 1}, {"x", 1000}}, 1000, warc.ErrLength,
			false, 1 << 20},
		"a head without an end": {[]piece{head(many), {"HTTP/1.1 200 OK\r\nX: ", 1}, {"x", many}}, 0,
			ErrNoMessage, true, 8 << 20},
		"a head of lines": {[]piece{head(many), {"HTTP/1.1 200 OK\r\n", 1}, {"X\r\n", many / 3}}, 0,
			ErrNoMessage, true, 8 << 20},
		"a head of folds": {[]piece{head(many), {"HTTP/1.1 200 OK\r\nTransfer-Encoding:\r\n", 1},
			{" ,\r\n", many / 4}}, 0, ErrNoMessage, true, 8 << 20},
		"no head": {[]piece{head(many), {"x", many}}, 0, ErrNoMessage, true, 1 << 20},
		"a WARC header": {[]piece{{"WARC/1.1\r\nX: ", 1}, {"x", many}}, 0, warc.ErrHeader, true,
			64 << 20},
		"a header of lines": {[]piece{{"WARC/1.1\r\n", 1}, {"X: y\r\n", many / 6}}, 0, warc.ErrHeader,
			true, 64 << 20},
		"empty lines": {[]piece{head(many), {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", 1},
			{"\n", many}}, many - 47, nil, false, 1 << 20},
	} {
		t.Run(name, func(t *testing.T) {
			h := makeFile(t, "a.warc.gz")
			capture := h.capture(t, gzipOf(c.pieces...))
			began := time.Now()
			took := heapBehind(func() {
				response, err := h.Response(capture)
				if c.noHead {
					if !errors.Is(err, c.err) {
						t.Errorf("%v", err)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				n, err := io.Copy(io.Discard, response.Body)
				if n != c.want || !errors.Is(err, c.err) {
					t.Errorf("%d bytes, %v", n, err)
				}
				response.Close()
			})
			if took > c.memory+1<<20 { // and the buffers of a reader, once
				t.Errorf("%d KB were allocated", took>>10)
			}
			if spent := time.Since(began); spent > 30*time.Second {
				t.Errorf("it took %v", spent)
			}
		})
	}
}

// TestLargeBody: a body of 256 MiB that is deflated takes no more memory than a small one; one that is
// stored is read from any byte on.
func TestLargeBody(t *testing.T) {
	const size = 256 << 20
	h := makeFile(t, "a.warc.gz")
	message := "HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\n\r\n"
	c := h.capture(t, func(f *os.File) error {
		body := zeros(size)
		head := [][]byte{fmt.Appendf(nil, hostileHead, size+len(message)), []byte(message)}
		_, err := warc.NewCompressor().Stream(f, 0, head, &body, size, false)
		return err
	})
	took := heapBehind(func() {
		response, err := h.Response(c)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := io.Copy(io.Discard, response.Body); n != size || err != nil {
			t.Errorf("%d bytes, %v", n, err)
		}
		response.Close()
	})
	if took > 2<<20 {
		t.Errorf("%d KB were allocated", took>>10)
	}
}

// TestSections: a part of a body in stored blocks, or in a file that is not compressed, is read
// alone, also of one in chunks.
func TestSections(t *testing.T) {
	body := make([]byte, 20<<20)
	rand.NewChaCha8([32]byte{}).Read(body)
	var chunked bytes.Buffer
	for part := range bytes.SplitSeq(body, []byte{7, 7}) { // pieces of every length
		fmt.Fprintf(&chunked, "%x;x=y\r\n%s\r\n", len(part)+2, append(bytes.Clone(part), 7, 7))
	}
	chunked.WriteString("0\r\nX: y\r\n\r\n")
	for name, c := range map[string]struct {
		file                string
		head, block, entity []byte
	}{
		"stored":     {"a.warc.gz", nil, body, body},
		"compressed": {"b.warc.gz", nil, body[:1<<20], body[:1<<20]},
		"plain":      {"a.warc", nil, body, body},
		"stored, in chunks": {"a.warc.gz", []byte("Transfer-Encoding: chunked\r\n"), chunked.Bytes(),
			append(bytes.Clone(body), 7, 7)},
		"plain, in chunks": {"a.warc", []byte("Transfer-Encoding: chunked\r\n"), chunked.Bytes(),
			append(bytes.Clone(body), 7, 7)},
	} {
		h := makeFile(t, c.file)
		message := fmt.Appendf(nil, "HTTP/1.1 200 OK\r\n%s\r\n", c.head)
		capture := h.capture(t, func(f *os.File) error {
			head := fmt.Appendf(nil, hostileHead, len(c.block)+len(message))
			if strings.HasSuffix(c.file, ".warc") {
				_, err := f.Write(bytes.Join([][]byte{head, message, c.block, []byte("\r\n\r\n")}, nil))
				return err
			}
			_, err := warc.NewCompressor().Stream(f, 0, [][]byte{head, message},
				bytes.NewReader(c.block), int64(len(c.block)), c.file == "a.warc.gz")
			return err
		})
		response, err := h.Response(capture)
		if err != nil {
			t.Fatal(err)
		}
		for _, from := range []int{0, 1, passed, passed + 1, 512 << 10, 1 << 20, 5 << 20, 3,
			len(c.entity) - 100, len(c.entity) - 1, len(c.entity)} {
			if from <= len(c.entity) {
				checkSection(t, name, response, c.entity, from)
			}
		}
		if _, err := response.Section(context.Background(), int64(len(c.entity))+1, 1); err == nil {
			t.Errorf("%s: a section behind the end", name)
		}
		response.Close()
	}
}

// checkSection reads a part of an entity.
func checkSection(t *testing.T, name string, response *Response, entity []byte, from int) {
	t.Helper()
	const size = 100_000
	var got []byte
	took := heapBehind(func() {
		section, err := response.Section(context.Background(), int64(from), size)
		if err != nil {
			t.Fatal(name, err)
		}
		if got, err = io.ReadAll(section); err != nil {
			t.Error(err)
		}
	})
	if !bytes.Equal(got, entity[from:min(from+size, len(entity))]) {
		t.Errorf("%s: others from %d on", name, from)
	}
	if took > 2<<20 {
		t.Errorf("%s: %d KB for a section", name, took>>10)
	}
}

// BenchmarkSection reads the last MiB of a film of 1 GiB.
func BenchmarkSection(b *testing.B) {
	const size = 1 << 30
	message := "HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\n\r\n"
	for name, stored := range map[string]bool{"stored": true, "deflated": false} {
		h := makeFile(b, "a.warc.gz")
		c := h.capture(b, func(f *os.File) error {
			body := zeros(size)
			head := [][]byte{fmt.Appendf(nil, hostileHead, size+len(message)), []byte(message)}
			_, err := warc.NewCompressor().Stream(f, 0, head, &body, size, stored)
			return err
		})
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				response, err := h.Response(c)
				if err != nil {
					b.Fatal(err)
				}
				section, err := response.Section(context.Background(), size-1<<20, 1<<20)
				if err != nil {
					b.Fatal(err)
				}
				if n, err := io.Copy(io.Discard, section); n != 1<<20 || err != nil {
					b.Fatal(n, err)
				}
				response.Close()
			}
		})
	}
}
