package readback

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"testing"

	"warcorder/recorder/recovery/foreign"
	"warcorder/store/warc"
)

// FuzzResponse reads a response whose block is anything: head and body are the block, but for interim
// heads before them, sections are those of the entity, and nothing takes more memory than the block
// is long, times a constant.
func FuzzResponse(f *testing.F) {
	for _, block := range []string{"", "HTTP/1.1 200 OK\r\n\r\nhello", "HTTP/1.1 200 OK\n\nhello",
		"HTTP/1.1 200\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
		"ICY 200\r\nTransfer-Encoding:\r\n chunked\r\n\r\n2\r\nab\r\n3;x\r\ncde\r\n0\r\nA: b\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Encoding: br, deflate, zstd\r\n\r\n\x78\x9c", "\n\nHTTP/1.1",
		"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103\nA: b\n\nHTTP/1.1 200 OK\r\n\r\nhello"} {
		f.Add([]byte(block), true, uint16(3))
		f.Add([]byte(block), false, uint16(0))
	}
	gz, plain := makeFile(f, "a.warc.gz"), makeFile(f, "a.warc")
	f.Fuzz(func(t *testing.T, block []byte, compressed bool, from uint16) {
		text := fmt.Appendf(nil, hostileHead, len(block))
		text = append(append(text, block...), warc.RecordEnd...)
		h := plain
		if compressed {
			h, text = gz, foreign.Gzip(string(text))
		}
		c := h.capture(t, func(file *os.File) error {
			_, err := file.Write(text)
			return err
		})
		took := heapBehind(func() { checkResponse(t, h, c.Location.Length, block, int64(from)) })
		if most := uint64(4<<20 + 64*len(block)); took > most {
			t.Errorf("%d bytes were allocated for a block of %d", took, len(block))
		}
	})
}

// checkResponse reads the response of which the file consists in every way.
func checkResponse(t *testing.T, h *handmade, length int64, block []byte, from int64) {
	c := h.here(length)
	response, err := h.Response(c)
	if errors.Is(err, ErrNoMessage) && !isMessage(block) || err != nil && len(block) > maxHead {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer response.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || int64(len(body)) != response.Size ||
		!bytes.Equal(append(bytes.Clone(response.Head), body...), block[response.record.interim:]) {
		t.Fatalf("head %q and body %q of %q, %v", response.Head, body, block, err)
	}
	if err := response.again(); err != nil {
		t.Fatal(err)
	}
	entity, broken := io.ReadAll(response.Entity())
	if broken != nil && (!response.Chunked || !errors.Is(broken, io.ErrUnexpectedEOF)) {
		t.Errorf("entity: %v", broken)
	}
	if size, known := response.EntitySize(); known && (size != int64(len(entity)) || broken != nil) {
		t.Errorf("entity of %d bytes, told %d; %v", len(entity), size, broken)
	}
	if section, err := response.Section(context.Background(), from, 5); err == nil {
		is, err := io.ReadAll(section)
		end := min(len(entity), int(from)+5)
		if int(from) > len(entity) || !bytes.Equal(is, entity[from:end]) ||
			err != nil && (broken == nil || end == int(from)+5) {
			t.Errorf("%d bytes from %d on of %d, %v", len(is), from, len(entity), err)
		}
	} else if int(from) <= len(entity) && (broken == nil || int(from) < len(entity)) {
		t.Errorf("from %d of %d: %v", from, len(entity), err)
	}
	if _, err := response.IsDecoded(); err != nil {
		t.Error(err)
	}
	if in, err := response.Decoded(); err == nil {
		_, err = io.CopyN(io.Discard, in, 1<<20)
		if err != nil && err != io.EOF && !errors.Is(err, ErrCoding) && broken == nil {
			t.Errorf("decoded: %v", err)
		}
	}
	if request, err := h.Request(c); !errors.Is(err, ErrNoRequest) {
		t.Errorf("%v, %v", request, err)
	}
}
